# SPDX-License-Identifier: MIT
"""A process is killed at any moment, again and again: what was told is there."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

import vbo

from conftest import LONG

VICTIM = """
import sys
import vbo

study = vbo.Study({"x": vbo.Float(-5, 5), "k": vbo.Choice(["a", "b"])}, storage=sys.argv[1], method=sys.argv[2],
                  batch=4, seed=1, budget=1000000, threads=1)
log = open(sys.argv[3], "a", buffering=1)
print("ready", flush=True)
while True:
    trials = study.pending
    if len(trials) == 0:
        trials = study.ask(4)
    values = trials["x"] ** 2
    study.tell(trials.ids, values)
    log.write("".join(f"{id} {value!r}\\n" for id, value in zip(trials.ids.tolist(), values.tolist())))
"""


def size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


@pytest.mark.parametrize(("method", "kills"), [("random", 150 if LONG else 6), ("vbo", 50 if LONG else 2)])
def test_nothing_told_is_lost(tmp_path: Path, method: str, kills: int) -> None:
    storage, log = tmp_path / "study.db", tmp_path / "told.txt"
    chance = random.Random(1)
    for _ in range(kills):
        victim = subprocess.Popen(
            [sys.executable, "-c", VICTIM, storage, method, log], stdout=subprocess.PIPE, text=True
        )
        assert victim.stdout is not None and victim.stdout.readline() == "ready\n"
        # At once or after some results, however slow the machine is, and then anywhere in what comes next.
        enough, patience = size(log) + chance.choice([0, 1, 1, 200, 2000]), time.monotonic() + 60
        while size(log) < enough and time.monotonic() < patience:
            time.sleep(0.001)
        time.sleep(chance.uniform(0.0, 0.02))
        victim.kill()
        victim.wait()
        victim.stdout.close()
    told = dict(line.split() for line in log.read_text().splitlines() if line.count(" ") == 1)
    assert len(told) >= 4 * kills / 10
    with vbo.open(storage) as study:
        assert not study._core.warning()
        stored = {str(trial.id): trial for trial in study.trials()}
        for id, value in told.items():
            assert stored[id].state == "completed" and stored[id].value == float(value)
        completed = [trial for trial in stored.values() if trial.state == "completed"]
        assert all(trial.value == trial["x"] * trial["x"] for trial in completed)  # NumPy squares so, pow() need not
        assert len(completed) - len(told) <= 4 * kills  # at most the batch whose log line was cut off
        assert len(study.pending) in (0, 4)
