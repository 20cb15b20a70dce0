# SPDX-License-Identifier: MIT
"""What Python adds to an ask and a tell of many: the same study in C++ (ask_speed.cpp) and here,
one thread, CPU time, so that others on the machine hardly matter.

    PYTHONPATH=build/release/python build/python/bin/python benchmarks/python/ask_speed.py build/release/ask_speed
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

import numpy as np

import vbo

ROUNDS, BATCH = 8, 1024


def here(method: str) -> list[float]:
    space = vbo.Space({f"x{i}": vbo.Float(0, 1) for i in range(8)}, n=vbo.Int(1, 64), kind=vbo.Choice(["a", "b", "c"]))
    study = vbo.Study(space, method=method, batch=BATCH, seed=1, budget=ROUNDS * BATCH, threads=1)
    seconds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        trials = study.ask(BATCH)
        values = np.sum([(trials[f"x{i}"] - 0.3) ** 2 for i in range(8)], axis=0)
        study.tell(trials.ids, values)
        seconds.append(time.process_time() - start)
    return seconds


def main() -> None:
    for method in ("random", "sobol", "vbo"):
        ours: list[float] = []
        theirs: list[float] = []
        for _ in range(3 if method == "vbo" else 9):  # alternating, so that both see the same machine
            theirs += map(float, subprocess.run([sys.argv[1], method], capture_output=True, text=True, check=True).stdout.split())
            ours += here(method)
        a, b = statistics.median(ours), statistics.median(theirs)
        print(f"{method:8} ask({BATCH}) and tell: Python {a * 1000:.2f} ms, C++ {b * 1000:.2f} ms, {100 * (a / b - 1):+.1f}%")


if __name__ == "__main__":
    main()
