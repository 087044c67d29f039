"""The examples, and what carries tasks to a construction, kept between drawings of a page: each takes a while."""

from __future__ import annotations

import streamlit as st

from nl2pddl.worldmodel import quality
from nl2pddl.worldmodel.brief import Example, load_example
from nl2pddl.worldmodel.building import Construction
from nl2pddl.worldmodel.carrying import Carrier
from nl2pddl.worldmodel.session import Work


@st.cache_resource(show_spinner=False)
def example(name: str) -> Example:
    """An example, read once a process."""
    return load_example(name)


def closest(construction: Construction) -> list[str]:
    """The examples that share actions with a construction, see ``quality.closest_examples``."""
    return quality.closest_examples(construction, example)


def carrier(work: Work, name: str) -> Carrier:
    """What carries tasks and plans between a construction and an example's hand-made model."""
    return _carrier(work.id, work.events, name, work.construction)


@st.cache_resource(show_spinner=False, max_entries=20)
def _carrier(construction_id: str, events: int, name: str, _construction: Construction) -> Carrier:
    # Found by what the first three say; after so many events a construction is always the same.
    return quality.carrier_of(_construction, example(name))
