# SPDX-License-Identifier: MIT
"""vbo with the generator interface of libEnsemble, Xopt and Optimas (the package gest-api).

    from gest_api.vocs import VOCS
    from vbo.gest import VboGenerator

    generator = VboGenerator(VOCS(variables={"x": [-5.0, 5.0]}, objectives={"f": "MINIMIZE"}), batch=8)
    points = generator.suggest(8)
    generator.ingest([{**point, "f": point["x"] ** 2} for point in points])
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from gest_api.generator import Generator
from gest_api.vocs import VOCS, ContextualVariable, ContinuousVariable, DiscreteVariable, ExploreObjective

from ._errors import InvalidInput, NotFound
from ._objectives import Goal
from ._space import Choice, Float, Parameter, Space
from ._study import Method, Option, Study

__all__ = ["VboGenerator"]


class VboGenerator(Generator):  # type: ignore[misc]
    """Suggests with a vbo study. Points carry an ``_id``; results without one are of points that were not suggested.

    Continuous variables become floats, discrete ones choices. One objective; a result that violates a
    constraint or has no finite value counts as failed; observables are kept as metrics.
    """

    returns_id = True

    def __init__(
        self,
        vocs: VOCS,
        *,
        method: Method = "auto",
        batch: int = 1,
        seed: int = 0,
        budget: int = 1000,
        storage: str | os.PathLike[str] | None = None,
        options: Mapping[str, Option] | None = None,
        threads: int = 0,
    ) -> None:
        super().__init__(vocs)
        self.vocs = vocs
        self._objective = next(iter(vocs.objectives))
        goal: Goal = "maximize" if type(vocs.objectives[self._objective]).__name__ == "MaximizeObjective" else "minimize"
        space = Space({name: _parameter_of(variable) for name, variable in vocs.variables.items()})
        self.study = Study(
            space, goal=goal, method=method, batch=batch, seed=seed, budget=budget, storage=storage, options=options,
            threads=threads,
        )  # fmt: skip

    def _validate_vocs(self, vocs: VOCS) -> None:
        if len(vocs.objectives) != 1:
            raise InvalidInput(f"objectives: found {len(vocs.objectives)}, expected 1", "objectives")
        for name, objective in vocs.objectives.items():
            if isinstance(objective, ExploreObjective):
                raise InvalidInput(f'objective "{name}": found EXPLORE, expected MINIMIZE or MAXIMIZE', name)
        for name, variable in vocs.variables.items():
            known = isinstance(variable, (ContinuousVariable, DiscreteVariable))
            if not known or isinstance(variable, ContextualVariable):
                raise InvalidInput(f'variable "{name}": found {variable!r}, expected a continuous or discrete one', name)

    def suggest(self, num_points: int | None = None) -> list[dict[str, Any]]:
        wanted = self.study.batch if num_points is None else num_points
        trials = self.study.ask(wanted)
        if num_points is not None and len(trials) < num_points:
            raise InvalidInput(f"num_points: found {num_points}, expected at most the {len(trials)} points left", "num_points")
        constants = {name: constant.value for name, constant in self.vocs.constants.items()}
        return [{**point, **constants, "_id": id} for id, point in zip(trials.ids.tolist(), trials.points)]

    def ingest(self, results: list[dict[str, Any]]) -> None:
        ours = [result for result in results if "_id" in result]
        others = [result for result in results if "_id" not in result]
        if ours:
            try:
                self.study.tell([result["_id"] for result in ours], **self._outcomes(ours))
            except NotFound as error:  # the interface wants a ValueError
                raise InvalidInput(str(error), "_id") from None
        if others:
            points = [{name: result[name] for name in self.study.space} for result in others]
            self.study.add(points, **self._outcomes(others))

    def _outcomes(self, results: list[dict[str, Any]]) -> dict[str, Any]:
        errors = [self._violated(result) for result in results]
        names = [name for name in self.vocs.observables if all(np.ndim(r.get(name, 0)) == 0 for r in results)]
        return {
            "values": [result.get(self._objective) for result in results],
            "error": errors,
            "cause": "infeasible",
            "metrics": {name: [result.get(name) for result in results] for name in names},
        }

    def _violated(self, result: dict[str, Any]) -> str | None:
        for name, constraint in self.vocs.constraints.items():
            if not constraint.check(result[name]):
                return f"constraint {name} is violated: {result[name]}"
        return None

    def finalize(self) -> None:
        self.study.close()


def _parameter_of(variable: Any) -> Parameter:
    if isinstance(variable, ContinuousVariable):
        return Float(*variable.domain)
    return Choice(sorted(variable.values, key=lambda value: (str(type(value)), value)))
