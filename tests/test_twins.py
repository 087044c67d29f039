from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from nl2pddl.actions import And, Atom, Formula, LiftedAction, Not, action_pddl, conjuncts, rename
from nl2pddl.domains import ActionLanguage, Domain, DomainLibrary, Language, checked, load_library
from nl2pddl.errors import DomainError, InputError
from nl2pddl.pddl_io import parse_domain
from nl2pddl.pipeline import EvaluationTask, Evaluator
from nl2pddl.planning.kstar import KStar
from nl2pddl.prompts import PromptBuilder
from nl2pddl.records import DescriptionClass, EvaluationSettings, ResultClass
from nl2pddl.renaming import Role, renamed_language, renamed_pddl
from nl2pddl.sexpr import Group, Token, lexemes, read_group
from nl2pddl.task import PlanningDomain
from nl2pddl.twins import STYLES, find, twin
from tests.conftest import DOMAINS, ROOT

# All twins of seeds 0 and 1. A change of it changes what a twin's ID stands for: the changelog must say so.
PINNED = "4f72a4183a523dd6d2e42a1f0d3763abeeed5c9357d43e6b914cbe4ea3d07c21"
DIGEST = (
    "import hashlib, pathlib\n"
    "from nl2pddl.domains import load_library\n"
    "from nl2pddl.twins import STYLES, twin\n"
    "found = hashlib.sha256()\n"
    "for domain in load_library(pathlib.Path('domains')).domains.values():\n"
    "    for style in STYLES:\n"
    "        for seed in (0, 1):\n"
    "            made = twin(domain, style, seed)\n"
    "            texts = [made.source.sha, *made.language.predicates.values()]\n"
    "            texts += [entry.base for entry in made.language.actions.values()]\n"
    "            found.update(chr(0).join(texts).encode())\n"
    "print(found.hexdigest())\n"
)

FOREST = """(predicate5 ?v2 - type1) : the actor1s are at type1 v2.
(predicate4 ?v2 - type1) : type1 v2 is feature2.
(predicate2 ?v2 - type1) : type1 v2 is a feature1.
(predicate1 ?v3 - type1 ?v1 - type1) : type1 v3 is adjacent to type1 v1.
(predicate3 ?v5 - type1 ?v4 - type1) : a link1 leads from type1 v5 to type1 v4.

Input:
The action "action1" takes the actor1s up a feature1 from a type1 v5 to a type1 v4, if the actor1s are at type1 v5.

PDDL Action:"""
DELIVERY = """(pimke ?rabzik - luvdub) : the kibzen is at luvdub rabzik.
(nozbet ?rabzik - luvdub) : luvdub rabzik is a damzog.
(vidveb ?rabzik - luvdub) : luvdub rabzik is satisfied.
(dodvim ?rabzik - luvdub) : luvdub rabzik wants a mopvum.
(namzan ?rabzik - luvdub) : luvdub rabzik is safe.
(kuvga ?mizveg - mopvum) : mopvum mizveg is still unpacked.
(kazvog ?mizveg - mopvum) : the kibzen is carrying mopvum mizveg.

Input:
The action "zudvad" has the kibzen take along a mopvum mizveg from a luvdub rabzik, if mopvum mizveg is still unpacked.

PDDL Action:"""
TRACKS = """(predicate2 ?v1 - type1) : the actor1 is at type1 v1.
(predicate4 ?v1 - type1) : a thing2 is at type1 v1.
(predicate1 ?v1 - type1) : type1 v1 has thing1.
(predicate3 ?v4 - type1 ?v3 - type1) : type1 v3 lies ahead of type1 v4.

Input:
The action "action1" has the actor1 lay thing1 for thing2s at a type1 v1.

PDDL Action:"""

# English words in prompts that happen to be a predicate's name as well; there they are the meaning, and no name.
ENGLISH = {
    "blocksworld": {"on", "clear", "holding"},
    "delivery": {"at", "safe", "satisfied", "unpacked", "carrying"},
    "depot": {"at", "on", "in", "lifting", "available", "clear"},
    "forest": {"at", "adjacent"},
    "gripper": {"at", "free"},
    "heavy": {"heavier", "packed", "unpacked"},
    "logistics": {"at", "in"},
    "miconic": {"above", "served"},
    "trackbuilding": set(),
}


def both(library: DomainLibrary) -> Iterator[tuple[Domain, Domain]]:
    """Each domain with a twin of each style."""
    for domain in library.domains.values():
        for style in STYLES:
            yield domain, find(library, f"{domain.id}~{style}~3")


def query(domain: Domain, library: DomainLibrary, action: str, kind: DescriptionClass, sample: int) -> str:
    text = PromptBuilder(library.with_language(), 5, 3).build(domain, action, kind, sample).text
    return text.rsplit("Allowed Predicates:", 1)[1]


def queries(original: Domain, made: Domain, library: DomainLibrary) -> Iterator[tuple[str, str]]:
    """What the prompts for the original ask and what the twin's do, all actions and classes, two samples."""
    for old, new in zip(original.planning.actions, made.planning.actions, strict=True):
        for kind in DescriptionClass:
            for sample in range(2):
                yield query(original, library, old, kind, sample), query(made, library, new, kind, sample)


def identifiers(planning: PlanningDomain) -> set[str]:
    names = {planning.name, *planning.types, *planning.predicates, *planning.actions, *planning.constants}
    return names - {"object"}


def parameters(planning: PlanningDomain) -> set[str]:
    owners = [*planning.actions.values(), *planning.predicates.values()]
    return {parameter.name.removeprefix("?") for owner in owners for parameter in owner.parameters}


def test_the_same_id_is_the_same_twin_in_every_process() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert digests == {PINNED}


def test_seeds_styles_and_domains_differ(library: DomainLibrary) -> None:
    for domain in library.domains.values():
        made = [twin(domain, style, seed) for style in STYLES for seed in range(3)]
        assert len({one.source.sha for one in made}) == len({str(one.language) for one in made}) == 6
    words = [set(twin(domain, "nonsense", 0).planning.predicates) for domain in library.domains.values()]
    assert len(set().union(*words)) > 0.9 * sum(map(len, words))


def test_new_names_are_new_and_look_as_they_should(library: DomainLibrary) -> None:
    for original, made in both(library):
        assert original.language is not None
        names = list(identifiers(made.planning))
        texts = [original.planning.text, str(original.language), *(problem.text for _, problem in original.problems)]
        known = {word for text in texts for word in re.findall(r"[a-z]+\d*", text.lower())}
        assert not known & set(names)
        form = r"(domain|type|predicate|action|constant)\d+" if "neutral" in made.id else r"[a-z]{4,7}"
        assert all(re.fullmatch(form, name) for name in names)
        assert len(names) == len(made.planning.types.keys() - {"object"}) + 1 + sum(
            map(len, (made.planning.predicates, made.planning.actions, made.planning.constants))
        )


def test_a_neutral_twin_is_numbered_without_gaps_in_an_order_drawn(library: DomainLibrary) -> None:
    orders = {tuple(find(library, f"depot~neutral~{seed}").planning.predicates) for seed in range(5)}
    assert len(orders) == 5
    assert {tuple(sorted(order)) for order in orders} == {tuple(f"predicate{number}" for number in range(1, 7))}


def test_no_original_identifier_is_left_in_pddl(library: DomainLibrary) -> None:
    for original, made in both(library):
        for text in (made.source.domain, *(text for _, text in made.source.problems)):
            assert ";" not in text
            words = set(re.findall(r"[^\s()]+", text))
            assert not words & identifiers(original.planning), made.id
            assert not words & {f"?{name}" for name in parameters(original.planning) if len(name) > 1}
            assert not re.search(rf"\b{original.id}\b", re.sub(r"\?\S+", "", text))


def test_no_original_identifier_is_left_in_the_prompt_s_query(library: DomainLibrary) -> None:
    for original, made in both(library):
        assert original.language is not None
        gone = identifiers(original.planning) | original.language.words.keys() | {original.id}
        gone |= {f"{name}{ending}" for name in gone for ending in ("s", "es")}
        gone |= {name for name in parameters(original.planning) if len(name) > 1} - {"from", "to", "top", "bottom"}
        for _, asked in queries(original, made, library):
            text = asked.lower()
            heads = set(re.findall(r"\(([\w-]+)", asked))
            assert heads == set(made.planning.predicates)
            left = set(re.findall(r"[a-z][\w-]*", text)) & gone
            assert left <= ENGLISH[original.id], (made.id, text)
            assert not any(noun in text for noun in original.language.words if " " in noun)


def test_a_twin_is_the_original_under_other_names(library: DomainLibrary) -> None:
    for original, made in both(library):
        types = dict(zip(_section(original, ":types"), _section(made, ":types"), strict=True))
        constants = dict(zip(_section(original, ":constants"), _section(made, ":constants"), strict=True))
        predicates = dict(zip(original.planning.predicates, made.planning.predicates, strict=True))
        variables = dict(zip(_variables(original), _variables(made), strict=True))
        types["object"] = "object"
        assert {types[name]: types[parent] for name, parent in original.planning.types.items()} == made.planning.types
        for old, new in predicates.items():
            wanted = [tuple(types[name] for name in p.types) for p in original.planning.predicates[old].parameters]
            assert [p.types for p in made.planning.predicates[new].parameters] == wanted
        for action, new_action in zip(original.planning.actions.values(), made.planning.actions.values(), strict=True):
            assert [variables[p.name] for p in action.parameters] == [p.name for p in new_action.parameters]
            for part in ("precondition", "effect"):
                renamed = _renamed(getattr(action, part), predicates, {**constants, **variables})
                assert renamed == getattr(new_action, part)
        for (stem, problem), (new_stem, new_problem) in zip(original.problems, made.problems, strict=True):
            assert stem == new_stem
            assert new_problem.objects == {name: types[kind] for name, kind in problem.objects.items()}
            assert new_problem.init == {_renamed(atom, predicates, constants) for atom in problem.init}
            assert new_problem.goal == _renamed(problem.goal, predicates, constants)


def _variables(domain: Domain) -> list[str]:
    return [word for word, _ in lexemes(domain.planning.text) if word.startswith("?")]


def _section(domain: Domain, head: str) -> list[str]:
    found = [item for item in read_group(domain.planning.text).items if isinstance(item, Group) and item.head == head]
    tokens = [token.text for section in found for token in section.items[1:] if isinstance(token, Token)]
    return [text for text in tokens if text not in ("-", "object")]


def _renamed(formula: Formula, predicates: dict[str, str], constants: dict[str, str]) -> Formula:
    parts = []
    for part in conjuncts(rename(formula, constants)):
        atom = part.operand if isinstance(part, Not) else part
        assert isinstance(atom, Atom)
        new = replace(atom, predicate=predicates[atom.predicate])
        parts.append(Not(new) if isinstance(part, Not) else new)
    return And(tuple(parts)) if isinstance(formula, And) else parts[0]


def test_prompts_are_paired_with_the_original_s(library: DomainLibrary) -> None:
    build = PromptBuilder(library.with_language(), 5, 3).build
    for original, made in both(library):
        for old, new in zip(original.planning.actions, made.planning.actions, strict=True):
            for kind in DescriptionClass:
                one, two = build(original, old, kind, 1), build(made, new, kind, 1)
                assert one.context == two.context
                assert one.text.rsplit("Allowed", 1)[0] == two.text.rsplit("Allowed", 1)[0]


@pytest.mark.parametrize("name", ["blocksworld", "depot", "gripper", "heavy", "logistics", "miconic"])
@pytest.mark.parametrize("style", STYLES)
def test_queries_say_the_same_word_by_word(library: DomainLibrary, name: str, style: str) -> None:
    """Also the class random: both draw the same literals, or another number or order of words would show."""
    original, made = library.find(name), find(library, f"{name}~{style}~3")
    assert original.language is not None
    changed: dict[str, set[str]] = {}
    for asked, renamed in queries(original, made, library):
        for old, new in zip(_words(asked), _words(renamed), strict=True):
            if old != new:
                changed.setdefault(old, set()).add(new)
    heads = {f"({predicate}" for predicate in original.planning.predicates}
    nouns = identifiers(original.planning) | original.language.words.keys()
    own = parameters(original.planning)
    assert heads <= changed.keys() <= heads | nouns | own | {word for name in own for word in (f"?{name}", f"(?{name}")}
    # A word has one new name, or two where it is a parameter's as well, as in "a truck truck".
    assert all(len(new) <= 1 + (old in own) for old, new in changed.items())
    assert len({name for new in changed.values() for name in new}) == sum(map(len, changed.values()))


def _words(text: str) -> list[str]:
    words = [word.strip('.,:)"') for word in text.split()]
    return ["a" if word == "an" else word for word in words]


def test_a_query_reads_well_in_both_styles(library: DomainLibrary) -> None:
    """Whole texts: plurals, "an", a word said with another (uphill), words in two parts (home base)."""
    assert _asked(library, "forest~neutral~0", "climb") == FOREST
    assert _asked(library, "delivery~nonsense~0", "pick-up") == DELIVERY
    assert _asked(library, "trackbuilding~neutral~0", "build-track") == TRACKS


def _asked(library: DomainLibrary, name: str, action: str) -> str:
    made = find(library, name)
    assert made.original is not None
    new = list(made.planning.actions)[list(made.original.actions).index(action)]
    return query(made, library, new, DescriptionClass.FLIPPED, 0).strip()


@pytest.mark.parametrize("name", ["blocksworld", "gripper", "miconic"])
def test_verdicts_are_the_same_up_to_names(library: DomainLibrary, evaluator: Evaluator, name: str) -> None:
    original, made = library.find(name), find(library, f"{name}~nonsense~3")
    classes = set()
    for action in made.planning.actions:
        counterpart = made.counterpart(action)
        pairs = zip(_variants(counterpart), _variants(made.planning.actions[action]), strict=True)
        for number, (old, new) in enumerate(pairs):
            settings = EvaluationSettings(k=20)
            one = evaluator.evaluate(EvaluationTask(original.source, counterpart.name, old, settings))
            two = evaluator.evaluate(EvaluationTask(made.source, action, new, settings))
            assert (one.result_class, one.subclass, one.are) == (two.result_class, two.subclass, two.are)
            assert (one.result_class is ResultClass.EQUIVALENT) == (number == 0)
            classes.add(one.result_class)
    assert ResultClass.DIFFERENT in classes


def _variants(action: LiftedAction) -> Iterator[str]:
    """The action; without its last literal; with the arguments of its first literal of two in the wrong order."""
    yield action_pddl(action)
    yield action_pddl(replace(action, effect=And(conjuncts(action.effect)[:-1])))
    literals = [*conjuncts(action.precondition), *conjuncts(action.effect)]
    binary = [part for part in literals if isinstance(part, Atom) and len(part.arguments) == 2]
    if binary:
        yield action_pddl(action).replace(_text(binary[0]), _text(binary[0], reverse=True))


def _text(atom: Atom, *, reverse: bool = False) -> str:
    return f"({atom.predicate} {' '.join(atom.arguments[::-1] if reverse else atom.arguments)})"


@pytest.mark.parametrize("style", STYLES)
def test_the_planner_finds_as_many_plans(library: DomainLibrary, style: str) -> None:
    original, made = library.find("logistics"), find(library, f"logistics~{style}~3")
    lengths = []
    with KStar() as planner:
        for domain in (original, made):
            answers = [planner.top_k(domain.planning.text, p.text, 100, 30.0, 4096) for _, p in domain.problems]
            lengths.append([sorted(map(len, answer.plans)) for answer in answers])
    assert lengths[0] == lengths[1]
    assert all(lengths[0])


def test_find_gives_plain_domains_and_twins(library: DomainLibrary) -> None:
    assert find(library, "Gripper") is library.find("gripper")
    made = find(library, "Gripper~Nonsense~007")
    assert made.id == made.source.id == "gripper~nonsense~7"
    assert made.twin_of == made.family == "gripper"
    assert find(library, "gripper~nonsense~7") is made
    assert library.find("gripper").twin_of == ""


def test_a_library_loaded_again_has_twins_of_its_own(tmp_path: Path) -> None:
    shutil.copytree(DOMAINS / "heavy", tmp_path / "heavy")
    before = find(load_library(tmp_path), "heavy~neutral~1")
    path = tmp_path / "heavy" / "language.toml"
    path.write_text(path.read_text().replace("is packed in the box", "lies in the box"))
    after = find(load_library(tmp_path), "heavy~neutral~1")
    assert "is packed in" in str(before.language)
    assert "lies in the thing1" in str(after.language)


def test_a_made_up_word_that_a_domain_knows_is_not_taken(tmp_path: Path) -> None:
    shutil.copytree(DOMAINS / "heavy", tmp_path / "heavy")
    word = next(iter(find(load_library(tmp_path), "heavy~nonsense~1").planning.predicates))
    path = tmp_path / "heavy" / "problems" / "p01.pddl"
    path.write_text(path.read_text().replace("anvil", word))
    made = find(load_library(tmp_path), "heavy~nonsense~1")
    assert word in made.problems[0][1].objects
    assert word not in identifiers(made.planning)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gripper~odd~1", "no style 'odd'; there are: neutral, nonsense"),
        ("gripper~neutral~-1", "seed of a twin is a whole number from 0 .*, not '-1'"),
        ("gripper~neutral~", "seed of a twin is a whole number"),
        ("gripper~neutral~٣", "seed of a twin is a whole number"),
        ("gripper~neutral", "a twin is called ID~STYLE~SEED"),
        ("gripper~neutral~1~neutral~1", "a twin is called ID~STYLE~SEED"),
        ("nothing~neutral~1", "no domain is called 'nothing'"),
    ],
)
def test_a_wrong_id_is_said(library: DomainLibrary, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        find(library, name)


def test_a_twin_has_no_twin(library: DomainLibrary) -> None:
    with pytest.raises(InputError, match="is a twin already"):
        twin(find(library, "gripper~neutral~1"), "neutral", 1)


def test_a_domain_without_language_has_twins_to_judge_with(tmp_path: Path) -> None:
    shutil.copytree(DOMAINS / "gripper", tmp_path / "gripper")
    (tmp_path / "gripper" / "language.toml").unlink()
    assert find(load_library(tmp_path), "gripper~neutral~1").language is None


def test_what_is_wrong_with_a_made_domain_is_said(library: DomainLibrary) -> None:
    domain = library.find("gripper")
    assert domain.language is not None
    vague = replace(domain.language, predicates={**domain.language.predicates, "free": "a gripper is free"})
    with pytest.raises(DomainError, match=r"gripper~neutral~1: the template of 'predicate\d' does not say \{g\}"):
        twin(replace(domain, language=vague), "neutral", 1)
    with pytest.raises(DomainError, match="no base description of the action 'move'"):
        checked(replace(domain, language=Language(domain.language.predicates, {})))
    with pytest.raises(DomainError, match="it is for domain 'gripper', not 'heavy'"):
        checked(replace(domain, planning=replace(domain.planning, name="heavy")))


# One word in many roles, each of which has its own new name.
TANGLED = """; lift everywhere
(define (domain lift) (:requirements :adl)
  (:types lift other - object)
  (:constants left - lift)
  (:predicates (lift ?lift - lift ?o - (either lift other)) (left) (in-lift ?lift - lift))
  (:action lift :parameters (?lift - lift) ; (lift)
    :precondition (and (forall (?o - other) (imply (left) (lift left ?o))) (not (= ?lift left)))
    :effect (when (left) (in-lift ?lift))))"""
TANGLED_TWIN = """(define (domain d) (:requirements :adl)
  (:types t u - object)
  (:constants c - t)
  (:predicates (p ?m - t ?o - (either t u)) (q) (r ?m - t))
  (:action a :parameters (?m - t)
    :precondition (and (forall (?o - u) (imply (q) (p c ?o))) (not (= ?m c)))
    :effect (when (q) (r ?m))))
"""
NAMES = {
    Role.DOMAIN: {"lift": "d"},
    Role.TYPE: {"lift": "t", "other": "u"},
    Role.PREDICATE: {"lift": "p", "left": "q", "in-lift": "r"},
    Role.ACTION: {"lift": "a"},
    Role.CONSTANT: {"left": "c"},
    Role.PROBLEM: {},
    Role.WORD: {"city": "ek"},
    Role.PARAMETER: {"?lift": "?m"},
}


def test_names_are_renamed_by_role() -> None:
    assert renamed_pddl(TANGLED, NAMES) == TANGLED_TWIN


def test_pddl_of_another_kind_is_refused() -> None:
    with pytest.raises(InputError, match=r"this PDDL has ':metric'"):
        renamed_pddl("(define (problem x) (:metric minimize (f)))", NAMES)


@pytest.mark.parametrize(
    ("text", "renamed"),
    [
        ('The action "lift" has a lift lift up.', 'The action "a" has a t m up.'),
        ("Lifts and left lift; the lift's in-lift; uplift", "Ts and c t; the t's r; uplift"),
        ("A city, an other city: cities", "An ek, an u ek: eks"),
        ('a "in lift" and "the city"', 'a "r" and "the ek"'),
    ],
)
def test_english_is_renamed_where_it_names(text: str, renamed: str) -> None:
    planning = parse_domain(TANGLED)
    templates = {"lift": "lift {lift} has an other {o}", "left": "it is left", "in-lift": "{{{lift}}} is in lift"}
    language = Language(templates, {"lift": ActionLanguage(text, random=text)}, {"city": "thing"})
    made = renamed_language(language, planning, NAMES)
    assert made.actions == {"a": ActionLanguage(renamed, None, renamed)}
    assert made.predicates == {"p": "t {m} has an u {o}", "q": "it is c", "r": "{{{m}}} is in t"}
