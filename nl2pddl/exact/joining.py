"""Finds the arguments for which the literals of a precondition can hold together: a join over the facts reached."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from nl2pddl.actions import Atom, Formula, LiftedAction, Not, conjuncts
from nl2pddl.exact.limits import Budget

Fact = tuple[str, ...]  # a predicate and its arguments
Term = int | str  # the position of a parameter, or an object
Index = Mapping[Fact, list[Fact]]


def fact_of(atom: Atom, binding: Mapping[str, str]) -> Fact:
    """The ground atom; a name that ``binding`` lacks stands for itself."""
    return (atom.predicate, *[binding.get(argument, argument) for argument in atom.arguments])


class Relations:
    """The facts reached, by predicate and number of words, and indexed by the words that a join step knows already."""

    def __init__(self) -> None:
        self.facts: set[Fact] = set()
        self._listed: dict[tuple[str, int], list[Fact]] = {}
        self._indices: dict[tuple[str, int], dict[tuple[int, ...], dict[Fact, list[Fact]]]] = {}

    def index(self, predicate: str, size: int, known: tuple[int, ...]) -> Index:
        """The predicate's facts of ``size`` words by their words at ``known``; facts added later join it."""
        indices = self._indices.setdefault((predicate, size), {})
        if known not in indices:
            indices[known] = {}
            for fact in self._listed.get((predicate, size), ()):
                _enter(indices[known], known, fact)
        return indices[known]

    def add(self, facts: Iterable[Fact]) -> None:
        """Add facts that are not in yet."""
        for fact in facts:
            self.facts.add(fact)
            kind = (fact[0], len(fact))
            self._listed.setdefault(kind, []).append(fact)
            for known, index in self._indices.get(kind, {}).items():
                _enter(index, known, fact)


def _enter(index: dict[Fact, list[Fact]], known: tuple[int, ...], fact: Fact) -> None:
    index.setdefault(tuple([fact[place] for place in known]), []).append(fact)


@dataclass(frozen=True)
class _Literal:
    """An atom over terms. ``truth`` holds the facts of a predicate that never changes; it is None for ``=``."""

    predicate: str
    terms: tuple[Term, ...]
    positive: bool = True
    truth: frozenset[Fact] | None = field(default=None, compare=False, repr=False)

    @cached_property
    def positions(self) -> frozenset[int]:
        return frozenset(term for term in self.terms if isinstance(term, int))

    def ground(self, values: Sequence[str]) -> Fact:
        return tuple([values[term] if isinstance(term, int) else term for term in self.terms])

    def holds(self, values: Sequence[str]) -> bool:
        ground = self.ground(values)
        truth = ground[0] == ground[1] if self.truth is None else (self.predicate, *ground) in self.truth
        return truth == self.positive

    def may_be(self, fact: Fact) -> bool:
        """Whether predicate, number of arguments and objects are those of ``fact``."""
        if fact[0] != self.predicate or len(fact) != len(self.terms) + 1:
            return False
        return all(isinstance(term, int) or term == word for term, word in zip(self.terms, fact[1:], strict=True))


@dataclass(frozen=True)
class _Match:
    """A join step: facts found in ``index`` under the terms ``key`` tell more parameters.

    ``gains`` are pairs of a place in the fact and the position of the parameter that stands there.
    """

    key: _Literal
    index: Index
    gains: tuple[tuple[int, int], ...]
    checks: tuple[_Literal, ...]


@dataclass(frozen=True)
class _Choose:
    """A join step that tries every choice for one parameter, or nothing at all (``position`` None)."""

    position: int | None
    checks: tuple[_Literal, ...]


_Step = _Match | _Choose


class Schema:
    """An action and its join. ``static`` gives the facts of a predicate that never changes, None for the others."""

    def __init__(
        self,
        action: LiftedAction,
        choices: Sequence[Sequence[str]],
        static: Callable[[str], frozenset[Fact] | None],
        relations: Relations,
    ) -> None:
        self.action = action
        self._choices = choices
        self._allowed = [frozenset(choice) for choice in choices]
        # Of two parameters with one name the last one counts, as in ``PlanValidator``.
        self._positions = {parameter.name: position for position, parameter in enumerate(action.parameters)}
        self._relations = relations
        self._joined: list[_Literal] = []
        self._checked: list[_Literal] = []
        for part in dict.fromkeys(conjuncts(action.precondition)):
            self._read(part, static)
        self._plans: dict[_Literal | None, list[_Step]] = {}

    def binding(self, arguments: Sequence[str]) -> dict[str, str]:
        """The value of each parameter by its name."""
        return {name: arguments[position] for name, position in self._positions.items()}

    def matches(self, fresh: Sequence[Fact], budget: Budget, *, first: bool) -> Iterator[tuple[str, ...]]:
        """Arguments for which all positive literals are facts, one of them in ``fresh`` except in the ``first`` call.

        The same arguments may come several times. The relations must hold the fresh facts already.
        """
        if first:
            yield from self._search(self._plan(None, budget), None, budget)
            return
        for start in self._joined:
            budget.tick()
            facts = [fact for fact in fresh if start.may_be(fact)]
            if facts:
                yield from self._search(self._plan(start, budget), facts, budget)

    def _read(self, part: Formula, static: Callable[[str], frozenset[Fact] | None]) -> None:
        """Keep a literal that can be joined or checked; all others wait for the whole precondition."""
        atom = part.operand if isinstance(part, Not) else part
        if not isinstance(atom, Atom):
            return
        terms = tuple(self._positions.get(argument, argument) for argument in atom.arguments)
        if atom.predicate == "=":
            self._checked.append(_Literal("=", terms, part is atom))
        elif part is atom:
            self._joined.append(_Literal(atom.predicate, terms))
        elif (truth := static(atom.predicate)) is not None:
            self._checked.append(_Literal(atom.predicate, terms, False, truth))

    def _plan(self, start: _Literal | None, budget: Budget) -> list[_Step]:
        """The steps of the join that begins with ``start``; next always the literal with the fewest open parameters."""
        if start in self._plans:
            return self._plans[start]
        known: set[int] = set()
        checks = list(self._checked)
        waiting = [literal for literal in self._joined if literal is not start]
        steps: list[_Step] = [] if start is None else [self._match(start, known, checks, searched=False)]
        while waiting:
            budget.count_part()
            literal = min(waiting, key=lambda one: (len(one.positions - known), -len(one.positions)))
            waiting.remove(literal)
            steps.append(self._match(literal, known, checks, searched=True))
        for position in set(range(len(self._choices))) - known:
            known.add(position)
            steps.append(_Choose(position, _ready(checks, known)))
        self._plans[start] = steps or [_Choose(None, _ready(checks, known))]
        return self._plans[start]

    def _match(self, literal: _Literal, known: set[int], checks: list[_Literal], *, searched: bool) -> _Match:
        """The step that matches ``literal``, and then knows its parameters; ``searched``: through an index."""
        places = enumerate(literal.terms)
        given = tuple(i for i, term in places if searched and (isinstance(term, str) or term in known))
        gains = tuple((i + 1, term) for i, term in enumerate(literal.terms) if isinstance(term, int) and i not in given)
        index: Index = {}
        if searched:
            index = self._relations.index(literal.predicate, len(literal.terms) + 1, tuple(i + 1 for i in given))
        known |= literal.positions
        key = _Literal(literal.predicate, tuple(literal.terms[i] for i in given))
        return _Match(key, index, gains, _ready(checks, known))

    def _search(
        self, steps: Sequence[_Step], start: Sequence[Fact] | None, budget: Budget
    ) -> Iterator[tuple[str, ...]]:
        """Depth first through the steps, the first of them with the facts ``start`` where they are given.

        Without recursion, for there may be a thousand steps.
        """
        values = [""] * len(self._choices)
        stack = [self._options(steps[0], values, start)]
        while stack:
            checks = steps[len(stack) - 1].checks
            for _ in stack[-1]:
                budget.tick()
                if not all(check.holds(values) for check in checks):
                    continue
                if len(stack) < len(steps):
                    stack.append(self._options(steps[len(stack)], values, None))
                    break
                yield tuple(values)
            else:
                stack.pop()

    def _options(self, step: _Step, values: list[str], facts: Sequence[Fact] | None) -> Iterator[None]:
        """Write each possibility of the step into ``values``, in turn; ``facts`` stand in for what the index holds."""
        if isinstance(step, _Match):
            for fact in step.index.get(step.key.ground(values), ()) if facts is None else facts:
                for place, position in step.gains:
                    values[position] = fact[place]
                # A parameter that stands twice in the literal was written twice: both must be the same.
                if all(values[p] == fact[place] and fact[place] in self._allowed[p] for place, p in step.gains):
                    yield
        elif step.position is None:
            yield
        else:
            for value in self._choices[step.position]:
                values[step.position] = value
                yield


def _ready(checks: list[_Literal], known: set[int]) -> tuple[_Literal, ...]:
    """Take out of ``checks`` those whose parameters are all known."""
    ready = tuple(check for check in checks if check.positions <= known)
    checks[:] = [check for check in checks if not check.positions <= known]
    return ready
