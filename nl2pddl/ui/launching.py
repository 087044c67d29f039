"""The parts of the launch page: what a run shall be, how large it is, and what its prompts look like."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from nl2pddl import terms, twins
from nl2pddl.domains import DomainLibrary
from nl2pddl.errors import InputError, ModelError
from nl2pddl.experiment import ChatMode, Decoding, Precision, RunConfig, RunKind, RunStatus
from nl2pddl.generation import EMBEDDED
from nl2pddl.generation.footprint import loading, weights_in_words
from nl2pddl.generation.listed import read_models
from nl2pddl.generation.models import ModelKind, parse_model
from nl2pddl.prompts import PRESETS, Preset, PromptBuilder
from nl2pddl.records import DescriptionClass, EvaluationSettings, Protocol, ValidatorChoice
from nl2pddl.runs import LARGEST_SEED, RunManager
from nl2pddl.ui.details import GRAMMARS, choose_details
from nl2pddl.ui.text import as_typed, plain, reasons_of, show_fault, show_text

_MODEL_HELP = (
    "The embedded model runs without a download. To add your own, type it and choose “Add: …”, the last of the "
    "list: a Hugging Face id (org/name), a model folder, a .gguf file, URL#MODEL of a server, or replay:FILE for "
    "outputs made elsewhere."
)
_DOMAIN_HELP = (
    "A twin can be typed, such as blocksworld~nonsense~7. More settings adds the twins of all that are chosen."
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
    "exact_states": EvaluationSettings.exact_states,  # no widgets: a run that is copied may have others
    "exact_seconds": EvaluationSettings.exact_seconds,
    "temperature": Decoding.temperature,
    "top_p": Decoding.top_p,
    "draws": RunConfig.draws,
    "chat": Decoding.chat.value,
    "precision": Decoding.precision.value,
    "grammar": "off",
    "rounds": RunConfig.rounds,
    "kind": RunKind.ACTIONS.value,
    "twins": [],
    "twin_seed": 0,
}


def choose_config(library: DomainLibrary) -> RunConfig:
    """Draw the widgets of the launch form; what they say now, checked by nobody yet."""
    domains = [domain.id for domain in library.with_language()]
    for name, value in _DEFAULTS.items():
        st.session_state.setdefault(name, value)
    st.session_state.setdefault("domains", domains[:1])
    left, right = st.columns(2)
    left.multiselect(
        "Models", offered_models(), accept_new_options=True, key="models", help=_MODEL_HELP,
        persist_state="session", placeholder="Choose a model or type one",
    )  # fmt: skip
    right.multiselect(
        "Domains", domains, accept_new_options=True, key="domains", help=_DOMAIN_HELP,
        persist_state="session", placeholder="Choose domains",
    )  # fmt: skip
    _show_broken(library)
    _show_list_fault()
    _choose_prompts()
    with st.expander("More settings"):
        choose_details()
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
        key="descriptions", help=terms.HELP["description_class"], persist_state="session",
    )  # fmt: skip
    prompts.number_input(
        "Prompts an action", min_value=1, max_value=1000, step=1, key="prompts", persist_state="session",
        help="In each description class. Prompts of one action differ in their context examples.",
    )  # fmt: skip
    seed.number_input(
        "Seed", min_value=0, max_value=LARGEST_SEED, step=1, key="seed", persist_state="session",
        help="The same seed gives the same prompts on every machine.",
    )  # fmt: skip
    context.number_input(
        "Context examples", min_value=0, max_value=20, step=1, key="context", persist_state="session",
        help="Actions of other domains shown before the input.",
    )  # fmt: skip


def _apply(preset: Preset) -> None:
    st.session_state["descriptions"] = [name.value for name in preset.descriptions]
    st.session_state["prompts"] = preset.prompts


def offered_models() -> list[str]:
    """The models to choose from: the embedded one and those of the list, where that can be read."""
    try:
        return [EMBEDDED, *read_models()]
    except ModelError:
        return [EMBEDDED]  # what is wrong with the list is shown below the choice


def _show_list_fault() -> None:
    try:
        read_models()
    except ModelError as error:
        show_fault("The model list cannot be read.", *reasons_of(error))


def _config() -> RunConfig:
    state = st.session_state
    chosen = list(state["domains"])
    twins = [f"{name}~{style}~{state['twin_seed']}" for style in state["twins"] for name in chosen if "~" not in name]
    return RunConfig(
        models=tuple(map(as_typed, state["models"])),
        domains=tuple(dict.fromkeys(chosen + twins)),
        descriptions=tuple(name for name in DescriptionClass if name.value in state["descriptions"]),
        prompts=state["prompts"],
        seed=state["seed"],
        context_examples=state["context"],
        name=state["name"].strip(),
        decoding=Decoding(
            max_new_tokens=state["tokens"],
            batch_size=state["batch"],
            temperature=state["temperature"],
            top_p=state["top_p"],
            chat=ChatMode(state["chat"]),
            precision=Precision(state["precision"]),
        ),
        evaluation=EvaluationSettings(
            protocol=Protocol(state["protocol"]),
            k=state["k"],
            seconds=state["seconds"],
            memory_mb=state["memory"],
            shortcuts=state["shortcuts"],
            validator=ValidatorChoice(state["validator"]),
            exact=state["exact"],
            exact_states=state["exact_states"],
            exact_seconds=state["exact_seconds"],
        ),
        kind=RunKind(state["kind"]),
        draws=state["draws"],
        grammars=GRAMMARS[state["grammar"]],
        rounds=state["rounds"],
    )


def take_over(config: RunConfig) -> None:
    """Fill the launch form with a run's configuration, to be changed and launched again; of a part, with the whole.

    Twins stand among the domains, each by its own ID.
    """
    grammar = next(name for name, choice in GRAMMARS.items() if choice == config.grammars)
    values: dict[str, object] = {
        "models": list(config.models),
        "domains": list(config.domains),
        "descriptions": [name.value for name in config.descriptions],
        "prompts": config.prompts,
        "seed": config.seed,
        "context": config.context_examples,
        "name": config.name,
        "tokens": config.decoding.max_new_tokens,
        "batch": config.decoding.batch_size,
        "temperature": config.decoding.temperature,
        "top_p": config.decoding.top_p,
        "chat": config.decoding.chat.value,
        "precision": config.decoding.precision.value,
        "k": config.evaluation.k,
        "seconds": config.evaluation.seconds,
        "memory": config.evaluation.memory_mb,
        "shortcuts": config.evaluation.shortcuts,
        "protocol": config.evaluation.protocol.value,
        "validator": config.evaluation.validator.value,
        "exact": config.evaluation.exact,
        "exact_states": config.evaluation.exact_states,
        "exact_seconds": config.evaluation.exact_seconds,
        "kind": config.kind.value,
        "draws": config.draws,
        "grammar": grammar,
        "rounds": config.rounds,
        "twins": [],  # they stand among the domains, each by its ID
    }
    st.session_state.update(values)


def size_of(config: RunConfig, library: DomainLibrary) -> str:
    """How many items the run has, and what they multiply from; nothing where a domain is not there."""
    try:
        actions = sum(len(twins.find(library, name).planning.actions) for name in config.domains)
    except InputError as error:
        return plain(error)
    factors = [
        (len(config.models), "model"),
        (actions, "action"),
        (len(config.descriptions), "description class"),
        (config.prompts, "prompt"),
        *([(config.draws, "answer")] if config.draws > 1 else []),
        *([(len(config.grammars), "way of decoding")] if len(config.grammars) > 1 else []),
    ]
    items = 1
    for count, _ in factors:
        items *= count
    more = f", and up to {items * config.rounds:,} corrections" if config.rounds else ""
    more += (
        f", and {items // max(actions, 1) * len(config.domains):,} whole domains"
        if config.kind is RunKind.DOMAIN
        else ""
    )
    words = " × ".join(f"{count:,} {_plural(count, noun)}" for count, noun in factors)
    return f"**{items:,} {_plural(items, 'item')}**: {words}{more}"


def _plural(count: int, noun: str) -> str:
    if count == 1:
        return noun
    if noun == "way of decoding":
        return "ways of decoding"
    return noun + ("es" if noun.endswith("s") else "s")


def remember_dry_run(run_id: str, config: RunConfig, *, tried: bool) -> None:
    """Keep which configuration a dry run was for, so that the form can say what the whole would take."""
    if tried:
        st.session_state["dry_run"] = (run_id, config)


@st.fragment(run_every=2.0)
def show_estimate(manager: RunManager, config: RunConfig) -> None:
    """What the run would take, where a dry run of the same configuration is finished."""
    run_id, tried = st.session_state.get("dry_run", ("", None))
    if tried != config:
        return
    if manager.progress(run_id).status is not RunStatus.FINISHED:
        st.info(f"The dry run is {manager.progress(run_id).status}; when it is finished, this says what the run takes.")
        return
    estimate = manager.estimate(run_id, config)
    st.info(plain(f"The whole run, by the dry run: {estimate.in_words}"), icon=":material/timer:")


def show_memory(config: RunConfig, data_dir: Path) -> None:
    """On request, what each model of the run will take and how it will be loaded: seconds, since torch is loaded."""
    if not st.toggle("Memory estimate", key="memory_estimate", help="Before anything is loaded, by each model's shape"):
        return
    with st.spinner("Reading the models' configurations"):
        for name in config.models:
            st.markdown(f"**{plain(name)}**: {plain(_memory_line(name, config.decoding, data_dir))}")


def _memory_line(name: str, decoding: Decoding, data_dir: Path) -> str:
    try:
        choice = loading(name, decoding, data_dir)
        listed = read_models().get(name)
        kind = parse_model(name).kind
    except (InputError, OSError) as error:
        return str(error)
    if choice is not None:
        return choice.reason
    if kind in (ModelKind.SERVER, ModelKind.SCRIPTED, ModelKind.REPLAY):
        return "it takes no memory here: " + (
            "a server runs it" if kind is ModelKind.SERVER else "its answers are read"
        )
    if listed is None or not listed.parameters:
        return (
            "its configuration cannot be read beforehand; download the model, or put its size into the model list "
            "(parameters)"
        )
    return weights_in_words(listed.parameters)


def show_preview(config: RunConfig, library: DomainLibrary) -> None:
    """One prompt of the run, chosen by domain, action, description class and number, just as a model will read it."""
    st.subheader("Prompt preview")
    if not config.domains or not config.descriptions:
        st.info("Choose a domain and a description class to see a prompt.")
        return
    first, second, third, fourth = st.columns([3, 3, 2, 2])
    chosen = first.selectbox("Domain", config.domains, key="preview_domain")
    try:
        domain = twins.find(library, chosen)
    except InputError as error:
        show_fault("This prompt cannot be built.", *reasons_of(error))
        return
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
