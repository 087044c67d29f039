"""Outputs judged a second: by class, with one worker and with two, with and without the cache."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from benchmarks.material import ROOT, Material, material

PUBLISHED_SECONDS = 1.22  # an output, the published code on two such cores (docs/protocols.md)


def evaluated(outputs: Path, domains: Path, *options: str) -> tuple[float, list[dict[str, object]]]:
    """The wall time of one ``evaluate`` and its verdicts."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "verdicts.jsonl"
        command = [
            sys.executable,
            "-m",
            "nl2pddl",
            "evaluate",
            str(outputs),
            "--domains",
            str(domains),
            "--out",
            str(out),
        ]
        started = time.perf_counter()
        subprocess.run([*command, *options], check=True, cwd=ROOT, stderr=subprocess.DEVNULL)
        seconds = time.perf_counter() - started
        return seconds, [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def by_class(verdicts: list[dict[str, object]]) -> None:
    """Outputs a second within each class, from the time each verdict took."""
    times: dict[str, list[float]] = defaultdict(list)
    for verdict in verdicts:
        times[f"{verdict['class']} {verdict['subclass'] or ''}".strip()].append(float(str(verdict["seconds"])))
    for name, values in sorted(times.items()):
        print(f"  {name:24} {len(values):4} outputs  {len(values) / sum(values):8.1f} a second")


def measure(found: Material, outputs: Path) -> None:
    count = len(found.lines)
    plain = ("--no-cache", "--validator", "ours")
    one, verdicts = evaluated(outputs, found.domains, "--workers", "1", *plain)
    by_class(verdicts)
    two, again = evaluated(outputs, found.domains, "--workers", "2", *plain)
    cached, _ = evaluated(outputs, found.domains, "--workers", "1", "--validator", "ours")
    published, _ = evaluated(outputs, found.domains, "--workers", "1", "--no-cache", "--protocol", "published")
    same = [(a["class"], a["subclass"]) for a in verdicts] == [(b["class"], b["subclass"]) for b in again]
    print(f"one worker, no cache:  {one / count:.3f} s an output ({one:.1f} s in all)")
    print(f"two workers:           {one / two:.2f} times as fast; the same verdicts: {same}")
    print(f"with the cache:        {one / cached:.2f} times as fast")
    print(f"protocol published:    {published / count:.3f} s an output; the published code took {PUBLISHED_SECONDS} s")


def main() -> None:
    found = material()
    print(f"{len(found.lines)} outputs, {found.source}")
    with tempfile.TemporaryDirectory() as folder:
        outputs = Path(folder) / "outputs.jsonl"
        outputs.write_text("".join(json.dumps(line) + "\n" for line in found.lines), encoding="utf-8")
        measure(found, outputs)
