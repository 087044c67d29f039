"""How an output was made and judged: model, decoding, prompts, planner, versions."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from nl2pddl.experiment import ChatMode, RunConfig
from nl2pddl.store import Store, queries
from nl2pddl.store.queries import ItemDetail
from nl2pddl.ui import markup
from nl2pddl.ui.text import decoding_in_words


def show_origin(store: Store, run_id: str, detail: ItemDetail) -> None:
    """Everything that is on record about how the output came to be."""
    with st.expander("How it was made", icon=":material/info:"):
        config, versions = queries.run_config(store, run_id), queries.run_versions(store, run_id)
        st.html(markup.facts_html(_facts(run_id, detail, config, versions)))


def _facts(run_id: str, detail: ItemDetail, config: RunConfig, versions: Mapping[str, str]) -> dict[str, object]:
    info, verdict, settings = detail.model_info, detail.verdict, detail.verdict["settings"]
    return {
        "Run": " · ".join(part for part in (run_id, config.name) if part),
        "Model": info["name"],
        "Revision": info["revision"],
        "Data type": info["dtype"],
        "Quantisation": info["quantisation"],
        "Device": info["device"],
        "Attention": info.get("attention", ""),
        "Memory estimate": f"{info['estimate_bytes'] / 1e9:.2f} GB" if info.get("estimate_bytes") else "",
        "Weights in memory": f"{info['footprint_bytes'] / 1e9:.2f} GB" if info.get("footprint_bytes") else "",
        "Decoding": decoding_in_words(config.decoding),
        "Prompt given": "in the model's chat template" if config.decoding.chat is ChatMode.TEMPLATE else "as it is",
        "Grammar": "held to valid actions" if detail.item.grammar else "",
        "Batch size": config.decoding.batch_size,
        "Seed": config.seed,
        "Context examples": ", ".join(detail.item.context),
        "Generation": f"{detail.generate_seconds:.2f} s",
        "Evaluation": f"{verdict['seconds']:.2f} s",
        "Protocol": verdict["protocol"],
        "Planner": verdict["planner_version"],
        "Plans compared": f"top {settings['k']}",
        "Planner limits": f"{settings['seconds']:g} s and {settings['memory_mb']} MB a call",
        "Validator": verdict["validator_version"],
        "Shortcut": verdict["shortcut"],
        "Versions": ", ".join(f"{name} {number}" for name, number in {**versions, **info["versions"]}.items()),
    }
