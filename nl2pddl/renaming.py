"""A domain's PDDL and language under new names: by role in PDDL, and where words stand for names in English."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from nl2pddl.domains import ActionLanguage, Language
from nl2pddl.errors import InputError
from nl2pddl.sexpr import Group, Node, Token, folded, lexemes, read_group
from nl2pddl.task import PlanningDomain

_COMMENT = re.compile(r";[^\n]*")
WORD = r"[A-Za-z]\w*(?:-\w+)*"  # of English or of PDDL, hyphens and all


class Role(StrEnum):
    """What a name names. A word may have several roles, and then has a new name in each."""

    DOMAIN = "domain"
    TYPE = "type"
    PREDICATE = "predicate"
    ACTION = "action"
    CONSTANT = "constant"
    PROBLEM = "problem"
    PARAMETER = "parameter"  # with its question mark
    WORD = "word"


Names = Mapping[Role, Mapping[str, str]]


def renamed_pddl(text: str, names: Names) -> str:
    """A domain or a problem (text that was parsed before) with new names by role, without comments, as it was laid out.

    Raises InputError at a section that is none of types, constants, predicates, actions, objects, init and goal.
    """
    bare = "\n".join(line.rstrip() for line in _COMMENT.sub("", folded(text)).strip().splitlines())
    root = read_group(bare)
    words = [(word, start) for word, start in lexemes(bare) if word not in "()"]
    pieces, done = [], 0
    for (word, start), role in zip(words, _roles(root), strict=True):
        pieces += [bare[done:start], word if role is None else names[role].get(word, word)]
        done = start + len(word)
    return "".join([*pieces, bare[done:], "\n"])


_Roles = Iterator[Role | None]


def _roles(root: Group) -> _Roles:
    """The role of each word of a (define ...), in the order of the text; None for a word that stays."""
    yield None  # define
    for section in root.items[1:]:
        head = section.head if isinstance(section, Group) else None
        if not isinstance(section, Group) or head not in _SECTIONS:
            raise InputError(f"twins are made of {', '.join(_SECTIONS)} only, and this PDDL has '{head}'")
        yield None
        yield from _SECTIONS[head](section.items[1:])


def _all(role: Role | None) -> Callable[[Sequence[Node]], _Roles]:
    return lambda nodes: (role for _ in nodes)


def _typed_list(nodes: Sequence[Node], role: Role = Role.PARAMETER) -> _Roles:
    """Names of a role, "-" and their types."""
    is_type = False
    for node in nodes:
        if isinstance(node, Group):  # (either TYPE TYPE)
            yield None
            yield from (Role.TYPE for _ in node.items[1:])
            is_type = False
        elif node.text == "-":
            yield None
            is_type = True
        else:
            yield Role.TYPE if is_type else role
            is_type = False


def _types(nodes: Sequence[Node]) -> _Roles:
    return _typed_list(nodes, Role.TYPE)


def _constants(nodes: Sequence[Node]) -> _Roles:
    return _typed_list(nodes, Role.CONSTANT)


def _predicates(nodes: Sequence[Node]) -> _Roles:
    for node in nodes:
        assert isinstance(node, Group)
        yield Role.PREDICATE
        yield from _typed_list(node.items[1:])


def _action(nodes: Sequence[Node]) -> _Roles:
    yield Role.ACTION
    keyword = ""
    for node in nodes[1:]:
        if isinstance(node, Token):
            keyword = node.text
            yield None
        else:
            yield from _typed_list(node.items) if keyword == ":parameters" else _formula(node)


def _formulas(nodes: Iterable[Node]) -> _Roles:
    for node in nodes:
        assert isinstance(node, Group)
        yield from _formula(node)


def _formula(group: Group) -> _Roles:
    rest = group.items[1:]
    match group.head:
        case "and" | "or" | "not" | "imply" | "when":
            yield None
            yield from _formulas(rest)
        case "forall" | "exists":
            bound = rest[0]
            assert isinstance(bound, Group)
            yield None
            yield from _typed_list(bound.items)
            yield from _formulas(rest[1:])
        case None:  # (): always true
            return
        case head:
            yield None if head == "=" else Role.PREDICATE
            for term in rest:
                assert isinstance(term, Token)
                yield Role.PARAMETER if term.text.startswith("?") else Role.CONSTANT


_SECTIONS: dict[str, Callable[[Sequence[Node]], _Roles]] = {
    "domain": _all(Role.DOMAIN),
    "problem": _all(Role.PROBLEM),
    ":domain": _all(Role.DOMAIN),
    ":requirements": _all(None),
    ":types": _types,
    ":constants": _constants,
    ":predicates": _predicates,
    ":action": _action,
    ":objects": _constants,
    ":init": _formulas,
    ":goal": _formulas,
}


def renamed_language(language: Language, planning: PlanningDomain, names: Names) -> Language:
    """The templates and descriptions with new names for what they name. English words that are only a predicate's name
    by chance, such as "on", stay: they are the meaning."""
    prose = _Prose(names, language.words)

    def described(name: str, entry: ActionLanguage) -> ActionLanguage:
        own = (parameter.name for parameter in planning.actions[name].parameters)
        parameters = {old[1:]: names[Role.PARAMETER].get(old, old)[1:] for old in own}
        flipped, random = (text and prose.text(text, parameters) for text in (entry.flipped, entry.random))
        return ActionLanguage(prose.text(entry.base, parameters), flipped, random)

    return Language(
        {names[Role.PREDICATE][name]: prose.template(language.predicates[name]) for name in planning.predicates},
        {names[Role.ACTION][name]: described(name, language.actions[name]) for name in planning.actions},
    )


class _Prose:
    """English with a domain's names in it, rewritten with the new names."""

    def __init__(self, names: Names, words: Mapping[str, str]) -> None:
        roles = (Role.ACTION, Role.PREDICATE, Role.TYPE, Role.CONSTANT, Role.DOMAIN)
        self._parameters = names[Role.PARAMETER]
        self._quoted = _first_of(names[role] for role in roles)
        # Outside quotes a predicate is named only by what can be no English word.
        marked = {old: new for old, new in names[Role.PREDICATE].items() if re.search(r"[-_\d]", old)}
        nouns = _first_of((names[Role.TYPE], names[Role.WORD]))
        spaced = {re.sub(r"[-_]", " ", old): new for old, new in names[Role.TYPE].items()}
        others = (names[Role.CONSTANT], names[Role.ACTION], marked, names[Role.DOMAIN])
        self._plain = _first_of((nouns, *others, spaced, _plurals(nouns), _plurals(spaced)))
        self._pattern = re.compile(rf'"[^"\n]*"|{_any_of(old for old in self._plain if " " in old)}|{WORD}', re.I)
        new = _any_of({*self._plain.values(), *self._quoted.values()})
        self._article = re.compile(rf"\b([Aa])n?(?=\s+(?i:({new})))")
        self._nouns = {*nouns, *spaced, *_plurals(nouns), *_plurals(spaced)}
        said = {word: self.text(meaning) for word, meaning in words.items() if word not in names[Role.WORD]}
        self._plain = _first_of((self._plain, said, _plurals(said)))

    def text(self, text: str, parameters: Mapping[str, str] | None = None) -> str:
        """The text with new names. A word is a parameter's name where it follows a noun, as in "a truck truck"."""
        return self._with_articles(self._replaced(text, parameters or {}))

    def template(self, template: str) -> str:
        """A predicate's template with new names, also of its fields, which are the parameters."""
        pieces = []
        for literal, name, form, conversion in string.Formatter().parse(template):
            pieces.append(self._replaced(literal, {}).replace("{", "{{").replace("}", "}}"))
            if name is not None:
                name = self._parameters.get(f"?{name}", f"?{name}")[1:]
                pieces.append(
                    "{" + name + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "") + "}"
                )
        return self._with_articles("".join(pieces))

    def _with_articles(self, text: str) -> str:
        """The text with "a" or "an" as the new name after it wants."""
        return self._article.sub(lambda match: match[1] + ("n" if match[2][0].lower() in "aeiou" else ""), text)

    def _replaced(self, text: str, parameters: Mapping[str, str]) -> str:
        pieces, done, noun_end = [], 0, -1
        for match in self._pattern.finditer(text):
            pieces.append(text[done : match.start()])
            done, word = match.end(), match.group()
            follows_noun = noun_end >= 0 and text[noun_end : match.start()].isspace()
            new = None
            if word.startswith('"'):
                name = re.sub(r"\s+", "-", word[1:-1].strip().lower())
                new = f'"{self._quoted.get(name) or self._replaced(word[1:-1], parameters)}"'
            elif follows_noun and word.lower() in parameters:
                new = parameters[word.lower()]
            else:
                new = self._plain.get(word.lower())
                noun_end = done if word.lower() in self._nouns else -1
            pieces.append(word if new is None else _in_case_of(word, new))
        return "".join([*pieces, text[done:]])


def _any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, whole and the longest first."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return rf"(?<![\w-])(?:{'|'.join(map(re.escape, ordered)) or '(?!)'})(?![\w-])"


def _first_of(tables: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """The tables as one; an earlier one wins."""
    merged: dict[str, str] = {}
    for table in tables:
        merged = {**table, **merged}
    return merged


def _plurals(names: Mapping[str, str]) -> dict[str, str]:
    plurals = {f"{old}{ending}": f"{new}s" for old, new in names.items() for ending in ("s", "es")}
    return plurals | {f"{old[:-1]}ies": f"{new}s" for old, new in names.items() if old.endswith("y")}


def _in_case_of(old: str, new: str) -> str:
    return new[0].upper() + new[1:] if old[0].isupper() else new
