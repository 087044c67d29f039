"""The parts of the launch page: what a run shall be, how large it is, and what its prompts look like."""

from __future__ import annotations

import streamlit as st

from nl2pddl import twins
from nl2pddl.domains import DomainLibrary
from nl2pddl.errors import InputError
from nl2pddl.experiment import Decoding, RunConfig
from nl2pddl.generation import EMBEDDED
from nl2pddl.prompts import PRESETS, Preset, PromptBuilder
from nl2pddl.records import DescriptionClass, EvaluationSettings, Protocol, ValidatorChoice
from nl2pddl.ui.text import plain, reasons_of, show_fault, show_text

_MODEL_HELP = (
    "The embedded model runs without a download. To add your own, type it and press Enter: a Hugging Face id "
    "(org/name), a model folder, a .gguf file, or scripted:FILE for outputs made elsewhere."
)
_DESCRIPTION_HELP = (
    "base: one line, the action and its parameters. flipped: also the preconditions that the action deletes. "
    "random: also as many literals drawn from precondition and effects (Oswald et al. 2024)."
)
_PROTOCOL_HELP = (
    "strict: the paper's definitions, robustly; no fault of time or machine becomes a class. published: what the "
    "study's own code does, to compare with its numbers."
)
_VALIDATOR_HELP = (
    "auto: VAL where it is installed, else our own. both: ask both, and stop the run where they differ. Protocol "
    "published imitates VAL and asks neither."
)
_DEFAULTS: dict[str, object] = {
    "models": [EMBEDDED],
    "descriptions": [DescriptionClass.BASE.value],
    "prompts": 1,
    "seed": 0,
    "context": 3,
    "name": "",
    "tokens": Decoding.max_new_tokens,
    "batch": Decoding.batch_size,
    "k": EvaluationSettings.k,
    "seconds": EvaluationSettings.seconds,
    "memory": EvaluationSettings.memory_mb,
    "shortcuts": EvaluationSettings.shortcuts,
    "protocol": EvaluationSettings.protocol.value,
    "validator": EvaluationSettings.validator.value,
    "exact": EvaluationSettings.exact,
}


def choose_config(library: DomainLibrary) -> RunConfig:
    """Draw the widgets of the launch form; what they say now, checked by nobody yet."""
    domains = [domain.id for domain in library.with_language()]
    for name, value in _DEFAULTS.items():
        st.session_state.setdefault(name, value)
    st.session_state.setdefault("domains", domains[:1])
    left, right = st.columns(2)
    left.multiselect(
        "Models", [EMBEDDED], accept_new_options=True, key="models", help=_MODEL_HELP, persist_state="session",
        placeholder="Choose a model or type one",
    )  # fmt: skip
    right.multiselect("Domains", domains, key="domains", persist_state="session", placeholder="Choose domains")
    _show_broken(library)
    _choose_prompts()
    with st.expander("More settings"):
        _choose_details()
    return _config()


def _show_broken(library: DomainLibrary) -> None:
    without = [domain.id for domain in library.domains.values() if domain.language is None]
    if not library.broken and not without:
        return
    count = len(library.broken) + len(without)
    with st.expander(f"{count} domain{'s' if count > 1 else ''} cannot be used", icon=":material/warning:"):
        for name, error in library.broken.items():
            show_fault(f"**{plain(name)}**", *reasons_of(error))
        for name in without:
            show_fault(f"**{plain(name)}**", "language.toml is missing; prompts are made from it")


def _choose_prompts() -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("Presets", width="content")
        for preset in PRESETS:
            names = ", ".join(name.value for name in preset.descriptions)
            st.button(
                preset.name, on_click=_apply, args=(preset,), key=f"preset-{preset.name}",
                help=f"{preset.prompts} prompts an action in: {names}",
            )  # fmt: skip
    classes, prompts, seed, context = st.columns([3, 2, 2, 2])
    classes.pills(
        "Description classes", [name.value for name in DescriptionClass], selection_mode="multi",
        key="descriptions", help=_DESCRIPTION_HELP, persist_state="session",
    )  # fmt: skip
    prompts.number_input(
        "Prompts an action", min_value=1, max_value=1000, step=1, key="prompts", persist_state="session",
        help="In each description class. Prompts of one action differ in their context examples.",
    )  # fmt: skip
    seed.number_input(
        "Seed", min_value=0, step=1, key="seed", persist_state="session",
        help="The same seed gives the same prompts on every machine.",
    )  # fmt: skip
    context.number_input(
        "Context examples", min_value=0, max_value=20, step=1, key="context", persist_state="session",
        help="Actions of other domains shown before the input.",
    )  # fmt: skip


def _apply(preset: Preset) -> None:
    st.session_state["descriptions"] = [name.value for name in preset.descriptions]
    st.session_state["prompts"] = preset.prompts


def _choose_details() -> None:
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
        "Protocol", [name.value for name in Protocol], key="protocol", persist_state="session", help=_PROTOCOL_HELP
    )
    generation.selectbox(
        "Plan validator", [name.value for name in ValidatorChoice], key="validator", persist_state="session",
        help=_VALIDATOR_HELP,
    )  # fmt: skip


def _config() -> RunConfig:
    state = st.session_state
    return RunConfig(
        models=tuple(name.strip() for name in state["models"]),
        domains=tuple(state["domains"]),
        descriptions=tuple(name for name in DescriptionClass if name.value in state["descriptions"]),
        prompts=state["prompts"],
        seed=state["seed"],
        context_examples=state["context"],
        name=state["name"].strip(),
        decoding=Decoding(max_new_tokens=state["tokens"], batch_size=state["batch"]),
        evaluation=EvaluationSettings(
            protocol=Protocol(state["protocol"]),
            k=state["k"],
            seconds=state["seconds"],
            memory_mb=state["memory"],
            shortcuts=state["shortcuts"],
            validator=ValidatorChoice(state["validator"]),
            exact=state["exact"],
        ),
    )


def size_of(config: RunConfig, library: DomainLibrary) -> str:
    """How many items the run has, and what they multiply from."""
    actions = sum(len(twins.find(library, name).planning.actions) for name in config.domains)
    factors = [
        (len(config.models), "model"),
        (actions, "action"),
        (len(config.descriptions), "description class"),
        (config.prompts, "prompt"),
    ]
    items = 1
    for count, _ in factors:
        items *= count
    words = " × ".join(f"{count:,} {_plural(count, noun)}" for count, noun in factors)
    return f"**{items:,} {_plural(items, 'item')}**: {words}"


def _plural(count: int, noun: str) -> str:
    return noun if count == 1 else noun + ("es" if noun.endswith("s") else "s")


def show_preview(config: RunConfig, library: DomainLibrary) -> None:
    """One prompt of the run, chosen by domain, action, description class and number, just as a model will read it."""
    st.subheader("Prompt preview")
    if not config.domains or not config.descriptions:
        st.info("Choose a domain and a description class to see a prompt.")
        return
    first, second, third, fourth = st.columns([3, 3, 2, 2])
    domain = twins.find(library, first.selectbox("Domain", config.domains, key="preview_domain"))
    action = second.selectbox("Action", list(domain.planning.actions), key="preview_action")
    described = third.selectbox(
        "Description class", [name.value for name in config.descriptions], key="preview_description"
    )
    number = fourth.number_input("Prompt number", min_value=1, max_value=config.prompts, step=1, key="preview_number")
    builder = PromptBuilder(library.with_language(), config.seed, config.context_examples)
    try:
        prompt = builder.build(domain, action, DescriptionClass(described), int(number) - 1)
    except InputError as error:
        show_fault("This prompt cannot be built.", *reasons_of(error))
        return
    show_text(prompt.text, height=460)
