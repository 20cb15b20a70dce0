# SPDX-License-Identifier: MIT
"""A robot that mixes eight vials at a time. Somebody may switch it off whenever they like.

What was suggested and what was measured is in robot.db before the next step, so starting this again goes on where
it was: vials that were not measured are mixed again, nothing else. Meanwhile `vbo status robot.db` shows how it goes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import vbo

VIALS = 8
space = vbo.Space(
    temperature=vbo.Float(20, 80),
    minutes=vbo.Int(5, 120, log=True),
    catalyst=vbo.Float(0.01, 5.0, log=True),
    solvent=vbo.Choice(["water", "ethanol", "toluene"]),
)


def mix_and_measure(vials: Sequence[vbo.Trial]) -> list[tuple[float, float] | str]:
    """Stands for the robot: yield and purity of each vial, or what went wrong."""
    results: list[tuple[float, float] | str] = []
    for vial in vials:
        if vial["solvent"] == "ethanol" and vial["temperature"] > 78:
            results.append("boiled over")
            continue
        heat = math.exp(-(((vial["temperature"] - 62) / 15) ** 2))
        time = 1 - math.exp(-vial["minutes"] / 30)
        amount = math.exp(-(math.log(vial["catalyst"] / 0.5) ** 2))
        solvent = {"water": 0.5, "ethanol": 1.0, "toluene": 0.8}[vial["solvent"]]
        results.append((100 * heat * time * amount * solvent, 99 - vial["catalyst"]))
    return results


with vbo.Study(space, goal="maximize", batch=VIALS, seed=2, budget=12 * VIALS, storage="robot.db") as study:
    if study.counts.completed == 0:  # what the lab had measured before
        study.add({"temperature": [25.0, 60.0], "minutes": [60, 60], "catalyst": [1.0, 1.0], "solvent": ["water", "ethanol"]},
                  [1.2, 53.0])  # fmt: skip
    while study.counts.completed + study.counts.failed < study.budget:
        plate = list(study.pending) or list(study.ask(VIALS))
        for vial, result in zip(plate, mix_and_measure(plate)):
            if isinstance(result, str):
                study.tell(vial, error=result, cause="infeasible")
            else:
                study.tell(vial, result[0], metrics={"purity": result[1]})
    best = study.best
    assert best is not None and best.value is not None
    print(f"yield {best.value:.1f}% in trial {best.id}: {best.point}")
