"""The study's results file: read, refused, and written again; Table 1 of the paper."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from nl2pddl import study, tables
from nl2pddl.errors import InputError
from nl2pddl.study import COLUMNS, csv_rows, read_results, study_model, table_columns

HEADER = ",".join(COLUMNS)
GOOD = "logistics,DRIVE-TRUCK,Base,bigcode/starcoder,DifDomain,NoPlan,3,0"


def read(*lines: str, header: str = HEADER) -> pd.DataFrame:
    return read_results("\r\n".join([header, *lines, ""]).encode(), "r.csv").rows  # type: ignore[no-any-return]


def test_a_line_gets_the_paper_s_names_and_ours() -> None:
    rows = read(GOOD, "hiking,climb,Rand,m,SyntaxError,NoEffect,nan,0", "my-own,Do-It,Flipped,m,EqDomain,,0,200")
    assert rows.drop(columns="published_subclass").astype(object).where(rows.notna(), None).to_numpy().tolist() == [
        ["bigcode/starcoder", "logistics", "drive-truck", "base", 0, "different", "NoPlan", 3, 0],
        ["m", "forest", "climb", "random", 0, "syntax", "NoPDDL", None, 0],
        ["m", "my-own", "Do-It", "flipped", 0, "equivalent", None, 0, 200],
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (GOOD.replace("Base", "base"), "line 2: class is 'base'; expected Base, Flipped, Rand"),
        (GOOD.replace("DifDomain", "Different"), "line 2: resultClass is 'Different'"),
        (GOOD.replace("NoPlan", "TypeError"), "line 2: subClass is 'TypeError'"),
        (GOOD.replace("DifDomain,NoPlan", "EqDomain,NoPlan"), "line 2: subClass is 'NoPlan'"),
        (GOOD.replace(",3,", ",-3,"), "line 2: actionDif is '-3'; expected a whole number or nan"),
        (GOOD.replace(",3,", ",3e99,"), "line 2: actionDif"),
        (GOOD[:-1] + "many", "line 2: planDif is 'many'"),
        (GOOD.replace("logistics", " "), "line 2: domain is ''; expected a name"),
    ],
)
def test_what_no_verdict_can_be_is_named_with_its_line(line: str, words: str) -> None:
    with pytest.raises(InputError) as told:
        read(line)
    assert words in str(told.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a CSV file"),
        (b"\xff\xfe\x00", "not a CSV file in UTF-8"),
        (HEADER.encode(), "a header and no results"),
        (b"a,b\n1,2\n", "lacks the columns domain, action"),
        (f"{HEADER}\n{GOOD},more,and,more\n{GOOD},x\n".encode(), "r.csv"),
    ],
)
def test_a_file_that_is_none_is_refused(content: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_results(content, "r.csv")


def test_a_file_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "LARGEST_FILE", 10)
    with pytest.raises(InputError, match="larger than"):
        read(GOOD)


def answers(*models: str) -> list[str]:
    return [GOOD.replace("bigcode/starcoder", model) for model in models]


def test_prompts_are_numbered_alike_for_all_models() -> None:
    # The second prompt has no answer of b, the third none of a.
    rows = read(*answers("a", "b", "c", "a", "c", "b", "c", "a", "b", "c"))
    assert list(rows["sample"]) == [0, 0, 0, 1, 1, 2, 2, 3, 3, 3]
    one_after_another = read(*answers("a", "a", "a", "b", "b", "b"))
    assert list(one_after_another["sample"]) == [0, 1, 2, 0, 1, 2]


def test_the_study_s_file_is_read_and_written_again_to_the_last_byte(published: Path) -> None:
    content = (published / "results.csv").read_bytes()
    rows = read_results(content, "results.csv").rows
    assert len(rows) == 13_432
    prompts = rows.groupby(["domain", "action", "description_class", "sample"])["model"].agg(["size", "nunique"])
    assert len(prompts) == 1920  # 96 cells of 20 prompts
    assert (prompts["size"] == prompts["nunique"]).all()
    problems = rows["published_subclass"].map(lambda name: f"'{study.missing_keyword(name)}' is missing")
    assert csv_rows(rows.assign(problems=problems)).to_csv(index=False, lineterminator="\r\n").encode() == content


@pytest.mark.parametrize(
    ("problems", "name"),
    [
        ('[{"kind": "no-action", "message": "the output holds no \'(\' at all"}]', "NoAction"),
        ('[{"kind": "missing-keyword", "message": "\':effect\' is missing; an action needs"}]', "NoEffect"),
        ('[{"kind": "missing-precondition", "message": "\':precondition\' is missing between"}]', "NoPrecond"),
        ('[{"message": "\':parameters\' is missing"}, {"message": "\':effect\' is missing"}]', "NoParams"),
    ],
)
def test_no_pddl_has_four_names_in_the_study(problems: str, name: str) -> None:
    row = {"model": "m", "domain": "depot", "action": "drive", "description_class": "base", "result_class": "syntax"}
    rows = csv_rows(
        pd.DataFrame([{**row, "subclass": "NoPDDL", "problems": problems, "are": None, "working_plans": 0}])
    )
    assert rows.iloc[0].tolist() == ["Depot", "Drive", "Base", "m", "SyntaxError", name, "nan", "0"]


def test_the_undecided_have_no_row_in_the_study_s_layout() -> None:
    row = {"model": "m", "domain": "d", "action": "a", "description_class": "base", "result_class": "undecided"}
    assert csv_rows(pd.DataFrame([{**row, "subclass": None, "problems": "[]", "are": 1, "working_plans": None}])).empty


def test_models_of_the_study_are_known_by_the_hub_s_names_too() -> None:
    found = study_model("meta-llama/Llama-2-70b-chat-hf")
    assert found is not None
    assert (found.column, found.chat) == ("70bC", True)
    assert study_model("meta-llama/llama-3-8b") is None
    heads = table_columns(["mine", "meta-llama/llama-2-13b", "bigcode/starcoder"])
    assert heads == {"bigcode/starcoder": "SC", "meta-llama/llama-2-13b": "13b", "mine": "mine"}
    assert list(heads) == ["bigcode/starcoder", "meta-llama/llama-2-13b", "mine"]
    both = table_columns(["meta-llama/llama-2-7b", "meta-llama/Llama-2-7b-hf"])
    assert set(both.values()) == {"meta-llama/llama-2-7b", "meta-llama/Llama-2-7b-hf"}


def test_table_1_is_the_paper_s_in_every_cell(published: Path) -> None:
    rows = read_results((published / "results.csv").read_bytes(), "results.csv").rows
    base = rows[rows["description_class"] == "base"]
    counts = base.groupby(["model", "result_class", "subclass"], dropna=False).size().reset_index(name="count")
    theirs = (published / "table1.csv").read_text()
    assert tables.as_csv(tables.table1(counts)) == theirs
    assert tables.as_csv(tables.paper_table1()) == theirs


COUNTS = pd.DataFrame(
    [
        ("m_1", "syntax", "NoPDDL", 1),
        ("m_1", "equivalent", None, 2),
        ("m_1", "undecided", None, 50),
        ("n", "different", "NoPlan", 8),
        ("late", "undecided", None, 1),
    ],
    columns=["model", "result_class", "subclass", "count"],
)


def test_the_undecided_are_in_no_percentage() -> None:
    table = tables.table1(COUNTS)
    assert list(table.columns) == ["m_1", "n"]
    assert table.loc["Syntax", "m_1"] == table.loc["NoPDDL", "m_1"] == pytest.approx(100 / 3)
    assert (table.loc["Equiv", "m_1"], table.loc["NoPlan", "n"]) == (pytest.approx(200 / 3), 100)


def test_latex_escapes_names_and_marks_the_best() -> None:
    text = tables.as_latex(tables.table1(COUNTS), [3, 8])
    assert r" & m\_1 & n \\" in text
    assert r"Equiv & \textbf{66.67} & 0.00 \\" in text
    assert r"Diff & \textbf{0.00} & 100.00 \\" in text
    assert r"\quad UToken & \textbf{0.00} & \textbf{0.00} \\" in text
    assert "percent of 3–8 outputs a model" in text
