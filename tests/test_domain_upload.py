import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from nl2pddl.domain_upload import (
    MOST_BYTES,
    NewDomain,
    Upload,
    add_domain,
    faults_of,
    language_template,
    template_of,
    upload_faults,
)
from nl2pddl.domains import DomainLibrary, load_library
from nl2pddl.errors import DomainError
from tests.conftest import DOMAINS


def upload(path: str, name: str = "") -> Upload:
    return Upload(name or path.rpartition("/")[2], (DOMAINS / "gripper" / path).read_bytes())


def ball_room(**changes: object) -> NewDomain:
    problems = (upload("problems/p01.pddl", "small.pddl"), upload("problems/p02.pddl", "large.pddl"))
    new = NewDomain("ball-room", upload("domain.pddl"), problems, upload("language.toml"))
    return replace(new, **changes)  # type: ignore[arg-type]


def read(folder: Path) -> Sequence[str]:
    return faults_of(lambda progress: None, folder)


def refused(new: NewDomain, directory: Path) -> Sequence[str]:
    before = sorted(directory.rglob("*"))
    with pytest.raises(DomainError) as caught:
        add_domain(new, directory, read)
    assert sorted(directory.rglob("*")) == before
    return caught.value.problems


def test_a_right_domain_is_written_whole_and_under_our_file_names(tmp_path: Path) -> None:
    folder = add_domain(ball_room(), tmp_path, read)
    assert folder == tmp_path / "ball-room"
    files = [str(path.relative_to(folder)) for path in sorted(folder.rglob("*")) if path.is_file()]
    assert files == ["domain.pddl", "language.toml", "problems/p01.pddl", "problems/p02.pddl"]
    library = load_library(tmp_path)
    assert not library.broken
    domain = library.find("ball-room")
    assert domain.language is not None
    assert [name for name, _ in domain.problems] == ["p01", "p02"]
    assert [path.name for path in tmp_path.iterdir()] == ["ball-room"]


def test_without_language_there_is_no_file_of_it(tmp_path: Path) -> None:
    folder = add_domain(ball_room(language=None), tmp_path, read)
    assert not (folder / "language.toml").exists()
    assert load_library(tmp_path).find("ball-room").language is None


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../up", "a/b", "/etc", "a\\b", "Ball", "ball room", "-ball", ".ball", "ball\n", "bäll", "b" * 65],
)
def test_no_other_name_makes_a_folder(tmp_path: Path, name: str) -> None:
    directory = tmp_path / "domains"
    directory.mkdir()
    assert "the name must be" in refused(ball_room(name=name), directory)[0]
    assert [path.name for path in tmp_path.iterdir()] == ["domains"]


def test_the_longest_name_is_taken(tmp_path: Path) -> None:
    assert add_domain(ball_room(name="b" * 64), tmp_path, read).is_dir()


@pytest.mark.parametrize("name", ["../../p.pddl", "/etc/passwd", "..", "C:\\p.pddl", "domain.pddl", "x" * 5000, ""])
def test_the_name_of_a_file_makes_no_path(tmp_path: Path, name: str) -> None:
    directory = tmp_path / "domains"
    directory.mkdir()
    new = ball_room()
    new = replace(
        new, domain=Upload(name, new.domain.content), problems=tuple(Upload(name, p.content) for p in new.problems)
    )
    folder = add_domain(new, directory, read)
    assert len([path for path in folder.rglob("*") if path.is_file()]) == 4
    assert [path.name for path in tmp_path.iterdir()] == ["domains"]


@pytest.mark.parametrize("existing", ["ball-room", "Ball-Room", "ball-room.pddl"])
def test_a_domain_that_exists_is_never_overwritten(tmp_path: Path, existing: str) -> None:
    if existing.endswith(".pddl"):
        (tmp_path / existing).write_text("(define (domain x))")
    else:
        (tmp_path / existing).mkdir()
        (tmp_path / existing / "domain.pddl").write_text("mine")
    faults = refused(ball_room(), tmp_path)
    assert list(faults) == ["there is a domain 'ball-room' already, and none is ever overwritten; choose another name"]
    assert "ball-room" not in load_library(tmp_path).domains


def test_one_that_is_added_meanwhile_is_kept(tmp_path: Path) -> None:
    def slowly(folder: Path) -> Sequence[str]:
        (tmp_path / "ball-room").mkdir()
        (tmp_path / "ball-room" / "domain.pddl").write_text("the other session's")
        return ()

    with pytest.raises(DomainError, match="already"):
        add_domain(ball_room(), tmp_path, slowly)
    assert (tmp_path / "ball-room" / "domain.pddl").read_text() == "the other session's"
    assert [path.name for path in tmp_path.iterdir()] == ["ball-room"]


def test_sizes_numbers_and_encoding_are_named_together(tmp_path: Path) -> None:
    large = Upload("large.pddl", b";" * (MOST_BYTES + 1))
    latin = Upload("latin.pddl", b"; one line\n; caf\xe9\n")
    new = ball_room(problems=(large, latin, *[latin] * 17))
    faults = upload_faults(new, tmp_path)
    assert faults[0] == "21 files were given; at most 20 are taken"
    assert faults[1] == "'large.pddl' has 1,048,577 bytes; at most 1,048,576 are taken"
    assert faults[2] == "'latin.pddl' is no text in UTF-8: line 2, byte 17 of the file"
    assert upload_faults(ball_room(problems=()), tmp_path) == [
        "a domain needs at least one problem; verdicts are reached on problems"
    ]
    twenty = ball_room(problems=(ball_room().problems[0],) * 18)
    assert upload_faults(twenty, tmp_path) == []


def test_everything_wrong_is_named_with_its_line_and_the_files_own_name(tmp_path: Path) -> None:
    new = ball_room()
    domain = new.domain.content.replace(b"(at-robby ?to)", b"(at-robot ?to)")
    problem = new.problems[1].content.replace(b"(:goal", b"(:gaol")
    language = b'[predicates]\nroom = "x'
    faults = refused(
        replace(
            new,
            domain=Upload("d.pddl", domain),
            problems=(new.problems[0], Upload("<b>large</b>.pddl", problem)),
            language=Upload("l.toml", language),
        ),
        tmp_path,
    )
    text = "\n".join(faults)
    assert "domain.pddl: line " in text
    assert "'at-robot'" in text
    assert "'<b>large</b>.pddl': line " in text
    assert "not valid PDDL" in text
    assert "language.toml: " in text
    assert "line 2" in text


def test_a_text_that_is_no_domain_is_refused_with_its_place(tmp_path: Path) -> None:
    faults = refused(ball_room(domain=Upload("d.pddl", b"\n\n(define (domain x)")), tmp_path)
    assert faults[0] == "domain.pddl: line 3, column 1: 1 parenthesis is never closed"


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    directory = tmp_path / "file" / "no-such-folder"
    with pytest.raises(DomainError, match="cannot be written"):
        add_domain(ball_room(), directory, read)
    assert not directory.exists()


def test_the_folder_is_made_with_the_first_domain(tmp_path: Path) -> None:
    added, shipped = tmp_path / "data" / "domains", tmp_path / "domains"
    (shipped / "Ball-Room").mkdir(parents=True)
    with pytest.raises(DomainError, match="already"):
        add_domain(ball_room(), added, read, shipped)
    assert not added.exists()
    assert add_domain(ball_room(name="hall"), added, read, shipped) == added / "hall"


def test_the_template_names_every_predicate_and_action_and_is_refused_until_filled(
    library: DomainLibrary, tmp_path: Path
) -> None:
    planning = library.find("gripper").planning
    template = language_template(planning)
    data = tomllib.loads(template)
    assert list(data["predicates"]) == list(planning.predicates)
    assert list(data["actions"]) == list(planning.actions)
    assert 'carry = ""  # say {o} {g}' in template
    faults = refused(ball_room(language=Upload("t.toml", template.encode())), tmp_path)
    assert "language.toml: no template for the predicate 'at-robby'" in faults
    assert "language.toml: no base description of the action 'move'" in faults


def test_a_template_for_a_broken_domain_says_what_is_wrong() -> None:
    made = template_of(lambda progress: None, "(define (domain x)\n(:predicates (p ?x)")
    assert made.text == ""
    assert made.faults == ("domain.pddl: line 2, column 1: 2 parentheses are never closed",)
