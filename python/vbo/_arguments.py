# SPDX-License-Identifier: MIT
"""Checks of arguments. Messages name the argument, what was found and what would be right."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import InvalidInput

Doubles = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def wrong(name: str, found: object, expected: str) -> InvalidInput:
    text = repr(found)
    if len(text) > 80:
        text = text[:77] + "..."
    return InvalidInput(f"{name}: found {text}, expected {expected}", field=name)


def whole(name: str, value: Any, at_least: int) -> int:
    """An int, or a NumPy integer."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise wrong(name, value, "a whole number") from None
    if number < at_least:
        raise wrong(name, value, f"at least {at_least}")
    return number


def number(name: str, value: Any) -> float:
    """A float, an int, a NumPy scalar or an array with one element."""
    try:
        if isinstance(value, (str, bytes, bool, np.bool_)) or value is None:
            raise TypeError
        found = float(value)
        if found != found:
            raise ValueError
        return found
    except (TypeError, ValueError):
        raise wrong(name, value, "a number") from None


def callables(values: Any) -> tuple[Any, ...]:
    try:
        functions = tuple(values)
    except TypeError:
        functions = (None,)
    if not all(callable(function) for function in functions):
        raise wrong("callbacks", values, "functions in a list, each called as callback(study, trial)")
    return functions


def doubles(name: str, values: Any, size: int | None = None) -> Doubles:
    """One-dimensional numbers, None among them becoming NaN."""
    try:
        array = np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise wrong(name, values, "numbers") from None
    if array.ndim == 0:
        array = array.reshape(1)
    if array.ndim == 2 and 1 in array.shape:
        array = array.reshape(-1)
    return _sized(name, array, size)


def per_trial(name: str, values: Any, n: int) -> Doubles:
    """One number for all, or one per trial."""
    column = doubles(name, values)
    return np.full(n, column[0]) if len(column) == 1 else doubles(name, column, n)


def integers(name: str, values: Any, size: int | None = None) -> Integers:
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.dtype.kind == "f" and bool(np.all(array == np.floor(array))):
        array = array.astype(np.int64)  # whole numbers that went through pandas
    if array.dtype.kind not in "iu":
        raise wrong(name, values, "whole numbers")
    array = np.ascontiguousarray(array, dtype=np.int64)
    return _sized(name, array.reshape(1) if array.ndim == 0 else array, size)


def _sized(name: str, array: npt.NDArray[Any], size: int | None) -> npt.NDArray[Any]:
    if array.ndim != 1:
        raise InvalidInput(f"{name}: found an array of shape {array.shape}, expected one dimension", name)
    if size is not None and array.shape[0] != size:
        raise InvalidInput(f"{name}: found {array.shape[0]} of them, expected {size}, one per trial", name)
    return array
