"""Grammars of one action of a domain, for decoding that can only write valid PDDL."""

from __future__ import annotations

from dataclasses import dataclass

from nl2pddl.task import PlanningDomain


@dataclass(frozen=True)
class ActionGrammar:
    """What an answer for one action is held to: the action's name, the domain's types, predicates and constants."""

    domain: PlanningDomain
    action: str

    def gbnf(self) -> str:
        """One grammar of the whole action in GBNF, for a server's guided decoding."""
        raise NotImplementedError
