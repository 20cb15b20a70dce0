# SPDX-License-Identifier: MIT
"""Results of trials, in the forms that arguments take and as the core takes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import _vbo
from ._arguments import Doubles, doubles, per_trial, wrong
from ._errors import InvalidInput
from ._objectives import sem_columns

Steps = Mapping[int, Any]  # what was reported while it ran: the value of a step, with several objectives all of them


def attributes_text(name: str, attributes: Any) -> str:
    """As the storage has them; "" when there are none."""
    if attributes is None:
        return ""
    if not isinstance(attributes, Mapping):
        raise wrong(name, attributes, 'a dict such as {"note": "valve replaced"}')
    if not attributes:
        return ""
    try:
        return json.dumps({str(key): _plain(value) for key, value in attributes.items()}, allow_nan=False)
    except (TypeError, ValueError):
        raise wrong(name, dict(attributes), "text, numbers, True, False, None, and lists and dicts of them") from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    return value.tolist() if isinstance(value, np.ndarray) else value


def results(
    n: int,
    objectives: Sequence[str],
    values: list[Doubles] | None,
    error: str | Sequence[str | None] | None,
    cause: str | Sequence[str],
    metrics: Mapping[str, Any] | None,
    seconds: Any,
    sem: Any,
    user_attrs: Any = None,
    steps: Sequence[Steps] | None = None,
) -> _vbo.Results:
    """Of n trials; an error names the argument."""
    if values is None and error is None:
        raise InvalidInput("found neither values nor an error, expected one of them", "values")
    results = _vbo.Results()
    if values is not None:
        results.values = values
    if error is not None:
        errors: list[str | None] = [error] * n if isinstance(error, str) else list(error)
        if len(errors) != n:
            raise InvalidInput(f"error: found {len(errors)} of them, expected {n}, one per trial", "error")
        if values is None and None in errors:
            raise InvalidInput("a trial has neither a value nor an error", "error")
        if values is not None and isinstance(error, str):
            raise InvalidInput("found both values and an error for all, expected one of them", "error")
        results.errors = errors
        results.causes = [cause] * n if isinstance(cause, str) else list(cause)
    if metrics:
        results.metrics = {str(name): per_trial(f"metrics[{name!r}]", column, n) for name, column in metrics.items()}
    if seconds is not None:
        results.seconds = per_trial("seconds", seconds, n)
    if sem is not None:
        results.sem = sem_columns(objectives, sem, n)
    if user_attrs is not None:
        each = [user_attrs] * n if isinstance(user_attrs, Mapping) else list(user_attrs)
        if len(each) != n:
            raise InvalidInput(f"user_attrs: found {len(each)} of them, expected {n}, one per trial", "user_attrs")
        results.attributes = [attributes_text("user_attrs", attributes) for attributes in each]
    if steps is not None:
        if len(steps) != n:
            raise InvalidInput(f"steps: found {len(steps)} of them, expected {n}, one per trial", "steps")
        results.steps = [_steps(one, len(objectives)) for one in steps]
    return results


def _steps(steps: Steps, objectives: int) -> list[tuple[int, list[float]]]:
    found = [(int(step), doubles("steps", values).tolist()) for step, values in sorted(steps.items())]
    if any(len(values) != objectives or not np.all(np.isfinite(values)) for _, values in found):
        raise wrong("steps", dict(steps), f"finite numbers, {objectives} per step")
    return found
