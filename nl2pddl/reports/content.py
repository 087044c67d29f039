"""What a report says: key numbers in words, tables for its figures, method, limits, configuration and versions."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import pandas as pd

from nl2pddl import __version__, breakdown, figures, tables, terms
from nl2pddl.errors import InputError
from nl2pddl.experiment import RunConfig, RunKind
from nl2pddl.records import DescriptionClass, Protocol, ResultClass
from nl2pddl.statistics import TiedGroups, all_pairs, tied_groups
from nl2pddl.store import Store, counts, queries

TITLE = "Planning actions written by language models"
_EQUIVALENT = ResultClass.EQUIVALENT.value
# The figures that a report can have, in their order, and what each is called.
SECTIONS: Mapping[str, str] = {
    "ranking": "Which model",
    "sizes": "Equivalents against model size",
    "classes": "Result classes by model and description class",
    "places": "Equivalents by domain",
    "subclasses": "Why it fails: subclasses",
    "are": "Action reconstruction error (ARE)",
    "table1": "Table 1: result classes and subclasses, description class base",
}
_NOTES: Mapping[str, str] = {
    "ranking": "Share of outputs that are equivalent to the original action, with 95% intervals. Models that share a "
    "letter cannot be told apart.",
    "classes": "Every output falls into one of four classes; what they mean is said under Method.",
    "sizes": "Sizes are on a logarithmic scale. Bars are 95% intervals.",
    "places": "Percent of outputs that are equivalent, by domain and model.",
    "subclasses": "Percent of each model's outputs.",
    "are": "How many literals differ from the original action; 0 is the same action. What does not parse has no ARE.",
    "table1": "In percent of a model's outputs; lower is better in all rows but Equiv. Layout of Table 1 of Oswald "
    "et al. (ICAPS 2024).",
}
METHOD: tuple[str, ...] = (
    "A language model reads a description of a planning action in plain English and writes the action in PDDL, the "
    "language of automated planners. Each output is judged automatically, in this order. Syntax: it is no PDDL action. "
    "Semantic: it is one, but does not fit the domain (types, predicates, arguments, name). Different: it fits, but "
    "the domain plans differently with it. Equivalent: the top plans of the domain with the generated action and of "
    "the original domain are plans of each other.",
    "Plans are found by the planner K* (the best 100 by default) on the domain's problems, and checked by a plan "
    "validator. The method is that of Oswald et al., Large Language Models as Planning Domain Generators, ICAPS 2024.",
    "Intervals are at the 95% level. Prompts of one action resemble each other, so actions, not prompts, are what is "
    "counted on: an interval is wider than one that takes all outputs as independent.",
)
_LIMITS: tuple[str, ...] = (
    "Equivalent means that no difference was found with the plans compared. It is no proof: where the exact decision "
    "was made, its result is stated; where not, some equivalents may be false positives.",
    "Outputs that could not be decided within the limits of time and memory are counted apart and in no percentage.",
    "The shares hold for the actions and domains used here; other domains may be easier or harder.",
)


@dataclass(frozen=True)
class Section:
    """A figure of a report: its key in ``SECTIONS``, its table of numbers, and what is said below it."""

    key: str
    heading: str
    note: str
    table: pd.DataFrame


@dataclass(frozen=True)
class Report:
    """A whole report. ``numbers`` are (label, value, what of), ``runs`` (label, facts as (name, value))."""

    title: str
    made_at: str
    program: str
    sentences: tuple[str, ...]
    numbers: tuple[tuple[str, str, str], ...]
    sections: tuple[Section, ...]
    method: tuple[str, ...]
    limits: tuple[str, ...]
    runs: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]


def build_report(
    store: Store,
    runs: Sequence[str],
    cube: pd.DataFrame,
    wanted: Mapping[str, Sequence[str]],
    sizes: Mapping[str, float],
    title: str = "",
    keys: Sequence[str] = tuple(SECTIONS),
    originals: Mapping[str, str] | None = None,
) -> Report:
    """The report on a labelled cube of the runs (``breakdown.labelled``), which was filtered by ``wanted``.

    ``keys`` are the wanted sections; one that has nothing to show is left out. ``originals`` as in ``counts.outcomes``.
    Raises InputError for unknown sections, and where nothing was decided.
    """
    if unknown := [key for key in keys if key not in SECTIONS]:
        raise InputError(f"a report has no section {', '.join(unknown)}; there are: {', '.join(SECTIONS)}")
    if cube.empty or not cube["result_class"].isin(figures.CLASSES).any():
        raise InputError("there is no decided output to report on")
    groups = _groups(store, runs, cube, wanted, originals)
    makers: Mapping[str, Callable[[], pd.DataFrame]] = {
        "ranking": lambda: _ranking(cube, groups),
        "classes": lambda: figures.class_table(breakdown.counts_of(cube)),
        "sizes": lambda: _sizes(cube, sizes),
        "places": lambda: _places(cube),
        "subclasses": lambda: figures.subclass_table(breakdown.counts_of(cube)),
        "are": lambda: figures.are_table(breakdown.are_of(cube)),
        "table1": lambda: _table1(cube),
    }
    made = {key: makers[key]() for key in SECTIONS if key in keys}
    sections = [Section(key, SECTIONS[key], _NOTES[key], table) for key, table in made.items() if not table.empty]
    return Report(
        title=title or TITLE,
        made_at=f"{datetime.now().astimezone():%d %B %Y, %H:%M %Z}",
        program=f"NL2PDDL {__version__}",
        sentences=tuple(_sentences(cube, groups, wanted)),
        numbers=tuple(_numbers(cube)),
        sections=tuple(sections),
        method=METHOD,
        limits=_LIMITS,
        runs=tuple(_run_facts(store, run) for run in runs),
    )


def _groups(
    store: Store,
    runs: Sequence[str],
    cube: pd.DataFrame,
    wanted: Mapping[str, Sequence[str]],
    originals: Mapping[str, str] | None,
) -> TiedGroups | None:
    """Who is ahead and who is tied; None for a single model."""
    shares = breakdown.equivalent_shares(cube, ["label"])
    if len(shares) < 2:
        return None
    outcomes = counts.outcomes(store, runs, wanted, "model", originals)
    names = {str(row.model) + str(row.variant): str(row.label) for row in cube.drop_duplicates("label").itertuples()}
    outcomes = outcomes.rename(columns=names)
    models = [name for name in names.values() if name in outcomes.columns]
    pairs = all_pairs(outcomes[models], outcomes["cluster"])
    tests = {(str(a), str(b)): float(value) for (a, b), value in zip(pairs.index, pairs["p_value"], strict=True)}
    known = {str(name): share for name, share in zip(shares["label"], shares["percent"], strict=True)}
    return tied_groups({name: known[name] for name in models}, tests)


def _ranking(cube: pd.DataFrame, groups: TiedGroups | None) -> pd.DataFrame:
    table = breakdown.equivalent_shares(cube, ["label"]).rename(columns={"label": "model"})
    letters = groups.letters if groups else {}
    table = table.assign(model=table["model"].astype(str), series="equivalent")
    table["letters"] = [letters.get(name, "") for name in table["model"]]
    return table.sort_values("percent", ascending=False, kind="stable", ignore_index=True)


def _sizes(cube: pd.DataFrame, sizes: Mapping[str, float]) -> pd.DataFrame:
    table = breakdown.equivalent_shares(cube, ["label", "model"])
    table["billions"] = [breakdown.size_of(str(model), sizes) for model in table["model"]]
    table["chat"] = [breakdown.is_chat(str(model)) for model in table["model"]]
    known = table[table["billions"].notna()].drop(columns="model").rename(columns={"label": "model"})
    return known if known["billions"].nunique() > 1 else known.iloc[:0]


def _places(cube: pd.DataFrame) -> pd.DataFrame:
    table = breakdown.equivalent_shares(cube, ["label", "domain"]).rename(columns={"label": "model"})
    table = table.assign(place=table["domain"])
    return table.sort_values(["place", "model"], kind="stable", ignore_index=True)


def _table1(cube: pd.DataFrame) -> pd.DataFrame:
    base = cube[cube["description_class"] == DescriptionClass.BASE.value]
    return tables.table1(breakdown.counts_of(base.assign(label=base["model"] + base["variant"])))


def _numbers(cube: pd.DataFrame) -> list[tuple[str, str, str]]:
    shares = breakdown.shares(cube.assign(all=""), ["all"], "result_class", figures.CLASSES)
    undecided = figures.undecided_count(breakdown.counts_of(cube))
    total = int(shares["total"].iloc[0])
    rows = [("Outputs", f"{total + undecided:,}", f"{undecided:,} undecided, counted apart")]
    for name, percent, low, high in zip(*(shares[c] for c in ("result_class", "percent", "low", "high")), strict=True):
        interval = "" if math.isnan(low) else f", 95% interval {low:.1f} to {high:.1f}%"
        rows.append((str(name).capitalize(), f"{percent:.1f}%", f"of {total:,}{interval}"))
    return rows


def _sentences(cube: pd.DataFrame, groups: TiedGroups | None, wanted: Mapping[str, Sequence[str]]) -> list[str]:
    table = breakdown.equivalent_shares(cube, ["label"]).sort_values("percent", ascending=False, kind="stable")
    first = next(table.itertuples())
    of = f"{first.total:,} outputs"
    told = [f"{first.label} writes an equivalent action most often: in {first.percent:.1f}% of {of}."]
    if len(table) == 1:
        told = [f"{first.label} writes an equivalent action in {first.percent:.1f}% of {of}."]
    elif groups and groups.tied_with_best:
        told.append(f"It cannot be told apart from {_listed(groups.tied_with_best)} with these prompts.")
    elif groups:
        told.append("It is told apart from every other model.")
    failures = figures.subclass_table(breakdown.counts_of(cube)).groupby("subclass", observed=True)["count"].sum()
    failed = failures.drop(index="equivalent", errors="ignore")
    if failed.sum():
        told.append(
            f"The most frequent failure is {failed.idxmax()} ({terms.SUBCLASSES[str(failed.idxmax())]}): "
            f"{100 * failed.max() / failures.sum():.1f}% of all outputs."
        )
    beyond = figures.beyond_table(breakdown.beyond_of(cube[cube["result_class"] == _EQUIVALENT]))
    if not beyond.empty and (decided := int(beyond["Proved"].sum() + beyond["Refuted"].sum())):
        told.append(f"The exact decision refutes {int(beyond['Refuted'].sum()):,} of {decided:,} equivalents.")
    cuts = [f"{name.replace('_', ' ')}: {', '.join(values)}" for name, values in wanted.items() if values]
    return told + ([f"Only a part of the outputs is shown here ({'; '.join(cuts)})."] if cuts else [])


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _run_facts(store: Store, run_id: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    config, versions = queries.run_config(store, run_id), queries.run_versions(store, run_id)
    label = " · ".join(part for part in (config.name, run_id) if part)
    facts = [
        ("Models", ", ".join(config.models)),
        ("Domains", ", ".join(config.domains)),
        ("Description classes", ", ".join(config.descriptions)),
        ("Prompts an action", str(config.prompts)),
        ("Protocol", _protocol(config)),
        *([] if config.kind is RunKind.IMPORTED else _how(config)),
        ("Versions", ", ".join(f"{name} {number}" for name, number in versions.items())),
    ]
    return label, tuple(facts)


def _how(config: RunConfig) -> list[tuple[str, str]]:
    decoding, evaluation = config.decoding, config.evaluation
    how = "greedy" if decoding.greedy else f"sampled, temperature {decoding.temperature:g}, top-p {decoding.top_p:g}"
    return [
        (
            "Decoding",
            f"{how}, at most {decoding.max_new_tokens} new tokens, stop at {json.dumps(decoding.stop_strings)}",
        ),
        ("Seed", str(config.seed)),
        ("Context examples", str(config.context_examples)),
        ("Planner", f"top {evaluation.k} plans, {evaluation.seconds:g} s and {evaluation.memory_mb} MB a call"),
    ]


def _protocol(config: RunConfig) -> str:
    imported = "; imported, its prompts and outputs are not in the store" if config.kind is RunKind.IMPORTED else ""
    rules = {Protocol.STRICT: "strict: the paper's definitions", Protocol.PUBLISHED: "published: the study's own code"}
    return rules[config.evaluation.protocol] + imported
