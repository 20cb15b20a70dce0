# SPDX-License-Identifier: MIT
"""Counts, recommendations and importances of a study."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass

from ._trials import Trial


@dataclass(frozen=True)
class Counts:
    """How many trials there are in each state."""

    waiting: int
    running: int
    completed: int
    failed: int


@dataclass(frozen=True)
class Recommended:
    """What to use: a trial, and under noise the estimate of the objective at its point.

    Attributes:
        noise: ``"present"``, ``"none"`` (with evidence) or ``"unknown"``; only the first has `low`, `high`, `chance`.
        value: What was observed there, the mean of `evaluations` results.
        mean: The estimate, `value` without noise; `low` and `high` are its 90% interval.
        chance: Probability of being the best of the points tried.
        deviation: Standard deviation of the noise of one result.
    """

    trial: Trial
    noise: str
    value: float
    mean: float
    low: float | None = None
    high: float | None = None
    chance: float | None = None
    evaluations: int = 1
    deviation: float | None = None


@dataclass(frozen=True)
class Importance:
    """How much a parameter tells about the rank of the outcome.

    Attributes:
        nats: The information, not below 0; `low` and `high` are its 95% interval.
        together: What it tells together with another parameter beyond what each tells alone.
    """

    nats: float
    low: float
    high: float
    together: dict[str, float]


def recommended_from(trial: Trial, text: str) -> Recommended:
    found = json.loads(text)
    noise, point = found["noise"], found["estimate"]
    if point is None:
        value = math.nan if trial.value is None else trial.value
        return Recommended(trial, noise["verdict"], value, value)
    return Recommended(
        trial, noise["verdict"], point["observed"], point["mean"], point["low"], point["high"], point["chance"],
        point["evaluations"], noise["deviation"],
    )  # fmt: skip


def importance_from(text: str, objective: str | None) -> dict[str, Importance]:
    """Of the objective that is named, where there are several."""
    return {
        entry["parameter"]: Importance(
            entry["nats"], entry["low"], entry["high"], {pair["with"]: pair["nats"] for pair in entry["together"]}
        )
        for entry in json.loads(text)
        if entry.get("objective", objective) == objective
    }
