"""The page Build around one construction: which one, how far the work on it is, and its views."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from nl2pddl.breakdown import short_names
from nl2pddl.errors import InputError
from nl2pddl.store import Store, constructions
from nl2pddl.ui import acting, assessing, domain_view, predicates_view, tasking
from nl2pddl.ui.choosing import local_times
from nl2pddl.ui.keeping import keep
from nl2pddl.ui.shell import Handles, open_handles
from nl2pddl.ui.text import plain, reasons_of, show_fault
from nl2pddl.workshop import Doing, Kind
from nl2pddl.worldmodel import building, session
from nl2pddl.worldmodel.session import IMPORTED, Work

_NEW = ""
_VIEWS: Mapping[str, Callable[[Handles, Work], None]] = {
    "Actions": acting.show,
    "Predicates": predicates_view.show,
    "Domain": domain_view.show,
    "Tasks": tasking.show,
    "Errors": assessing.show,
}


def choose(store: Store) -> str | None:
    """Which construction is shown, by the page's address; None where a new one is to be described."""
    labels = _labels(store)
    if not labels:
        _tell_missing(st.query_params.get("construction"), labels)
        return None
    linked = st.query_params.get("construction", _NEW)
    _tell_missing(linked, labels)
    st.session_state["construction"] = linked if linked in labels else _NEW
    options = [_NEW, *labels]
    chosen = st.selectbox(
        "Construction", options, format_func=lambda one: labels.get(one, "Describe a new domain"), key="construction",
        on_change=_link,
    )  # fmt: skip
    return chosen or None


def _tell_missing(linked: str | None, labels: Mapping[str, str]) -> None:
    if linked and linked not in labels:
        st.warning(f"There is no construction {plain(linked)} in this store.", icon=":material/link_off:")


def _labels(store: Store) -> dict[str, str]:
    frame = constructions.constructions_frame(store)
    models = short_names(frame["model"].unique())
    return {
        key: f"{at:%d %b %Y, %H:%M} · {name} · {models[model]} · {key.rpartition('-')[2]}"
        for key, at, name, model in zip(
            frame["construction_id"], local_times(frame["created_at"]), frame["name"], frame["model"], strict=True
        )
    }


def _link() -> None:
    go_to(st.session_state["construction"])


def go_to(construction_id: str) -> None:
    """Show this construction next; what the address says of parts of another one does not hold of it."""
    for part in ("action", "construction"):
        st.query_params.pop(part, None)
    if construction_id:
        st.query_params["construction"] = construction_id


def show(handles: Handles, construction_id: str) -> None:
    """Where the work stands, and the view that is on."""
    # Asked before the store is read: what has ended by now has all its events there.
    doing = handles.workshop.doing(construction_id)
    under_way = doing is not None and doing.is_under_way
    try:
        work = session.load(handles.store, construction_id)
    except InputError as error:
        show_fault("This construction cannot be shown.", *reasons_of(error))
        return
    if under_way:
        _watch(work.id, work.events)
    else:
        _show_end(handles, work, doing)
    view = st.segmented_control(
        "View", list(_VIEWS), default="Actions", key="part", bind="query-params", required=True,
        label_visibility="collapsed",
    )  # fmt: skip
    _VIEWS[view or "Actions"](handles, work)


def _show_end(handles: Handles, work: Work, doing: Doing | None) -> None:
    """How the last piece of work ended, and how to go on where the model still has to be asked."""
    if doing is not None and doing.fault:
        show_fault(f"{doing.kind.capitalize()} ended before its time.", doing.fault)
    construction = work.construction
    ask = building.next_ask(construction)
    if ask is None or work.model == IMPORTED:
        return
    total = construction.setup.passes * len(construction.setup.brief.actions)
    words, button = st.columns([5, 1], vertical_alignment="center")
    words.info(plain(f"Stopped: {construction.taken} of {total} answers are taken; next is '{ask.action}'."))
    if button.button("Go on", key="go_on", icon=":material/play_arrow:", type="primary", width="stretch"):
        keep(lambda: handles.workshop.build(work.id), "It cannot go on.")


@st.fragment(run_every=1.0)
def _watch(construction_id: str, drawn: int) -> None:
    """The work under way; the whole page is drawn anew when an answer has come, and when it ends."""
    handles = open_handles()
    doing = handles.workshop.doing(construction_id)
    work = session.load(handles.store, construction_id)
    if doing is None or not doing.is_under_way or (doing.kind is Kind.BUILD and work.events != drawn):
        st.rerun()
    words, button = st.columns([5, 1], vertical_alignment="center")
    words.progress(doing.done / max(doing.total, 1), plain(_progress(doing, work)))
    stopping = doing.stopped.is_set()
    if button.button("Stop", key="stop_work", icon=":material/stop:", width="stretch", disabled=stopping):
        handles.workshop.stop(construction_id)
        st.rerun(scope="fragment")


def _progress(doing: Doing, work: Work) -> str:
    if doing.stopped.is_set():
        return "stopping"
    counted = f"{doing.done} of {doing.total}" if doing.total else "starting"
    ask = building.next_ask(work.construction)
    if doing.kind is Kind.BUILD and ask is not None and work.construction.by_person:
        return f"the model answers what you said of '{ask.action}'" + (", sent back by tools" if ask.round else "")
    if doing.kind is Kind.BUILD and ask is not None:
        again = f", sent back {ask.round} times" if ask.round else ""
        return f"{counted} answers taken; asking about '{ask.action}'{again}"
    return f"{doing.kind}: {counted}"
