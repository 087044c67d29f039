"""What is measured: outputs with the domains they are for. The study's files where they lie beside, else our own."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from nl2pddl.actions import And, LiftedAction, Parameter, action_pddl, conjuncts
from nl2pddl.domains import DomainLibrary, load_library

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("NL2PDDL_SHARED", ROOT.parent / "shared"))


@dataclass(frozen=True)
class Material:
    """Domains, and outputs as lines for ``evaluate``; ``source`` says where they are from."""

    source: str
    domains: Path
    lines: tuple[dict[str, str], ...]

    def library(self) -> DomainLibrary:
        return load_library(self.domains)


def material() -> Material:
    """The 800 handed outputs on the study's domains, or 800 made from the project's own."""
    cases, domains = SHARED / "cases" / "published_verdicts.jsonl", SHARED / "published" / "pddl-problems"
    if cases.is_file() and domains.is_dir():
        rows = (json.loads(line) for line in cases.read_text(encoding="utf-8").splitlines())
        lines = tuple({name: row[name] for name in ("domain", "action", "output")} for row in rows)
        return Material("the handed cases, on the study's domains", domains, lines)
    library = load_library(ROOT / "domains")
    return Material("made from the project's domains", ROOT / "domains", tuple(_made(library)))


def _made(library: DomainLibrary) -> Iterator[dict[str, str]]:
    """25 outputs an action: the ground truth under other names, changed, or broken."""
    rng = random.Random(0)
    for domain in library.domains.values():
        for name, action in domain.planning.actions.items():
            for _ in range(25):
                text = action_pddl(_changed(action, rng))
                if rng.random() < 0.3:
                    text = rng.choice([text[:-4], text.replace(":effect", ""), text.replace(" - ", " - un")])
                yield {"domain": domain.id, "action": name, "output": text}


def _changed(action: LiftedAction, rng: random.Random) -> LiftedAction:
    """The action with a literal dropped or two parameters exchanged, or as it is."""
    parts, effects = list(conjuncts(action.precondition)), list(conjuncts(action.effect))
    choice = rng.randrange(4)
    if choice == 0:
        parts.pop(rng.randrange(len(parts)))
    elif choice == 1:
        effects.pop(rng.randrange(len(effects)))
    elif choice == 2:
        parameters = list(action.parameters)
        rng.shuffle(parameters)
        return replace(action, parameters=tuple(Parameter(p.name, p.types) for p in parameters))
    return replace(action, precondition=And(tuple(parts)), effect=And(tuple(effects)))
