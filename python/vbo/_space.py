# SPDX-License-Identifier: MIT
"""Search spaces: named parameters with their bounds or choices, in your own units."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _vbo
from ._arguments import doubles, integers, number, whole, wrong
from ._errors import InvalidInput

Column = npt.NDArray[Any]
"""One value per trial: float64, int64, or objects for choices."""

ChoiceValue = Union[str, int, float, bool]

Point = dict[str, Any]
"""The value of each parameter by its name."""


@dataclass(frozen=True)
class Float:
    """A real number between `low` and `high`, both included.

    Args:
        log: Search the logarithm; needs ``low > 0``.

    >>> vbo.Float(1e-5, 0.1, log=True)
    Float(low=1e-05, high=0.1, log=True)
    """

    low: float
    high: float
    log: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "low", number("low", self.low))
        object.__setattr__(self, "high", number("high", self.high))

    def _json(self) -> dict[str, Any]:
        return {"type": "float", "low": self.low, "high": self.high, "log": bool(self.log)}

    def _from_codes(self, codes: Column) -> Column:
        return codes

    def _to_codes(self, name: str, values: Any) -> Column:
        return doubles(name, values)


@dataclass(frozen=True)
class Int:
    """A whole number between `low` and `high`, both included.

    >>> vbo.Int(1, 512, log=True)
    Int(low=1, high=512, log=True)
    """

    low: int
    high: int
    log: bool = False

    def __post_init__(self) -> None:
        for bound in ("low", "high"):
            value = getattr(self, bound)
            if isinstance(value, (float, np.floating)) and float(value).is_integer():
                value = int(value)
            object.__setattr__(self, bound, whole(bound, value, -(2**53)))

    def _json(self) -> dict[str, Any]:
        return {"type": "int", "low": self.low, "high": self.high, "log": bool(self.log)}

    def _from_codes(self, codes: Column) -> Column:
        return codes.view(np.int64)  # from the core it comes as long long: the same, and shown otherwise

    def _to_codes(self, name: str, values: Any) -> Column:
        return integers(name, values)


@dataclass(frozen=True)
class Choice:
    """One of several, without an order among them.

    >>> vbo.Choice(["adam", "sgd"]).choices
    ('adam', 'sgd')
    """

    choices: tuple[ChoiceValue, ...]

    def __init__(self, choices: Sequence[ChoiceValue]) -> None:
        if isinstance(choices, (str, bytes)) or not isinstance(choices, (Sequence, np.ndarray)):
            raise wrong("choices", choices, "a list")
        object.__setattr__(self, "choices", tuple(_plain(choice) for choice in choices))

    def _json(self) -> dict[str, Any]:
        return {"type": "categorical", "choices": list(self.choices)}

    def _from_codes(self, codes: Column) -> Column:
        return _objects(self.choices)[codes]

    def _to_codes(self, name: str, values: Any) -> Column:
        if isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, np.ndarray)):
            values = [values]
        known = {(type(choice), choice): code for code, choice in enumerate(self.choices)}
        codes = np.empty(len(values), dtype=np.int64)
        for i, value in enumerate(values):
            value = _plain(value)
            code = known.get((type(value), value))
            if code is None:
                raise wrong(f'parameter "{name}"', value, f"one of {list(self.choices)}")
            codes[i] = code
        return codes


Parameter = Union[Float, Int, Choice]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _objects(values: Sequence[Any]) -> Column:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def parameter_from(json_form: Mapping[str, Any]) -> Parameter:
    """The other way of _json()."""
    kind = json_form["type"]
    if kind == "float":
        return Float(json_form["low"], json_form["high"], json_form["log"])
    if kind == "int":
        return Int(json_form["low"], json_form["high"], json_form["log"])
    return Choice(json_form["choices"])


class Space(Mapping[str, Parameter]):
    """Named parameters, in the order in which they are given.

    >>> space = vbo.Space(x=vbo.Float(-5, 10), n=vbo.Int(1, 512, log=True), solver=vbo.Choice(["adam", "sgd"]))
    >>> list(space)
    ['x', 'n', 'solver']
    >>> space["x"].high
    10.0

    Names that are no Python names go in as a dict:

    >>> vbo.Space({"learning rate": vbo.Float(1e-4, 1, log=True)})
    Space({'learning rate': Float(low=0.0001, high=1.0, log=True)})
    """

    def __init__(self, parameters: Mapping[str, Parameter] | None = None, /, **named: Parameter) -> None:
        everything = {**(parameters or {}), **named}
        if len(everything) != len(parameters or {}) + len(named):
            raise InvalidInput("a parameter is given twice: in the dict and as a keyword")
        for name, parameter in everything.items():
            if not isinstance(name, str):
                raise wrong("the name of a parameter", name, "text")
            if not isinstance(parameter, (Float, Int, Choice)):
                raise wrong(f'parameter "{name}"', parameter, "vbo.Float, vbo.Int or vbo.Choice")
        self._parameters = everything
        self._core = _vbo.Space.from_json(self._json())

    @classmethod
    def _from_json(cls, parameters: Sequence[Mapping[str, Any]]) -> Space:
        return cls({p["name"]: parameter_from(p) for p in parameters})

    def _json(self) -> str:
        return json.dumps([{"name": name, **p._json()} for name, p in self._parameters.items()])

    def __getitem__(self, name: str) -> Parameter:
        return self._parameters[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and list(self.items()) == list(other.items())

    def __hash__(self) -> int:
        return hash(tuple(self._parameters.items()))

    def __repr__(self) -> str:
        if all(name.isidentifier() for name in self):
            return "Space(" + ", ".join(f"{name}={p!r}" for name, p in self.items()) + ")"
        return f"Space({self._parameters!r})"

    def __reduce__(self) -> tuple[type[Space], tuple[dict[str, Parameter]]]:
        return Space, (self._parameters,)

    @property
    def cardinality(self) -> int | None:
        """How many points there are; None when there are infinitely many, or more than 2**53."""
        count = self._core.cardinality()
        return None if count is None else int(count)

    def _columns(self, codes: Sequence[Column]) -> dict[str, Column]:
        return {name: p._from_codes(column) for (name, p), column in zip(self.items(), codes)}

    def _codes(self, columns: Mapping[str, Any]) -> tuple[list[Column], int]:
        """One array per parameter as the core wants them, and how many rows there are."""
        for name in columns:
            if name not in self._parameters:
                raise InvalidInput(f'unknown parameter "{name}", expected {", ".join(self)}', name)
        codes: list[Column] = []
        for name, parameter in self.items():
            if name not in columns:
                raise InvalidInput(f'parameter "{name}" has no value', name)
            values = columns[name]
            to_numpy = getattr(values, "to_numpy", None)
            codes.append(parameter._to_codes(name, to_numpy() if to_numpy else values))
        rows = len(codes[0])
        for name, column in zip(self, codes):
            if len(column) != rows:
                raise InvalidInput(f'parameter "{name}" has {len(column)} values, expected {rows}', name)
        return codes, rows
