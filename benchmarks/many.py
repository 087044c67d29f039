"""Makes a store with many verdicts, to see how the dashboard bears them: ``python -m benchmarks.many 1000000 FILE``.

The verdicts are made up: models of different strength, actions of different difficulty, drawn with a seed. Texts are as
long as real ones.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from nl2pddl.actions import action_pddl
from nl2pddl.domains import load_library
from nl2pddl.experiment import ModelInfo, RunConfig
from nl2pddl.records import DescriptionClass
from nl2pddl.settings import PROJECT_ROOT
from nl2pddl.store import Store, writes

RUNS, MODELS = 5, 10
_SUBCLASSES = {
    "syntax": ["NoPDDL", "PError", "UToken"],
    "semantic": ["TError", "PAError", "NError", "BPError"],
    "different": ["NoPlan", "NPApp", "OPApp"],
}


def fill(path: Path, verdicts: int) -> int:
    """Store at least so many made-up verdicts in a new file, and give their number."""
    library = load_library(PROJECT_ROOT / "domains")
    actions = [
        (domain.id, name, action_pddl(action), domain.source.sha)
        for domain in library.domains.values()
        for name, action in domain.planning.actions.items()
    ]
    models = tuple(f"made/up-{number}b" for number in range(1, MODELS + 1))
    cells = len(actions) * MODELS * len(DescriptionClass)
    prompts = -(-verdicts // (RUNS * cells))
    config = RunConfig(models, tuple(library.domains), tuple(DescriptionClass), prompts=prompts)
    with Store(path) as store:
        for number in range(RUNS):
            run_id = f"20260101-00000{number}-beef"
            sources = [domain.source for domain in library.domains.values()] if number == 0 else []
            writes.add_run(store, run_id, config, [], sources)
            _fill_run(store, run_id, actions, models, prompts, number)
            writes.add_event(store, run_id, "finished")
        return int(store.rows("SELECT count(*) FROM verdicts")[0][0])


def _fill_run(
    store: Store, run_id: str, actions: list[tuple[str, str, str, str]], models: tuple[str, ...], prompts: int, at: int
) -> None:
    checks = json.dumps(
        [{"problem": f"problem{n}", "original_plans": 100, "new_plans": 100, "new_valid_on_original": 40 + n,
          "original_valid_on_new": 0, "exercised": True, "planner": "solved", "detail": ""} for n in (1, 2)]
    )  # fmt: skip
    with store.transaction() as cursor:
        cursor.execute(
            "CREATE TEMP TABLE actions (number INTEGER, domain VARCHAR, action VARCHAR, text VARCHAR, sha VARCHAR)"
        )
        cursor.executemany("INSERT INTO actions VALUES (?, ?, ?, ?, ?)", [[n, *one] for n, one in enumerate(actions)])
        cursor.execute(
            f"""
            CREATE TEMP TABLE made AS
            SELECT row_number() OVER () - 1 AS item_index, 'made/up-' || (m + 1) || 'b' AS model, m, actions.*,
                   ['base', 'flipped', 'random'][d + 1] AS description_class, p AS sample,
                   (hash(m * 7919 + number * 104729 + d * 13 + p * 31 + {at}) % 10000) / 100.0 AS luck,
                   (hash(p * 17 + number * 3 + m + {at}) % 12)::BIGINT AS literals
            FROM actions, range({len(models)}) models(m), range(3) classes(d), range({prompts}) prompts(p)
            """
        )
        cursor.execute(
            """
            INSERT INTO items BY NAME
            SELECT $run AS run_id, item_index, model, domain, action, description_class, sample,
                   repeat('Given a description of an action, write it in PDDL. ', 40) || action || sample AS prompt,
                   '["gripper/move", "heavy/stack", "forest/walk"]' AS context, sha AS domain_sha
            FROM made
            """,
            {"run": run_id},
        )
        cursor.execute(
            """
            INSERT INTO outputs BY NAME
            SELECT $run AS run_id, item_index, text || chr(10) || '; ' || item_index AS output,
                   'stop string' AS stop_reason, 120 AS new_tokens, 1.5 AS seconds,
                   $info AS model_info,
                   now()::TIMESTAMP AS created_at
            FROM made
            """,
            {"run": run_id, "info": json.dumps(asdict(ModelInfo("made up")))},
        )
        cursor.execute(
            """
            INSERT INTO verdicts BY NAME
            SELECT $run AS run_id, item_index, 'strict' AS protocol, result_class,
                   CASE result_class WHEN 'syntax' THEN ['NoPDDL', 'PError', 'UToken'][literals % 3 + 1]
                       WHEN 'semantic' THEN ['TError', 'PAError', 'NError', 'BPError'][literals % 4 + 1]
                       WHEN 'different' THEN ['NoPlan', 'NPApp', 'OPApp'][literals % 3 + 1] END AS subclass,
                   'made up for ' || action AS reason, text AS action_text,
                   CASE WHEN result_class = 'syntax' THEN NULL ELSE literals END AS action_reconstruction_error,
                   '[]' AS problems, $checks AS cross_checks, 'made up' AS planner_version,
                   'made up' AS validator_version, 0.1 AS seconds,
                   '{"k": 100, "seconds": 30, "memory_mb": 4096}' AS settings,
                   now()::TIMESTAMP AS created_at,
                   CASE WHEN result_class = 'equivalent' THEN true END AS exercised,
                   CASE WHEN result_class = 'equivalent'
                       THEN ['equal', 'different', 'undecided'][literals % 3 + 1] END AS exact
            FROM (SELECT *, CASE WHEN luck < 5 + 3 * m - number % 9 THEN 'equivalent' WHEN luck < 60 THEN 'different'
                                 WHEN luck < 80 THEN 'semantic' ELSE 'syntax' END AS result_class FROM made)
            """,
            {"run": run_id, "checks": checks},
        )
        cursor.execute("DROP TABLE made; DROP TABLE actions")
        cursor.execute(
            "UPDATE runs SET total = (SELECT count(*) FROM items WHERE run_id = $run) WHERE run_id = $run",
            {"run": run_id},
        )


if __name__ == "__main__":
    print(f"{fill(Path(sys.argv[2]), int(sys.argv[1])):,} verdicts in {sys.argv[2]}")
