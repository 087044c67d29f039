"""The published study's names and its results file (CSV): read as verdicts, and written from verdicts.

Oswald, Srinivas, Kokel, Lee, Katz and Sohrabi, "Large Language Models as Planning Domain Generators", ICAPS 2024. Its
results name result classes, subclasses, some domains and some actions otherwise than the paper does; here they get the
paper's names and our domains' IDs, and back.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nl2pddl.errors import InputError
from nl2pddl.records import SUBCLASSES, DescriptionClass, ResultClass, Subclass

COLUMNS = ("domain", "action", "class", "model", "resultClass", "subClass", "actionDif", "planDif")
LARGEST_FILE = 64 << 20  # bytes
_MOST_FAULTS = 5
_FEWEST_LINES = 20  # different ones: fewer may be there equally often by chance
_BLOCK = 100  # lines: answers to some fifteen prompts do not come out alike by chance
_MOST = 0.8

# Our ID of a domain, its name in the study, and how the study writes its actions.
_DOMAINS: Mapping[str, tuple[str, Any]] = {
    "blocksworld": ("BLOCKS", str),
    "delivery": ("trapnewspapers", str),
    "depot": ("Depot", str.capitalize),
    "forest": ("hiking", str),
    "gripper": ("gripper-typed", str),
    "heavy": ("heavy-pack", str),
    "logistics": ("logistics", str.upper),
    "miconic": ("miconic", str),
    "trackbuilding": ("track-building", str),
}
_OURS = {theirs.lower(): ours for ours, (theirs, _) in _DOMAINS.items()}
_DESCRIPTIONS = {"Base": DescriptionClass.BASE, "Flipped": DescriptionClass.FLIPPED, "Rand": DescriptionClass.RANDOM}
_CLASSES = {
    "SyntaxError": ResultClass.SYNTAX,
    "SemanticError": ResultClass.SEMANTIC,
    "DifDomain": ResultClass.DIFFERENT,
    "EqDomain": ResultClass.EQUIVALENT,
}
_SUBCLASSES = {
    "NoAction": Subclass.NO_PDDL,
    "NoParams": Subclass.NO_PDDL,
    "NoPrecond": Subclass.NO_PDDL,
    "NoEffect": Subclass.NO_PDDL,
    "ParenMismatch": Subclass.P_ERROR,
    "ParseError": Subclass.U_TOKEN,
    "TypeError": Subclass.T_ERROR,
    "BadPDDL": Subclass.PA_ERROR,
    "DifActionName": Subclass.N_ERROR,
    "NegPrecond": Subclass.BP_ERROR,
    "NoPlan": Subclass.NO_PLAN,
    "NewToOriginal": Subclass.NP_APP,
    "OriginalToNew": Subclass.OP_APP,
}
_THEIR_CLASS = {ours: theirs for theirs, ours in _CLASSES.items()}
_THEIR_DESCRIPTION = {ours.value: theirs for theirs, ours in _DESCRIPTIONS.items()}
# NoPDDL has four names there, told by what is missing.
_THEIR_SUBCLASS: dict[Subclass, str] = {
    ours: theirs for theirs, ours in _SUBCLASSES.items() if ours is not Subclass.NO_PDDL
}


@dataclass(frozen=True)
class StudyModel:
    """A model of the study: its name in the results, in Table 1, and its size in billions of parameters."""

    name: str
    column: str
    parameters: float
    chat: bool = False


# In the order of Table 1. Sizes as the models' own papers give them.
MODELS: tuple[StudyModel, ...] = (
    StudyModel("bigcode/starcoder", "SC", 15.5),
    StudyModel("meta-llama/llama-2-7b", "7b", 6.7),
    StudyModel("meta-llama/llama-2-7b-chat", "7bC", 6.7, chat=True),
    StudyModel("meta-llama/llama-2-13b", "13b", 13.0),
    StudyModel("meta-llama/llama-2-13b-chat", "13bC", 13.0, chat=True),
    StudyModel("meta-llama/llama-2-70b", "70b", 69.0),
    StudyModel("meta-llama/llama-2-70b-chat", "70bC", 69.0, chat=True),
)


def study_model(name: str) -> StudyModel | None:
    """The study's model that a name means, also as the hub spells it today ("meta-llama/Llama-2-7b-chat-hf")."""
    plain = re.sub(r"-hf$", "", name.lower())
    return next((model for model in MODELS if model.name == plain), None)


@dataclass(frozen=True)
class Results:
    """A results file, read: ``rows`` has a row a verdict, in the file's order.

    Columns: model, domain, action, description_class, sample, result_class, subclass (or None), published_subclass, are
    (or missing), working_plans. ``sample`` numbers the prompts of an action and description class from 0, the same
    number for the same prompt to every model. ``sha`` is the hash of the file's content.
    """

    name: str
    sha: str
    rows: Any

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def hints(self) -> tuple[str, ...]:
        """What looks like lines that were copied twice. Equal lines alone do not: prompts have no number there."""
        import numpy as np

        told = self.rows.drop(columns="sample")
        lines = told.groupby(list(told.columns), dropna=False).ngroup().to_numpy()
        times = np.bincount(lines)
        often = int(np.gcd.reduce(times)) if len(times) >= _FEWEST_LINES else 1
        if often > 1:
            return (f"every line is there {often} times or a multiple of that",)
        if (copied := _copied_block(lines)) is not None:
            return (f"the {_BLOCK} lines from line {copied[1] + 2:,} on repeat those from line {copied[0] + 2:,} on",)
        counted = told.groupby(["domain", "action", "description_class", "model"]).size()
        usual = counted.mode()[0]
        surplus = (counted - usual)[counted > usual]
        # Where most prompts were asked equally often, the file is of one experiment, and more is odd.
        if surplus.empty or (counted <= usual).mean() < _MOST:
            return ()
        domain, action, description, model = surplus.idxmax()
        return (
            f"{surplus.sum():,} lines are more than the usual {usual:,} for a model on an action, most of them for "
            f"{model} on {domain} {action} ({description})",
        )


def _copied_block(lines: Any) -> tuple[int, int] | None:
    """Where a long block of lines stands for the first and for the second time; None where none does."""
    import numpy as np

    if len(lines) < 2 * _BLOCK:
        return None
    # Sums with odd weights tell blocks apart, but for one chance in 2**60 or so.
    weights = np.random.default_rng(0).integers(1, 2**62, _BLOCK, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    sums = np.zeros(len(lines) - _BLOCK + 1, np.uint64)
    for place, weight in enumerate(weights):
        sums += lines[place : place + len(sums)].astype(np.uint64) * weight
    _, first, inverse = np.unique(sums, return_index=True, return_inverse=True)
    earlier = first[inverse]
    again = np.flatnonzero(earlier < np.arange(len(sums)))
    return (int(earlier[again[0]]), int(again[0])) if len(again) else None


def read_results(content: bytes, name: str) -> Results:
    """Read a results file. Raises InputError with what is wrong and in which lines; ``name`` is for the messages."""
    import pandas as pd

    if len(content) > LARGEST_FILE:
        raise InputError(f"{name}: larger than {LARGEST_FILE >> 20} MB; split the file")
    try:
        text = content.decode("utf-8-sig")
        table = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    except (UnicodeDecodeError, pd.errors.EmptyDataError, pd.errors.ParserError) as error:
        raise InputError(f"{name}: not a CSV file in UTF-8: {' '.join(str(error).split())}") from error
    if missing := [column for column in COLUMNS if column not in table.columns]:
        raise InputError(f"{name}: lacks the columns {', '.join(missing)}; the layout is {','.join(COLUMNS)}")
    if table.empty:
        raise InputError(f"{name}: holds a header and no results")
    table = table.loc[:, list(COLUMNS)].apply(lambda column: column.str.strip())
    if faults := list(_faults(table)):
        shown = "; ".join(faults[:_MOST_FAULTS])
        more = f"; and {len(faults) - _MOST_FAULTS:,} more" if len(faults) > _MOST_FAULTS else ""
        raise InputError(f"{name}: nothing was imported: {shown}{more}", faults)
    return Results(name, hashlib.sha256(content).hexdigest(), _verdicts(table))


def _faults(table: Any) -> Iterator[str]:
    """What no verdict can be, in the order of the columns, with its line (the header is line 1)."""
    number, integer = r"(?:\d{1,9}(?:\.0)?)", r"\d{1,9}"
    checks = {
        "domain": table["domain"] != "",
        "action": table["action"] != "",
        "class": table["class"].isin(_DESCRIPTIONS),
        "model": table["model"] != "",
        "resultClass": table["resultClass"].isin(_CLASSES),
        "subClass": [
            _fits(name, subclass) for name, subclass in zip(table["resultClass"], table["subClass"], strict=True)
        ],
        "actionDif": table["actionDif"].str.fullmatch(rf"{number}|nan|") == True,  # noqa: E712 (a column)
        "planDif": table["planDif"].str.fullmatch(rf"{integer}|nan|") == True,  # noqa: E712 (a column)
    }
    wanted = {
        "class": ", ".join(_DESCRIPTIONS),
        "resultClass": ", ".join(_CLASSES),
        "subClass": "one of its resultClass, empty for EqDomain",
        "actionDif": "a whole number or nan",
        "planDif": "a whole number",
    }
    for column, good in checks.items():
        for index in [at for at, fine in enumerate(good) if not fine]:
            value = table[column].iloc[index]
            yield f"line {index + 2}: {column} is '{value[:40]}'; expected {wanted.get(column, 'a name')}"


def _fits(result_class: str, subclass: str) -> bool:
    if result_class not in _CLASSES:
        return True  # told already
    allowed = SUBCLASSES.get(_CLASSES[result_class], ())
    return _SUBCLASSES.get(subclass) in allowed if allowed else subclass == ""


def _verdicts(table: Any) -> Any:
    import pandas as pd

    domains = table["domain"].map(lambda name: _OURS.get(name.lower(), name))
    known = domains.isin(_DOMAINS)
    return pd.DataFrame(
        {
            "model": table["model"],
            "domain": domains,
            "action": table["action"].where(~known, table["action"].str.lower()),
            "description_class": table["class"].map({name: one.value for name, one in _DESCRIPTIONS.items()}),
            "sample": _samples(table),
            "result_class": table["resultClass"].map({name: one.value for name, one in _CLASSES.items()}),
            "subclass": [_SUBCLASSES[name].value if name else None for name in table["subClass"]],
            "published_subclass": table["subClass"],
            "are": pd.to_numeric(table["actionDif"], errors="coerce").astype("Int64"),
            "working_plans": pd.to_numeric(table["planDif"], errors="coerce").astype("Int64"),
        }
    )


def _samples(table: Any) -> Any:
    """The number of each row's prompt among those of its action and description class.

    The study writes the models' answers to one prompt one after another, always in one order, and a model may be
    missing. So a new prompt begins where that order starts again. A file in another order is numbered model by model.
    """
    cell = table.groupby(["domain", "action", "class"], sort=False).ngroup()
    by_model = table.groupby([cell, table["model"]], sort=False).cumcount()
    order = {model: rank for rank, model in enumerate(dict.fromkeys(table["model"]))}
    rank = table["model"].map(order)
    starts = (cell != cell.shift()) | (rank <= rank.shift())
    by_prompt = starts.groupby(cell).cumsum() - 1
    taken_once = not table.assign(cell=cell, at=by_prompt).duplicated(["cell", "at", "model"]).any()
    same_length = (by_prompt.groupby(cell).max() == by_model.groupby(cell).max()).all()
    return by_prompt if taken_once and same_length else by_model


def csv_rows(verdicts: Any) -> Any:
    """Verdicts as rows of the study's layout (``COLUMNS``), with its names for what it has names for.

    ``verdicts`` has the columns model, domain, action, description_class, result_class, subclass, problems (JSON, of
    which NoPDDL's name depends), are and working_plans. What is undecided has no row: the layout has no such class.
    """
    import pandas as pd

    decided = verdicts[verdicts["result_class"] != ResultClass.UNDECIDED.value]
    # As in the study's file: a number as it is, "nan" for none.
    counted = {
        theirs: ["nan" if pd.isna(value) else str(int(value)) for value in decided[ours]]
        for ours, theirs in (("are", "actionDif"), ("working_plans", "planDif"))
    }
    return pd.DataFrame(
        {
            "domain": [_DOMAINS[name][0] if name in _DOMAINS else name for name in decided["domain"]],
            "action": [
                _DOMAINS[domain][1](action) if domain in _DOMAINS else action
                for domain, action in zip(decided["domain"], decided["action"], strict=True)
            ],
            "class": decided["description_class"].map(_THEIR_DESCRIPTION).to_list(),
            "model": decided["model"].to_list(),
            "resultClass": [_THEIR_CLASS[ResultClass(name)] for name in decided["result_class"]],
            "subClass": [
                _their_subclass(name, problems)
                for name, problems in zip(decided["subclass"], decided["problems"], strict=True)
            ],
            **counted,
        }
    )


def _their_subclass(subclass: Any, problems: str) -> str:
    if not isinstance(subclass, str):
        return ""
    if subclass != Subclass.NO_PDDL.value:
        return _THEIR_SUBCLASS[Subclass(subclass)]
    missing = re.search(r"'(:\w+)' is missing", problems)
    return _MISSING.get(missing[1] if missing else "", "NoAction")


_MISSING = {":parameters": "NoParams", ":precondition": "NoPrecond", ":effect": "NoEffect"}


def missing_keyword(published_subclass: str) -> str | None:
    """The keyword that is missing by one of the study's names for NoPDDL; None for other names."""
    by_name = {name: keyword for keyword, name in _MISSING.items()} | {"NoAction": ":action"}
    return by_name.get(published_subclass)


def table_columns(models: Sequence[str]) -> dict[str, str]:
    """The column heads of Table 1 for models: the paper's short names for its own, which come first, in its order."""
    known = {name: found for name in models if (found := study_model(name)) is not None}
    heads: dict[str, str] = {}
    for model in MODELS:
        same = [name for name, found in known.items() if found is model]
        heads |= {name: model.column if len(same) == 1 else name for name in same}
    return heads | {name: name for name in models if name not in known}
