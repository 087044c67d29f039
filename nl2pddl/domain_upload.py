"""Adds a domain from files of any origin: everything wrong is named, and nothing is written unless all is right.

No path is ever made of a file's name: the folder is the domain's name, whose letters are restricted, and the files in
it are called domain.pddl, problems/p01.pddl and so on, and language.toml. Reading the texts is the work of
``faults_of`` and ``template_of``, to be run in a process of their own (see ``beside``): a parser may take long over a
text made to be slow.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nl2pddl.beside import Report
from nl2pddl.domains import load_library
from nl2pddl.errors import DomainError, InputError
from nl2pddl.pddl_io import parse_domain
from nl2pddl.task import PlanningDomain

MOST_BYTES = 1 << 20  # of one file
MOST_FILES = 20
LONGEST_NAME = 64
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*\Z")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")
_LONGEST_SHOWN = 80


@dataclass(frozen=True)
class Upload:
    """A file as it came: ``name`` is only shown to its owner."""

    name: str
    content: bytes


@dataclass(frozen=True)
class NewDomain:
    """What shall become a domain folder called ``name``."""

    name: str
    domain: Upload
    problems: tuple[Upload, ...]
    language: Upload | None = None

    @property
    def files(self) -> dict[str, Upload]:
        """Every file by the path it gets inside the domain's folder."""
        named = {"domain.pddl": self.domain}
        named |= {f"problems/p{number:02d}.pddl": problem for number, problem in enumerate(self.problems, start=1)}
        return named | ({"language.toml": self.language} if self.language else {})


def name_faults(name: str, *directories: Path) -> Iterator[str]:
    """What is wrong with the name of a new domain; one that is taken is wrong, whatever its letter case."""
    if not _NAME.match(name) or len(name) > LONGEST_NAME:
        yield (
            f"the name must be 1 to {LONGEST_NAME} of the characters a to z, 0 to 9 and -, and begin with no -; "
            f"'{name[:_LONGEST_SHOWN]}' is not"
        )
    elif any(name in taken_names(directory) for directory in directories):
        yield f"there is a domain '{name}' already, and none is ever overwritten; choose another name"


def taken_names(directory: Path) -> set[str]:
    """The names, in lower case, that a new domain must not have."""
    if not directory.is_dir():
        return set()
    return {path.name.lower().removesuffix(".pddl") for path in directory.iterdir()}


def upload_faults(new: NewDomain, *directories: Path) -> list[str]:
    """What is wrong with name, number, sizes and encoding of the files, before any of them is read as PDDL."""
    faults = list(name_faults(new.name, *directories))
    if not new.problems:
        faults.append("a domain needs at least one problem; verdicts are reached on problems")
    if len(new.files) > MOST_FILES:
        faults.append(f"{len(new.files)} files were given; at most {MOST_FILES} are taken")
    for upload in new.files.values():
        faults += size_faults(upload)
    return faults


def size_faults(upload: Upload) -> Iterator[str]:
    """Why a file cannot be read as text at all."""
    shown = upload.name[:_LONGEST_SHOWN]
    if len(upload.content) > MOST_BYTES:
        yield f"'{shown}' has {len(upload.content):,} bytes; at most {MOST_BYTES:,} are taken"
        return
    try:
        upload.content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = upload.content.count(b"\n", 0, error.start) + 1
        yield f"'{shown}' is no text in UTF-8: line {line}, byte {error.start + 1} of the file"


def add_domain(new: NewDomain, directory: Path, read: Callable[[Path], Sequence[str]], *others: Path) -> Path:
    """Write the new domain into ``directory``, which is made if need be, and give its folder.

    Its name must be none that is taken there or in ``others``.
    ``read`` says what is wrong with the domains of a folder that holds this one alone (see ``faults_of``). Raises
    DomainError with everything that is wrong, also where the folder cannot be written; then nothing is left behind.
    """
    faults = upload_faults(new, directory, *others)
    if faults:
        raise DomainError(new.name[:_LONGEST_SHOWN], faults)
    with tempfile.TemporaryDirectory(prefix="nl2pddl-") as scratch:
        _write(new, Path(scratch) / new.name)
        faults = [_with_own_name(fault, new) for fault in read(Path(scratch))]
    if faults:
        raise DomainError(new.name, faults)
    return _move_in(new, directory)


def _write(new: NewDomain, folder: Path) -> None:
    (folder / "problems").mkdir(parents=True)
    for path, upload in new.files.items():
        (folder / path).write_bytes(upload.content)


def _with_own_name(fault: str, new: NewDomain) -> str:
    """A fault of p01.pddl with the name that its owner knows it by."""
    for path, upload in new.files.items():
        stem = path.rpartition("/")[2]
        if "/" in path and fault.startswith(f"{stem}:"):
            return f"'{upload.name[:_LONGEST_SHOWN]}'{fault.removeprefix(stem)}"
    return fault


def _move_in(new: NewDomain, directory: Path) -> Path:
    """The folder under its name, whole at once: nobody reads half a domain, and of two with one name one is refused."""
    target = directory / new.name
    hidden: Path | None = None
    try:
        directory.mkdir(parents=True, exist_ok=True)
        # Beside the target, so that it can be renamed; the name begins with a dot, so that no library reads it.
        hidden = Path(tempfile.mkdtemp(prefix=".adding-", dir=directory))
        _write(new, hidden / new.name)
        if faults := list(name_faults(new.name, directory)):
            raise DomainError(new.name, faults)
        (hidden / new.name).rename(target)  # fails where somebody else has put a domain there meanwhile
    except OSError as error:
        reason = error.strerror or str(error)
        raise DomainError(new.name, [f"it cannot be written into {directory}: {reason}"]) from error
    finally:
        if hidden is not None:
            shutil.rmtree(hidden, ignore_errors=True)
    return target


def faults_of(report: Report, directory: Path) -> tuple[str, ...]:
    """Everything wrong with the domains in ``directory``."""
    report("reading the files")
    try:
        library = load_library(directory)
    except RecursionError:
        return ("a text is nested too deep to be read",)
    except InputError as error:
        return tuple(error.problems) or (str(error),)
    return tuple(fault for broken in library.broken.values() for fault in broken.problems)


@dataclass(frozen=True)
class Template:
    """The text of a language.toml to be filled in, or what is wrong with the domain that it was asked for."""

    text: str = ""
    faults: tuple[str, ...] = ()


def template_of(report: Report, text: str) -> Template:
    """The template for a domain given as PDDL."""
    report("reading domain.pddl")
    try:
        return Template(language_template(parse_domain(text, "domain.pddl")))
    except RecursionError:
        return Template(faults=("domain.pddl is nested too deep to be read",))
    except InputError as error:
        return Template(faults=(str(error),))


def language_template(planning: PlanningDomain) -> str:
    """A language.toml for a domain, with every predicate and action and nothing said of them yet.

    What is left empty is named as missing when the domain is added.
    """
    lines = [
        f"# How {planning.name} is spoken of in prompts. Fill in every text between the quotation marks.",
        '# A predicate is said with its parameters in braces: on = "block {x} is on block {y}"',
        "[predicates]",
    ]
    for name, predicate in planning.predicates.items():
        words = " ".join(f"{{{parameter.name.removeprefix('?')}}}" for parameter in predicate.parameters)
        lines.append(f'{_key(name)} = ""  # {f"say {words}" if words else "no parameters"}')
    for name, action in planning.actions.items():
        words = ", ".join(parameter.name.removeprefix("?") for parameter in action.parameters)
        lines += [
            "",
            f"# One sentence that names the action and its parameters ({words or 'none'}), such as",
            "# 'The action \"stack\" has the hand set a block x on top of another block y.'",
            f"[actions.{_key(name)}]",
            'base = ""',
        ]
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    return name if _BARE_KEY.match(name) else json.dumps(name)
