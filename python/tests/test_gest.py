# SPDX-License-Identifier: MIT
"""The generator interface of libEnsemble, Xopt and Optimas."""

from __future__ import annotations

from typing import Any

import pytest
from gest_api.vocs import VOCS

import vbo
from vbo.gest import VboGenerator


def evaluated(point: dict[str, Any]) -> dict[str, Any]:
    return {**point, "f": (point["x"] - 1) ** 2 + (point["kind"] == "b"), "c": point["x"], "mass": 3.0}


@pytest.fixture
def vocs() -> VOCS:
    return VOCS(
        variables={"x": [-5.0, 5.0], "kind": {"a", "b"}}, objectives={"f": "MINIMIZE"},
        constraints={"c": ["LESS_THAN", 4.0]}, constants={"voltage": 230.0}, observables=["mass"],
    )  # fmt: skip


def test_suggest_and_ingest(vocs: VOCS) -> None:
    generator = VboGenerator(vocs, batch=8, seed=1)
    assert generator.returns_id and len(generator.suggest()) == 8
    for _ in range(6):
        points = generator.suggest(8)
        assert set(points[0]) == {"x", "kind", "voltage", "_id"} and points[0]["voltage"] == 230.0
        generator.ingest([evaluated(point) for point in points])
    best = generator.study.best
    assert best is not None and best.value is not None and best.value < 0.05 and best["kind"] == "a"
    for trial in generator.study.trials():
        if trial.state != "waiting":
            assert (trial.cause == "infeasible") == (trial["x"] > 4)
    generator.finalize()
    with pytest.raises(vbo.Error, match="closed"):
        generator.suggest(1)


def test_own_points_and_unknown_ones(vocs: VOCS) -> None:
    generator = VboGenerator(vocs, method="random")
    generator.ingest([evaluated({"x": 0.5, "kind": "a"})])
    assert generator.study.best is not None and generator.study.best.value == 0.25
    with pytest.raises(ValueError, match="trial 77 does not exist"):
        generator.ingest([evaluated({"x": 0.5, "kind": "a", "_id": 77})])


def test_what_it_does_not_do() -> None:
    with pytest.raises(ValueError, match="objectives: found 2"):
        VboGenerator(VOCS(variables={"x": [0.0, 1.0]}, objectives={"f": "MINIMIZE", "g": "MAXIMIZE"}))
    with pytest.raises(ValueError, match="EXPLORE"):
        VboGenerator(VOCS(variables={"x": [0.0, 1.0]}, objectives={"f": "EXPLORE"}))
    finite = VboGenerator(VOCS(variables={"k": {"a", "b"}}, objectives={"f": "MAXIMIZE"}), method="random")
    with pytest.raises(ValueError, match="num_points: found 3"):
        finite.suggest(3)
