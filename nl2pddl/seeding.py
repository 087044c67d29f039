"""Draws without replacement that give the same result on every machine and with every Python version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable


def draw(candidates: Iterable[str], count: int, key: str) -> list[str]:
    """``count`` of the candidates, uniformly without replacement, in the order drawn.

    Each candidate is ranked by the SHA-256 of key and candidate. Unlike ``random``, whose algorithms have changed
    between Python versions, this cannot move; and adding a candidate leaves the rank of the others as it was.
    """
    ranked = sorted(candidates, key=lambda name: hashlib.sha256(f"{key}\x1f{name}".encode()).digest())
    return ranked[:count]
