"""Options that several commands have."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from nl2pddl.records import ValidatorChoice
from nl2pddl.settings import Settings, load_settings


def add_store(command: argparse.ArgumentParser) -> None:
    """Which store."""
    store = load_settings().store
    command.add_argument("--store", type=Path, default=store, metavar="FILE", help=f"default: {store}")


def here(options: argparse.Namespace) -> Settings:
    """The settings with the store that the options name."""
    return replace(load_settings(), store=options.store)


def add_validator(command: argparse.ArgumentParser) -> None:
    """Who checks plans."""
    command.add_argument(
        "--validator", choices=[name.value for name in ValidatorChoice], default=ValidatorChoice.AUTO.value,
        help="who checks plans; auto: VAL where it is installed, else ours; both: stop where they differ",
    )  # fmt: skip
