"""What leads from one answer to the next prompt: corrections, whole domains, faults, draws and grammars."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from nl2pddl.actions import action_pddl
from nl2pddl.domains import DomainLibrary
from nl2pddl.errors import InputError
from nl2pddl.experiment import (
    WHOLE_DOMAIN,
    Completion,
    Decoding,
    Fault,
    ModelInfo,
    RunConfig,
    RunKind,
    RunStatus,
)
from nl2pddl.generation import GenerationRequest
from nl2pddl.generation.base import never
from nl2pddl.records import EvaluationSettings, Protocol
from nl2pddl.runs import RunManager
from nl2pddl.session import Session
from nl2pddl.settings import Settings
from nl2pddl.store import Store, queries

Answer = Callable[[GenerationRequest], Completion | Fault]


class Model:
    """A model that answers as a test wants it to, and remembers what it was asked."""

    trouble = ""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.info = ModelInfo("scripted:none", "r1", "float32")
        self.asked: list[GenerationRequest] = []
        self.opened = 0

    def open(self, name: str, decoding: Decoding, data_dir: Path) -> Model:
        self.opened += 1
        return self

    def key(self, request: GenerationRequest) -> str | None:
        return f"{request.prompt}|{request.seed}|{request.grammar and request.grammar.action}"

    def generate(
        self, requests: Sequence[GenerationRequest], should_stop: Callable[[], bool] = never
    ) -> list[Completion | Fault]:
        self.asked += requests
        return [self.answer(request) for request in requests]

    def close(self) -> None:
        pass


@pytest.fixture
def run(
    store: Store, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., tuple[str, RunManager, Model]]]:
    """Runs an experiment with a model that answers by a function."""
    managers = []
    monkeypatch.setattr("nl2pddl.runs.check_model", lambda name: None)
    monkeypatch.setattr("nl2pddl.runs.check_grammar", lambda name: None)
    monkeypatch.setattr("nl2pddl.runs.check_answers", lambda name, domain, actions: None)

    def start(answer: Answer, **options: object) -> tuple[str, RunManager, Model]:
        model = Model(answer)
        manager = RunManager(store, settings, model.open)
        managers.append(manager)
        config = RunConfig(**{"models": ("scripted:none",), "domains": ("blocksworld",), **options})  # type: ignore[arg-type]
        run_id = manager.launch(config)
        assert manager.wait(run_id, 240)
        return run_id, manager, model

    yield start
    for manager in managers:
        manager.close()


def say(text: str) -> Completion:
    return Completion(text, "end of text", 5, 0.1, prompt_tokens=7)


@pytest.fixture
def truth(library: DomainLibrary) -> dict[str, str]:
    actions = library.find("blocksworld").planning.actions
    return {name: action_pddl(action) for name, action in actions.items()}


RunIt = Callable[..., tuple[str, RunManager, Model]]


def test_failed_answers_are_corrected_round_by_round(run: RunIt, truth: dict[str, str]) -> None:
    lacking = truth["stack"].replace("        (clear ?y)\n", "", 1)

    def answer(request: GenerationRequest) -> Completion:
        if request.action == "put-down":
            return say("I cannot.")
        if request.action == "stack":
            return say([truth["stack"][:-3], lacking, truth["stack"]][request.round])
        return say(truth[request.action])

    run_id, manager, model = run(answer, rounds=3)
    frame = queries.results_frame(manager.store, [run_id])
    by_action = {
        name: list(zip(group["round"], group["result_class"], group["subclass"].fillna(""), strict=True))
        for name, group in frame.groupby("action")
    }
    assert by_action == {
        "pick-up": [(0, "equivalent", "")],
        "unstack": [(0, "equivalent", "")],
        "put-down": [(number, "syntax", "NoPDDL") for number in range(4)],
        "stack": [(0, "syntax", "PError"), (1, "different", "NPApp"), (2, "equivalent", "")],
    }
    assert manager.progress(run_id).status is RunStatus.FINISHED
    assert manager.progress(run_id).total == 4 + 2 + 2 + 1
    third = next(request for request in model.asked if request.action == "stack" and request.round == 2)
    assert [turn.role for turn in third.dialogue] == ["user", "assistant", "user", "assistant", "user"]
    assert "parentheses" in third.dialogue[2].content
    assert "plan validator" in third.dialogue[4].content
    assert third.prompt.endswith("PDDL Action:")
    assert lacking in third.prompt
    assert model.opened == 1


def test_a_resumed_run_goes_on_with_its_rounds(run: RunIt, truth: dict[str, str], settings: Settings) -> None:
    faults: list[int] = []

    def answer(request: GenerationRequest) -> Completion | Fault:
        if request.round == 1 and not faults:
            faults.append(request.index)
            return Fault("server", "it is down", 6)
        return say("no" if request.round < 2 else truth[request.action])

    run_id, manager, model = run(answer, rounds=2)
    progress = manager.progress(run_id)
    assert (progress.status, progress.faults) == (RunStatus.FAILED, 1)
    assert "1 item has no answer, and not by the model's fault" in progress.message
    assert "server: it is down" in progress.message
    assert progress.judged == progress.generated == 4 + 3 + 3
    manager.resume(run_id)
    assert manager.wait(run_id, 120)
    progress = manager.progress(run_id)
    assert (progress.status, progress.total, progress.judged, progress.faults) == (RunStatus.FINISHED, 12, 12, 0)
    assert len(model.asked) == 4 + 4 + 3 + 1 + 1


def test_a_fault_is_never_a_verdict(run: RunIt) -> None:
    run_id, manager, _ = run(lambda request: Fault("connection", "refused", 6))
    assert manager.progress(run_id).status is RunStatus.FAILED
    assert queries.results_frame(manager.store, [run_id]).empty
    faults = queries.latest_faults(manager.store, run_id)
    assert list(faults["item_index"]) == [0, 1, 2, 3]
    assert set(faults["attempts"]) == {6}


def test_a_whole_domain_is_generated_step_by_step_and_judged(run: RunIt, truth: dict[str, str]) -> None:
    run_id, manager, model = run(lambda request: say(truth[request.action]), kind=RunKind.DOMAIN, prompts=2)
    frame = queries.results_frame(manager.store, [run_id])
    assert list(frame["action"]) == ["pick-up", "put-down", "stack", "unstack", WHOLE_DOMAIN] * 2
    assert set(frame["result_class"]) == {"equivalent"}
    last = [request for request in model.asked if request.action == "unstack"]
    assert len(last) == 2
    for name in ("pick-up", "put-down", "stack"):
        assert last[0].prompt.count(truth[name]) == 1
    assert last[0].prompt.count("Input:\n") == 3 + 4
    detail = queries.item_detail(manager.store, run_id, 3)
    assert detail.item.prompt == next(request for request in last if request.index == 3).prompt
    whole = queries.item_detail(manager.store, run_id, 4)
    assert "(define (domain" in whole.output
    assert truth["stack"] in whole.output
    assert whole.verdict["cross_checks"][0]["original_plans"] > 0


def test_a_whole_domain_with_faults_says_which(run: RunIt, truth: dict[str, str]) -> None:
    wrong = {
        **truth,
        "stack": truth["stack"].replace("holding", "hold"),
        "put-down": "I refuse.",
    }
    run_id, manager, model = run(lambda request: say(wrong[request.action]), kind=RunKind.DOMAIN)
    whole = queries.item_detail(manager.store, run_id, 4)
    assert (whole.verdict["result_class"], whole.verdict["subclass"]) == ("syntax", "NoPDDL")
    assert "2 of 4 actions cannot be planned with; put-down: " in whole.verdict["reason"]
    assert "; no action was found for put-down" in whole.output
    last = next(request for request in model.asked if request.action == "unstack")
    assert "I refuse." not in last.prompt


def test_a_whole_domain_that_plans_differently(run: RunIt, truth: dict[str, str]) -> None:
    loose = {**truth, "stack": truth["stack"].replace("        (clear ?y)\n", "", 1)}
    run_id, manager, _ = run(lambda request: say(loose[request.action]), kind=RunKind.DOMAIN)
    frame = queries.results_frame(manager.store, [run_id]).set_index("action")
    assert frame.loc[WHOLE_DOMAIN, "subclass"] == "NPApp"
    assert frame.loc[WHOLE_DOMAIN, "are"] == frame.loc["stack", "are"] == 1
    assert frame.loc["unstack", "result_class"] == "equivalent"


def test_draws_and_grammars_make_items_of_their_own(run: RunIt, truth: dict[str, str]) -> None:
    run_id, manager, model = run(
        lambda request: say(truth[request.action]),
        draws=2,
        grammars=(False, True),
        decoding=Decoding(temperature=0.7),
    )
    frame = queries.results_frame(manager.store, [run_id])
    assert len(frame) == 4 * 2 * 2
    assert sorted(zip(frame["draw"], frame["grammar"], strict=True))[::4] == [
        (0, False), (0, True), (1, False), (1, True),
    ]  # fmt: skip
    held = {request.index for request in model.asked if request.grammar is not None}
    assert held == set(frame[frame["grammar"]]["item_index"])
    seeds = {(request.action, request.draw): set() for request in model.asked}  # type: ignore[var-annotated]
    for request in model.asked:
        seeds[request.action, request.draw].add(request.seed)
    assert {len(found) for found in seeds.values()} == {1}
    assert len({seed for found in seeds.values() for seed in found}) == 8


def test_an_answer_is_found_again_in_a_later_run(run: RunIt, truth: dict[str, str]) -> None:
    first, manager, model = run(lambda request: say(truth[request.action]))
    second, _, again = run(lambda request: say("never asked"))
    assert (len(model.asked), len(again.asked)) == (4, 0)
    frame = queries.results_frame(manager.store, [first, second])
    # By run: two runs of one second are in no certain order.
    assert frame.groupby("run_id")["reused"].agg(list).to_dict() == {first: [False] * 4, second: [True] * 4}
    assert set(frame["result_class"]) == {"equivalent"}


def test_chosen_items_only(run: RunIt) -> None:
    run_id, manager, model = run(lambda request: say("x"), items=(1, 3), prompts=1)
    assert [request.action for request in model.asked] in (["put-down", "unstack"], ["unstack", "put-down"])
    assert manager.progress(run_id).total == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"draws": 2}, "temperature above 0"),
        ({"prompts": 1_000_000}, "4,000,000 items, and a run takes at most"),
        ({"domains": ("blocksworld~nonsense~7", "blocksworld~nonsense~007")}, "a domain is chosen twice"),
        ({"domains": ("blocksworld", "BLOCKSWORLD")}, "a domain is chosen twice"),
        ({"draws": 0}, "at least one answer"),
        ({"seed": -5}, "the seed must be from 0"),
        ({"seed": 2**60}, "the seed must be from 0"),
        ({"grammars": ()}, "held to the grammar"),
        ({"rounds": -1}, "rounds must be from 0 to 20"),
        ({"grammars": (True,), "decoding": Decoding(max_new_tokens=100)}, "'blocksworld' may need 1[0-9]+ new tokens"),
        ({"decoding": Decoding(temperature=-1.0)}, "temperature"),
        ({"decoding": Decoding(top_p=0.0)}, "top-p"),
        ({"kind": RunKind.DOMAIN, "rounds": 1}, "without"),
        ({"kind": RunKind.DOMAIN, "evaluation": EvaluationSettings(protocol=Protocol.PUBLISHED)}, "protocol strict"),
    ],
)
def test_what_cannot_be_run_is_refused(run: RunIt, options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        run(lambda request: say("x"), **options)


def test_a_dry_run_takes_three_prompts_and_tells_what_the_whole_would_take(
    run: RunIt, truth: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = tmp_path / "models.toml"
    listed.write_text('[[model]]\nname = "scripted:none"\nid = "a/b"\nprice_input = 1e6\nprice_output = 2e6\n')
    monkeypatch.setenv("NL2PDDL_MODELS", str(listed))
    _, manager, _ = run(lambda request: say(truth[request.action]))
    config = RunConfig(models=("scripted:none",), domains=("blocksworld",), prompts=5)
    dry = manager.dry_run(config)
    assert manager.wait(dry, 120)
    assert manager.progress(dry).total == 3
    estimate = manager.estimate(dry, config)
    assert estimate.items == 20
    assert estimate.seconds >= 20 * 0.1
    assert estimate.dollars == pytest.approx(20 * (7 * 1 + 5 * 2))


def test_chosen_cells_run_again_as_a_run_of_their_own(run: RunIt) -> None:
    run_id, manager, _ = run(lambda request: say(f"no {request.action}"), rounds=1, items=(1, 2, 3))
    assert manager.progress(run_id).total == 6
    again = manager.again(run_id, [0, 5])  # of stack the correction
    assert manager.wait(again, 120)
    frame = queries.results_frame(manager.store, [again])
    assert sorted(set(frame["action"])) == ["put-down", "unstack"]
    with pytest.raises(InputError, match="at least one"):
        manager.again(run_id, [])


def test_paused_and_resumed(store: Store, settings: Settings, tmp_path: Path) -> None:
    from tests.conftest import write_script

    manager = RunManager(store, settings)
    model = write_script(tmp_path / "slow.jsonl", [{"output": "x", "seconds": 0.2}])
    run_id = manager.launch(RunConfig(models=(model,), domains=("blocksworld",), prompts=20))
    while manager.progress(run_id).generated == 0:
        pass
    manager.pause(run_id)
    assert manager.wait(run_id, 60)
    assert manager.progress(run_id).status is RunStatus.PAUSED
    write_script(tmp_path / "slow.jsonl", [{"output": "x"}])
    manager.resume(run_id)
    assert manager.wait(run_id, 120)
    assert manager.progress(run_id).status is RunStatus.FINISHED
    manager.close()


def test_a_verdict_that_is_handed_on_late_is_still_corrected(
    run: RunIt, truth: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A future is done before its callbacks have run: what waits for it alone may be too early."""
    real = Session._judge

    def slow(self: Session, pool: Any, *arguments: Any) -> None:
        real(self, _Slow(pool), *arguments)

    class _Slow:
        def __init__(self, pool: Any) -> None:
            self.pool = pool

        def submit(self, task: Any) -> Future[Any]:
            future: Future[Any] = self.pool.submit(task)
            future.add_done_callback(lambda _: time.sleep(0.6))
            return future

    monkeypatch.setattr(Session, "_judge", slow)
    run_id, manager, _ = run(lambda asked: say(truth[asked.action] if asked.round else "no"), rounds=1, items=(0,))
    frame = queries.results_frame(manager.store, [run_id])
    assert list(zip(frame["round"], frame["result_class"], strict=True)) == [(0, "syntax"), (1, "equivalent")]
    assert manager.progress(run_id).status is RunStatus.FINISHED
