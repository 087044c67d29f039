import pandas as pd
import pytest

from nl2pddl import figures


def class_counts(*rows: tuple[str, str, str, str | None, int]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["model", "description_class", "result_class", "subclass", "count"])


COUNTS = class_counts(
    ("a", "base", "equivalent", None, 6),
    ("a", "base", "different", "NoPlan", 1),
    ("a", "base", "different", "OPApp", 2),
    ("a", "base", "semantic", "TError", 1),
    ("a", "base", "undecided", None, 90),
    ("a", "flipped", "equivalent", None, 1),
    ("a", "flipped", "syntax", "PError", 3),
    ("b", "base", "syntax", "NoPDDL", 5),
)
ARES = pd.DataFrame(
    [("a", "equivalent", 0, 6), ("a", "different", 2, 3), ("a", "undecided", 1, 9), ("b", "semantic", 2, 1)],
    columns=["model", "result_class", "are", "count"],
)
EMPTY = COUNTS[:0]


def test_shares_are_over_the_decided_outputs_and_classes_come_in_fixed_order() -> None:
    table = figures.class_table(COUNTS)
    base = table[(table["model"] == "a") & (table["description_class"] == "base")]
    assert list(base["result_class"]) == ["equivalent", "different", "semantic", "syntax"]
    assert list(base["count"]) == [6, 3, 1, 0]
    assert set(base["total"]) == {10}
    assert list(base["percent"]) == [60.0, 30.0, 10.0, 0.0]
    assert list(dict.fromkeys(table["description_class"])) == ["base", "flipped"]


def test_undecided_outputs_are_counted_apart() -> None:
    assert figures.undecided_count(COUNTS) == 90
    assert figures.class_table(COUNTS)["count"].sum() == COUNTS["count"].sum() - 90
    assert "undecided" not in set(figures.are_table(ARES)["result_class"])


def test_subclass_shares_are_over_all_decided_outputs_of_the_model() -> None:
    table = figures.subclass_table(COUNTS).set_index(["model", "subclass"])
    assert table.loc[("a", "OPApp"), "count"] == 2
    assert table.loc[("a", "OPApp"), "total"] == 14
    assert table.loc[("a", "equivalent"), "percent"] == 50.0
    assert table.loc[("b", "NoPDDL"), "percent"] == 100.0
    assert len(table.loc["b"]) == 11


def test_different_is_split_within_itself() -> None:
    table = figures.different_table(COUNTS)
    assert list(table["subclass"]) == ["NoPlan", "NPApp", "OPApp"]
    assert list(table["count"]) == [1, 0, 2]
    assert set(table["model"]) == {"a"}


def test_every_class_keeps_its_colour_and_place_in_bars_and_pies() -> None:
    table = figures.class_table(COUNTS)
    bars = figures.class_bars(table)
    assert [trace.name for trace in bars.data] == [*figures.CLASSES, *figures.CLASSES]
    assert {trace.name: trace.marker.color for trace in bars.data} == figures.CLASS_COLOURS
    for pie in figures.class_pies(table).data:
        assert list(pie.labels) == list(figures.CLASSES)
        assert list(pie.marker.colors) == list(figures.CLASS_COLOURS.values())


def test_bars_add_up_to_100_and_tell_counts_on_hover() -> None:
    bars = figures.class_bars(figures.class_table(COUNTS)).data[:4]  # the panel "base"
    assert [sum(trace.x[place] for trace in bars) for place in (0, 1)] == [100.0, 100.0]
    assert list(bars[1].customdata[0])[:2] == [3, 10]
    assert "customdata[0]" in bars[1].hovertemplate
    assert list(bars[0].text) == ["60%", ""]


def test_pies_hold_the_counts_of_their_model_and_description_class() -> None:
    pies = figures.class_pies(figures.class_table(COUNTS)).data
    assert [list(pie.values) for pie in pies] == [[6, 3, 1, 0], [0, 0, 0, 5], [1, 0, 0, 3]]
    assert [list(pie.values) for pie in figures.different_pies(figures.different_table(COUNTS)).data] == [[1, 0, 2]]


def test_the_best_description_class_of_a_model_is_starred() -> None:
    table = figures.class_table(COUNTS)
    assert figures.best_descriptions(table) == {("a", "base")}
    stars = [note.text for note in figures.class_bars(table).layout.annotations if "★" in note.text]
    assert stars == ["★ n = 10"]


@pytest.mark.parametrize("equivalent", [0, 2])
def test_no_star_where_no_description_class_is_better(equivalent: int) -> None:
    tie = class_counts(
        ("a", "base", "equivalent", None, equivalent), ("a", "base", "syntax", "PError", 2),
        ("a", "random", "equivalent", None, equivalent), ("a", "random", "syntax", "PError", 2),
    )  # fmt: skip
    assert figures.best_descriptions(figures.class_table(tie)) == set()


def test_subclass_bars_are_coloured_by_class() -> None:
    figure = figures.subclass_bars(figures.subclass_table(COUNTS))
    bar = next(trace for trace in figure.data if trace.name == "different")
    assert list(bar.y) == ["NoPlan", "NPApp", "OPApp"]
    assert bar.marker.color == figures.CLASS_COLOURS["different"]
    assert list(bar.text) == ["1 (7%)", "0 (0%)", "2 (14%)"]


def test_are_histogram_is_stacked_by_class_with_a_panel_a_model() -> None:
    figure = figures.are_histogram(figures.are_table(ARES))
    assert figure.layout.barmode == "stack"
    assert [(trace.name, list(trace.x), list(trace.y)) for trace in figure.data] == [
        ("equivalent", [0], [6]),
        ("different", [2], [3]),
        ("semantic", [2], [1]),
    ]
    assert [note.text for note in figure.layout.annotations[:2]] == ["a", "b"]


def test_names_are_shown_as_text() -> None:
    counts = class_counts(("<b>x</b><script>", "base", "different", "NoPlan", 1))
    ares = pd.DataFrame([("<b>x</b><script>", "different", 1, 1)], columns=["model", "result_class", "are", "count"])
    for figure in (
        figures.class_bars(figures.class_table(counts)),
        figures.class_pies(figures.class_table(counts)),
        figures.subclass_bars(figures.subclass_table(counts)),
        figures.different_bars(figures.different_table(counts)),
        figures.are_histogram(figures.are_table(ares)),
    ):
        drawn = str(figure.to_dict())
        assert "&lt;b&gt;x" in drawn
        assert "<script>" not in drawn


def test_empty_frames_give_figures_that_say_so() -> None:
    drawn = [
        figures.class_bars(figures.class_table(EMPTY)),
        figures.class_pies(figures.class_table(EMPTY)),
        figures.subclass_bars(figures.subclass_table(EMPTY)),
        figures.different_bars(figures.different_table(EMPTY)),
        figures.different_pies(figures.different_table(EMPTY)),
        figures.are_histogram(figures.are_table(ARES[:0])),
    ]
    assert all(not figure.data and "yet" in figure.layout.annotations[0].text for figure in drawn)
    assert figures.undecided_count(EMPTY) == 0


def test_only_undecided_outputs_are_nothing_to_draw() -> None:
    table = figures.class_table(COUNTS[COUNTS["result_class"] == "undecided"])
    assert table.empty
    assert "yet" in figures.class_bars(table).layout.annotations[0].text


@pytest.mark.parametrize("models", [1, 4, 9])
def test_any_number_of_models_can_be_drawn(models: int) -> None:
    rows = [
        (f"model {number}", name, "different", "NPApp", 1) for number in range(models) for name in ("base", "random")
    ]
    counts = class_counts(*rows)
    assert len(figures.class_pies(figures.class_table(counts)).data) == 2 * models
    assert len(figures.subclass_bars(figures.subclass_table(counts)).data) == 4 * models
    assert len(figures.class_bars(figures.class_table(counts)).data[1].y) == models


@pytest.mark.parametrize(("percent", "label"), [(0, "0%"), (0.3, "<1%"), (0.7, "<1%"), (1.2, "1%"), (99.7, "100%")])
def test_what_occurred_is_never_labelled_zero(percent: float, label: str) -> None:
    assert figures.short_share(percent) == label


def test_the_table_behind_equivalent_counts_what_is_known() -> None:
    equivalents = pd.DataFrame(
        [
            ("published", "different", False, 3),
            ("published", "equal", True, 4),
            ("published", None, None, 2),
            ("strict", "undecided", True, 1),
        ],
        columns=["protocol", "exact", "exercised", "count"],
    )
    table = figures.beyond_table(equivalents)
    assert table.to_dict("records") == [
        {"Protocol": "published", "Equivalent": 9, "Proved": 4, "Refuted": 3, "Open": 0, "Not asked": 2,
         "Not exercised": 3},
        {"Protocol": "strict", "Equivalent": 1, "Proved": 0, "Refuted": 0, "Open": 1, "Not asked": 0,
         "Not exercised": 0},
    ]  # fmt: skip
