"""Reports: what they say, as a page that needs no network and as a PDF."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pandas as pd
import pytest
from pypdf import PdfReader

from nl2pddl import breakdown, study
from nl2pddl.errors import InputError
from nl2pddl.reports import SECTIONS, Report, as_html, build_report, drawings
from nl2pddl.reports.pdf import as_pdf
from nl2pddl.runs import import_results
from nl2pddl.store import Store, counts
from tests.commands.test_cli import command
from tests.store.test_transfer import content

ACTIONS = ("stack", "unstack", "pick-up", "put-down")
HOSTILE = "evil/<script>alert(1)</script> $x^2$ & 7b"


def lines(model: str, equivalents: int, prompts: int = 10) -> list[str]:
    """Results of a model on four actions, of which so many prompts of each are equivalent."""
    rows = []
    for action in ACTIONS:
        for prompt in range(prompts):
            good = prompt < equivalents
            rows.append(f"BLOCKS,{action},Base,{model},{'EqDomain,,0,200' if good else 'DifDomain,NoPlan,3,0'}")
    return rows


@pytest.fixture
def made(store: Store) -> tuple[Store, str, pd.DataFrame]:
    rows = [*lines("org/strong-13b", 8), *lines(HOSTILE, 1), *lines("org/weak-7b", 1)]
    run_id = import_results(store, study.read_results(content(*rows), "three <b>models</b>.csv"))
    cube = counts.cube(store, [run_id])
    return store, run_id, breakdown.labelled(cube, breakdown.short_names(cube["model"].unique()), {})


def report(made: tuple[Store, str, pd.DataFrame], **options: object) -> Report:
    store, run_id, cube = made
    return build_report(store, [run_id], cube, {}, {}, **options)  # type: ignore[arg-type]


def test_the_key_numbers_in_words(made: tuple[Store, str, pd.DataFrame]) -> None:
    told = report(made)
    assert told.sentences == (
        "strong-13b writes an equivalent action most often: in 80.0% of 40 outputs.",
        "It is told apart from every other model.",
        "The most frequent failure is NoPlan (no plan with the new action): 66.7% of all outputs.",
    )
    assert told.numbers[0] == ("Outputs", "120", "0 undecided, counted apart")
    label, value, what = told.numbers[1]
    assert (label, value) == ("Equivalent", "33.3%")
    assert re.fullmatch(r"of 120, 95% interval \d+\.\d to \d+\.\d%", what)
    assert [section.key for section in told.sections] == list(SECTIONS)
    ((run, facts),) = told.runs
    assert run.startswith("three <b>models</b>.csv · 2")
    assert dict(facts)["Protocol"].startswith("published: the study's own code; imported")


def test_models_that_are_tied_are_said_to_be(store: Store) -> None:
    rows = [*lines("a", 3), *lines("b", 3)]
    run_id = import_results(store, study.read_results(content(*rows), "r.csv"))
    cube = breakdown.labelled(counts.cube(store, [run_id]), {"a": "a", "b": "b"}, {})
    told = build_report(store, [run_id], cube, {"model": ["a", "b"]}, {})
    assert told.sentences[1] == "It cannot be told apart from b with these prompts."
    assert told.sentences[-1] == "Only a part of the outputs is shown here (model: a, b)."
    assert "sizes" not in [section.key for section in told.sections]  # no size is known


def test_only_the_wanted_figures(made: tuple[Store, str, pd.DataFrame]) -> None:
    told = report(made, keys=("are",), title="Mine")
    assert [section.key for section in told.sections] == ["are"]
    assert told.title == "Mine"
    with pytest.raises(InputError, match="a report has no section pies"):
        report(made, keys=("pies",))


def test_nothing_decided_is_no_report(made: tuple[Store, str, pd.DataFrame]) -> None:
    store, run_id, cube = made
    with pytest.raises(InputError, match="no decided output"):
        build_report(store, [run_id], cube.iloc[:0], {}, {})


def test_the_page_needs_no_network_and_shows_names_as_text(made: tuple[Store, str, pd.DataFrame]) -> None:
    page = as_html(report(made, title="<img src=x onerror=alert(1)>"))
    # Outside the library, which names addresses that nothing here asks for.
    own = re.sub(r"<script[^>]*>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"(?:src|href)\s*=\s*[\"']", own)
    assert "<script src" not in page
    assert "<script>alert(1)" not in page
    assert "<img" not in own
    assert "three &lt;b&gt;models" in page
    assert page.count("plotly-graph-div") == 6  # Table 1 is a table
    assert "strong-13b writes an equivalent action most often" in page
    assert "80.00" in own


def test_the_pdf_holds_the_same(made: tuple[Store, str, pd.DataFrame]) -> None:
    document = PdfReader(io.BytesIO(as_pdf(report(made))))
    text = " ".join(page.extract_text() for page in document.pages)
    words = " ".join(text.split())
    assert "strong-13b writes an equivalent action most often: in 80.0% of 40 outputs." in words
    for heading in (*SECTIONS.values(), "Method", "Limits", "Runs"):
        assert heading in words
    assert "<script>alert(1)</script>" in words
    assert sum(len(page.images) for page in document.pages) == 6
    assert document.metadata is not None
    assert document.metadata.title == "Planning actions written by language models"


@pytest.mark.parametrize(("form", "start"), [("html", b"<!DOCTYPE html>"), ("pdf", b"%PDF-")])
def test_the_command(tmp_path: Path, form: str, start: bytes) -> None:
    (tmp_path / "r.csv").write_bytes(content(*lines("a", 3)))
    store, out = tmp_path / "s.duckdb", tmp_path / "report"
    command("import-results", tmp_path / "r.csv", "--store", store)
    done = command("report", "--store", store, "--format", form, "--out", out)
    assert done.returncode == 0, done.stderr
    assert out.read_bytes().startswith(start)


def test_of_models_of_one_size_the_better_is_named_above_its_mark() -> None:
    rows = [("7b", 7.0, 3.4), ("7b-chat", 7.0, 4.6), ("70b", 70.0, 24.0), ("70b-chat", 70.0, 20.0)]
    table = pd.DataFrame(rows, columns=["model", "billions", "percent"]).assign(low=1.0, high=30.0)
    table["chat"] = table["model"].str.endswith("-chat")
    drawn = drawings.sizes(table).axes[0].texts
    above = {text.get_text(): text.get_position()[1] > 0 for text in drawn}
    assert above == {"7b": False, "7b-chat": True, "70b": True, "70b-chat": False}
    assert {text.get_text(): text.xy[1] for text in drawn} == {name: share for name, _, share in rows}
