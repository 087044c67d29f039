"""The forms of the command ``worldmodel`` and their options."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from nl2pddl.commands import worldmodel
from nl2pddl.commands.options import add_store, add_validator, here
from nl2pddl.commands.worldmodel_person_forms import add_person_forms
from nl2pddl.errors import InputError
from nl2pddl.experiment import ChatMode
from nl2pddl.generation import EMBEDDED
from nl2pddl.records import ValidatorChoice
from nl2pddl.runs import MOST_ROUNDS
from nl2pddl.worldmodel import session
from nl2pddl.worldmodel.brief import Brief, Condition, example_ids, load_example, read_brief
from nl2pddl.worldmodel.building import Setup
from nl2pddl.worldmodel.using import Planner, TaskChoice


def add_forms(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The command ``worldmodel`` with its forms."""
    group = commands.add_parser("worldmodel", help="build a whole domain with a model, and plan with it")
    forms = group.add_subparsers(required=True, metavar="FORM")
    setup = Setup(Brief("", "", "", (), ()))
    command = forms.add_parser("build", help="ask a model for each action of a description in turn")
    what = command.add_mutually_exclusive_group(required=True)
    what.add_argument("--example", choices=example_ids(), help="what is built")
    what.add_argument(
        "--brief", type=Path, metavar="FILE", help="a description of your own, such as an example's brief.toml"
    )
    command.add_argument("--model", default=EMBEDDED, metavar="M", help="as for run (default: the embedded model)")
    command.add_argument(
        "--condition", choices=[name.value for name in Condition], default=setup.condition.value,
        help="how much the descriptions of actions say (default: detailed)",
    )  # fmt: skip
    command.add_argument(
        "--rounds", type=int, default=setup.rounds, metavar="N",
        help=f"how often tools send an answer back (default: {setup.rounds})",
    )  # fmt: skip
    command.add_argument("--passes", type=int, choices=(1, 2), default=setup.passes, help="default: 2")
    command.add_argument(
        "--chat", choices=[mode.value for mode in ChatMode], default=session.DECODING.chat.value,
        help="raw: the dialogue as one text, which suits small models without training for chats "
        f"(default: {session.DECODING.chat.value})",
    )  # fmt: skip
    command.add_argument(
        "--max-new-tokens", type=int, default=session.DECODING.max_new_tokens, metavar="N",
        help=f"of an answer (default: {session.DECODING.max_new_tokens})",
    )  # fmt: skip
    _add_construction(command)
    command.set_defaults(command=_build)
    command = forms.add_parser("resume", help="go on with a construction")
    command.add_argument("id", metavar="ID", help="as `build` prints it")
    _add_construction(command)
    command.set_defaults(command=lambda options: worldmodel.resume(here(options), options.id, options.out))
    command = forms.add_parser("errors", help="count a construction's errors against an example's hand-made model")
    command.add_argument("id", metavar="ID", help="as `build` prints it")
    command.add_argument("--example", required=True, choices=example_ids(), help="whose model")
    command.add_argument("--no-weigh", action="store_true", help="do not decide which errors change plans")
    add_store(command)
    command.set_defaults(
        command=lambda options: worldmodel.count_errors(
            here(options), options.id, options.example, weigh=not options.no_weigh
        )
    )
    command = forms.add_parser("import", help="store published records (LLM-DM) as a construction")
    for name, words in (
        ("actions", "JSON: for each action its text and its annotations"),
        ("predicates", "text: one predicate a line with its words"),
        ("types", "JSON: the hierarchy of types"),
    ):
        command.add_argument(f"--{name}", type=Path, required=True, metavar="FILE", help=words)
    command.add_argument("--name", required=True, help="what the domain is called")
    _add_construction(command)
    command.set_defaults(
        command=lambda options: worldmodel.import_records(
            here(options), options.actions, options.predicates, options.types, options.name, options.out
        )
    )
    command = forms.add_parser("tasks", help="plan an example's tasks with a construction's domain")
    command.add_argument("id", metavar="ID", help="as `build` prints it")
    command.add_argument("--example", required=True, choices=example_ids(), help="whose tasks")
    command.add_argument(
        "--by", choices=[name.value for name in Planner], default=Planner.KSTAR.value,
        help="who plans: K*, a model whose plans the domain criticises up to 8 times, or the model alone "
        "(default: kstar)",
    )  # fmt: skip
    command.add_argument("--model", metavar="M", help="the model that plans (default: the one that built the domain)")
    add_validator(command)
    add_store(command)
    command.set_defaults(
        command=lambda options: worldmodel.tasks(
            here(options),
            options.id,
            TaskChoice(options.example, Planner(options.by), options.model, ValidatorChoice(options.validator)),
        )
    )

    add_person_forms(forms)


def _add_construction(command: argparse.ArgumentParser) -> None:
    command.add_argument("--out", type=Path, metavar="FILE", help="also write the domain there, as PDDL")
    add_store(command)


def _build(options: argparse.Namespace) -> int:
    if not 0 <= options.rounds <= MOST_ROUNDS:
        raise InputError(f"--rounds must be from 0 to {MOST_ROUNDS}")
    brief = load_example(options.example).brief if options.example else read_brief(options.brief)
    setup = Setup(brief, Condition(options.condition), options.rounds, options.passes)
    decoding = replace(session.DECODING, chat=ChatMode(options.chat), max_new_tokens=options.max_new_tokens)
    if decoding.max_new_tokens < 1:
        raise InputError("--max-new-tokens must be at least 1")
    return worldmodel.build(here(options), setup, options.model, decoding, options.out)
