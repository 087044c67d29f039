"""The further settings of the launch form: planning, decoding, and what a run has beside plain first answers."""

from __future__ import annotations

import streamlit as st

from nl2pddl import terms
from nl2pddl.experiment import ChatMode, Precision, RunKind
from nl2pddl.records import Protocol, ValidatorChoice
from nl2pddl.runs import MOST_ROUNDS
from nl2pddl.twins import STYLES

GRAMMARS = {"off": (False,), "on": (True,), "both": (False, True)}
_VALIDATOR_HELP = (
    "auto: VAL where it is installed, else our own. both: ask both, and stop the run where they differ. Protocol "
    "published imitates VAL and asks neither."
)
_GRAMMAR_HELP = (
    "on: each token is chosen among those that lead to a valid action of the domain, so there is no syntax error, "
    "wrong type, predicate or name. both: with and without, side by side."
)
_ROUNDS_HELP = (
    "After a failed verdict the model is told what the checks, the planner or the plan validator say, and asked again, "
    "up to so many times. The ground truth is never told."
)
_KIND_HELP = (
    "actions: each on its own, the paper's task. domain: all actions of a domain one after another, each prompt "
    "holding those generated so far; the whole domain is judged too."
)
_TWINS_HELP = (
    "Also run each domain under names that no model can have seen: predicates, types, actions and their words in the "
    "descriptions. The drop shows how much a model remembers."
)
_PRECISION_HELP = (
    "For models that run here. full: bfloat16 on a GPU, float32 on the CPU. 4-bit: NF4 weights. auto: 4-bit where full "
    "does not fit."
)
_CHAT_HELP = "raw: the prompt as it is, the paper's way. template: as a message in the model's chat template."


def choose_details() -> None:
    """Draw the widgets; their values are read from the session state."""
    run, generation, planning = st.columns(3)
    run.text_input("Run name", key="name", persist_state="session", placeholder="Optional", max_chars=100)
    generation.number_input(
        "Maximum new tokens", min_value=1, max_value=8192, step=50, key="tokens", persist_state="session"
    )
    generation.number_input(
        "Batch size", min_value=1, max_value=512, step=1, key="batch", persist_state="session",
        help="Prompts generated at once. Larger is faster and takes more memory.",
    )  # fmt: skip
    planning.number_input(
        "Plans compared (k)", min_value=1, max_value=10000, step=10, key="k", persist_state="session",
        help="The k cheapest plans of each problem, from K*.",
    )  # fmt: skip
    planning.number_input(
        "Planner time limit (s)", min_value=1.0, max_value=3600.0, step=5.0, key="seconds", persist_state="session",
        help="For one problem, translation and search together. What exceeds it is undecided, never a class.",
    )  # fmt: skip
    planning.number_input("Planner memory limit (MB)", min_value=256, step=512, key="memory", persist_state="session")
    run.toggle(
        "Shortcuts", key="shortcuts", persist_state="session",
        help="Skip what gives the same verdict: the action that equals the ground truth, a comparison made before.",
    )  # fmt: skip
    run.toggle(
        "Exact decision", key="exact", persist_state="session",
        help="Also decide whether both domains have the same plans at all, not only the same cheapest ones.",
    )  # fmt: skip
    generation.selectbox(
        "Protocol", [name.value for name in Protocol], key="protocol", persist_state="session", help=terms.PROTOCOL
    )
    generation.selectbox(
        "Plan validator", [name.value for name in ValidatorChoice], key="validator", persist_state="session",
        help=_VALIDATOR_HELP,
    )  # fmt: skip
    st.divider()
    _choose_decoding()


def _choose_decoding() -> None:
    tokens, answers, beyond = st.columns(3)
    tokens.number_input(
        "Temperature", min_value=0.0, max_value=5.0, step=0.1, key="temperature", persist_state="session",
        help="0 is greedy decoding, the paper's way.",
    )  # fmt: skip
    tokens.number_input(
        "Top-p", min_value=0.01, max_value=1.0, step=0.05, key="top_p", persist_state="session",
        help="Sample only among the most likely tokens that together have this probability.",
    )  # fmt: skip
    answers.number_input(
        "Answers a prompt", min_value=1, max_value=100, step=1, key="draws", persist_state="session",
        help="More than one needs a temperature above 0.",
    )  # fmt: skip
    answers.number_input(
        "Correction rounds", min_value=0, max_value=MOST_ROUNDS, step=1, key="rounds", persist_state="session",
        help=_ROUNDS_HELP,
    )  # fmt: skip
    beyond.segmented_control(
        "Grammar", list(GRAMMARS), key="grammar", help=_GRAMMAR_HELP, required=True, persist_state="session"
    )
    beyond.segmented_control(
        "Generate", [kind.value for kind in RunKind], key="kind", help=_KIND_HELP, required=True,
        persist_state="session",
    )  # fmt: skip
    tokens.segmented_control(
        "Prompt given", [mode.value for mode in ChatMode], key="chat", help=_CHAT_HELP, required=True,
        persist_state="session",
    )  # fmt: skip
    answers.segmented_control(
        "Precision", [name.value for name in Precision], key="precision", help=_PRECISION_HELP, required=True,
        persist_state="session",
    )  # fmt: skip
    beyond.pills(
        "Anonymised twins", STYLES, selection_mode="multi", key="twins", help=_TWINS_HELP, persist_state="session"
    )
    if st.session_state["twins"]:
        beyond.number_input("Seed of the twins", min_value=0, step=1, key="twin_seed", persist_state="session")
