"""The forms of ``worldmodel`` that are a person's part, and their options."""

from __future__ import annotations

import argparse
from pathlib import Path

from nl2pddl.commands import worldmodel_person as commands
from nl2pddl.commands.options import add_store, add_validator, here
from nl2pddl.errors import InputError
from nl2pddl.records import ValidatorChoice
from nl2pddl.worldmodel import person
from nl2pddl.worldmodel.brief import example_ids
from nl2pddl.worldmodel.using import Planner, TaskChoice

Forms = argparse._SubParsersAction  # of argparse's parsers


def add_person_forms(forms: Forms[argparse.ArgumentParser]) -> None:
    """The forms."""
    _form(forms, "list", "all constructions of the store", lambda o: commands.list_all(here(o)), construction=False)
    command = _form(
        forms, "show", "actions in words and as PDDL", lambda o: commands.show(here(o), o.id, o.action)
    )  # fmt: skip
    command.add_argument("--action", metavar="A", help="only this one")
    _add_actions(forms)
    _add_predicates(forms)
    command = _form(
        forms, "export", "write the domain, and records with people's notes in LLM-DM's layout",
        lambda o: commands.export(here(o), o.id, o.records, o.domain),
    )  # fmt: skip
    command.add_argument("--records", type=Path, metavar="FILE", help="JSON")
    command.add_argument("--domain", type=Path, metavar="FILE", help="PDDL")
    _add_task(forms)


def _add_actions(forms: Forms[argparse.ArgumentParser]) -> None:
    command = _form(
        forms, "tell", "say in words what is wrong with an action; the model answers anew",
        lambda o: commands.tell(here(o), o.id, o.action, o.words),
    )  # fmt: skip
    _of_action(command).add_argument("words", metavar="WORDS", help="in one argument, so in quotes")
    command = _form(
        forms, "note", "note in words what is wrong with an action, without asking the model",
        lambda o: commands.do(here(o), o.id, lambda c: person.remarked(c, o.action, o.words)),
    )  # fmt: skip
    _of_action(command).add_argument("words", metavar="WORDS", help="in one argument, so in quotes")
    _of_action(
        _form(forms, "accept", "an action is right as it is",
              lambda o: commands.do(here(o), o.id, lambda c: person.accepted(c, o.action)))
    )  # fmt: skip
    _of_action(
        _form(forms, "undo", "the version of an action before this one is the current one again",
              lambda o: commands.do(here(o), o.id, lambda c: person.undone(c, o.action)))
    )  # fmt: skip
    command = _form(
        forms, "edit", "take an action from a file, in an answer's layout (the four headings)",
        lambda o: commands.edit(here(o), o.id, o.action, o.file),
    )  # fmt: skip
    _of_action(command).add_argument("file", type=Path, metavar="FILE", help="with the four headings")


def _add_predicates(forms: Forms[argparse.ArgumentParser]) -> None:
    command = _form(
        forms, "rename", "call a predicate otherwise, or merge it into another",
        lambda o: commands.do(here(o), o.id, lambda c: person.renamed(c, o.old, o.new, _places(o.order))),
    )  # fmt: skip
    command.add_argument("old", metavar="OLD", help="as it is called now")
    command.add_argument("new", metavar="NEW", help="another name, or that of the predicate to merge into")
    _add_order(command, "which parameter of the old one comes first, second, …")
    command = _form(
        forms, "reword", "say in other words when a predicate is true",
        lambda o: commands.do(here(o), o.id, lambda c: person.reworded(c, o.predicate, o.words)),
    )  # fmt: skip
    command.add_argument("predicate", metavar="PREDICATE", help="of the construction")
    command.add_argument("words", metavar="WORDS", help="with its parameters as they are called, in quotes")
    command = _form(
        forms, "match", "say which predicate of a hand-made model one stands for",
        lambda o: commands.match(here(o), o.id, o.example, o.predicate, o.other, o.order, negated=o.contrary),
    )  # fmt: skip
    command.add_argument("predicate", metavar="PREDICATE", help="of the construction")
    command.add_argument("other", nargs="?", metavar="OTHER", help="in the hand-made model; left out: none")
    command.add_argument("--example", required=True, choices=example_ids(), help="whose model")
    command.add_argument("--contrary", action="store_true", help="it holds where the other does not")
    _add_order(command, "which parameter of it is the first, second, … of the other")


def _add_task(forms: Forms[argparse.ArgumentParser]) -> None:
    command = _form(forms, "solve", "plan a task of your own with a construction's domain", _solve)
    command.add_argument("--objects", required=True, metavar="TEXT", help="such as 'cup mug - dish  table - place'")
    command.add_argument("--init", required=True, metavar="TEXT", help="the facts that hold at first")
    command.add_argument("--goal", metavar="TEXT", help="the goal in PDDL")
    command.add_argument(
        "--words", metavar="TEXT", help="what is wanted in words; without --goal a model makes it PDDL"
    )
    command.add_argument("--model", metavar="M", help="the model that does (default: the one that built the domain)")
    add_validator(command)


def _solve(options: argparse.Namespace) -> int:
    if options.goal is None and options.words is None:
        raise InputError("give the goal in PDDL with --goal, or in words with --words")
    choice = TaskChoice("", Planner.KSTAR, options.model, ValidatorChoice(options.validator))
    texts = (options.objects, options.init)
    return commands.own_task(here(options), options.id, texts, options.goal, choice, options.words)


def _form(
    forms: Forms[argparse.ArgumentParser], name: str, words: str, does: object, *, construction: bool = True
) -> argparse.ArgumentParser:
    command = forms.add_parser(name, help=words)
    if construction:
        command.add_argument("id", metavar="ID", help="as `build` prints it")
    add_store(command)
    command.set_defaults(command=does)
    return command


def _of_action(command: argparse.ArgumentParser) -> argparse.ArgumentParser:
    command.add_argument("--action", required=True, metavar="A", help="by its name in PDDL")
    return command


def _add_order(command: argparse.ArgumentParser, words: str) -> None:
    command.add_argument("--order", type=int, nargs="+", default=[], metavar="N", help=f"{words}; default: as they are")


def _places(order: list[int]) -> list[int] | None:
    return [place - 1 for place in order] or None
