"""Grammars of one action of a domain, for decoding that can only write valid PDDL.

A model that decodes here is held to a grammar made anew wherever the text so far changes what may follow: after
each parameter its name is taken, and once ``:parameters`` is closed every argument is a parameter or constant of a type
that fits. What comes out has no syntax error, no wrong type, predicate or argument, and the right name. The layout is
that of the context examples, so that a model is not forced off the track they set.

The number of parameters and literals is bounded, and where the tokens left would only just do, what is begun is
finished: the action is closed before the limit whatever the model prefers, since no token is shorter than a byte.

A server takes one grammar for the whole action. That cannot tie arguments to the parameters' types, so types may be
wrong there, and the parameters have fixed names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from nl2pddl.actions import OBJECT, Parameter
from nl2pddl.task import PlanningDomain, Predicate

MOST_PARAMETERS = 8
MOST_LITERALS = 12  # in the precondition, and in the effect
_FIXED_NAMES = ("?x", "?y", "?z", "?u", "?v", "?w", "?s", "?t")
_NAME = r"[a-z][a-z0-9]{0,9}(-[a-z0-9]{1,4})?"
_LONGEST_NAME = len("?") + 15
_NEVER = (
    "\x01"  # follows what a grammar looks ahead to: the next stage's grammar is in force before it could be reached
)
_PRECONDITION, _EFFECT = "\n    :precondition ", "\n    :effect "
_AND = "(and"


@dataclass(frozen=True)
class Stage:
    """What may follow a text. ``key`` changes where the grammar does; ``lark`` describes whole texts, from their start.

    The grammar is in the dialect of llguidance.
    """

    key: tuple[object, ...]
    lark: str


@dataclass(frozen=True)
class ActionGrammar:
    """What an answer for one action is held to: the action's name, the domain's types, predicates and constants."""

    domain: PlanningDomain
    action: str

    @property
    def head(self) -> str:
        """How every answer begins, after white space."""
        return f"(:action {self.action}\n    :parameters ("

    @cached_property
    def types(self) -> tuple[str, ...]:
        """The types a parameter can have; none in a domain without types."""
        if not self.domain.types:
            return ()
        declared = {name for one in self.domain.predicates.values() for p in one.parameters for name in p.types}
        return tuple(sorted(self.domain.types)) + ((OBJECT,) if OBJECT in declared else ())

    @property
    def least_tokens(self) -> int:
        """The new tokens that always suffice for an action with one parameter and one effect."""
        return 2 + len(self.head) + self._longest_parameter + self._rest_after_parameters(_LONGEST_NAME)

    def stage(self, text: str, tokens_left: int) -> Stage:
        """What may follow ``text``, which this grammar led to, with ``tokens_left`` tokens to go."""
        start = text.lstrip("\n ")
        if start.startswith(self.head) and ")" in start.removeprefix(self.head):
            return self._body_stage(text, tokens_left)
        done = self._complete_parameters(start)
        reserve = self._longest_parameter + self._rest_after_parameters(_LONGEST_NAME)
        last = len(done) + 1 >= MOST_PARAMETERS or (start.startswith(self.head) and tokens_left <= reserve)
        return Stage(("parameters", len(done), last), "\n".join(self._head_rules(text, done, last=last)))

    def _complete_parameters(self, start: str) -> list[Parameter]:
        """The parameters in the text that another one follows, or the end of ``:parameters``."""
        if not start.startswith(self.head):
            return []
        inside = start.removeprefix(self.head).partition(")")
        text = inside[0] + (" " if inside[1] else "")
        if self.types:
            found = re.findall(r"(\?[a-z0-9-]+) - (\S+)(?= )", text)
            return [Parameter(name, (type_name,)) for name, type_name in found]
        return [Parameter(name, (OBJECT,)) for name in re.findall(r"(\?[a-z0-9-]+)(?= )", text)]

    @property
    def _longest_parameter(self) -> int:
        types = max((len(f" - {name}") for name in self.types), default=0)
        return len(" ") + _LONGEST_NAME + types

    def _head_rules(self, text: str, done: list[Parameter], *, last: bool) -> Iterator[str]:
        if not done:
            yield f"start: /[\\n ]?/ {_quoted(self.head)} (one after | close)"
        else:
            begun = text[: text.index(self.head) + len(self.head)] + " ".join(map(self._declared, done))
            yield f'start: {_quoted(begun)} (" " one after | close)'
        typed = ' " - " (' + " | ".join(map(_quoted, self.types)) + ")" if self.types else ""
        yield f'one: "?" NAME{typed}'
        yield "after: close" + ("" if last else f' | " ?" LOOKED {_quoted(_NEVER)}')
        yield f'close: ")" {_quoted(_PRECONDITION + "(" + _NEVER)}'
        taken = "|".join(re.escape(parameter.name.removeprefix("?")) for parameter in done)
        yield f"NAME: /{_NAME}/" + (f" & ~/({taken})/" if taken else "")
        yield "LOOKED: /[a-z]{0,8}/"

    def _declared(self, parameter: Parameter) -> str:
        return f"{parameter.name} - {parameter.type_text}" if self.types else parameter.name

    def _body_stage(self, text: str, tokens_left: int) -> Stage:
        start = text.index(self.head) + len(self.head)
        closed = text.index(")", start) + 1
        parameters = self._complete_parameters(text.lstrip("\n "))
        in_effect = _EFFECT in text[closed:]
        longest = max((len(p.name) for p in parameters), default=0)
        reserve = self._longest_literal(longest) + (len("))\n") if in_effect else self._rest_of_precondition(longest))
        literals = list(self._literals(parameters))
        closing = bool(literals) and tokens_left <= reserve
        if closing:
            rules = [self._closing(text, closed, in_effect=in_effect)]
        else:
            rules = [f"start: {_quoted(text[:closed])} {_quoted(_PRECONDITION)} pre {_quoted(_EFFECT)} eff end"]
        rules += self._body_rules(literals)
        return Stage(("body", in_effect if closing else None, closing), "\n".join(rules))

    def _closing(self, text: str, closed: int, *, in_effect: bool) -> str:
        """The start rule that completes the literal begun, and then what must still come, as briefly as it can."""
        after = text[closed:].rpartition(_EFFECT)[2] if in_effect else text[closed:].removeprefix(_PRECONDITION)
        literal = "change" if in_effect else "fact"
        brief = '"(and)"' if in_effect else f'"(and)" {_quoted(_EFFECT)} short'
        end = "end" if in_effect else f"{_quoted(_EFFECT)} short end"
        if not text[closed:].startswith(_PRECONDITION):
            return f"start: {_quoted(text[:closed])} {_quoted(_PRECONDITION)} {brief} end"
        begun = text[: len(text) - len(after)]
        if not after.startswith(_AND):
            return f'start: {_quoted(begun)} ({literal} | {_quoted(_AND)} ")") {end}'
        kept = begun + after[: _last_boundary(after)]
        return f'start: {_quoted(kept)} (" " {literal})? ")" {end}'

    def _body_rules(self, literals: list[tuple[str, list[str]]]) -> Iterator[str]:
        yield r"end: /\n?/ " + '")"'
        if not literals:  # without a parameter and a predicate that needs none
            yield from (f'{part}: "(and)"' for part in ("pre", "eff", "short"))
            return
        yield f'pre: "(and" (" " fact){{0,{MOST_LITERALS}}} ")" | fact'
        yield f'eff: "(and" (" " change){{1,{MOST_LITERALS}}} ")" | change'
        yield 'short: "(and" (" " change)? ")"'
        negated = ' | "(not " literal ")"'
        yield "fact: literal" + (negated if self.domain.has_negated_preconditions else "")
        yield "change: literal" + negated
        yield "literal: " + " | ".join(rule for rule, _ in literals)
        yield from dict.fromkeys(line for _, lines in literals for line in lines)

    def _literals(self, parameters: list[Parameter]) -> Iterator[tuple[str, list[str]]]:
        """For each predicate that something fits: how it is written, and the rules of its arguments."""
        for predicate in self.domain.predicates.values():
            choices = [self._fitting(parameter, parameters) for parameter in predicate.parameters]
            if not all(choices):
                continue
            names = [f"of_{'_or_'.join(sorted(p.types))}" for p in predicate.parameters]
            names = [re.sub(r"[^a-z0-9_]", "_", name) + f"_{len(names)}" for name in names]
            lines = [f"{name}: {' | '.join(map(_quoted, choice))}" for name, choice in zip(names, choices, strict=True)]
            yield " ".join([_quoted(f"({predicate.name}"), *(f'" " {name}' for name in names), '")"']), lines

    def _fitting(self, wanted: Parameter, parameters: Iterable[Parameter]) -> list[str]:
        fits = self.domain.fits
        names = [p.name for p in parameters if fits(p.types, wanted.types)]
        return names + [name for name, kind in self.domain.constants.items() if fits((kind,), wanted.types)]

    def _longest_literal(self, longest_name: int) -> int:
        """Bytes of the longest negated literal with the space before it."""
        argument = max([longest_name, *map(len, self.domain.constants)])
        sizes = [len(one.name) + len(one.parameters) * (1 + argument) for one in self.domain.predicates.values()]
        return len(" (not ())") + max(sizes, default=0)

    def _rest_of_precondition(self, longest_name: int) -> int:
        return len(f"){_EFFECT}(and") + self._longest_literal(longest_name) + len(")\n)")

    def _rest_after_parameters(self, longest_name: int) -> int:
        literal = self._longest_literal(longest_name)
        return len(f"){_PRECONDITION}(and") + literal + self._rest_of_precondition(longest_name)

    @cached_property
    def gbnf(self) -> str:
        """One grammar of the whole action in GBNF, for a server's guided decoding."""
        counts = range(MOST_PARAMETERS + 1)
        lines = [f"root ::= {_quoted(self.head)} ({' | '.join(f'n{count}' for count in counts)})"]
        for count in counts:
            lines += self._rules_for(count)
        if self.types:
            lines.append(f"type ::= {' | '.join(map(_quoted, self.types))}")
        return "\n".join(lines) + "\n"

    def _rules_for(self, count: int) -> Iterator[str]:
        names = _FIXED_NAMES[:count]
        typed = [f"{_quoted(f'{name} - ')} type" if self.types else _quoted(name) for name in names]
        inside = ' " " '.join(typed) or '""'
        argument = [*names, *self.domain.constants]
        known = [one for one in self.domain.predicates.values() if argument or not one.parameters]
        if not known:
            yield f"n{count} ::= {_quoted(f'){_PRECONDITION}(and){_EFFECT}(and))')}"
            return
        fact = f"c{count}" if self.domain.has_negated_preconditions else f"l{count}"
        yield (
            f'n{count} ::= {inside} {_quoted(")" + _PRECONDITION + _AND)} (" " {fact}){{0,{MOST_LITERALS}}} '
            f'{_quoted(")" + _EFFECT + _AND)} (" " c{count}){{1,{MOST_LITERALS}}} "))"'
        )
        yield f'c{count} ::= l{count} | "(not " l{count} ")"'
        yield f"l{count} ::= " + (" | ".join(self._applied(one, count) for one in known) or _quoted(_NEVER))
        if argument:
            yield f"a{count} ::= {' | '.join(map(_quoted, argument))}"

    @staticmethod
    def _applied(predicate: Predicate, count: int) -> str:
        return " ".join([_quoted(f"({predicate.name}"), *[f'" " a{count}'] * len(predicate.parameters), '")"'])


def _quoted(text: str) -> str:
    """The text as a literal of either dialect: both take JSON's escapes of what occurs here."""
    return json.dumps(text)


def _last_boundary(section: str) -> int:
    """Where in "(and (p) (q ?x" the last complete literal ends (or the "(and")."""
    depth, boundary = 0, len(_AND)
    for position, character in enumerate(section):
        depth += (character == "(") - (character == ")")
        if character == ")" and depth == 1:
            boundary = position + 1
    return boundary
