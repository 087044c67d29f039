"""The first step of the page Build: the domain, its types and its actions in words, the model, and the start."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from nl2pddl.errors import InputError
from nl2pddl.experiment import ChatMode
from nl2pddl.generation import EMBEDDED
from nl2pddl.runs import MOST_ROUNDS, new_id
from nl2pddl.ui import examples
from nl2pddl.ui.constructing import go_to
from nl2pddl.ui.keeping import keep
from nl2pddl.ui.launching import offered_models
from nl2pddl.ui.shell import Handles
from nl2pddl.ui.text import as_typed, plain, reasons_of, show_fault, show_text
from nl2pddl.worldmodel import building, published, session
from nl2pddl.worldmodel.brief import Brief, Condition, example_ids
from nl2pddl.worldmodel.brief_text import actions_text, brief_from_texts, types_text
from nl2pddl.worldmodel.building import Construction, Setup

_DOMAIN_HELP = "What world it is: who acts in it, what there is, and what holds everywhere in it."
_TYPES_HELP = "The kinds of objects, one a line: name - parent: words. Without a parent a type is below object."
_ACTIONS_HELP = (
    "What can be done, one paragraph each: the action's name, a colon, its description. An empty line ends it. They "
    "are built in this order."
)
_CONDITION_HELP = (
    "How much the descriptions of actions say. detailed: with what must hold before. minimal: only what is done, so "
    "that the model has to know the rest (the paper's two conditions)."
)
_ROUNDS_HELP = "How often, at most, an answer that tools object to goes back to the model with their words."
_PASSES_HELP = "In the second pass every action is asked for again, with all predicates known."
_CHAT_HELP = (
    "template: as messages in the model's chat template. raw: the dialogue as one text, which suits small models and "
    "models without training for chats."
)
_EXAMPLE_TYPES = "truck - vehicle: a truck, which drives in its city\nvehicle: what carries packages"
_EXAMPLE_ACTIONS = "load-truck: Load a package into a truck. Both must be at the same place.\n\ndrive: Drive a truck …"


def describe(handles: Handles) -> None:
    """The form; a description that is right becomes a construction, which is worked on at once."""
    _offer_examples()
    st.text_input(
        "Name of the domain", key="brief_name", persist_state="session", placeholder="my-domain",
        help="Its name in PDDL: a letter, then letters, digits, - and _.",
    )  # fmt: skip
    st.text_area("The domain in words", key="brief_domain", height=140, persist_state="session", help=_DOMAIN_HELP)
    types, actions = st.columns([2, 3])
    types.text_area(
        "Types", key="brief_types", height=380, persist_state="session", help=_TYPES_HELP, placeholder=_EXAMPLE_TYPES
    )
    actions.text_area(
        "Actions", key="brief_actions", height=380, persist_state="session", help=_ACTIONS_HELP,
        placeholder=_EXAMPLE_ACTIONS,
    )  # fmt: skip
    model, rounds, passes, demonstrations = st.columns([5, 2, 2, 2], vertical_alignment="bottom")
    models = offered_models()
    st.session_state.setdefault("brief_model", EMBEDDED)
    chosen = st.session_state["brief_model"]
    model.selectbox(
        "Model", models if chosen in models else [*models, chosen], key="brief_model", accept_new_options=True,
        persist_state="session", help="As on the page Launch: the embedded one, a Hugging Face ID, a server, …",
    )  # fmt: skip
    for place, label, key, least, most, first, words in (
        (rounds, "Rounds of tools", "brief_rounds", 0, MOST_ROUNDS, 3, _ROUNDS_HELP),
        (passes, "Passes", "brief_passes", 1, 2, building.PASSES, _PASSES_HELP),
        (demonstrations, "Demonstrations", "brief_shots", 1, 2, 2, "Actions of blocksworld shown before the first."),
    ):
        st.session_state.setdefault(key, first)
        place.number_input(label, least, most, step=1, key=key, persist_state="session", help=words)
    chat, tokens = st.columns([5, 6])
    st.session_state.setdefault("brief_chat", session.DECODING.chat.value)
    chat.segmented_control(
        "Prompts", [mode.value for mode in ChatMode], key="brief_chat", required=True, persist_state="session",
        help=_CHAT_HELP,
    )  # fmt: skip
    st.session_state.setdefault("brief_tokens", session.DECODING.max_new_tokens)
    tokens.number_input(
        "New tokens of an answer", 1, 100_000, step=100, key="brief_tokens", persist_state="session",
        help="An answer that is cut off cannot be read; 700 are enough for actions as large as those of the examples.",
    )  # fmt: skip
    with st.container(horizontal=True):
        pressed = st.button("Build", type="primary", icon=":material/construction:", key="brief_build")
        asked = st.toggle("Show the first prompt", key="brief_preview")
    if pressed:
        _begin(handles)
    if asked:
        _preview()
    _offer_import(handles)


def _offer_examples() -> None:
    example, condition, button = st.columns([3, 3, 2], vertical_alignment="bottom")
    example.selectbox(
        "Example", example_ids(), key="brief_example", persist_state="session",
        help="Descriptions that come with a hand-made model and tasks, so that what is built can be measured.",
    )  # fmt: skip
    condition.segmented_control(
        "Descriptions", [name.value for name in Condition], key="brief_condition", default=Condition.DETAILED.value,
        required=True, persist_state="session", help=_CONDITION_HELP,
    )  # fmt: skip
    button.button(
        "Fill in the example", key="brief_fill", icon=":material/content_copy:", on_click=_fill, width="stretch",
        help="Replaces what stands below",
    )  # fmt: skip


def _condition() -> Condition:
    return Condition(st.session_state.get("brief_condition") or Condition.DETAILED.value)


def _fill() -> None:
    brief = examples.example(st.session_state["brief_example"]).brief
    st.session_state.update(_texts(brief))


def _texts(brief: Brief) -> dict[str, str]:
    return {
        "brief_name": brief.name,
        "brief_domain": brief.domain,
        "brief_types": types_text(brief),
        "brief_actions": actions_text(brief, _condition()),
    }


def _setup() -> Setup:
    """What the form says. Raises InputError with all that is wrong."""
    state = st.session_state
    brief = brief_from_texts(
        state["brief_name"], state["brief_domain"], state["brief_types"], state["brief_actions"], _condition()
    )
    for name in example_ids():
        example = examples.example(name).brief
        if _texts(example) == {key: state[key] for key in _texts(example)}:
            brief = example  # untouched: with its title and both kinds of descriptions
    return Setup(brief, _condition(), state["brief_rounds"], state["brief_passes"], state["brief_shots"])


def _begin(handles: Handles) -> None:

    def begin() -> None:
        setup = _setup()
        construction_id = new_id()
        state = st.session_state
        chat = ChatMode(state["brief_chat"])
        decoding = replace(session.DECODING, chat=chat, max_new_tokens=state["brief_tokens"])
        session.begin(handles.store, construction_id, setup, as_typed(state["brief_model"] or ""), decoding)
        handles.workshop.build(construction_id)
        go_to(construction_id)

    keep(begin, "This domain cannot be built.")


def _preview() -> None:
    try:
        ask = building.next_ask(Construction(_setup()))
    except InputError as error:
        show_fault("There is no prompt yet.", *reasons_of(error))
        return
    assert ask is not None
    show_text(ask.turns[0].content, height=460)


def _offer_import(handles: Handles) -> None:
    with st.expander("Import published records", icon=":material/upload_file:"):
        st.caption(
            "The files of Guan et al.: for each action the model's text and people's annotations, a list of "
            "predicates, and the types. What is imported can be read, mended by hand and planned with."
        )
        first, second, third = st.columns(3)
        actions = first.file_uploader("Actions (JSON)", "json", key="records_actions", max_upload_size=8)
        predicates = second.file_uploader("Predicates (text)", "txt", key="records_predicates", max_upload_size=8)
        types = third.file_uploader("Types (JSON)", "json", key="records_types", max_upload_size=8)
        name = st.text_input("Name of the imported domain", key="records_name", placeholder="logistics")
        if not st.button("Import the records", key="records_import", icon=":material/upload:"):
            return
        if actions is None or types is None:
            show_fault("Nothing was imported.", "choose at least the file of actions and the file of types")
            return

        def read() -> None:
            content = predicates.getvalue() if predicates else b""
            records = published.read_records(actions.getvalue(), content, types.getvalue(), name.strip().lower())
            construction_id = new_id()
            session.add_records(handles.store, construction_id, records)
            go_to(construction_id)

        keep(read, f"The records {plain(actions.name)} were not imported.")
