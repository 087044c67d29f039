"""Reads one action from its parenthesised group: the syntax checks, each with its place in the text.

``pddl`` is not used here: it stops at the first error, gives no column, and accepts actions that the paper's classes
must refuse. This reader reports every problem it finds and goes on.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field

from nl2pddl.actions import (
    OBJECT,
    And,
    Atom,
    Formula,
    Imply,
    LiftedAction,
    Not,
    Numeric,
    Or,
    Parameter,
    Quantified,
    When,
)
from nl2pddl.records import Problem, Protocol
from nl2pddl.rules import problem
from nl2pddl.sexpr import MAX_DEPTH, Group, Node, Position, Token, UnmatchedError, depth, read_group

KEYWORDS = (":parameters", ":precondition", ":effect")
REQUIRED = (":parameters", ":effect")
MAX_PROBLEMS = 200  # a megabyte of stray words needs no line each
_NAME = re.compile(r"[a-z][a-z0-9_-]*\Z")
_NUMERIC = frozenset({"increase", "decrease", "assign", "scale-up", "scale-down", "<", ">", "<=", ">="})
_CONDITION_ONLY = frozenset({"or", "imply", "exists"})


@dataclass
class _Reader:
    """Collects problems while reading; each method returns what could be read, or None."""

    problems: list[Problem] = field(default_factory=list)

    def fail(self, kind: str, where: Position, message: str) -> None:
        if len(self.problems) < MAX_PROBLEMS or kind == "missing-keyword":
            self.problems.append(problem(kind, Protocol.STRICT, where, message))

    def action(self, group: Group) -> LiftedAction | None:
        sections = self.sections(group)
        name = self.name_of(group)
        for keyword in REQUIRED:
            # A keyword that stands further in (a ')' is missing before it) is misplaced, and reported as stray there.
            if keyword not in sections and not _mentions(group, keyword):
                message = f"'{keyword}' is missing; an action needs {' and '.join(REQUIRED)}"
                self.fail("missing-keyword", group.where, message)
        parameters = self.parameter_section(sections.get(":parameters"))
        precondition = self.formula_section(sections.get(":precondition"), effect=False)
        effect = self.formula_section(sections.get(":effect"), effect=True)
        if self.problems or name is None:
            return None
        return LiftedAction(name, parameters, precondition, effect, group.items[1].where)

    def name_of(self, group: Group) -> str | None:
        second = group.items[1] if len(group.items) > 1 else None
        if isinstance(second, Token) and _NAME.match(second.text):
            return second.text
        where = second.where if second else group.where
        self.fail("stray-token", where, f"expected the action's name after ':action', found {_shown(second)}")
        return None

    def sections(self, group: Group) -> dict[str, Node]:
        """The value of each keyword; doubled keywords, unknown ones and stray words are reported."""
        found: dict[str, Node] = {}
        seen: set[str] = set()
        second = group.items[1] if len(group.items) > 1 else None
        nameless = isinstance(second, Token) and second.text.startswith(":")
        rest = deque(group.items[1 if nameless else 2 :])
        while rest:
            node = rest.popleft()
            if not isinstance(node, Token) or node.text not in KEYWORDS:
                expected = "expected " + ", ".join(KEYWORDS) + " or the closing ')'"
                self.fail("stray-token", node.where, f"{expected}, found {_shown(node)}")
                continue
            if node.text in seen:
                self.fail("doubled-keyword", node.where, f"'{node.text}' stands twice in this action")
            seen.add(node.text)
            if rest and isinstance(rest[0], Group):
                found.setdefault(node.text, rest.popleft())
            else:
                following = rest[0] if rest else None
                where = following.where if following else node.where
                self.fail("stray-token", where, f"expected '(' after '{node.text}', found {_shown(following)}")
                if following is not None and isinstance(following, Token) and following.text not in KEYWORDS:
                    rest.popleft()
        return found

    def parameter_section(self, node: Node | None) -> tuple[Parameter, ...]:
        return self.typed_list(node.items) if isinstance(node, Group) else ()

    def typed_list(self, nodes: tuple[Node, ...]) -> tuple[Parameter, ...]:
        """Read ``?a ?b - type ?c``; a type may be ``(either t1 t2)``."""
        parameters: list[Parameter] = []
        waiting: list[Token] = []
        rest = deque(nodes)
        while rest:
            node = rest.popleft()
            if isinstance(node, Token) and node.text == "-":
                types = self.type_after_dash(node, rest)
                if not waiting:
                    self.fail("malformed-typed-list", node.where, "'-' follows no variable that still lacks a type")
                parameters += [Parameter(token.text, types, token.where) for token in waiting]
                waiting = []
            elif isinstance(node, Token) and _is_variable(node.text):
                waiting.append(node)
            else:
                message = f"expected a variable such as '?x', found {_shown(node)}"
                self.fail("malformed-typed-list", node.where, message)
        return tuple(parameters + [Parameter(token.text, (OBJECT,), token.where) for token in waiting])

    def type_after_dash(self, dash: Token, rest: deque[Node]) -> tuple[str, ...]:
        node = rest.popleft() if rest else None
        if isinstance(node, Token) and _NAME.match(node.text):
            return (node.text,)
        if isinstance(node, Group) and node.head == "either" and len(node.items) > 1:
            members = [item.text for item in node.items[1:] if isinstance(item, Token) and _NAME.match(item.text)]
            if len(members) == len(node.items) - 1:
                return tuple(dict.fromkeys(members))
        where = node.where if node else dash.where
        self.fail("malformed-typed-list", where, f"expected a type name after '-', found {_shown(node)}")
        return (OBJECT,)

    def formula_section(self, node: Node | None, *, effect: bool) -> Formula:
        """A precondition or an effect; a missing one, ``()`` and ``(and)`` are the empty conjunction."""
        if not isinstance(node, Group) or not node.items:
            return And()
        return self.formula(node, effect=effect) or And()

    def formula(self, node: Node, *, effect: bool) -> Formula | None:
        if isinstance(node, Token):
            self.fail("stray-token", node.where, f"expected '(' before {_shown(node)}")
            return None
        head = node.head
        if head is None:
            found = "'()'" if not node.items else _shown(node.items[0])
            self.fail("stray-token", node.where, f"expected a predicate, 'and' or 'not', found {found}")
            return None
        operands = node.items[1:]
        if head == "and":
            return And(self.formulas(operands, effect=effect))
        if head == "not":
            return self.negation(node, effect=effect)
        if head in _NUMERIC:
            return Numeric(shown_text(node), node.where)
        if (effect and head in _CONDITION_ONLY | {"="}) or (not effect and head == "when"):
            place = "an effect" if effect else "a condition"
            self.fail("stray-token", node.where, f"'{head}' cannot stand in {place}")
            return None
        if head == "or":
            return Or(self.formulas(operands, effect=False), node.where)
        if head in ("imply", "when"):
            return self.implication(node, head, effect=effect)
        if head in ("forall", "exists"):
            return self.quantified(node, head, effect=effect)
        return self.atom(node)

    def formulas(self, nodes: tuple[Node, ...], *, effect: bool) -> tuple[Formula, ...]:
        parts = [self.formula(node, effect=effect) for node in nodes]
        return tuple(part for part in parts if part is not None)

    def negation(self, node: Group, *, effect: bool) -> Formula | None:
        if len(node.items) != 2:
            message = f"'not' takes one atom, found {len(node.items) - 1} operands"
            self.fail("negation", node.where, message)
            return None
        inner = node.items[1]
        if not isinstance(inner, Group) or inner.head in {"and", "or", "not", "imply", "forall", "exists", "when"}:
            self.fail("negation", inner.where, f"'not' takes one atom, found {_shown(inner)}")
            return None
        if inner.head in _NUMERIC:
            return Numeric(shown_text(node), node.where)
        if effect and inner.head == "=":
            self.fail("stray-token", inner.where, "'=' cannot stand in an effect")
            return None
        atom = self.atom(inner)
        return Not(atom) if atom is not None else None

    def implication(self, node: Group, head: str, *, effect: bool) -> Formula | None:
        if len(node.items) != 3:
            message = f"'{head}' takes two operands, found {len(node.items) - 1}"
            self.fail("stray-token", node.where, message)
            return None
        left = self.formula(node.items[1], effect=False)
        right = self.formula(node.items[2], effect=effect)
        if left is None or right is None:
            return None
        return When(left, right, node.where) if head == "when" else Imply(left, right, node.where)

    def quantified(self, node: Group, head: str, *, effect: bool) -> Formula | None:
        if len(node.items) != 3 or not isinstance(node.items[1], Group):
            self.fail("stray-token", node.where, f"'{head}' takes a list of variables in parentheses and one formula")
            return None
        variables = self.typed_list(node.items[1].items)
        body = self.formula(node.items[2], effect=effect)
        return Quantified(head, variables, body, node.where) if body is not None else None

    def atom(self, node: Group) -> Atom | None:
        head = node.items[0] if node.items else None
        if not isinstance(head, Token) or not (_NAME.match(head.text) or head.text == "="):
            where = head.where if head else node.where
            self.fail("stray-token", where, f"expected a predicate's name, found {_shown(head)}")
            return None
        arguments: list[str] = []
        for item in node.items[1:]:
            if isinstance(item, Token) and item.text == "-":
                self.fail(
                    "typed-literal",
                    item.where,
                    f"a type inside the literal '{shown_text(node)}'; types belong in :parameters",
                )
                return None
            if not isinstance(item, Token) or not (_NAME.match(item.text) or _is_variable(item.text)):
                self.fail("stray-token", item.where, f"expected a variable or a constant, found {_shown(item)}")
                return None
            arguments.append(item.text)
        return Atom(head.text, tuple(arguments), node.where)


def read_action(group: Group) -> tuple[LiftedAction | None, tuple[Problem, ...]]:
    """The action in ``group``, and every syntax problem in it, in the order of the text.

    The action is None exactly when there is a problem.
    """
    reader = _Reader()
    if depth(group) > MAX_DEPTH:
        reader.fail("stray-token", group.where, f"parentheses nested more than {MAX_DEPTH} deep are not read")
        return None, tuple(reader.problems)
    action = reader.action(group)
    return action, tuple(sorted(reader.problems, key=lambda found: (found.line, found.column)))


def _is_variable(text: str) -> bool:
    return text.startswith("?") and _NAME.match(text[1:]) is not None


def _mentions(group: Group, keyword: str) -> bool:
    stack: list[Node] = list(group.items)
    while stack:
        node = stack.pop()
        if isinstance(node, Group):
            stack.extend(node.items)
        elif node.text == keyword:
            return True
    return False


def shown_text(node: Node) -> str:
    """The node's words on one line, in lower case, without comments."""
    return node.text if isinstance(node, Token) else f"({' '.join(shown_text(item) for item in node.items)})"


def laid_out(text: str) -> str:
    """An action's text a line a section and a line a literal, as ``action_pddl`` writes; whatever is wrong in it stays.

    So that an action that does not parse can be compared line by line. Text whose parentheses do not match, or with
    absurd nesting, is given back as it is.
    """
    try:
        group = read_group(text)
    except UnmatchedError:
        return text
    if depth(group) > MAX_DEPTH:
        return text
    lines = [""]
    for item in group.items:
        if isinstance(item, Token) and item.text in KEYWORDS:
            lines.append(f"    {item.text}")
        elif isinstance(item, Group) and item.head == "and" and len(item.items) > 2:
            lines[-1] += " (and"
            lines += [*(f"        {shown_text(operand)}" for operand in item.items[1:]), "    )"]
        else:
            lines[-1] += f" {shown_text(item)}"
    return "\n".join([f"({lines[0].strip()}", *lines[1:], ")"])


def _shown(node: Node | None) -> str:
    if node is None:
        return "nothing"
    text = shown_text(node)
    return f"'{text if len(text) <= 60 else text[:57] + '...'}'"
