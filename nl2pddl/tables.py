"""Table 1 of the paper from counts of verdicts: as numbers, as CSV and in LaTeX; and the paper's own beside it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence

import pandas as pd

from nl2pddl.records import SUBCLASSES, ResultClass, Subclass
from nl2pddl.settings import PROJECT_ROOT
from nl2pddl.study import table_columns

PAPER = "the paper: "
# The rows in the paper's order, each with the class or subclass that it counts.
_ROWS: tuple[tuple[str, ResultClass | Subclass], ...] = (
    ("Syntax", ResultClass.SYNTAX),
    ("NoPDDL", Subclass.NO_PDDL),
    ("PError", Subclass.P_ERROR),
    ("UToken", Subclass.U_TOKEN),
    ("Semantics", ResultClass.SEMANTIC),
    ("PAError", Subclass.PA_ERROR),
    ("NError", Subclass.N_ERROR),
    ("TError", Subclass.T_ERROR),
    ("BPError", Subclass.BP_ERROR),
    ("Diff", ResultClass.DIFFERENT),
    ("NoPlan", Subclass.NO_PLAN),
    ("NPApp", Subclass.NP_APP),
    ("OPApp", Subclass.OP_APP),
    ("Equiv", ResultClass.EQUIVALENT),
)
TOTALS = tuple(head for head, part in _ROWS if isinstance(part, ResultClass))
_HIGHER_IS_BETTER = "Equiv"
_DESCRIBED = "Distribution of result classes and subclasses in percent of {outputs} outputs a model."


def table1(counts: pd.DataFrame) -> pd.DataFrame:
    """Percentages of all classes and subclasses: a row each as in the paper's Table 1, a column a model.

    ``counts`` has the columns model, result_class, subclass (or missing) and count, and holds the outputs that the
    table is of (the paper's: description class base). What is undecided is in none of the percentages; a model of which
    all is undecided has no column.
    """
    decided = counts[counts["result_class"] != ResultClass.UNDECIDED.value]
    totals = decided.groupby("model", sort=False)["count"].sum()
    columns = {}
    for model, head in table_columns([str(name) for name in totals.index]).items():
        own = decided[decided["model"] == model]
        sums = {
            part: own.loc[own["result_class" if isinstance(part, ResultClass) else "subclass"] == part.value, "count"]
            for _, part in _ROWS
        }
        columns[head] = [100 * int(sums[part].sum()) / int(totals[model]) for _, part in _ROWS]
    return pd.DataFrame(columns, index=[head for head, _ in _ROWS])


def paper_table1() -> pd.DataFrame:
    """The paper's Table 1, from data/paper_table1.toml (which names the source), in the layout of ``table1``."""
    data = tomllib.loads((PROJECT_ROOT / "data" / "paper_table1.toml").read_text(encoding="utf-8"))
    columns = {}
    for model, head in table_columns(list(data["percent"])).items():
        # The printed shares are rounded, and their sums would not be the printed totals; counts give both.
        shares = dict(zip(data["rows"], data["percent"][model], strict=True))
        found = {name: round(share * data["outputs"] / 100) for name, share in shares.items()}
        found |= {one.value: sum(found[part.value] for part in parts) for one, parts in SUBCLASSES.items()}
        columns[head] = [100 * found[part.value] / data["outputs"] for _, part in _ROWS]
    return pd.DataFrame(columns, index=[head for head, _ in _ROWS])


def as_csv(table: pd.DataFrame) -> str:
    """The table with two decimals, in the layout of the published table1.csv."""
    return str(table.to_csv(float_format="%.2f", lineterminator="\n"))


def as_latex(table: pd.DataFrame, outputs: Sequence[int] = ()) -> str:
    """The table for a LaTeX paper (needs booktabs), the best value of each row in bold.

    ``outputs`` are the numbers of outputs that the percentages are of, for the caption.
    """
    lines = [
        r"\begin{table}[t]",
        r"\centering",
        rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(["", *map(_escaped, table.columns)]) + r" \\",
    ]
    for head, row in table.iterrows():
        name = str(head)
        best = row.max() if name == _HIGHER_IS_BETTER else row.min()
        # By what is printed: two values that read alike are both best.
        cells = [rf"\textbf{{{value:.2f}}}" if f"{value:.2f}" == f"{best:.2f}" else f"{value:.2f}" for value in row]
        lines += [r"\midrule"] if name in TOTALS else []
        lines.append(" & ".join([name if name in TOTALS else rf"\quad {name}", *cells]) + r" \\")
    ends = dict.fromkeys([min(outputs), max(outputs)] if outputs else [])
    described = _DESCRIBED.format(outputs="–".join(f"{number:,}" for number in ends) or "the")
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{described} Best in bold.}}", r"\end{table}", ""]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(special.get(letter, f"\\{letter}" if letter in "&%$#_{}" else letter) for letter in str(text))
