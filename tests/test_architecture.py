"""The stages import one way only, heavy packages stay out of the way, and files stay short."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

PACKAGE = ROOT / "nl2pddl"

# From the start of the data flow to its end; a module may import from its own rank or from those before it.
RANKS = (
    {"errors", "durations"},
    {"beside"},
    {"records", "sexpr", "settings"},
    {"experiment"},
    {"rules", "study"},
    {"actions", "seeding"},
    {"action_reader", "task", "extraction"},
    {"semantics", "pddl_io", "diffing", "action_metrics"},
    {"domains"},
    {"domain_upload"},
    {"renaming"},
    {"twins"},
    {"descriptions"},
    {"prompts"},
    {"grammar"},
    {"generation"},
    {"planning"},
    {"equivalence", "exact"},
    {"comparing"},
    {"candidate"},
    {"published", "memory"},
    {"classification"},
    {"pipeline"},
    {"judge_process", "judging", "cluster"},
    {"pools"},
    {"bench"},
    {"store"},
    {"corrections", "completion"},
    {"session", "worldmodel"},
    {"runs", "workshop"},
    {"figures", "tables", "statistics", "terms"},
    {"sample_size"},
    {"breakdown"},
    {"reports"},
    {"commands"},
    {"cli", "ui"},
    {"__main__"},
)
ORDER = {name: rank for rank, names in enumerate(RANKS) for name in names}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def room(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "nl2pddl" and len(parts) > 1 and parts[1] in ORDER else None


def test_every_module_has_its_rank() -> None:
    rooms = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in modules()} - {"__init__"}
    assert rooms == set(ORDER)


def test_imports_point_to_the_start_of_the_flow() -> None:
    wrong = []
    for path in modules():
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for name in imports(path):
            other = room(name)
            if other is not None and own in ORDER and ORDER[other] > ORDER[own]:
                wrong.append(f"{own} imports {other}")
    assert wrong == []


@pytest.mark.parametrize(
    ("package", "allowed"),
    [("pddl", {"pddl_io.py"}), ("duckdb", {"store"}), ("streamlit", {"ui"}), ("torch", {"generation"})],
)
def test_a_package_is_imported_in_one_place(package: str, allowed: set[str]) -> None:
    users = {
        path.relative_to(PACKAGE).parts[0]
        for path in modules()
        if any(name.split(".")[0] == package for name in imports(path))
    }
    assert users <= allowed


def test_importing_the_command_line_loads_nothing_heavy() -> None:
    heavy = {"torch", "transformers", "streamlit", "plotly", "scipy"}
    code = f"import sys, nl2pddl.cli; print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_module_says_what_it_is_for_and_stays_short() -> None:
    for path in modules():
        text = path.read_text(encoding="utf-8")
        assert ast.get_docstring(ast.parse(text)), path
        assert text.count("\n") <= 400, path
