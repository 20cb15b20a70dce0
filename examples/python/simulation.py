# SPDX-License-Identifier: MIT
"""A simulation that is a program of its own: started once per evaluation, several at a time, with a time limit.

(`vbo run study.toml` does this without any Python; here you may do what you like before and after.)
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import vbo

# A program that reads its arguments and prints a number, and now and then one that hangs or breaks.
PROGRAM = """
import sys, time
length, width = map(float, sys.argv[1:])
if length > 9.5:
    time.sleep(60)
if width < 0.2:
    sys.exit("the mesh has collapsed")
print((length - 4) ** 2 + (width - 1.5) ** 2)
"""


def simulate(p: dict[str, Any]) -> float:
    command = [sys.executable, "-c", PROGRAM, str(p["length"]), str(p["width"])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=5)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return float(done.stdout)


space = vbo.Space(length=vbo.Float(1, 10), width=vbo.Float(0.1, 4))

if __name__ == "__main__":
    best = vbo.minimize(simulate, space, budget=40, workers=4, seed=1)
    print(f"best {best.value:.4f} at {best.point}")
    for trial in best.study.trials():
        if trial.error:
            print(f"trial {trial.id} failed: {trial.error[:60]}")
