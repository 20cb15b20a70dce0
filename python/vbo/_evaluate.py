# SPDX-License-Identifier: MIT
"""One call of the user's function, and what came of it. Runs where the workers are."""

from __future__ import annotations

import inspect
import os
import pickle
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import Infeasible
from ._space import Point

Objective = Callable[[Any], Any]

UNKNOWN = float("nan")
_KEYS = ("value", "metrics", "error")
_EXPECTED = 'expected a number, or {"value": 1.25, "metrics": {"mass": 3.1}}'


@dataclass
class Outcome:
    """What came of one call; it can be pickled, because it may come from another process."""

    value: float = UNKNOWN
    error: str | None = None
    cause: str = "reported"
    metrics: Mapping[str, float] | None = None
    seconds: float = 0.0
    exception: BaseException | None = None
    misuse: bool = False  # what the function returns is of a kind that no evaluation can have

    @classmethod
    def failed(cls, exception: BaseException) -> Outcome:
        return cls(error=text_of(exception), cause="crash", exception=exception)


def evaluate(function: Objective, point: Point) -> Outcome:
    start = time.perf_counter()
    try:
        outcome = outcome_of(function(point))
    except Infeasible as error:
        outcome = Outcome(error=str(error) or "infeasible", cause="infeasible", exception=error)
    except Exception as error:
        outcome = Outcome.failed(error)
    outcome.seconds = time.perf_counter() - start
    return outcome


def evaluate_elsewhere(function: Objective, point: Point) -> Outcome:
    """As `evaluate`, in another process: an exception that cannot travel stays there, its text comes."""
    outcome = evaluate(function, point)
    if outcome.exception is not None:
        try:
            pickle.loads(pickle.dumps(outcome.exception))
        except Exception:
            outcome.exception = None
    return outcome


def text_of(error: BaseException) -> str:
    """`ValueError: message (file.py:12)`: where it was raised is what one wants to know."""
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    frames = traceback.extract_tb(error.__traceback__)
    return f"{text} ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else text


def outcome_of(result: Any) -> Outcome:
    """A number, or what an evaluator prints: {"value": 1.25, "metrics": {"mass": 3.1}}."""
    metrics: dict[str, float] | None = None
    if inspect.isawaitable(result):
        if inspect.iscoroutine(result):
            result.close()
        return _misuse("the function returned a coroutine (async def), expected a number; await it with vbo.aminimize")
    if isinstance(result, Mapping):
        unknown = [key for key in result if key not in _KEYS]
        if unknown:
            return _misuse(f"the function's dict has the unknown key {unknown[0]!r}, expected {', '.join(_KEYS)}")
        if result.get("error") is not None:
            return Outcome(error=str(result["error"]))
        found = result.get("metrics")
        if not isinstance(found, Mapping):
            if found is not None:
                return _misuse(f"the function's metrics: found {_shown(found)}, expected a dict of numbers")
            found = {}
        metrics = {}
        for name, number in found.items():
            value = _number(number)
            if value is None:
                return _misuse(f"the function's metric {name!r}: found {_shown(number)}, expected a number")
            metrics[str(name)] = value
        result = result.get("value")
    if result is None:
        return Outcome(error="the function returned no value", cause="no_value")
    value = _number(result)
    if value is None:
        return _misuse(f"the function returned {_shown(result)}, {_EXPECTED}")
    if not np.isfinite(value):
        return Outcome(error=f"the value is {value}", cause="non_finite", metrics=metrics)
    return Outcome(value=value, metrics=metrics)


def _misuse(text: str) -> Outcome:
    return Outcome(error=text, cause="crash", misuse=True)


def _number(value: Any) -> float | None:
    """Of a number, a NumPy scalar, or an array or tensor with a single element."""
    try:
        if isinstance(value, (str, bytes)):
            return None
        if np.ndim(value) > 0:
            return float(np.asarray(value).reshape(-1)[0]) if np.size(value) == 1 else None
        return float(value)
    except (TypeError, ValueError, RuntimeError):
        return None


def _shown(value: Any) -> str:
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"an array of shape {shape}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
