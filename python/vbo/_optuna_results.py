# SPDX-License-Identifier: MIT
"""Results of Optuna's trials, as vbo takes them: values, constraints, durations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import optuna
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from ._objectives import Goal
from ._space import Space

CONSTRAINTS = "constraints"  # the attribute in which all samplers of Optuna keep them


def goals_of(study: optuna.Study, parameters: Iterable[str], names: Sequence[str] | None = None) -> dict[str, Any]:
    """The goal, or with several objectives the goals, as arguments of a study of ours. Names that are not different, or
    those of parameters, are not taken."""
    goals: list[Goal] = ["minimize" if d == StudyDirection.MINIMIZE else "maximize" for d in study.directions]
    if len(goals) == 1:
        return {"goal": goals[0]}
    taken, prefix = set(parameters), "value_"
    if not names or len({*names} - taken) != len(goals):
        while any(f"{prefix}{i}" in taken for i in range(len(goals))):
            prefix += "_"
        names = [f"{prefix}{i}" for i in range(len(goals))]
    return {"goals": dict(zip(names, goals))}


def amounts_of(trial: FrozenTrial) -> list[float]:
    """What constraints_func returned: above 0 is violated."""
    return [float(amount) for amount in trial.constraints.values()]


def count_constraints(trials: Sequence[FrozenTrial]) -> int:
    """Of the first trial that has some; all others have as many."""
    return next((len(found) for trial in trials if trial.state.is_finished() and (found := amounts_of(trial))), 0)


def _limit(i: int) -> str:
    return f"constraint_{i}"


def limited(space: Space, limits: int) -> Space:
    for i in range(limits or 0):
        space = space.limit(_limit(i), at_most=0)
    return space


def results_of(trials: Sequence[FrozenTrial], limits: int | None) -> dict[str, Any]:
    """Values of trials that have ended, with how far constraints are violated, or why they have none. `limits` is how many
    constraints each has; None: that does not matter."""
    values: list[Any] = []
    errors: list[str | None] = []
    metrics: dict[str, list[float]] = {_limit(i): [] for i in range(limits or 0)}
    for trial in trials:
        amounts = amounts_of(trial)
        value, error = _result(trial)
        if error is None and limits is not None and len(amounts) != limits:
            error = f"Optuna's trial {trial.number} has {len(amounts)} constraints, others have {limits}"
        values.append(value)
        errors.append(error)
        for i in range(limits or 0):
            metrics[_limit(i)].append(amounts[i] if error is None else math.nan)
    return {"values": values, "error": errors, "metrics": metrics, "seconds": [_seconds(trial) for trial in trials]}


def _seconds(trial: FrozenTrial) -> float:
    return trial.duration.total_seconds() if trial.duration is not None else 0.0


def _result(trial: FrozenTrial) -> tuple[Any, str | None]:
    """Its value, with several objectives all of them; NaN beside an error."""
    found: Sequence[float] | None = None
    if trial.state == TrialState.COMPLETE:
        found = trial.values
    elif trial.state == TrialState.PRUNED and trial.intermediate_values:
        found = [trial.intermediate_values[max(trial.intermediate_values)]]  # as far as it came
    if found is None or not all(math.isfinite(value) for value in found):
        return math.nan, f"Optuna's trial {trial.number} ended as {trial.state.name}"
    return (found[0] if len(found) == 1 else tuple(found)), None
