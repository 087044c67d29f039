"""The workshop: works on constructions in background threads, for the dashboard. Knows nothing of Streamlit.

What is done is in the store as it happens, so whatever ends when, nothing is lost but the answer being waited for. One
piece of work a construction at a time: two would write its next event at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from enum import StrEnum

from nl2pddl.beside import run_beside
from nl2pddl.errors import NL2PDDLError, RunError
from nl2pddl.generation import open_backend
from nl2pddl.generation.driver import OpenBackend
from nl2pddl.settings import Settings
from nl2pddl.store import Store
from nl2pddl.worldmodel import session
from nl2pddl.worldmodel.brief import load_example
from nl2pddl.worldmodel.using import TaskChoice, assessed, keep_assessment, put_into_pddl, run_tasks

_MOST_SECONDS = 3600.0  # of an assessment


class Kind(StrEnum):
    """What is being done."""

    BUILD = "asking the model"
    PLAN = "planning tasks"
    ASSESS = "counting errors"


class Doing:
    """A piece of work on a construction, and where it stands. ``fault`` says what ended it too early, "" if nothing."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.done = 0
        self.total = 0
        self.fault = ""
        self.stopped = threading.Event()
        self.ended = threading.Event()

    @property
    def is_under_way(self) -> bool:
        """Whether it has not ended yet."""
        return not self.ended.is_set()


class Workshop:
    """Owns the work on the store's constructions in this process."""

    def __init__(self, store: Store, settings: Settings, open_model: OpenBackend = open_backend) -> None:
        self.store = store
        self.settings = settings
        self._open_model = open_model
        self._doing: dict[str, Doing] = {}
        self._lock = threading.Lock()

    def build(self, construction_id: str) -> Doing:
        """Ask the model until it is a person's turn."""
        return self._start(construction_id, Kind.BUILD, lambda doing: self._build(construction_id, doing))

    def plan(self, construction_id: str, choice: TaskChoice) -> Doing:
        """Plan tasks; each result is stored."""
        return self._start(construction_id, Kind.PLAN, lambda doing: self._plan(construction_id, choice, doing))

    def plan_in_words(self, construction_id: str, objects: str, init: str, words: str, choice: TaskChoice) -> Doing:
        """Have the model put a goal into PDDL, then plan that task."""
        return self._start(
            construction_id,
            Kind.PLAN,
            lambda doing: self._plan_in_words(construction_id, (objects, init, words), choice, doing),
        )

    def assess(self, construction_id: str, example: str) -> Doing:
        """Count the errors against an example's hand-made model, and decide which change plans; all is stored."""
        return self._start(construction_id, Kind.ASSESS, lambda doing: self._assess(construction_id, example, doing))

    def doing(self, construction_id: str) -> Doing | None:
        """The last piece of work on a construction in this process, under way or ended."""
        with self._lock:
            return self._doing.get(construction_id)

    def stop(self, construction_id: str) -> None:
        """End the work on a construction as soon as may be; an answer that is half there is dropped."""
        doing = self.doing(construction_id)
        if doing is not None:
            doing.stopped.set()

    def close(self) -> None:
        """Stop everything and wait for it. The store stays open: it belongs to the caller."""
        with self._lock:
            doings = list(self._doing.values())
        for doing in doings:
            doing.stopped.set()
        for doing in doings:
            doing.ended.wait(30)

    def _start(self, construction_id: str, kind: Kind, work: Callable[[Doing], None]) -> Doing:
        session.load(self.store, construction_id)  # where there is none, that is said at once
        with self._lock:
            before = self._doing.get(construction_id)
            if before is not None and before.is_under_way:
                raise RunError(f"{before.kind} is under way for this construction; wait for it, or stop it")
            doing = self._doing[construction_id] = Doing(kind)
        threading.Thread(target=self._run, args=(doing, work), name="workshop", daemon=True).start()
        return doing

    def _run(self, doing: Doing, work: Callable[[Doing], None]) -> None:
        try:
            work(doing)
        except CancelledError:
            pass
        except NL2PDDLError as error:
            doing.fault = str(error)
        except Exception as error:
            # Whatever it is, it belongs on the page that waits for this; here is only a thread.
            doing.fault = f"{type(error).__name__}: {error}"
        finally:
            doing.ended.set()

    def _build(self, construction_id: str, doing: Doing) -> None:
        def tell(work: session.Work) -> None:
            doing.done = work.construction.taken

        setup = session.load(self.store, construction_id).construction.setup
        doing.total = setup.passes * len(setup.brief.actions)
        session.work_on(
            self.store, construction_id, self._open_model, self.settings.data_dir, doing.stopped.is_set, tell
        )

    def _plan(self, construction_id: str, choice: TaskChoice, doing: Doing) -> None:
        doing.total = len(load_example(choice.example).tasks if choice.example else choice.own)
        results = run_tasks(
            self.store, construction_id, choice, self._open_model, self.settings.data_dir, doing.stopped.is_set
        )
        for _ in results:
            doing.done += 1

    def _plan_in_words(
        self, construction_id: str, texts: tuple[str, str, str], choice: TaskChoice, doing: Doing
    ) -> None:
        doing.total = 2
        own = put_into_pddl(
            self.store, construction_id, texts, choice, self._open_model, self.settings.data_dir, doing.stopped.is_set
        )
        if own is None:
            return
        doing.done = 1
        for _ in run_tasks(self.store, construction_id, own, self._open_model, self.settings.data_dir):
            doing.done += 1

    def _assess(self, construction_id: str, example: str, doing: Doing) -> None:
        def report(at: object) -> None:
            doing.done, doing.total = at  # type: ignore[misc]

        work = session.load(self.store, construction_id)
        found = run_beside(
            assessed, work.construction, example, True, seconds=_MOST_SECONDS, stopped=doing.stopped, report=report
        )
        keep_assessment(self.store, work, example, found)
