"""The view Predicates of the page Build: what was made up on the way, said in other words, renamed and merged."""

from __future__ import annotations

import streamlit as st

from nl2pddl.actions import atoms
from nl2pddl.errors import InputError
from nl2pddl.ui.keeping import keep
from nl2pddl.ui.shell import Handles
from nl2pddl.worldmodel import person, session
from nl2pddl.worldmodel.building import Construction
from nl2pddl.worldmodel.session import Work

_NAME_HELP = "Another name, in all actions; the name of another predicate merges the two."
_WORDS_HELP = "When it is true, with its parameters as they are called: package ?p is at ?l."
_ORDER_HELP = (
    "Where the order of parameters changes too: which of the old ones comes first, second, …, such as 2 1. Empty: as "
    "they are."
)


def show(handles: Handles, work: Work) -> None:
    """The table, and what can be done with one predicate or with new ones."""
    construction = work.construction
    if not construction.predicates:
        st.info("There is no predicate yet.")
    else:
        st.dataframe(_table(construction), hide_index=True, height="content", key="predicates")
        _offer_change(handles, work)
    _offer_new(handles, work)


def _table(construction: Construction) -> list[dict[str, str]]:
    users: dict[str, list[str]] = {}
    for name, draft in construction.drafts.items():
        for used in dict.fromkeys(
            atom.predicate for part in (draft.action.precondition, draft.action.effect) for atom in atoms(part)
        ):
            users.setdefault(used, []).append(name)
    return [
        {"Predicate": one.head, "True if": one.words, "Used by": ", ".join(users.get(name, ())) or "no action"}
        for name, one in construction.predicates.items()
    ]


def _offer_change(handles: Handles, work: Work) -> None:
    construction = work.construction
    with st.container(border=True):
        chosen = st.selectbox("Change a predicate", list(construction.predicates), key="changed_predicate")
        one = construction.predicates[chosen]
        name, words, order = st.columns([2, 5, 1], vertical_alignment="bottom")
        new = name.text_input("Name", one.name, key=f"name-{one}", help=_NAME_HELP)
        said = words.text_input("True if", one.words, key=f"words-{one}", help=_WORDS_HELP)
        places = order.text_input("Order", key=f"order-{one}", help=_ORDER_HELP, placeholder="as is")
        merges = new.strip().lower() != one.name and new.strip().lower() in construction.predicates
        label = f"Merge into {new.strip().lower()}" if merges else "Keep the change"
        if st.button(label, key="predicate_keep", icon=":material/merge:" if merges else ":material/save:"):
            _change(handles, work, chosen, new, said, places)


def _change(handles: Handles, work: Work, chosen: str, new: str, said: str, places: str) -> None:
    """Reword first, under the old name; of a merged one the other's words stay."""
    one = work.construction.predicates[chosen]
    renames = new.strip().lower() != one.name or bool(places.strip())

    def change() -> None:
        # Both are made before either is stored.
        events = [person.reworded(work.construction, chosen, said)] if " ".join(said.split()) != one.words else []
        events += [person.renamed(work.construction, chosen, new, _order(places))] if renames else []
        after = work
        for event in events:
            after = session.add(handles.store, after, event)

    keep(change, "The predicate was not changed.", f"{one.head} was changed.")


def _order(places: str) -> list[int] | None:
    """The order that was typed, counted from 0; None for none."""
    parts = places.replace(",", " ").split()
    if not all(part.isdecimal() for part in parts):
        raise InputError("the order must be numbers such as 2 1")
    return [int(part) - 1 for part in parts] or None


def _offer_new(handles: Handles, work: Work) -> None:
    with st.expander("Add predicates", icon=":material/add:"):
        text = st.text_area(
            "One a line, with its words", key=f"new_predicates-{work.events}", height=90,
            placeholder="(package-at ?p - package ?l - location): true if package ?p is at location ?l",
        )  # fmt: skip
        if st.button("Add them", key="predicates_add", icon=":material/add:"):
            add = lambda: session.add(handles.store, work, person.given(work.construction, text))  # noqa: E731
            keep(add, "No predicate was added.", "Added.")
