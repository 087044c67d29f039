"""The frozen records that travel from one stage to the next, and the string enums of the verdicts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import StrEnum

_WEEK = 7 * 24 * 3600


class ResultClass(StrEnum):
    """The paper's four result classes (Oswald et al. 2024, "Result Classes"), and one that is none of them.

    ``UNDECIDED`` marks an item whose class a time limit, a memory limit or a crash kept us from finding. It is counted
    apart and never enters a percentage of the four.
    """

    SYNTAX = "syntax"
    SEMANTIC = "semantic"
    DIFFERENT = "different"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"


class Subclass(StrEnum):
    """The paper's subclasses, in its order of precedence within each class."""

    NO_PDDL = "NoPDDL"
    P_ERROR = "PError"
    U_TOKEN = "UToken"
    T_ERROR = "TError"
    PA_ERROR = "PAError"
    N_ERROR = "NError"
    BP_ERROR = "BPError"
    NO_PLAN = "NoPlan"
    NP_APP = "NPApp"
    OP_APP = "OPApp"


SUBCLASSES: dict[ResultClass, tuple[Subclass, ...]] = {
    ResultClass.SYNTAX: (Subclass.NO_PDDL, Subclass.P_ERROR, Subclass.U_TOKEN),
    ResultClass.SEMANTIC: (Subclass.T_ERROR, Subclass.PA_ERROR, Subclass.N_ERROR, Subclass.BP_ERROR),
    ResultClass.DIFFERENT: (Subclass.NO_PLAN, Subclass.NP_APP, Subclass.OP_APP),
}


class DescriptionClass(StrEnum):
    """How much of an action its description gives away (Oswald et al. 2024, "Description Classes")."""

    BASE = "base"
    FLIPPED = "flipped"
    RANDOM = "random"


class Protocol(StrEnum):
    """The rules a verdict was reached by; stored with every verdict.

    ``STRICT``: the paper's definitions, robustly. ``PUBLISHED``: what the published code does (see ``rules``).
    """

    STRICT = "strict"
    PUBLISHED = "published"


class ValidatorChoice(StrEnum):
    """Who checks the plans. ``AUTO``: VAL where it is installed, else ours. ``BOTH``: stop where they differ."""

    AUTO = "auto"
    OURS = "ours"
    VAL = "val"
    BOTH = "both"


class ActionRelation(StrEnum):
    """How a generated action relates to the original as text, whatever its class."""

    IDENTICAL = "identical up to names"
    REORDERED = "identical up to the order of parameters"
    DIFFERENT = "different"


class PlanRelation(StrEnum):
    """How the two domains' sets of plans relate, as far as it is known."""

    SAME = "same, by the exact decision"
    CROSSING = "top-k cross over"
    DIFFERENT = "different, with a witness"


class ExactOutcome(StrEnum):
    """The exact decision on one problem. ``UNDECIDED``: a limit of states or seconds was reached first."""

    EQUAL = "equal"
    DIFFERENT = "different"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class DomainSource:
    """The PDDL texts a verdict depends on, as stored: ``problems`` are (name, text), sorted by name."""

    id: str
    domain: str
    problems: tuple[tuple[str, str], ...]

    @property
    def sha(self) -> str:
        """A content hash: the same texts, the same verdicts."""
        digest = hashlib.sha256()
        for text in (self.domain, *(part for problem in self.problems for part in problem)):
            digest.update(len(text.encode()).to_bytes(8, "big") + text.encode())
        return digest.hexdigest()


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a generated action.

    ``line`` and ``column`` count from 1 in the action text that the verdict holds (for NoPDDL without any action: in
    the raw output). ``subclass`` is the paper's subclass it counts as, ``kind`` names the exact check that found it.
    """

    subclass: Subclass
    kind: str
    line: int
    column: int
    message: str


@dataclass(frozen=True)
class PlanFailure:
    """The first plan that does not cross over.

    ``plan`` is the whole plan as ground actions, e.g. ``("(pick-up a)", "(stack a b)")``; ``step`` counts from 1 and is
    one more than the plan's length where every step applies but the goal is not reached. ``literal`` is the unmet
    ground literal, where the reason is one.
    """

    problem: str
    direction: str  # "new on original" or "original on new"
    plan: tuple[str, ...]
    step: int
    action: str | None
    literal: str | None
    reason: str


@dataclass(frozen=True)
class CrossCheck:
    """The plan cross-check on one problem: how many plans each side has and how many are plans of the other side.

    The two ``*_valid`` counts are None where the check was not reached (for example, no plan was found). ``exercised``
    tells whether any plan on either side uses the action under test. ``planner`` is the outcome of the search in the
    new domain: "solved", "unsolvable", "time", "memory" or "error".
    """

    problem: str
    original_plans: int | None
    new_plans: int | None
    new_valid_on_original: int | None
    original_valid_on_new: int | None
    exercised: bool | None
    planner: str
    detail: str = ""


@dataclass(frozen=True)
class ExactDecision:
    """Whether two domains have the same set of plans for one problem (see ``exact``).

    ``witness`` is a shortest plan of the one domain that is none of the other, ``witness_of`` names the domain it is a
    plan of ("first" or "second"; the original is the first), ``failure`` says why it is none of the other. ``states``
    and ``transitions`` count what was explored, ``facts`` the ground facts that remained after pruning; ``detail`` says
    which limit was reached where the outcome is undecided.
    """

    problem: str
    outcome: ExactOutcome
    witness: tuple[str, ...] | None = None
    witness_of: str | None = None
    failure: str | None = None
    facts: int = 0
    states: int = 0
    transitions: int = 0
    seconds: float = 0.0
    detail: str = ""


@dataclass(frozen=True)
class Score:
    """Precision and recall of the literals of one part of an action against the original's, and their F1.

    With no literals on either side all three are 1; with none on one side only, that side's measure is 1 and the other
    0.
    """

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class ActionComparison:
    """A generated action held against the original, literal by literal.

    ``differing`` are the literals they do not share, such as "precondition lacks (clear ?x)", with the original's
    parameter names. ``are`` matches parameters by position (the paper's); ``are_typed`` adds one for each parameter
    whose type differs or that one side lacks; ``are_permuted`` is the smallest over all permutations of the parameters
    that keep each parameter's type, and ``permutation`` the one that gives it: the original's parameter at position i
    is matched by the new one at ``permutation[i]`` (None: by none).
    """

    relation: ActionRelation
    differing: tuple[str, ...]
    are: int
    are_typed: int
    are_permuted: int
    permutation: tuple[int | None, ...]
    precondition: Score
    effect: Score


@dataclass(frozen=True)
class Verdict:
    """What one generated action is worth, and why.

    ``action_text`` is the extracted action (None where nothing was found), ``are`` the action reconstruction error as
    the protocol counts it (None where the action did not parse), ``seconds`` the wall time of the whole evaluation of
    this item. ``shortcut`` names the shortcut that gave the class without planning, or is None. ``working_plans`` is
    the published code's count of plans that crossed over before it stopped (its "planDif"; None under ``strict``).
    ``exercised`` tells whether any plan compared uses the action. ``comparison_key`` identifies what was compared, so
    that the same comparison need not be made twice; ``cached`` marks a verdict that used an earlier comparison.
    """

    result_class: ResultClass
    subclass: Subclass | None
    reason: str
    protocol: Protocol
    problems: tuple[Problem, ...] = ()
    action_text: str | None = None
    are: int | None = None
    cross_checks: tuple[CrossCheck, ...] = ()
    failure: PlanFailure | None = None
    planner_version: str = ""
    validator_version: str = ""
    shortcut: str | None = None
    seconds: float = 0.0
    comparison: ActionComparison | None = None
    plan_relation: PlanRelation | None = None
    exercised: bool | None = None
    exact: tuple[ExactDecision, ...] = ()
    working_plans: int | None = None
    comparison_key: str | None = None
    cached: bool = False

    @property
    def exact_outcome(self) -> ExactOutcome | None:
        """The exact decision over all problems: different where one is, equal where all are; None if none was made."""
        outcomes = {decision.outcome for decision in self.exact}
        for outcome in (ExactOutcome.DIFFERENT, ExactOutcome.UNDECIDED, ExactOutcome.EQUAL):
            if outcome in outcomes:
                return outcome
        return None


@dataclass(frozen=True)
class EvaluationSettings:
    """How verdicts are reached.

    ``seconds`` and ``memory_mb`` bound one planner call, translation and search together. ``shortcuts`` allows what
    gives the same verdict sooner: the action that equals the original, and a comparison made before. With ``exact`` the
    exact decision is made too, within ``exact_states`` states and ``exact_seconds`` a problem.
    """

    protocol: Protocol = Protocol.STRICT
    k: int = 100
    seconds: float = 30.0
    memory_mb: int = 4096
    shortcuts: bool = True
    validator: ValidatorChoice = ValidatorChoice.AUTO
    exact: bool = False
    exact_states: int = 2_000_000
    exact_seconds: float = 60.0

    def faults(self) -> list[str]:
        """What is wrong with the limits, in words; no system takes larger ones."""
        bounds = {
            "k": (self.k, 1_000_000),
            "the planner's seconds": (self.seconds, _WEEK),
            "the planner's memory in MB": (self.memory_mb, 1 << 24),
            "the exact decision's states": (self.exact_states, 1_000_000_000),
            "the exact decision's seconds": (self.exact_seconds, _WEEK),
        }
        # Not (...), because no comparison with NaN is true.
        return [
            f"{name} must be more than 0 and at most {most:,}"
            for name, (value, most) in bounds.items()
            if not 0 < value <= most
        ]
