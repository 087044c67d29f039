"""The parts of the domains page: the list, and everything about one domain."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import streamlit as st

from nl2pddl import twins
from nl2pddl.actions import typed_list
from nl2pddl.domain_upload import language_template
from nl2pddl.domains import Domain, DomainLibrary, Language
from nl2pddl.errors import InputError
from nl2pddl.prompts import PromptBuilder
from nl2pddl.records import DescriptionClass
from nl2pddl.runs import LARGEST_SEED
from nl2pddl.ui import markup, shell
from nl2pddl.ui.linking import choose_domain, go_to_domain, link, linked
from nl2pddl.ui.spaces import show_spaces
from nl2pddl.ui.text import LONGEST_SHOWN, plain, reasons_of, show_fault, show_text

_CLASSES = {
    DescriptionClass.BASE: "base: one sentence that names the action and its parameters",
    DescriptionClass.FLIPPED: "flipped: base, and the preconditions that the action makes false",
    DescriptionClass.RANDOM: "random: base, and as many literals drawn from precondition and effects",
}
_DOMAIN_HELP = (
    "A planning domain: the predicates that describe a world and the actions that change it. A twin can be typed, such "
    "as blocksworld~nonsense~7."
)
_STYLE_HELP = "neutral: names such as type1 and predicate2. nonsense: made-up words. What is a plan stays the same."
_NO_LANGUAGE = "This domain has no language.toml, so no prompts can be made for it; outputs can be judged all the same."


def show_list(library: DomainLibrary) -> None:
    """A table of all domains; a click on a row shows that one below."""
    if not library.domains:
        st.info("No domain can be used yet. Add one below.")
        return
    rows = [
        {
            "ID": domain.id,
            "Name": domain.planning.name,
            "Actions": len(domain.planning.actions),
            "Predicates": len(domain.planning.predicates),
            "Types": len(domain.planning.types),
            "Problems": len(domain.problems),
            "Language": domain.language is not None,
        }
        for domain in library.domains.values()
    ]
    columns = {
        "Name": st.column_config.TextColumn(help="The name inside the PDDL, which may differ from the ID"),
        "Predicates": st.column_config.NumberColumn(help="What can be true of objects, such as (on ?x ?y)"),
        "Types": st.column_config.NumberColumn(help="Kinds of objects; 0: the domain has none"),
        "Problems": st.column_config.NumberColumn(help="Objects, initial state and goal: what plans are made for"),
        "Language": st.column_config.CheckboxColumn(help="Has a language.toml, which prompts are made from"),
    }
    st.dataframe(
        rows, hide_index=True, column_config=columns, key="domain_list", on_select=_take_selected,
        selection_mode="single-row", height=min(38 + 35 * len(rows), 390),
    )  # fmt: skip
    st.session_state["domain_ids"] = list(library.domains)


def _take_selected() -> None:
    rows = st.session_state["domain_list"].selection.rows
    if rows:
        go_to_domain(st.session_state["domain_ids"][rows[0]])


def show_broken(library: DomainLibrary) -> None:
    """Each domain that cannot be used, with everything wrong in it."""
    if not library.broken:
        return
    count = len(library.broken)
    with st.expander(f"{count} domain{'s' if count > 1 else ''} cannot be used", icon=":material/warning:"):
        for name, error in library.broken.items():
            show_fault(f"**{plain(name)}**", *reasons_of(error))


def show_domain(library: DomainLibrary) -> None:
    """One domain, part by part; the page's address keeps which."""
    if not library.domains:
        return
    notices = st.container()  # over the whole width
    choice, way = st.columns([2, 3], vertical_alignment="bottom")
    with choice:
        domain = choose_domain(library, "browse_domain", _DOMAIN_HELP, notices)
    if domain is None:
        return
    st.query_params["domain"] = domain.id
    way.page_link(
        shell.WORKBENCH, label="Judge an action of it", icon=":material/gavel:", query_params={"domain": domain.id}
    )
    parts: dict[str, Callable[[], None]] = {
        "PDDL": lambda: _show_file(domain.planning.source),
        "Problems": lambda: _show_problems(domain),
        "Language": lambda: _show_language(domain),
        "Actions": lambda: _show_actions(domain),
        "Twin": lambda: _show_twin(library, domain),
        "State space": lambda: show_spaces(domain),
    }
    for place, show in zip(st.tabs(list(parts), key="part", bind="query-params"), parts.values(), strict=True):
        if place.open:
            with place:
                show()


def _show_file(text: str, height: int | None = 560) -> None:
    """A text of the domain's folder; of a very long one the beginning."""
    lines = text[:LONGEST_SHOWN]
    show_text(lines, height=height if lines.count("\n") > 24 else None)
    if len(text) > LONGEST_SHOWN:
        st.caption(f"The first {LONGEST_SHOWN:,} of {len(text):,} characters; the domain's folder has all of them.")


def _show_problems(domain: Domain) -> None:
    names = [name for name, _ in domain.problems]
    linked("browse_problem", "problem", names, st.container())
    chosen = st.selectbox(
        "Problem",
        names,
        key="browse_problem",
        on_change=link,
        args=("browse_problem", "problem"),
        persist_state="session",
    )
    problem = dict(domain.problems)[chosen]
    st.caption(plain(f"{len(problem.objects):,} objects, {len(problem.init):,} atoms hold at first"))
    _show_file(problem.text)


def _show_language(domain: Domain) -> None:
    if domain.language is not None:
        _show_texts(domain, domain.language)
        return
    st.info(_NO_LANGUAGE)
    st.download_button(
        "Template for language.toml", language_template(domain.planning), "language.toml", "text/plain",
        key="browse_template", icon=":material/download:", on_click="ignore",
        help="With every predicate and action of the domain; fill it in and put it into the domain's folder.",
    )  # fmt: skip


def _show_texts(domain: Domain, language: Language) -> None:
    st.markdown("**Predicates**", help="A predicate is said in a prompt with its parameters put in for the braces")
    said = {_head(name, domain): language.predicates.get(name, "") for name in domain.planning.predicates}
    st.html(markup.facts_html(said))
    st.markdown("**Actions**")
    actions: dict[str, object] = {}
    for name, entry in language.actions.items():
        texts = (("base", entry.base), ("flipped", entry.flipped), ("random", entry.random))
        actions |= {f"{name} ({kind})": text for kind, text in texts if text}
    st.html(markup.facts_html(actions))
    st.caption("Descriptions that are not written here are composed of the base text and the predicates.")
    if language.words:
        st.markdown("**Words**", help="Nouns that would give the domain away; twins say them by their kind of thing")
        st.html(markup.facts_html(language.words))


def _head(name: str, domain: Domain) -> str:
    parameters = typed_list(domain.planning.predicates[name].parameters)
    return f"({' '.join(part for part in (name, parameters) if part)})"


def _show_actions(domain: Domain) -> None:
    notices = st.container()
    first, second, third = st.columns([3, 2, 2])
    names = list(domain.planning.actions)
    with first:
        linked("browse_action", "action", names, notices)
        action = st.selectbox(
            "Action",
            names,
            key="browse_action",
            on_change=link,
            args=("browse_action", "action"),
            persist_state="session",
        )
    seed = second.number_input(
        "Seed", min_value=0, max_value=LARGEST_SEED, step=1, key="browse_seed", persist_state="session",
        help="What random draws depend on, as on the launch page: the same seed, the same texts.",
    )  # fmt: skip
    number = third.number_input(
        "Prompt number", min_value=1, max_value=1000, step=1, key="browse_number", persist_state="session",
        help="A run may ask for several prompts for one action; each draws anew.",
    )  # fmt: skip
    st.markdown("**Ground truth**", help="The domain's own version of the action, which outputs are held against")
    start, end = domain.planning.action_spans[action]
    _show_file(domain.planning.source[start:end])
    if domain.language is None:
        st.info(_NO_LANGUAGE)
        return
    builder = PromptBuilder((), int(seed), 0)
    for kind, words in _CLASSES.items():
        st.markdown(f"**{plain(kind)}**", help=plain(words))
        show_text(description_in(builder.build(domain, action, kind, int(number) - 1).text))


def description_in(prompt: str) -> str:
    """The description that a prompt ends with."""
    return prompt.rpartition("\nInput:\n")[2].removesuffix("\n\nPDDL Action:")


def _show_twin(library: DomainLibrary, domain: Domain) -> None:
    st.caption(
        "A twin is the same domain under names that no model can have seen in its training, to tell how much of an "
        "answer is memory."
    )
    if domain.twin_of:
        st.info("This is a twin itself. Choose the domain it was made from to see others.")
        return
    first, second = st.columns([2, 3])
    style = first.segmented_control(
        "Style", twins.STYLES, default=twins.STYLES[0], key="twin_style", required=True, help=_STYLE_HELP
    )
    seed = second.number_input(
        "Seed of the twin", min_value=0, max_value=10**15, step=1, key="browse_twin_seed", persist_state="session",
        help="Each seed gives other names; the same seed gives the same ones on every machine.",
    )  # fmt: skip
    try:
        twin = twins.find(library, f"{domain.id}~{style}~{seed}")
    except InputError as error:
        show_fault("This twin cannot be made.", *reasons_of(error))
        return
    st.markdown(f"**{plain(twin.id)}**")
    st.html(markup.facts_html({**_pairs(domain.planning.predicates, twin.planning.predicates),
                               **_pairs(domain.planning.actions, twin.planning.actions)}))  # fmt: skip
    _show_file(twin.planning.source)
    if twin.language is not None:
        _show_texts(twin, twin.language)


def _pairs(old: Mapping[str, object], new: Mapping[str, object]) -> dict[str, object]:
    return {name: f"→ {other}" for name, other in zip(old, new, strict=True)}
