"""Numbered migrations, append-only: a released one is never changed. Index + 1 is the version."""

from __future__ import annotations

# Long structured values are JSON in VARCHAR: no DuckDB extension is needed to read a store.
MIGRATIONS: tuple[str, ...] = (
    # 1: runs, their items, outputs and verdicts.
    """
    CREATE TABLE runs (
        run_id VARCHAR PRIMARY KEY,
        created_at TIMESTAMP NOT NULL,
        name VARCHAR NOT NULL,
        config VARCHAR NOT NULL,
        versions VARCHAR NOT NULL,
        total INTEGER NOT NULL
    );
    CREATE TABLE run_events (
        run_id VARCHAR NOT NULL,
        created_at TIMESTAMP NOT NULL,
        event VARCHAR NOT NULL,
        detail VARCHAR NOT NULL
    );
    CREATE TABLE domains (
        domain_sha VARCHAR PRIMARY KEY,
        domain VARCHAR NOT NULL,
        domain_pddl VARCHAR NOT NULL,
        problems VARCHAR NOT NULL
    );
    CREATE TABLE items (
        run_id VARCHAR NOT NULL,
        item_index INTEGER NOT NULL,
        model VARCHAR NOT NULL,
        domain VARCHAR NOT NULL,
        action VARCHAR NOT NULL,
        description_class VARCHAR NOT NULL,
        sample INTEGER NOT NULL,
        prompt VARCHAR NOT NULL,
        context VARCHAR NOT NULL,
        domain_sha VARCHAR NOT NULL,
        PRIMARY KEY (run_id, item_index)
    );
    CREATE TABLE outputs (
        run_id VARCHAR NOT NULL,
        item_index INTEGER NOT NULL,
        output VARCHAR NOT NULL,
        stop_reason VARCHAR NOT NULL,
        new_tokens INTEGER NOT NULL,
        seconds DOUBLE NOT NULL,
        model_info VARCHAR NOT NULL,
        created_at TIMESTAMP NOT NULL,
        PRIMARY KEY (run_id, item_index)
    );
    CREATE TABLE verdicts (
        run_id VARCHAR NOT NULL,
        item_index INTEGER NOT NULL,
        protocol VARCHAR NOT NULL,
        result_class VARCHAR NOT NULL,
        subclass VARCHAR,
        reason VARCHAR NOT NULL,
        action_text VARCHAR,
        action_reconstruction_error INTEGER,
        problems VARCHAR NOT NULL,
        cross_checks VARCHAR NOT NULL,
        failure VARCHAR,
        planner_version VARCHAR NOT NULL,
        validator_version VARCHAR NOT NULL,
        shortcut VARCHAR,
        seconds DOUBLE NOT NULL,
        settings VARCHAR NOT NULL,
        created_at TIMESTAMP NOT NULL,
        PRIMARY KEY (run_id, item_index, protocol)
    );
    """,
    # 2: facts beside the class, comparisons that can be found again, and the plans of the original domains.
    """
    ALTER TABLE verdicts ADD COLUMN comparison VARCHAR;
    ALTER TABLE verdicts ADD COLUMN action_relation VARCHAR;
    ALTER TABLE verdicts ADD COLUMN plan_relation VARCHAR;
    ALTER TABLE verdicts ADD COLUMN exercised BOOLEAN;
    ALTER TABLE verdicts ADD COLUMN exact VARCHAR;
    ALTER TABLE verdicts ADD COLUMN exact_decisions VARCHAR;
    ALTER TABLE verdicts ADD COLUMN working_plans INTEGER;
    ALTER TABLE verdicts ADD COLUMN comparison_key VARCHAR;
    ALTER TABLE verdicts ADD COLUMN cached BOOLEAN;
    CREATE TABLE original_plans (
        domain_sha VARCHAR NOT NULL,
        problem VARCHAR NOT NULL,
        k INTEGER NOT NULL,
        planner_version VARCHAR NOT NULL,
        heuristic VARCHAR NOT NULL,
        plans VARCHAR NOT NULL,
        created_at TIMESTAMP NOT NULL,
        PRIMARY KEY (domain_sha, problem, k, planner_version)
    );
    """,
    # 3: draws, grammars, correction rounds, thoughts, reused answers, and why an item has no answer.
    """
    ALTER TABLE items ADD COLUMN draw INTEGER DEFAULT 0;
    ALTER TABLE items ADD COLUMN grammar BOOLEAN DEFAULT false;
    ALTER TABLE items ADD COLUMN round INTEGER DEFAULT 0;
    ALTER TABLE items ADD COLUMN dialogue VARCHAR DEFAULT '[]';
    ALTER TABLE outputs ADD COLUMN sent_prompt VARCHAR;
    ALTER TABLE outputs ADD COLUMN prompt_tokens INTEGER DEFAULT 0;
    ALTER TABLE outputs ADD COLUMN thinking VARCHAR DEFAULT '';
    ALTER TABLE outputs ADD COLUMN reused BOOLEAN DEFAULT false;
    ALTER TABLE outputs ADD COLUMN generation_key VARCHAR;
    CREATE TABLE faults (
        run_id VARCHAR NOT NULL,
        item_index INTEGER NOT NULL,
        kind VARCHAR NOT NULL,
        message VARCHAR NOT NULL,
        attempts INTEGER NOT NULL,
        created_at TIMESTAMP NOT NULL
    );
    """,
    # 4: the protocol a run was launched with, beside which its outputs may be judged by the other; notes of people.
    """
    ALTER TABLE runs ADD COLUMN protocol VARCHAR DEFAULT 'strict';
    UPDATE runs SET protocol = 'published' WHERE contains(config, '"protocol": "published"');
    CREATE TABLE notes (
        run_id VARCHAR NOT NULL,
        item_index INTEGER NOT NULL,
        note VARCHAR NOT NULL,
        tag VARCHAR NOT NULL,
        created_at TIMESTAMP NOT NULL
    );
    """,
    # 5: domains under construction, as the events that led to them.
    """
    CREATE TABLE constructions (
        construction_id VARCHAR PRIMARY KEY,
        created_at TIMESTAMP NOT NULL,
        name VARCHAR NOT NULL,
        model VARCHAR NOT NULL,
        setup VARCHAR NOT NULL,
        decoding VARCHAR NOT NULL,
        versions VARCHAR NOT NULL
    );
    CREATE TABLE construction_events (
        construction_id VARCHAR NOT NULL,
        number INTEGER NOT NULL,
        created_at TIMESTAMP NOT NULL,
        kind VARCHAR NOT NULL,
        data VARCHAR NOT NULL,
        completion VARCHAR,
        model_info VARCHAR,
        PRIMARY KEY (construction_id, number)
    );
    """,
    # 6: what constructions are worth: tasks planned with them, errors beside a hand-made model.
    """
    CREATE TABLE task_results (
        construction_id VARCHAR NOT NULL,
        created_at TIMESTAMP NOT NULL,
        events INTEGER NOT NULL,
        example VARCHAR NOT NULL,
        task VARCHAR NOT NULL,
        words VARCHAR NOT NULL,
        problem VARCHAR NOT NULL,
        planner VARCHAR NOT NULL,
        model VARCHAR NOT NULL,
        outcome VARCHAR NOT NULL,
        plan VARCHAR NOT NULL,
        reason VARCHAR NOT NULL,
        turns VARCHAR NOT NULL,
        seconds DOUBLE NOT NULL,
        validator VARCHAR NOT NULL,
        versions VARCHAR NOT NULL
    );
    CREATE TABLE assessments (
        construction_id VARCHAR NOT NULL,
        created_at TIMESTAMP NOT NULL,
        events INTEGER NOT NULL,
        example VARCHAR NOT NULL,
        mapping VARCHAR NOT NULL,
        errors VARCHAR NOT NULL,
        impossible VARCHAR NOT NULL,
        versions VARCHAR NOT NULL
    );
    """,
)
