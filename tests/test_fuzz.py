"""Hostile outputs: whatever a model writes gets a verdict before planning, and every problem has its place."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from nl2pddl.actions import action_pddl
from nl2pddl.candidate import Candidate
from nl2pddl.classification import Asked, classify, classify_published
from nl2pddl.domains import DomainLibrary
from nl2pddl.equivalence import CrossCheckResult
from nl2pddl.published.domain import published_domain
from nl2pddl.records import Protocol, ResultClass, Verdict

COUNT = 1000  # of each kind and protocol
WORDS = [
    "(", ")", ":action", ":effect", ":precondition", ":parameters", "and", "not", "or", "when", "forall", "exists",
    "imply", "=", "?x", "-", "object", "(either a b)", ";", "\n", ">=", "1", '"', "increase", "\0", "\ud800", "é", "()",
    "?", "either", "oneof", "(and)", "(or)", "?x?y", ":ACTION", "AND", "(?x - block)",
]  # fmt: skip


def mutated(text: str, rng: random.Random) -> str:
    words = re.findall(r"\(|\)|\s+|[^\s()]+", text)
    for _ in range(rng.randint(1, 6)):
        at, choice = rng.randrange(len(words)), rng.random()
        if choice < 0.3:
            words[at] = rng.choice(WORDS)
        elif choice < 0.6:
            words.insert(at, f" {rng.choice(WORDS)} ")
        elif choice < 0.8 and len(words) > 1:
            del words[at]
        else:
            other = rng.randrange(len(words))
            words[at], words[other] = words[other], words[at]
    return "".join(words)


def hostile(text: str, rng: random.Random) -> str:
    """Random bytes, truncated, deeply nested, long, unicode, NULs."""
    depth, where = rng.choice([50, 99, 101, 1000, 20000]), rng.randrange(len(text))
    return rng.choice(
        [
            rng.randbytes(rng.randint(0, 3000)).decode("latin-1"),
            text[:where],
            text[:where] + "(" * depth + text[where:] + ")" * depth,
            text.replace(":precondition (and", ":precondition " + "(and " * depth) + ")" * depth,
            text.replace(" ", "\0"),
            text.replace(" ", "\u2003"),
            "".join(chr(rng.choice([0x202E, 0x1F600, 0xDFFF, 0x0130, 0x0661])) for _ in range(50)) + text,
            text[:where]
            + rng.choice(["(p ?x) ", "; ", "word ", ")", "\n"]) * rng.choice([10, 1000, 60000])
            + text[where:],
        ]
    )


def outputs(library: DomainLibrary, kind: str) -> Iterator[tuple[Asked, str]]:
    rng = random.Random(kind)
    domains = list(library.domains.values())
    for _ in range(COUNT):
        domain = rng.choice(domains).planning
        name = rng.choice(list(domain.actions))
        text = action_pddl(domain.actions[name])
        yield Asked(domain, name), (mutated if kind == "mutated" else hostile)(text, rng)


def crossing(candidate: Candidate) -> CrossCheckResult:
    """Stands for planning, which is no part of this."""
    return CrossCheckResult(ResultClass.EQUIVALENT, None, "not planned", ())


def judge(asked: Asked, output: str, protocol: Protocol) -> Verdict:
    if protocol is Protocol.STRICT:
        return classify(asked, output, crossing)
    return classify_published(asked, published_domain(asked.domain), output, crossing)


@pytest.mark.parametrize("protocol", list(Protocol))
@pytest.mark.parametrize("kind", ["mutated", "hostile"])
def test_any_output_gets_a_verdict_with_places(library: DomainLibrary, kind: str, protocol: Protocol) -> None:
    classes = set()
    for asked, output in outputs(library, kind):
        verdict = judge(asked, output, protocol)
        classes.add(verdict.result_class)
        refused = verdict.result_class in (ResultClass.SYNTAX, ResultClass.SEMANTIC)
        assert bool(verdict.problems) is refused
        assert verdict.reason
        assert len(verdict.reason) < 2000
        lines = (verdict.action_text or output).count("\n") + 1
        for problem in verdict.problems:
            assert 1 <= problem.line <= lines
            assert problem.column >= 1
    assert {ResultClass.SYNTAX, ResultClass.SEMANTIC, ResultClass.EQUIVALENT} - classes <= (
        set() if kind == "mutated" else {ResultClass.SEMANTIC, ResultClass.EQUIVALENT}
    )
