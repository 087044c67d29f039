from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from nl2pddl.actions import LiftedAction, canonical, renamed_by_position
from nl2pddl.domains import DomainLibrary, from_source, load_library
from nl2pddl.errors import DomainError, InputError
from tests.conftest import DOMAINS

# Predicates and actions of each domain, from the paper's section "Setup".
PAPER = {
    "blocksworld": (5, 4), "gripper": (4, 3), "heavy": (5, 2), "forest": (5, 2), "logistics": (3, 6),
    "depot": (6, 5), "miconic": (6, 4), "trackbuilding": (4, 3), "delivery": (7, 3),
}  # fmt: skip
PUBLISHED_NAMES = {
    "blocksworld": "blocks", "gripper": "gripper-typed", "heavy": "heavy-pack", "forest": "hiking",
    "logistics": "logistics", "depot": "depot", "miconic": "miconic", "trackbuilding": "track-building",
    "delivery": "trapnewspapers",
}  # fmt: skip


def test_the_nine_domains_have_the_paper_s_sizes(library: DomainLibrary) -> None:
    assert dict(library.broken) == {}
    sizes = {d.id: (len(d.planning.predicates), len(d.planning.actions)) for d in library.domains.values()}
    assert sizes == PAPER
    assert all(len(domain.problems) == 2 and domain.language for domain in library.domains.values())


def test_actions_agree_with_the_published_ones(library: DomainLibrary, published: Path) -> None:
    study = load_library(published / "pddl-problems")
    for domain_id, name in PUBLISHED_NAMES.items():
        ours, theirs = library.find(domain_id).planning, study.find(name).planning
        assert {key: canonical(action) for key, action in ours.actions.items()} == {
            key: canonical(action) for key, action in theirs.actions.items()
        }
        assert {key: [p.types for p in value.parameters] for key, value in ours.predicates.items()} == {
            key: [p.types for p in value.parameters] for key, value in theirs.predicates.items()
        }


def test_a_domain_is_found_by_id_and_by_pddl_name_in_any_case(library: DomainLibrary, published: Path) -> None:
    assert library.find("BlocksWorld").id == "blocksworld"
    study = load_library(published / "pddl-problems")
    assert study.find("heavy-pack").id == study.find("HEAVYPACK").id == "heavypack"
    with pytest.raises(InputError, match="no domain is called 'x'; there are: blocksworld"):
        library.find("x")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(DOMAINS / "gripper", tmp_path / "gripper")
    return tmp_path / "gripper"


def faults(folder: Path) -> str:
    library = load_library(folder.parent)
    assert "gripper" not in library.domains
    with pytest.raises(DomainError):
        library.find("gripper")
    return "\n".join(library.broken["gripper"].problems)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_everything_wrong_with_a_folder_is_said_at_once(folder: Path) -> None:
    edit(folder / "language.toml", "[actions.move]", "[actions.moves]")
    edit(folder / "language.toml", "{r}", "{room}")
    (folder / "problems" / "p01.pddl").write_text("(define (problem x)\n(:domain gripper")
    found = faults(folder)
    assert "no base description of the action 'move'" in found
    assert "names {room}" in found
    assert "p01.pddl: " in found


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (
            "domain.pddl",
            "(at-robby ?from)",
            "(at-robby ?nowhere)",
            "line 1?\\d+, column \\d+: action 'move': '\\?nowhere'",
        ),
        ("domain.pddl", "(define", "(defin", "domain.pddl: line"),
        ("domain.pddl", ":effect", ":efect", "expected :parameters"),
        ("problems/p01.pddl", "(:domain gripper)", "(:domain other)", "it is for domain 'other', not 'gripper'"),
        ("language.toml", "[predicates]", "[predicates", "language.toml: "),
        ("language.toml", "[words]", "[words]\nRobot = 'actor'", "'Robot' must be words in lower case"),
        ("language.toml", "[words]", "[words]\nball = 'thing'", "'ball' is a name of domain.pddl"),
        ("language.toml", "[words]", "[words]\nhand = 'actor'", "'hand' stands in no text"),
        ("language.toml", 'robot = "actor"', "robot = 1", "'robot' needs its kind of thing"),
        ("language.toml", 'robot = "actor"', "robot = 'robot'", "said with 'robot', which has no kind"),
        ("language.toml", 'robot = "actor"', "robot = 'grasp'\ngrasp = 'robot'", "'robot' is said with 'grasp', which"),
        ("language.toml", 'robot = "actor"', "robot = 'tin man'", 'said with "tin man", in which no word is listed'),
        ("language.toml", "[words]", "[word]\n[[words]]", "needs the tables .* \\[words\\] must be a table too"),
    ],
)
def test_each_fault_has_its_file(folder: Path, name: str, old: str, new: str, message: str) -> None:
    import re

    edit(folder / name, old, new)
    assert re.search(message, faults(folder)), faults(folder)


def test_a_word_may_be_said_with_a_type_or_another_word(folder: Path) -> None:
    edit(folder / "language.toml", "[words]", "[words]\ngrasp = 'take hold as the robot in a room'\nrelease = 'ball'")
    language = load_library(folder.parent).find("gripper").language
    assert language is not None
    assert set(language.words) == {"robot", "grasp", "release"}


def test_a_byte_order_mark_is_no_fault(folder: Path) -> None:
    for path in (folder / "domain.pddl", folder / "language.toml", folder / "problems" / "p01.pddl"):
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_library(folder.parent).find("gripper").language


def test_missing_files(folder: Path) -> None:
    (folder / "domain.pddl").unlink()
    shutil.rmtree(folder / "problems")
    found = faults(folder)
    assert "domain.pddl is missing" in found
    assert "holds no problem" in found


def test_a_problem_with_unknown_objects_or_predicates_is_refused(folder: Path) -> None:
    problem = (folder / "problems" / "p01.pddl").read_text()
    (folder / "problems" / "p01.pddl").write_text(problem.replace("(:goal", "(:goal (at nothing nowhere)) (:metric", 1))
    edit(folder / "problems" / "p02.pddl", "(:init", "(:init (flying left)")
    found = faults(folder)
    assert "flying" in found


def test_a_domain_without_language_still_judges(folder: Path) -> None:
    (folder / "language.toml").unlink()
    domain = load_library(folder.parent).find("gripper")
    assert domain.language is None


def test_a_broken_domain_does_not_keep_the_others(folder: Path) -> None:
    shutil.copytree(DOMAINS / "heavy", folder.parent / "heavy")
    (folder / "domain.pddl").write_text("nothing")
    library = load_library(folder.parent)
    assert list(library.domains) == ["heavy"]
    assert list(library.broken) == ["gripper"]


def test_no_folder_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder"):
        load_library(tmp_path / "nowhere")
    with pytest.raises(InputError, match="holds no planning domain"):
        load_library(tmp_path)


def test_stored_texts_give_the_same_domain(library: DomainLibrary) -> None:
    for domain in library.domains.values():
        again = from_source(domain.source)
        assert again.planning == domain.planning
        assert again.problems == domain.problems
        assert again.source.sha == domain.source.sha


def test_the_content_hash_follows_every_text(library: DomainLibrary) -> None:
    shas = {domain.source.sha for domain in library.domains.values()}
    assert len(shas) == 9


def test_replacing_an_action_changes_that_action_only(library: DomainLibrary) -> None:
    domain = library.find("blocksworld").planning
    text = domain.with_action("stack", "(:action stack :parameters () :effect (handempty))")
    from nl2pddl.pddl_io import parse_domain

    replaced = parse_domain(text)
    assert replaced.actions["stack"].parameters == ()
    assert {k: v for k, v in replaced.actions.items() if k != "stack"} == {
        k: v for k, v in domain.actions.items() if k != "stack"
    }


def test_renaming_leaves_the_canonical_form(library: DomainLibrary) -> None:
    for domain in library.domains.values():
        for action in domain.planning.actions.values():
            renamed: LiftedAction = renamed_by_position(action, {p.name: f"{p.name}-z" for p in action.parameters})
            assert canonical(renamed) == canonical(action)


def test_an_id_comes_before_a_name_inside_the_pddl(folder: Path) -> None:
    text = (DOMAINS / "blocksworld" / "domain.pddl").read_text()
    for name in ("aaa", "blocksworld"):
        shutil.copytree(DOMAINS / "blocksworld", folder.parent / name)
    library = load_library(folder.parent)
    assert library.find("blocksworld").id == "blocksworld"
    (folder.parent / "blocksworld" / "domain.pddl").write_text(text.replace("(:action stack", "(:action"))
    with pytest.raises(DomainError, match="blocksworld"):
        load_library(folder.parent).find("blocksworld")
    (folder.parent / "blocksworld").rename(folder.parent / "bbb")
    (folder.parent / "bbb" / "domain.pddl").write_text(text)
    with pytest.raises(InputError, match="the name inside the PDDL of 'aaa' and 'bbb'"):
        load_library(folder.parent).find("BLOCKSWORLD")


def test_a_predicate_declared_twice_is_a_fault(folder: Path) -> None:
    edit(folder / "domain.pddl", "(:predicates", "(:predicates (free) ")
    assert "the predicate 'free' is declared twice" in faults(folder)


def test_an_added_domain_is_found_beside_the_shipped_ones(tmp_path: Path) -> None:
    shipped, added = tmp_path / "domains", tmp_path / "data" / "domains"
    shutil.copytree(DOMAINS / "gripper", shipped / "gripper")
    assert list(load_library(shipped, added).domains) == ["gripper"]  # no folder yet
    shutil.copytree(DOMAINS / "gripper", added / "ball-room")
    shutil.copytree(DOMAINS / "gripper", added / "Gripper")
    library = load_library(shipped, added)
    assert list(library.domains) == ["ball-room", "gripper"]
    assert f"{shipped} has a domain of this ID" in str(library.broken["Gripper"])
    assert library.find("Gripper") is library.domains["gripper"]
