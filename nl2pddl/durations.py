"""Times in words, the same on pages and on the command line."""

from __future__ import annotations


def duration(seconds: float) -> str:
    """A time in words: "45 s", "12 min", "3 h 20 min"."""
    whole = round(seconds)
    if whole < 120:
        return f"{whole} s"
    minutes = round(whole / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
