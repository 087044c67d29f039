"""``import-results``, ``export``, ``report``, ``delete``: results into the store, out of it, as a page or a table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from nl2pddl import study
from nl2pddl.errors import InputError
from nl2pddl.records import DescriptionClass
from nl2pddl.runs import import_results
from nl2pddl.store import Store, counts, queries
from nl2pddl.store.exports import export
from nl2pddl.store.writes import delete_run

REPORTS = ("table1", "latex", "html", "pdf")


def import_file(path: Path, store: Path) -> int:
    """Store a results file of the study's layout as a run; prints the run's ID and what was imported."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error
    results = study.read_results(content, path.name)
    with Store(store) as opened:
        run_id = import_results(opened, results)
    rows = results.rows
    print(run_id)
    print(f"imported {len(results):,} verdicts on {rows['model'].nunique()} models from {path.name}")
    for hint in results.hints:
        print(
            f"warning: lines may be there twice: {hint}; if so, delete the run and import a mended file",
            file=sys.stderr,
        )
    return 0


def delete_runs(store: Path, runs: Sequence[str]) -> int:
    """Take runs out of the store for good; none where one of them is not there."""
    if "all" in runs:
        raise InputError("name each run to be deleted; 'all' is not taken")
    with _opened(store) as opened:
        for run_id in chosen_runs(opened, ",".join(runs)):
            outputs = queries.counts(opened, run_id)[1]
            delete_run(opened, run_id)
            print(f"deleted {run_id} and its {outputs:,} outputs")
    return 0


def export_runs(store: Path, runs: str, form: str, out: Path) -> int:
    """Write the verdicts of some runs, or of all, to a file."""
    with _opened(store) as opened:
        chosen = chosen_runs(opened, runs)
        count = export(opened, chosen, form, out)
        judged = sum(queries.counts(opened, run)[2] for run in chosen)
    left = (
        f"; {judged - count:,} undecided, corrections or whole domains are not in this layout" if count < judged else ""
    )
    print(f"{count:,} verdicts of {len(chosen)} runs in {out}{left}", file=sys.stderr)
    return 0


def report(store: Path, runs: str, form: str, out: Path) -> int:
    """Write a report on some runs, or on all, to a file."""
    if not out.parent.is_dir() or out.is_dir():
        raise InputError(f"{out}: no file can be written there; name a file in a folder that exists")
    with _opened(store) as opened:
        chosen = chosen_runs(opened, runs)
        made = _table1(opened, chosen, form) if form in ("table1", "latex") else _page(opened, chosen, form)
    out.write_bytes(made)
    print(f"written to {out}", file=sys.stderr)
    return 0


def _table1(store: Store, runs: Sequence[str], form: str) -> bytes:
    from nl2pddl import tables

    found = counts.class_counts(store, runs)
    base = found[found["description_class"] == DescriptionClass.BASE.value]
    table = tables.table1(base)
    if table.empty:
        raise InputError("Table 1 is of the description class base, and these runs have no such verdicts")
    outputs = base[base["result_class"] != "undecided"].groupby("model")["count"].sum()
    text = tables.as_csv(table) if form == "table1" else tables.as_latex(table, [int(one) for one in outputs])
    return text.encode()


def _page(store: Store, runs: Sequence[str], form: str) -> bytes:
    from nl2pddl import breakdown, twins
    from nl2pddl.domains import load_library
    from nl2pddl.generation.listed import listed_sizes
    from nl2pddl.reports import as_html, build_report
    from nl2pddl.reports.pdf import as_pdf
    from nl2pddl.settings import load_settings

    cube, sizes = counts.cube(store, runs), listed_sizes()
    labelled = breakdown.labelled(cube, breakdown.short_names(cube["model"].unique()), sizes)
    originals = twins.originals(lambda: load_library(*load_settings().domain_folders), cube["domain"].unique())
    made = build_report(store, runs, labelled, {}, sizes, originals=originals)
    return as_html(made).encode() if form == "html" else as_pdf(made)


def chosen_runs(store: Store, wanted: str) -> list[str]:
    """The runs that "all" or IDs with commas between them mean, in the order of their launch."""
    known = [str(run) for run in reversed(list(queries.runs_frame(store)["run_id"]))]
    names = known if wanted == "all" else [name.strip() for name in wanted.split(",") if name.strip()]
    if unknown := [name for name in names if name not in known]:
        latest = ", ".join(known[-5:]) or "none"
        raise InputError(f"the store has no run {', '.join(unknown)}; the latest are: {latest}")
    if not names:
        raise InputError("the store has no runs yet" if wanted == "all" else "name at least one run, or all")
    return list(dict.fromkeys(names))


def _opened(store: Path) -> Store:
    if not store.is_file():
        raise InputError(f"{store}: no such store; import results into one, or launch a run")
    return Store(store)
