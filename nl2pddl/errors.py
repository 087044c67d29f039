"""One base error and a few named causes; every message says what was wrong, where, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence


class NL2PDDLError(Exception):
    """Any failure this project can name. The message is meant for the user, not for a traceback."""


class InputError(NL2PDDLError):
    """Something the user gave is wrong (a name, a file, an option). Command line: exit status 2.

    ``problems`` lists everything found wrong, one line each, where there is more to it than the message.
    """

    def __init__(self, message: str, problems: Sequence[str] = ()) -> None:
        self.problems = tuple(problems)
        super().__init__(message)


class DomainError(InputError):
    """A domain folder cannot be used; ``problems`` is everything wrong in it, so that it can be mended in one go."""

    def __init__(self, folder: str, problems: Sequence[str]) -> None:
        self.folder = folder
        super().__init__(f"{folder}: " + "; ".join(problems), problems)


class ModelError(InputError):
    """A model cannot be loaded: unknown name, no weights in the folder, a package missing."""


class OutOfMemoryError(NL2PDDLError):
    """A batch (or a model) does not fit into the device's memory; a smaller one may."""


class StoreError(NL2PDDLError):
    """The result store cannot be read or written."""


class StoreLockedError(StoreError):
    """Another process has the store open. ``pid`` is its process number where DuckDB names it."""

    def __init__(self, message: str, pid: int | None) -> None:
        self.pid = pid
        super().__init__(message)


class StoreFormatError(StoreError, InputError):
    """The file is not a DuckDB database, or one of a newer version of this project."""


class StoreFullError(StoreError):
    """The disk (or a quota) is full. What was committed before stays readable."""


class RunError(NL2PDDLError):
    """A run cannot be started, resumed or cancelled in its present state."""


class PlannerError(NL2PDDLError):
    """The planner is missing or cannot be started at all (never: it found no plan)."""


class ValidatorsDifferError(NL2PDDLError):
    """Two plan validators gave different answers to one plan: a fault of one of them, for a person to look at."""
