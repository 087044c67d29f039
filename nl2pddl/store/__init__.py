"""The DuckDB store: numbered migrations, writes of records, and read queries that return frames."""

from nl2pddl.store.database import Store

__all__ = ["Store"]
