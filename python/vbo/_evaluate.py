# SPDX-License-Identifier: MIT
"""One call of the user's function, and its outcome. Runs where the workers are."""

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

from ._errors import Infeasible, InvalidInput
from ._results import attributes_text
from ._space import Point

Objective = Callable[..., Any]

UNKNOWN = float("nan")
_EXPECTED = 'expected a number, or {"value": 1.25, "sem": 0.1, "metrics": {"mass": 3.1}, "user_attrs": {"note": "dry"}}'


@dataclass
class Outcome:
    """The outcome of one call; it can be pickled, because it may come from another process."""

    values: tuple[float, ...] = (UNKNOWN,)  # one per objective
    error: str | None = None
    cause: str = "reported"
    metrics: Mapping[str, float] | None = None
    sem: tuple[float, ...] = ()  # one per objective; none where they are unknown
    seconds: float = 0.0
    exception: BaseException | None = None
    user_attrs: dict[str, Any] | None = None
    misuse: bool = False  # what the function returns is of a kind that no evaluation can have

    @property
    def value(self) -> float:
        """Of the one objective, or of the first."""
        return self.values[0]

    @classmethod
    def failed(cls, exception: BaseException) -> Outcome:
        return cls(error=text_of(exception), cause="crash", exception=exception)


class Evaluation:
    """The second argument, called ``trial``, of a function that has one.

    Attributes:
        id: The trial's.
        point: The value of each parameter.
        user_attrs: What is kept with the trial, as `set_user_attr` gave it.
    """

    def __init__(self, id: int, point: Point) -> None:
        self.id = id
        self.point = point
        self.user_attrs: dict[str, Any] = {}

    def set_user_attr(self, name: str, value: Any) -> None:
        """Keeps text, a number, or a list or dict of them with the trial. No method sees it."""
        attributes_text("user_attrs", {name: value})
        self.user_attrs[str(name)] = value


def takes(function: Any, name: str) -> bool:
    """Whether it has an argument of this name, besides its first one."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    return any(p.name == name and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) for p in parameters[1:])


def evaluate(function: Objective, point: Point, objectives: tuple[str, ...], id: int | None = None) -> Outcome:
    """`id` of a trial: the function is given the evaluation as its argument ``trial``."""
    start = time.perf_counter()
    evaluation = None if id is None else Evaluation(id, point)
    try:
        outcome = outcome_of(function(point) if evaluation is None else function(point, trial=evaluation), objectives)
    except Infeasible as error:
        outcome = Outcome(error=str(error) or "infeasible", cause="infeasible", exception=error)
    except Exception as error:
        outcome = Outcome.failed(error)
    outcome.seconds = time.perf_counter() - start
    if evaluation is not None and evaluation.user_attrs:
        outcome.user_attrs = {**evaluation.user_attrs, **(outcome.user_attrs or {})}
    return outcome


def evaluate_elsewhere(
    function: Objective, point: Point, objectives: tuple[str, ...], id: int | None = None
) -> Outcome:
    """As `evaluate`, in another process: of an exception that cannot be pickled only the text is returned."""
    outcome = evaluate(function, point, objectives, id)
    if outcome.exception is not None:
        try:
            pickle.loads(pickle.dumps(outcome.exception))
        except Exception:
            outcome.exception = None
    return outcome


def text_of(error: BaseException) -> str:
    """`ValueError: message (file.py:12)`: with the place where it was raised."""
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    frames = traceback.extract_tb(error.__traceback__)
    return f"{text} ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else text


def outcome_of(result: Any, objectives: tuple[str, ...]) -> Outcome:
    """A number, or what an evaluator prints: {"value": 1.25, "metrics": {"mass": 3.1}}. Of several objectives a dict
    with each of them, a sequence in their order, or {"values": {...}, "metrics": {...}}."""
    several = len(objectives) > 1
    key = "values" if several else "value"
    expected = _expected(objectives) if several else _EXPECTED
    metrics: dict[str, float] | None = None
    sem: tuple[float, ...] = ()
    attributes: dict[str, Any] | None = None
    if inspect.isawaitable(result):
        if inspect.iscoroutine(result):
            result.close()
        return _misuse("the function returned a coroutine (async def), expected a number; await it with vbo.aminimize")
    if isinstance(result, Mapping) and not (several and set(result) == set(objectives)):
        keys = (key, "sem", "metrics", "error", "user_attrs")
        unknown = [name for name in result if name not in keys and not (several and name in objectives)]
        if unknown:
            return _misuse(f"the function's dict has the unknown key {unknown[0]!r}, expected {', '.join(keys)}")
        if several and any(name in objectives for name in result):
            missing = next(name for name in objectives if name not in result)
            return _misuse(f"the function's dict has no {missing!r}, {expected}")
        attributes = result.get("user_attrs")
        try:
            attributes_text("user_attrs", attributes)
        except InvalidInput as error:
            return _misuse(f"the function's {error}")
        if result.get("error") is not None:
            return Outcome(error=str(result["error"]), user_attrs=attributes)
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
        if result.get("sem") is not None:
            given = result["sem"]
            numbers = _numbers(given, objectives) if several else (_number(given),)
            sem = tuple(error for error in numbers if error is not None and 0 <= error < float("inf"))
            if len(sem) != len(objectives):
                each = " for each objective" if several else ""
                return _misuse(f"the function's sem: found {_shown(given)}, expected a standard error, 0 or more{each}")
        result = result.get(key)
    if result is None:
        return Outcome(error=f"the function returned no {key}", cause="no_value")
    found = _numbers(result, objectives) if several else (_number(result),)
    values = tuple(value for value in found if value is not None)
    if len(values) != len(objectives):
        return _misuse(f"the function returned {_shown(result)}, {expected}")
    for name, value in zip(objectives, values):
        if not np.isfinite(value):
            what = f"the value of {name}" if several else "the value"
            return Outcome(error=f"{what} is {value}", cause="non_finite", metrics=metrics, user_attrs=attributes)
    return Outcome(values=values, metrics=metrics, sem=sem, user_attrs=attributes)


def _expected(objectives: tuple[str, ...]) -> str:
    names = ", ".join(f"{name!r}: {i + 1}.5" for i, name in enumerate(objectives))
    return f"expected {{{names}}}, or {len(objectives)} numbers in this order"


def _numbers(result: Any, objectives: tuple[str, ...]) -> tuple[float | None, ...]:
    """One per objective; fewer, or None among them, when they are not."""
    if isinstance(result, Mapping):
        return tuple(_number(result[name]) for name in objectives) if set(result) == set(objectives) else ()
    if isinstance(result, (str, bytes)) or not hasattr(result, "__len__") or len(result) != len(objectives):
        return ()
    return tuple(_number(value) for value in result)


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
