"""The view Actions of the page Build: an action in words beside its PDDL, a person's feedback, and what it changed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from nl2pddl.actions import action_pddl
from nl2pddl.diffing import diff_actions
from nl2pddl.ui import markup
from nl2pddl.ui.choosing import choose_labelled
from nl2pddl.ui.keeping import keep
from nl2pddl.ui.linking import link, linked
from nl2pddl.ui.shell import Handles
from nl2pddl.ui.text import plain, show_dialogue, show_fault
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
    if st.session_state.get("shown_action") not in names:
        st.session_state.pop("shown_action", None)  # of another construction
    linked("shown_action", "action", names, st.container())
    _show_overview(work)
    name = _choose(names)
    brief = construction.setup.brief.action(name)
    st.caption(plain(brief.description(construction.setup.condition)))
    version = construction.current(name)
    if version is None:
        st.info("The model has not been asked about this action yet.")
        return
    _show_version(construction, name, version)
    _tell_change(name)
    _show_change(work, name)
    _offer_person(handles, work, name)
    show_dialogue("The whole dialogue with the model", version.turns)


def _choose(names: list[str]) -> str:
    back, choice, forth = st.columns([1, 5, 1], vertical_alignment="bottom")
    choice.selectbox("Action", names, key="shown_action", on_change=link, args=("shown_action", "action"))
    name = str(st.session_state["shown_action"])
    at, last = names.index(name), len(names) - 1
    back.button(
        "Previous", icon=":material/arrow_back:", key="act_back", on_click=_go, args=(names[max(at - 1, 0)],),
        disabled=at == 0, width="stretch", shortcut="P", help="Key P",
    )  # fmt: skip
    forth.button(
        "Next", icon=":material/arrow_forward:", key="act_next", on_click=_go, args=(names[min(at + 1, last)],),
        disabled=at == last, width="stretch", shortcut="N", help="Key N",
    )  # fmt: skip
    return name


def _go(name: str) -> None:
    st.session_state["shown_action"] = name
    link("shown_action", "action")


def _sign(construction: Construction, name: str) -> str:
    version = construction.current(name)
    if construction.pending is not None and construction.pending[0] == name:
        return "… is asked about"
    if version is None:
        return "○ not built yet"
    if version.draft is None:
        return "✕ cannot be read"
    if name in construction.accepted:
        return "✓ accepted"
    return "! tools object" if version.faults else "not accepted yet"


def _show_overview(work: Work) -> None:
    """The numbers of the whole, and a line an action; a click on a line shows it."""
    construction = work.construction
    names = [action.name for action in construction.setup.brief.actions]
    current = {name: construction.current(name) for name in names}
    built, accepted, tools, feedback = st.container(key="headline-construction").columns(4)
    built.metric("Actions built", f"{len(construction.drafts)} of {len(names)}")
    accepted.metric("Accepted by you", f"{len(construction.accepted)} of {len(names)}")
    tools.metric("Tools still object to", sum(bool(version and version.faults) for version in current.values()))
    feedback.metric(
        "Messages of feedback", sum(construction.feedback.values()),
        help="How often a person said in words what is wrong: the paper's measure of the work left to people.",
    )  # fmt: skip
    rows = [
        {
            "Action": name,
            "State": _sign(construction, name),
            "Objections": len(version.faults) if version else 0,
            "Feedback": construction.feedback.get(name, 0),
            "Notes": len(construction.remarks.get(name, ())),
            "Versions": len(construction.versions.get(name, ())),
        }
        for name, version in current.items()
    ]
    st.dataframe(
        rows, hide_index=True, height=min(38 + 35 * len(rows), 250), key=f"actions-{work.id}",
        on_select=lambda: _take_selected(work.id, names), selection_mode="single-row",
    )  # fmt: skip


def _take_selected(construction_id: str, names: list[str]) -> None:
    rows = st.session_state[f"actions-{construction_id}"].selection.rows
    if rows:
        _go(names[rows[0]])


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


def _show_change(work: Work, name: str) -> None:
    """The current version beside the one before it, where there are two that can be read and differ."""
    construction = work.construction
    versions = construction.versions.get(name, ())
    readable = [version for version in versions if version.draft is not None]
    if len(readable) < 2:
        return
    labels = {at: f"{at + 1}: {version.origin}" for at, version in enumerate(readable)}
    shown, latest = _before(construction, name, readable), len(readable) - 1
    changed = _draft(readable[shown]).action != _draft(readable[latest]).action
    title = "What changed" if changed else "What changed: nothing"
    # Keys with the count: after a new answer the latest two are shown.
    key = f"{work.id}-{name}-{latest}"
    with st.expander(title, icon=":material/difference:", expanded=changed, key=f"changes-{key}"):
        left, right = st.columns(2)
        with left:
            before = choose_labelled("Before", labels, f"before-{key}", shown)
        with right:
            after = choose_labelled("After", labels, f"after-{key}", latest)
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
    # New fields once their words are taken, and no sooner: an answer may come while somebody types.
    said = construction.feedback.get(name, 0) + len(construction.remarks.get(name, ()))
    key = f"{work.id}-{name}-{said}"
    with st.form(f"say-{key}", border=False):
        words = st.text_area("What is wrong with it?", key=f"said-{key}", height=90, help=_SAY_HELP)
        with st.container(horizontal=True):
            asked = st.form_submit_button(
                "Tell the model", type="primary", icon=":material/send:", key=f"tell-{key}",
                disabled=work.model == IMPORTED, help="Or Ctrl+Enter in the text",
            )  # fmt: skip
            noted = st.form_submit_button(
                "Only note it", icon=":material/comment:", key=f"note-{key}", help=_REMARK_HELP
            )
    with st.container(horizontal=True):
        accepted = st.button(
            "Accept", icon=":material/check:", key=f"accept-{key}", disabled=name in construction.accepted,
            help="You have read it and find it right. It holds until the action changes.",
        )  # fmt: skip
        undone = st.button(
            "Take back", icon=":material/undo:", key=f"undo-{key}",
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
    _offer_edit(handles, work, name, f"{key}-{len(construction.versions.get(name, ()))}")


def _offer_edit(handles: Handles, work: Work, name: str, key: str) -> None:
    version = work.construction.current(name)
    assert version is not None
    text = answer_text(version.draft) if version.draft else version.turns[-1].content
    with st.expander("Edit by hand", icon=":material/edit:"), st.form(f"edit-{key}", border=False):
        written = st.text_area("Answer", text, key=f"pddl_edit-{key}", height=420, help=_EDIT_HELP)
        kept = st.form_submit_button("Keep this version", icon=":material/save:", key=f"keep-{key}")
    if kept:
        _do(handles, work, lambda: person.edited(work.construction, name, written), "Your version is the current one.")


def _do(handles: Handles, work: Work, make: Callable[[], Event], told: str, *, ask: bool = False) -> None:
    """Store what a person did, and draw the page anew; or say why it cannot be done."""

    def done() -> None:
        event = make()
        session.add(handles.store, work, event)
        if ask:
            handles.workshop.build(work.id)
        if told:
            st.session_state["act_done"] = (event.data["action"], told)

    keep(done, "This was not done.")
