"""The DuckDB store: numbered migrations, writes of records, and read queries that return frames."""

from nl2pddl.store.database import Store
from nl2pddl.store.recall import StoreMemory

__all__ = ["Store", "StoreMemory"]
