from __future__ import annotations

import pytest

from nl2pddl.domains import DomainLibrary
from nl2pddl.errors import InputError
from nl2pddl.experiment import Completion, ModelInfo, RunConfig
from nl2pddl.pipeline import EvaluationTask, Evaluator
from nl2pddl.records import EvaluationSettings, Protocol
from nl2pddl.rejudging import judge_again, other_protocol
from nl2pddl.runs import items_of
from nl2pddl.settings import Settings
from nl2pddl.store import Store, queries, writes

# A ":strips" action with its keyword in upper case: strict reads it, the published code does not find ":parameters".
OUTPUT = "(:action move :PARAMETERS (?from ?to - room) :precondition (at-robby ?from) :effect (at-robby ?to))"


def test_both_verdicts_are_kept_and_no_third_is_made(
    store: Store, settings: Settings, library: DomainLibrary, evaluator: Evaluator
) -> None:
    config = RunConfig(("m",), ("gripper",), evaluation=EvaluationSettings(k=5))
    source = library.find("gripper").source
    items = items_of(config, library)
    index = next(item.index for item in items if item.action == "move")
    writes.add_run(store, "r", config, items, [source])
    writes.add_outputs(store, "r", [writes.Output(index, Completion(OUTPUT, "length", 1, 0.1), ModelInfo("m"))])
    strict = evaluator.evaluate(EvaluationTask(source, "move", OUTPUT, config.evaluation))
    writes.add_verdicts(store, "r", [(index, strict)], config.evaluation)

    assert other_protocol(queries.item_detail(store, "r", index)) is Protocol.PUBLISHED
    again = judge_again(store, settings, "r", index)
    assert (strict.result_class, again.result_class, again.subclass) == ("different", "syntax", "NoPDDL")
    detail = queries.item_detail(store, "r", index, "published")
    assert detail.protocols == ("strict", "published")
    assert detail.verdict["subclass"] == "NoPDDL"
    assert detail.verdict["settings"]["k"] == 5
    assert other_protocol(detail) is None
    with pytest.raises(InputError, match="it has both verdicts"):
        judge_again(store, settings, "r", index)
