"""Twins of planning domains: the same domain under names that no model can have seen, against contamination.

A twin has other names for the domain, its types, predicates, actions, constants and parameters, and says so in its
language; what is true and what is a plan stays. It is called ID~STYLE~SEED, such as "blocksworld~nonsense~7": the same
ID, the same twin, on every machine. Parameters of one letter keep their names, which say nothing, and so do the objects
of problems, which no prompt shows.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from nl2pddl.actions import OBJECT
from nl2pddl.domains import Domain, DomainLibrary, checked, from_source, listed_words
from nl2pddl.errors import InputError
from nl2pddl.records import DomainSource
from nl2pddl.renaming import WORD, Names, Role, renamed_language, renamed_pddl
from nl2pddl.seeding import draw
from nl2pddl.sexpr import lexemes

STYLES = ("neutral", "nonsense")
_SEED = re.compile(r"[0-9]{1,18}\Z")
_KEYWORDS = (
    "define domain problem requirements types constants predicates functions action parameters precondition effect "
    "objects init goal metric and or not imply when forall exists either object number assign increase decrease "
    "strips typing equality adl"
)

# Made-up words: consonant, vowel, two consonants that hardly meet in English, vowel, and often a consonant.
_FIRST, _VOWELS, _LAST = "bdgklmnprtvz", "aeiou", ("", *"bdgkmnt")
_MIDDLE = ("bg", "bv", "bz", "dv", "kz", "lz", "mk", "mv", "mz", "pv", "pz", "vd", "vg", "zb", "zg", "zv")


_made: dict[str, tuple[Domain, Domain]] = {}


def find(library: DomainLibrary, name: str) -> Domain:
    """The domain of this name as ``library.find`` knows it, or the twin of this ID, made once for a loaded domain.

    Raises InputError where there is no such domain, style or seed.
    """
    if "~" not in name or name.lower() in map(str.lower, [*library.domains, *library.broken]):
        return library.find(name)
    parts = name.split("~")
    if len(parts) != 3:
        raise InputError(f"'{name}': a twin is called ID~STYLE~SEED, such as blocksworld~nonsense~7")
    if parts[1].lower() not in STYLES:
        raise InputError(f"'{name}': twins have no style '{parts[1]}'; there are: {', '.join(STYLES)}")
    if not _SEED.match(parts[2]):
        raise InputError(f"'{name}': the seed of a twin is a whole number from 0 (18 digits at most), not '{parts[2]}'")
    domain = library.find(parts[0])
    style, seed = parts[1].lower(), int(parts[2])
    key = _twin_id(domain, style, seed)
    known = _made.get(key)
    # A library loaded again has other domain records, and perhaps other texts.
    if known is None or known[0] is not domain:
        known = _made[key] = (domain, twin(domain, style, seed))
    return known[1]


def originals(load: Callable[[], DomainLibrary], names: Iterable[str]) -> dict[str, str]:
    """What the actions of those names that are twins stand for, TWIN/ACTION to DOMAIN/ACTION.

    The domains are loaded where there is a twin among the names. What is not there now is passed over.
    """
    found: dict[str, str] = {}
    named = [name for name in names if "~" in name]
    try:
        library = load() if named else DomainLibrary({})
    except InputError:  # no domains any more: their results are there all the same
        return found
    for name in named:
        with suppress(InputError):
            made = find(library, name)
            if made.original is not None:
                pairs = zip(made.planning.actions, made.original.actions, strict=True)
                found |= {f"{made.id}/{new}": f"{made.twin_of}/{old}" for new, old in pairs}
    return found


def twin(domain: Domain, style: str, seed: int) -> Domain:
    """The domain under other names: "neutral" (type1, predicate1, ?v1 ... numbered in an order drawn) or "nonsense".

    Raises InputError for another style, a negative seed, a twin, or PDDL that names something of another kind.
    """
    if style not in STYLES or seed < 0:
        raise InputError(f"twins have the styles {', '.join(STYLES)} and seeds from 0, not '{style}' and {seed}")
    if domain.twin_of:
        raise InputError(f"'{domain.id}' is a twin already; ask for a twin of '{domain.twin_of}'")
    identity = _twin_id(domain, style, seed)
    names = _new_names(domain, style, identity)
    texts = []
    for number, (stem, problem) in enumerate(domain.problems, start=1):
        problem_name = {problem.name: f"{names[Role.DOMAIN][domain.planning.name]}-{number}"}
        texts.append((stem, renamed_pddl(problem.text, {**names, Role.PROBLEM: problem_name})))
    source = DomainSource(identity, renamed_pddl(domain.planning.text, names), tuple(texts))
    language = domain.language and renamed_language(domain.language, domain.planning, names)
    made = replace(from_source(source), language=language, twin_of=domain.id, original=domain.planning)
    return checked(made)


def _twin_id(domain: Domain, style: str, seed: int) -> str:
    return f"{domain.id}~{style}~{seed}"


def _new_names(domain: Domain, style: str, key: str) -> Names:
    planning, words = domain.planning, domain.language.words if domain.language else {}
    # Words and parameters come last, so that one more of them leaves the other names as they were.
    wanted: list[tuple[Role, str, str]] = [
        (role, name, role.value)
        for role, found in (
            (Role.DOMAIN, [planning.name]),
            (Role.TYPE, [name for name in planning.types if name != OBJECT]),
            (Role.PREDICATE, planning.predicates),
            (Role.ACTION, planning.actions),
            (Role.CONSTANT, planning.constants),
        )
        for name in found
    ]
    types = list(planning.types)
    wanted += [(Role.WORD, word, kind) for word, kind in words.items() if not listed_words(kind, [*words, *types])]
    variables = dict.fromkeys(word for word, _ in lexemes(planning.text.lower()) if word.startswith("?"))
    wanted += [(Role.PARAMETER, name, "v") for name in variables if len(name) > 2]
    invent = _numbered if style == "neutral" else _made_up
    names: dict[Role, dict[str, str]] = {role: {} for role in Role}
    for (role, old, _), new in zip(wanted, invent(wanted, _taken(domain), key), strict=True):
        names[role][old] = f"?{new}" if role is Role.PARAMETER else new
    return names


def _taken(domain: Domain) -> set[str]:
    """Every word of the domain's PDDL and of its language, whole and in its parts, and the keywords of PDDL."""
    texts = [domain.planning.text, *(problem.text for _, problem in domain.problems)]
    if domain.language:
        texts += domain.language.predicates.values()
        for entry in domain.language.actions.values():
            texts += [entry.base, entry.flipped or "", entry.random or ""]
    whole = {word for text in texts for word in re.findall(WORD, text.lower())}
    return whole | {part for word in whole for part in re.split(r"[-_]", word)} | set(_KEYWORDS.split())


def _numbered(wanted: Sequence[tuple[Role, str, str]], taken: set[str], key: str) -> list[str]:
    """A kind with a number for each, numbered in an order drawn."""
    new: dict[str, str] = {}
    kinds = {f"{role} {old}": kind for role, old, kind in wanted}
    for name in draw(kinds, len(kinds), f"order|{key}"):
        numbered = (f"{kinds[name]}{number}" for number in itertools.count(1))
        new[name] = next(word for word in numbered if word not in taken)
        taken.add(new[name])
    return [new[f"{role} {old}"] for role, old, _ in wanted]


def _made_up(wanted: Sequence[tuple[Role, str, str]], taken: set[str], key: str) -> list[str]:
    return draw((word for word in _made_up_words() if word not in taken), len(wanted), f"words|{key}")


@functools.cache
def _made_up_words() -> tuple[str, ...]:
    return tuple(map("".join, itertools.product(_FIRST, _VOWELS, _MIDDLE, _VOWELS, _LAST)))
