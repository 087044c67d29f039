from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from nl2pddl.descriptions import describe
from nl2pddl.domains import Domain, DomainLibrary, load_library
from nl2pddl.errors import InputError
from nl2pddl.experiment import RunConfig
from nl2pddl.prompts import PRESETS, PromptBuilder, plan_items
from nl2pddl.records import DescriptionClass
from nl2pddl.seeding import draw
from tests.conftest import DOMAINS, ROOT

# All prompts of the nine domains and three classes with seed 7. A change of it changes what every seed gives: the
# changelog must say so.
PINNED = "088add7fee0abf6d7882da838eb8fa1a1e6f07807d2e1ae3256465342695fa16"
BASE, FLIPPED, RANDOM = DescriptionClass.BASE, DescriptionClass.FLIPPED, DescriptionClass.RANDOM


def builder(library: DomainLibrary, seed: int = 0, context: int = 3) -> PromptBuilder:
    return PromptBuilder(library.with_language(), seed, context)


def test_a_prompt_has_the_paper_s_parts(library: DomainLibrary) -> None:
    prompt = builder(library).build(library.find("blocksworld"), "unstack", BASE, 0)
    assert prompt.text.startswith("Write the PDDL action")
    assert prompt.text.count("Allowed Predicates:\n") == prompt.text.count("Input:\n") == 4
    assert prompt.text.count("(:action ") == len(prompt.context) == 3
    assert prompt.text.endswith("PDDL Action:")
    query = prompt.text.rsplit("Allowed Predicates:", 1)[1]
    assert "(on ?x - block ?y - block) : block x is on block y." in query
    assert "(handempty) : the hand is empty." in query
    assert query.count(" : ") == 5
    assert 'The action "unstack" has the hand take a block x off another block y.' in query


def test_flipped_adds_the_deleted_preconditions(library: DomainLibrary) -> None:
    blocksworld = library.find("blocksworld")
    text = describe(blocksworld, "unstack", FLIPPED, "k")
    base = describe(blocksworld, "unstack", BASE, "k")
    assert text.startswith(base.removesuffix("."))
    added = text.removeprefix(base.removesuffix("."))
    assert added == ", if block x is on block y, block x is clear and the hand is empty."


def test_flipped_is_base_where_nothing_is_deleted(library: DomainLibrary) -> None:
    tracks = library.find("trackbuilding")
    assert describe(tracks, "build-track", FLIPPED, "k") == describe(tracks, "build-track", BASE, "k")
    assert describe(tracks, "build-track", RANDOM, "k") == describe(tracks, "build-track", BASE, "k")


def test_random_draws_as_many_literals_and_says_where_they_belong(library: DomainLibrary) -> None:
    blocksworld = library.find("blocksworld")
    seen: Counter[int] = Counter()
    for number in range(60):
        added = describe(blocksworld, "pick-up", RANDOM, str(number)).split("table", 1)[1]
        before, _, after = added.partition("After the action, ")
        conditions = [p for p in ("block x is clear", "block x is on the table", "the hand is empty") if p in before]
        effects = after.count("it is not the case that") + after.count("the hand is holding block x")
        assert len(conditions) + effects == 3
        seen[effects] += 1
    assert len(seen) > 1


def test_context_comes_from_other_domains_without_doubles(library: DomainLibrary) -> None:
    for domain in library.domains.values():
        for action in domain.planning.actions:
            context = builder(library).build(domain, action, BASE, 0).context
            assert len(set(context)) == 3
            assert all(not name.startswith(f"{domain.id}/") for name in context)


def test_context_is_drawn_uniformly(library: DomainLibrary) -> None:
    blocksworld = library.find("blocksworld")
    counts = Counter(
        name for sample in range(1000) for name in builder(library).build(blocksworld, "stack", BASE, sample).context
    )
    assert len(counts) == 28  # all actions of the other eight domains
    expected = 3000 / 28
    chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_square < 55.5  # 27 degrees of freedom, p = 0.001


def test_the_classes_share_their_contexts_and_samples_differ(library: DomainLibrary) -> None:
    blocksworld, build = library.find("blocksworld"), builder(library).build
    assert len({build(blocksworld, "stack", name, 5).context for name in DescriptionClass}) == 1
    assert len({build(blocksworld, "stack", BASE, sample).context for sample in range(20)}) > 15


def test_prompts_are_the_same_in_every_process_and_pinned(library: DomainLibrary) -> None:
    code = (
        "import hashlib, pathlib\n"
        "from nl2pddl.domains import load_library\n"
        "from nl2pddl.prompts import plan_items\n"
        "from nl2pddl.experiment import RunConfig\nfrom nl2pddl.records import DescriptionClass\n"
        "lib = load_library(pathlib.Path('domains'))\n"
        "config = RunConfig(('m',), tuple(lib.domains), tuple(DescriptionClass), prompts=2, seed=7)\n"
        "items = plan_items(config, list(lib.domains.values()), lib.with_language())\n"
        "print(hashlib.sha256('\\0'.join(i.prompt for i in items).encode()).hexdigest())\n"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    config = RunConfig(("m",), tuple(library.domains), tuple(DescriptionClass), prompts=2, seed=7)
    items = plan_items(config, list(library.domains.values()), library.with_language())
    here = hashlib.sha256("\0".join(item.prompt for item in items).encode()).hexdigest()
    assert digests == {here} == {PINNED}


def test_another_seed_gives_other_prompts(library: DomainLibrary) -> None:
    blocksworld = library.find("blocksworld")
    texts = {builder(library, seed).build(blocksworld, "stack", BASE, 0).text for seed in range(5)}
    assert len(texts) == 5


def test_the_presets_are_the_paper_s_experiments(library: DomainLibrary) -> None:
    sizes = {}
    for preset in PRESETS:
        config = RunConfig(("m",), tuple(library.domains), preset.descriptions, preset.prompts)
        items = plan_items(config, list(library.domains.values()), library.with_language())
        sizes[preset.name] = len(list(items))
    assert sizes == {"paper: base": 32 * 60, "paper: three classes": 32 * 20 * 3}


def test_items_are_numbered_and_each_model_gets_the_same_prompts(library: DomainLibrary) -> None:
    config = RunConfig(("a", "b"), ("gripper",), (BASE, FLIPPED), 2)
    items = list(plan_items(config, [library.find("gripper")], library.with_language()))
    assert [item.index for item in items] == list(range(24))
    assert [item.prompt for item in items[:12]] == [item.prompt for item in items[12:]]


def test_hand_written_texts_replace_composed_ones(tmp_path: Path) -> None:
    shutil.copytree(DOMAINS / "gripper", tmp_path / "gripper")
    path = tmp_path / "gripper" / "language.toml"
    path.write_text(path.read_text().replace("[actions.move]", '[actions.move]\nflipped = "F"\nrandom = "R"'))
    domain: Domain = load_library(tmp_path).find("gripper")
    assert [describe(domain, "move", name, "k") for name in (FLIPPED, RANDOM)] == ["F", "R"]


def test_too_few_other_actions_is_said(library: DomainLibrary) -> None:
    gripper = library.find("gripper")
    with pytest.raises(InputError, match="only 0 actions"):
        PromptBuilder([gripper], 0, 3).build(gripper, "move", BASE, 0)
    assert PromptBuilder([gripper], 0, 0).build(gripper, "move", BASE, 0).context == ()


def test_draws_are_stable() -> None:
    assert draw("abcdef", 3, "key") == draw("fedcba", 3, "key")
    assert draw("abc", 5, "key") == draw("abc", 3, "key")
