"""The view Actions of the page Build: an action in words beside its PDDL, a person's feedback, and what it changed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from nl2pddl.actions import action_pddl
from nl2pddl.diffing import diff_actions
from nl2pddl.errors import NL2PDDLError
from nl2pddl.ui import markup
from nl2pddl.ui.linking import link, linked
from nl2pddl.ui.shell import Handles
from nl2pddl.ui.text import plain, reasons_of, show_fault, show_text
from nl2pddl.worldmodel import building, checking, person, session
from nl2pddl.worldmodel.asking import answer_text
from nl2pddl.worldmodel.building import Construction, Event, Version
from nl2pddl.worldmodel.draft import ActionDraft
from nl2pddl.worldmodel.session import IMPORTED, Work
from nl2pddl.worldmodel.words import in_words

_SAY_HELP = (
    "In your own words, such as: the truck must be at the same place as the package. The model gets it in the dialogue "
    "about this action and answers with the whole action again."
)
_REMARK_HELP = "Keeps what you wrote as a note on the action; the model is not asked."
_EDIT_HELP = "The four headings of an answer. What you keep takes the place of the model's answer."


def show(handles: Handles, work: Work) -> None:
    """The actions, one at a time."""
    construction = work.construction
    names = [action.name for action in construction.setup.brief.actions]
    _step_by_key(names)
    linked("shown_action", "action", names, st.container())
    signs = {name: _sign(construction, name) for name in names}
    _show_overview(construction)
    back, choice, forth = st.columns([1, 5, 1], vertical_alignment="bottom")
    choice.selectbox(
        "Action", names, format_func=lambda name: f"{name} · {signs[name]}", key="shown_action", on_change=link,
        args=("shown_action", "action"),
    )  # fmt: skip
    name = st.session_state["shown_action"]
    at = names.index(name)
    back.button(
        "Previous", icon=":material/arrow_back:", key="act_back", on_click=_go, args=(names[max(at - 1, 0)],),
        disabled=at == 0, width="stretch", shortcut="P", help="Key P",
    )  # fmt: skip
    last = len(names) - 1
    forth.button(
        "Next", icon=":material/arrow_forward:", key="act_next", on_click=_go, args=(names[min(at + 1, last)],),
        disabled=at == last, width="stretch", shortcut="N", help="Key N",
    )  # fmt: skip
    brief = construction.setup.brief.action(name)
    st.caption(plain(brief.description(construction.setup.condition)))
    version = construction.current(name)
    if version is None:
        st.info("The model has not been asked about this action yet.")
        return
    _show_version(construction, name, version)
    _tell_change(name)
    _show_change(construction, name)
    _offer_person(handles, work, name)
    _show_dialogue(version)


def _step_by_key(names: list[str]) -> None:
    """Nothing of an action of another construction may stay chosen."""
    if st.session_state.get("shown_action") not in names:
        st.session_state.pop("shown_action", None)


def _go(name: str) -> None:
    st.session_state["shown_action"] = name
    link("shown_action", "action")


def _sign(construction: Construction, name: str) -> str:
    version = construction.current(name)
    if construction.pending is not None and construction.pending[0] == name:
        return "… being asked about"
    if version is None:
        return "○ not built yet"
    if version.draft is None:
        return "✕ cannot be read"
    if name in construction.accepted:
        return "✓ accepted"
    return "! tools object" if version.faults else "built"


def _show_overview(construction: Construction) -> None:
    objected = sum(
        bool(version.faults) for name in construction.drafts if (version := construction.current(name)) is not None
    )
    built, accepted, tools, feedback = st.container(key="headline-construction").columns(4)
    total = len(construction.setup.brief.actions)
    built.metric("Actions built", f"{len(construction.drafts)} of {total}")
    accepted.metric("Accepted by you", f"{len(construction.accepted)} of {total}")
    tools.metric("Tools still object to", objected)
    feedback.metric(
        "Messages of feedback", sum(construction.feedback.values()),
        help="How often a person said in words what is wrong: the paper's measure of the work left to people.",
    )  # fmt: skip


def _show_version(construction: Construction, name: str, version: Version) -> None:
    words, pddl = st.columns(2)
    if version.draft is None:
        words.error("This answer cannot be read as an action.", icon=":material/error:")
    else:
        words.html(markup.words_html(in_words(version.draft, construction.predicates)))
        pddl.code(action_pddl(version.draft.action), language=None, wrap_lines=True)
    if version.faults:
        show_fault("What the tools still object to:", *version.faults)
    about = [
        hint for hint in checking.hints(construction.drafts, construction.predicates) if hint.startswith(f"{name}:")
    ]
    for hint in about:
        st.caption(f"To look at: {plain(hint.partition(': ')[2])}")
    for remark in construction.remarks.get(name, ()):
        st.markdown(f":material/comment: {plain(remark)}")


def _tell_change(name: str) -> None:
    """Say once what has just been done to this action."""
    told = st.session_state.pop("act_done", None)
    if told is not None and told[0] == name:
        st.success(told[1], icon=":material/check:")


def _show_change(construction: Construction, name: str) -> None:
    """The current version beside the one before it, where there are two that can be read and differ."""
    versions = construction.versions.get(name, ())
    readable = [version for version in versions if version.draft is not None]
    if len(readable) < 2:
        return
    labels = {at: f"{at + 1}: {version.origin}" for at, version in enumerate(readable)}
    last = readable[-1].draft
    changed = last is not None and last.action != _draft(readable[_before(construction, name, readable)]).action
    title = "What changed" if changed else "What changed: nothing"
    with st.expander(title, icon=":material/difference:", expanded=changed, key=f"changes-{name}-{len(readable)}"):
        left, right = st.columns(2)
        latest = len(readable) - 1
        # Keys with the count: after a new answer the latest two are shown.
        before = left.selectbox(
            "Before", list(labels), index=_before(construction, name, readable), format_func=labels.__getitem__,
            key=f"before-{name}-{latest}",
        )  # fmt: skip
        after = right.selectbox(
            "After", list(labels), index=latest, format_func=labels.__getitem__, key=f"after-{name}-{latest}"
        )
        diff = diff_actions(_draft(readable[before]).action, _draft(readable[after]).action)
        st.html(markup.diff_html(diff, markup.VERSIONS))


def _draft(version: Version) -> ActionDraft:
    assert version.draft is not None  # asked of readable ones only
    return version.draft


def _before(construction: Construction, name: str, readable: list[Version]) -> int:
    """The last readable version of the move before the current one, which is what a person had before their eyes."""
    moves = building.moves(construction.versions[name])
    earlier = [version for move in moves[:-1] for version in move if version.draft is not None]
    return readable.index(earlier[-1]) if earlier else max(len(readable) - 2, 0)


def _offer_person(handles: Handles, work: Work, name: str) -> None:
    construction = work.construction
    turn = len(construction.versions.get(name, ())) + construction.feedback.get(name, 0)
    with st.form(f"say-{name}-{turn}", border=False, clear_on_submit=False):
        words = st.text_area("What is wrong with it?", key=f"said-{name}-{turn}", height=90, help=_SAY_HELP)
        with st.container(horizontal=True):
            asked = st.form_submit_button(
                "Tell the model", type="primary", icon=":material/send:", key=f"tell-{name}-{turn}",
                disabled=work.model == IMPORTED, help="Or Ctrl+Enter in the text",
            )  # fmt: skip
            noted = st.form_submit_button(
                "Only note it", icon=":material/comment:", key=f"note-{name}-{turn}", help=_REMARK_HELP
            )
    with st.container(horizontal=True):
        accepted = st.button(
            "Accept", icon=":material/check:", key=f"accept-{name}", disabled=name in construction.accepted,
            help="You have read it and find it right. It holds until the action changes.",
        )  # fmt: skip
        undone = st.button(
            "Take back", icon=":material/undo:", key=f"undo-{name}",
            disabled=len(building.moves(construction.versions.get(name, ()))) < 2,
            help="The version before this one is the current one again.",
        )  # fmt: skip
    if asked:
        _do(handles, work, lambda: person.objected(construction, name, words), "", ask=True)
    elif noted:
        _do(handles, work, lambda: person.remarked(construction, name, words), "Noted.")
    elif accepted:
        _do(handles, work, lambda: person.accepted(construction, name), "Accepted.")
    elif undone:
        _do(handles, work, lambda: person.undone(construction, name), "The version before is the current one again.")
    _offer_edit(handles, work, name, turn)


def _offer_edit(handles: Handles, work: Work, name: str, turn: int) -> None:
    version = work.construction.current(name)
    assert version is not None
    text = answer_text(version.draft) if version.draft else version.turns[-1].content
    with st.expander("Edit by hand", icon=":material/edit:"), st.form(f"edit-{name}-{turn}", border=False):
        written = st.text_area("Answer", text, key=f"bench_text-{name}-{turn}", height=420, help=_EDIT_HELP)
        kept = st.form_submit_button("Keep this version", icon=":material/save:", key=f"keep-{name}-{turn}")
    if kept:
        _do(handles, work, lambda: person.edited(work.construction, name, written), "Your version is the current one.")


def _do(handles: Handles, work: Work, make: Callable[[], Event], told: str, *, ask: bool = False) -> None:
    """Store what a person did, and draw the page anew; or say why it cannot be done."""
    try:
        event = make()
        session.add(handles.store, work, event)
        if ask:
            handles.workshop.build(work.id)
    except NL2PDDLError as error:
        show_fault("This was not done.", *reasons_of(error))
        return
    if told:
        st.session_state["act_done"] = (event.data["action"], told)
    st.rerun()


def _show_dialogue(version: Version) -> None:
    with st.expander("The whole dialogue with the model", icon=":material/forum:"):
        for turn in version.turns:
            st.markdown(f"**{'The model' if turn.role == 'assistant' else 'Asked'}**")
            show_text(turn.content, height=320 if len(turn.content) > 1500 else None)
