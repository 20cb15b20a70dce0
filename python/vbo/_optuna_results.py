# SPDX-License-Identifier: MIT
"""What trials of Optuna came to, as vbo takes it: values, constraints, durations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from optuna.trial import FrozenTrial, TrialState

from ._space import Space

CONSTRAINTS = "constraints"  # the attribute in which all samplers of Optuna keep them


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
    values: list[float] = []
    errors: list[str | None] = []
    metrics: dict[str, list[float]] = {_limit(i): [] for i in range(limits or 0)}
    for trial in trials:
        amounts = amounts_of(trial)
        value, error = _result(trial)
        if error is None and limits is not None and len(amounts) != limits:
            error = f"Optuna's trial {trial.number} has {len(amounts)} constraints, others have {limits}"
        values.append(math.nan if error else value)
        errors.append(error)
        for i in range(limits or 0):
            metrics[_limit(i)].append(amounts[i] if error is None else math.nan)
    return {"values": values, "error": errors, "metrics": metrics, "seconds": [_seconds(trial) for trial in trials]}


def _seconds(trial: FrozenTrial) -> float:
    return trial.duration.total_seconds() if trial.duration is not None else 0.0


def _result(trial: FrozenTrial) -> tuple[float, str | None]:
    if trial.state == TrialState.COMPLETE:
        value = trial.value
    elif trial.state == TrialState.PRUNED and trial.intermediate_values:
        value = trial.intermediate_values[max(trial.intermediate_values)]  # as far as it came
    else:
        value = None
    if value is None or not math.isfinite(value):
        return math.nan, f"Optuna's trial {trial.number} ended as {trial.state.name}"
    return value, None
