# SPDX-License-Identifier: MIT
"""A Python function, evaluated by eight threads, kept in a file: start it again and it goes on."""

from __future__ import annotations

import math
import time
from typing import Any

import vbo


def noise_of_a_pump(p: dict[str, Any]) -> float:
    """Stands for something slow that releases the GIL: a measurement, a request, a simulation."""
    time.sleep(0.01)
    if p["speed"] * p["blades"] > 30_000:
        raise vbo.Infeasible("the motor cannot do that")
    wear = {"steel": 1.3, "bronze": 1.0, "plastic": 1.7}[p["material"]]
    turbulence = (p["blades"] - 7) ** 2 / 20 + p["gap"] * 3 + 0.01 / p["gap"]
    return wear * (2 + math.sin(p["speed"] / 300)) + float(turbulence)


space = vbo.Space(
    speed=vbo.Float(500, 6000),
    blades=vbo.Int(3, 12),
    gap=vbo.Float(0.01, 1.0, log=True),
    material=vbo.Choice(["steel", "bronze", "plastic"]),
)

if __name__ == "__main__":
    best = vbo.minimize(noise_of_a_pump, space, budget=160, workers=8, seed=1, storage="pump.db")
    print(f"{best.ended} after {best.study.counts.completed} good and {best.study.counts.failed} failed evaluations")
    print(f"best {best.value:.4f} at {best.point}")
    best.study.close()
