"""Loads domain folders: ground truth, problems and the language that prompts are made of.

Two layouts are read: a folder ID/ with domain.pddl, problems/*.pddl and language.toml, and the published one, NAME.pddl
beside NAME/*.pddl, which has no language.
"""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nl2pddl.actions import LiftedAction
from nl2pddl.errors import DomainError, InputError
from nl2pddl.pddl_io import parse_domain, parse_problem, read_text
from nl2pddl.records import DomainSource, Subclass
from nl2pddl.semantics import check_action, check_ground_atoms
from nl2pddl.task import PlanningDomain, PlanningProblem

_NOUN = re.compile(r"[a-z]+(?:[ -][a-z]+)*\Z")
_KIND = re.compile(r"[a-z]+\Z")


@dataclass(frozen=True)
class ActionLanguage:
    """How an action is described. ``flipped`` and ``random`` are hand-written texts that replace the composed ones."""

    base: str
    flipped: str | None = None
    random: str | None = None


@dataclass(frozen=True)
class Language:
    """Predicate templates, such as "block {x} is on block {y}", and action descriptions, by name.

    ``words`` are nouns of these texts that would give the domain away and are no types (see ``twins``). Each has its
    kind of thing, one word (hand = "actor"), or is said with types and other such words (uphill = "up a hill").
    """

    predicates: Mapping[str, str]
    actions: Mapping[str, ActionLanguage]
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Domain:
    """A domain folder, loaded. ``problems`` are (file stem, problem), sorted by name.

    A twin (see ``twins``) has the ID of the domain it was made from in ``twin_of``, and that domain's planning part,
    whose predicates and actions stand in the same order, in ``original``.
    """

    id: str
    planning: PlanningDomain
    problems: tuple[tuple[str, PlanningProblem], ...]
    language: Language | None
    source: DomainSource
    twin_of: str = ""
    original: PlanningDomain | None = None

    @property
    def family(self) -> str:
        """The ID that a domain shares with its twins: the original's."""
        return self.twin_of or self.id

    def counterpart(self, action: str) -> LiftedAction:
        """The original's action that this action of a twin renames; the action itself where this is no twin."""
        if self.original is None:
            return self.planning.actions[action]
        place = list(self.planning.actions).index(action)
        return list(self.original.actions.values())[place]


@dataclass(frozen=True)
class DomainLibrary:
    """All domains of a directory; what could not be loaded stands in ``broken`` with its reasons."""

    domains: Mapping[str, Domain]
    broken: Mapping[str, DomainError] = field(default_factory=dict)

    def find(self, name: str) -> Domain:
        """The domain with this ID or this name inside its PDDL, case ignored.

        An ID comes first. Raises InputError where there is none, or where several have the name inside.
        """
        wanted = name.lower()
        for key, domain in self.domains.items():
            if wanted == key.lower():
                return domain
        for key, error in self.broken.items():
            if wanted == key.lower():
                raise error
        named = [domain for domain in self.domains.values() if domain.planning.name == wanted]
        if len(named) == 1:
            return named[0]
        if named:
            ids = " and ".join(f"'{domain.id}'" for domain in named)
            raise InputError(f"'{name}' is the name inside the PDDL of {ids}; give the ID of one of them")
        known = ", ".join(self.domains) or "none"
        raise InputError(f"no domain is called '{name}'; there are: {known}")

    def with_language(self) -> tuple[Domain, ...]:
        """The domains that prompts can be made for."""
        return tuple(domain for domain in self.domains.values() if domain.language is not None)


def load_library(directory: Path, *more: Path) -> DomainLibrary:
    """Every domain in ``directory``, and in those of ``more`` that exist, by ID in alphabetical order.

    A broken one does not keep the others from loading; one whose ID an earlier folder has is broken.
    """
    if not directory.is_dir():
        raise InputError(f"{directory}: no such folder; it should hold one folder a planning domain")
    domains: dict[str, Domain] = {}
    broken: dict[str, DomainError] = {}
    homes: dict[str, Path] = {}
    for folder in dict.fromkeys((directory, *filter(Path.is_dir, more))):
        for identity, domain_file, problem_folder, language_file in _candidates(folder):
            try:
                if homes.setdefault(identity.lower(), folder) != folder:
                    raise DomainError(identity, [f"{homes[identity.lower()]} has a domain of this ID; rename one"])
                domains[identity] = _load(identity, domain_file, problem_folder, language_file)
            except DomainError as error:
                broken[identity] = error
    if not domains and not broken:
        raise InputError(f"{directory}: holds no planning domain (ID/domain.pddl, or NAME.pddl beside NAME/)")
    return DomainLibrary(dict(sorted(domains.items())), dict(sorted(broken.items())))


def _candidates(directory: Path) -> Iterator[tuple[str, Path, Path, Path | None]]:
    for path in directory.iterdir():
        if path.name.startswith("."):
            continue
        if path.is_dir() and not path.with_name(f"{path.name}.pddl").is_file():
            yield path.name, path / "domain.pddl", path / "problems", path / "language.toml"
        elif path.suffix == ".pddl" and path.is_file():
            yield path.stem, path, path.with_suffix(""), None


def _load(identity: str, domain_file: Path, problem_folder: Path, language_file: Path | None) -> Domain:
    faults: list[str] = []
    texts = _Texts(domain_file.parent, faults)
    planning = texts.parsed(domain_file, parse_domain)
    if planning is not None:
        faults += [f"domain.pddl: {fault}" for fault in misfits(planning, complete=True)]
        if not planning.actions:
            faults.append("domain.pddl: it has no action")
    problems: list[tuple[str, PlanningProblem]] = []
    for path in sorted(problem_folder.glob("*.pddl")):
        problem = texts.parsed(path, parse_problem)
        if problem is not None:
            problems.append((path.stem, problem))
            faults += [f"{path.name}: {fault}" for fault in _problem_faults(problem, planning)]
    if not any(problem_folder.glob("*.pddl")):
        faults.append(f"{problem_folder.name}/ holds no problem (*.pddl); verdicts need at least one")
    language = None
    if language_file is not None and language_file.is_file():
        language = _load_language(language_file, planning, faults)
    if faults or planning is None:
        raise DomainError(identity, faults)
    source = DomainSource(identity, planning.source, tuple((name, problem.text) for name, problem in problems))
    return Domain(identity, planning, tuple(problems), language, source)


def from_source(source: DomainSource) -> Domain:
    """The domain from its stored texts, without language: what a verdict needs, wherever the folder is now."""
    problems = tuple((name, parse_problem(text, name)) for name, text in source.problems)
    return Domain(source.id, parse_domain(source.domain, source.id), problems, None, source)


def checked(domain: Domain) -> Domain:
    """The domain, held against everything a loaded one is held against. Raises DomainError with all that is wrong."""
    faults = [f"domain.pddl: {fault}" for fault in misfits(domain.planning, complete=True)]
    for name, problem in domain.problems:
        faults += [f"{name}: {fault}" for fault in _problem_faults(problem, domain.planning)]
    if domain.language is not None:
        faults += _language_faults(domain.language, domain.planning)
    if faults:
        raise DomainError(domain.id, faults)
    return domain


class _Texts:
    """Reads and parses files, collecting faults instead of stopping at the first."""

    def __init__(self, root: Path, faults: list[str]) -> None:
        self.root = root
        self.faults = faults

    def parsed(self, path: Path, parse: Any) -> Any:
        if not path.is_file():
            self.faults.append(f"{path.name} is missing")
            return None
        try:
            return parse(read_text(path), path.name)
        except InputError as error:
            self.faults.append(str(error))
            return None


def misfits(planning: PlanningDomain, *, complete: bool = False) -> Iterator[str]:
    """What is wrong in the actions of a domain, with its place: types, predicates and arguments.

    With ``complete`` also what protocol ``strict`` would not let pass: constructs that the requirements do not allow.
    """
    for name, action in planning.actions.items():
        for problem in check_action(action, planning, name):
            if complete or problem.subclass is not Subclass.BP_ERROR:
                yield f"line {problem.line}, column {problem.column}: action '{name}': {problem.message}"


def _problem_faults(problem: PlanningProblem, planning: PlanningDomain | None) -> Iterator[str]:
    if planning is None:
        return
    if problem.domain_name != planning.name:
        yield f"it is for domain '{problem.domain_name}', not '{planning.name}'"
    yield from problem_misfits(problem, planning)


def problem_misfits(problem: PlanningProblem, planning: PlanningDomain) -> Iterator[str]:
    """What in a problem does not fit a domain, whatever the domain's name."""
    for name, type_name in problem.objects.items():
        if not planning.is_type(type_name):
            yield f"object '{name}' has the type '{type_name}', which is not in the domain"
    yield from check_ground_atoms(problem, planning)


def _load_language(path: Path, planning: PlanningDomain | None, faults: list[str]) -> Language | None:
    try:
        data = tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, InputError) as error:
        faults.append(f"language.toml: {error}")
        return None
    predicates, actions, words = (data.get(table, {}) for table in ("predicates", "actions", "words"))
    if not all(isinstance(table, dict) for table in (predicates, actions, words)):
        faults.append("language.toml: needs the tables [predicates] and [actions.NAME]; [words] must be a table too")
        return None
    predicates = {name.lower(): text for name, text in predicates.items()}
    described = {
        name.lower(): ActionLanguage(entry.get("base", ""), entry.get("flipped"), entry.get("random"))
        for name, entry in actions.items()
        if isinstance(entry, dict)
    }
    language = Language(predicates, described, words)
    if planning is not None:
        faults += [f"language.toml: {fault}" for fault in _language_faults(language, planning)]
    return language


def _language_faults(language: Language, planning: PlanningDomain) -> Iterator[str]:
    predicates, actions = language.predicates, language.actions
    yield from _word_faults(language, planning)
    for name, predicate in planning.predicates.items():
        template = predicates.get(name)
        if not isinstance(template, str) or not template.strip():
            yield f"no template for the predicate '{name}'"
            continue
        try:
            used = {field_name for _, field_name, _, _ in string.Formatter().parse(template) if field_name is not None}
        except ValueError as error:
            yield f"the template of '{name}' cannot be read: {error}"
            continue
        known = {parameter.name.removeprefix("?") for parameter in predicate.parameters}
        for unknown in sorted(used - known):
            parameters = ", ".join(sorted(known)) or "none"
            yield f"the template of '{name}' names {{{unknown}}}; its parameters are: {parameters}"
        for unused in sorted(known - used):
            yield f"the template of '{name}' does not say {{{unused}}}"
    for name in planning.actions:
        entry = actions.get(name)
        texts = (entry.base, entry.flipped or "", entry.random or "") if entry else ()
        if entry is None or not isinstance(entry.base, str) or not entry.base.strip():
            yield f"no base description of the action '{name}'"
        elif not all(isinstance(text, str) for text in texts):
            yield f"the descriptions of the action '{name}' must be texts"
    for name in sorted((predicates.keys() - planning.predicates.keys()) | (actions.keys() - planning.actions.keys())):
        yield f"'{name}' is neither a predicate nor an action of domain.pddl"


def _word_faults(language: Language, planning: PlanningDomain) -> Iterator[str]:
    words, names = language.words, [*language.words, *planning.types]
    said = " ".join(
        [*map(str, language.predicates.values()), *(str(entry.base) for entry in language.actions.values())]
    )
    for word, meaning in words.items():
        if not _NOUN.match(word):
            yield f"[words]: '{word}' must be words in lower case"
        elif word in planning.types or word in planning.actions or word in planning.constants:
            yield f"[words]: '{word}' is a name of domain.pddl, and names are replaced anyway"
        elif word.removesuffix("y") not in said.lower():
            yield f"[words]: '{word}' stands in no text"
        elif not isinstance(meaning, str) or not _NOUN.match(meaning):
            yield f"[words]: '{word}' needs its kind of thing, such as \"actor\", or other words that say it"
        elif listed := listed_words(meaning, names):
            # One step only: what a word is said with has a kind, so that no two words are said with each other.
            for other in listed:
                if other == word or (other in words and listed_words(str(words[other]), names)):
                    yield f"[words]: '{word}' is said with '{other}', which has no kind of thing itself"
        elif not _KIND.match(meaning):
            yield f"[words]: '{word}' is said with \"{meaning}\", in which no word is listed and no type named"


def listed_words(meaning: str, names: Iterable[str]) -> list[str]:
    """Which of a domain's types and [words] stand in ``meaning``: with any it says a word, with none it is a kind."""
    return [name for name in names if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", meaning)]
