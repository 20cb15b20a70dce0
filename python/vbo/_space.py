# SPDX-License-Identifier: MIT
"""Search spaces: named parameters with their bounds or choices, in your own units."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _vbo
from ._arguments import doubles, integers, number, whole, wrong
from ._errors import InvalidInput

Column = npt.NDArray[Any]
"""One value per trial: float64, int64, or objects for choices."""

ChoiceValue = Any
"""Texts, numbers and booleans are stored as they are; of anything else a label is."""

Point = dict[str, Any]
"""The value of each parameter by its name."""

Limit = tuple[tuple[str, Union[str, float]], ...]
"""A measured constraint: (("metric", NAME), ("at_most", bound), ("at_least", bound)), the bounds it has."""


@dataclass(frozen=True)
class Float:
    """A real number between `low` and `high`, both included.

    Args:
        log: Search the logarithm; needs ``low > 0``.
        step: Only low, low + step, low + 2 step, ...: the values that can be set, or that differ enough to matter.

    >>> vbo.Float(1e-5, 0.1, log=True)
    Float(low=1e-05, high=0.1, log=True)
    >>> vbo.Float(20, 80, step=0.5)
    Float(low=20.0, high=80.0, step=0.5)
    """

    low: float
    high: float
    log: bool = False
    step: float | None = None

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            bound = number(name, getattr(self, name))
            if not math.isfinite(bound):
                raise wrong(name, bound, "a finite number")
            object.__setattr__(self, name, bound)
        if self.step is not None:
            object.__setattr__(self, "step", number("step", self.step))

    def _json(self) -> dict[str, Any]:
        return _numeric_json("float", self)

    @property
    def _first(self) -> float:
        return self.low

    def __repr__(self) -> str:
        return _numeric_repr("Float", self)

    def _from_codes(self, codes: Column) -> Column:
        return codes

    def _to_codes(self, name: str, values: Any) -> Column:
        return doubles(name, values)


@dataclass(frozen=True)
class Int:
    """A whole number between `low` and `high`, both included; `log` and `step` as for `Float`.

    >>> vbo.Int(1, 512, log=True)
    Int(low=1, high=512, log=True)
    """

    low: int
    high: int
    log: bool = False
    step: int | None = None

    def __post_init__(self) -> None:
        for name, least in (("low", -(2**53)), ("high", -(2**53)), ("step", 1)):
            value = getattr(self, name)
            if value is None and name == "step":
                continue
            if isinstance(value, (float, np.floating)) and float(value).is_integer():
                value = int(value)
            object.__setattr__(self, name, whole(name, value, least))

    def _json(self) -> dict[str, Any]:
        return _numeric_json("int", self)

    @property
    def _first(self) -> int:
        return self.low

    def __repr__(self) -> str:
        return _numeric_repr("Int", self)

    def _from_codes(self, codes: Column) -> Column:
        return codes.view(np.int64)  # from the core it comes as long long: the same, and shown otherwise

    def _to_codes(self, name: str, values: Any) -> Column:
        return integers(name, values)


class _OneOf:
    """What `Choice` and `Ordinal` share: some values, numbered in the core and themselves in Python. Of an object that
    is neither text nor number the storage has a label: its name, or what repr() says."""

    _values: tuple[ChoiceValue, ...]
    _labels: tuple[Union[str, int, float, bool], ...]

    def _take(self, name: str, values: Any) -> None:
        if isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, np.ndarray)):
            raise wrong(name, values, "a list")
        object.__setattr__(self, "_values", tuple(_plain(value) for value in values))
        object.__setattr__(self, "_labels", tuple(_label(value, i) for i, value in enumerate(self._values)))
        if any(isinstance(value, float) and not math.isfinite(value) for value in self._values):
            raise wrong(name, list(self._values), "finite numbers: text or None can be chosen in place of NaN and infinity")
        seen: dict[Any, Any] = {}
        for value, label in zip(self._values, self._labels):
            if label in seen and not isinstance(value, (str, int, float)):
                raise InvalidInput(f"{name}: {seen[label]!r} and {value!r} have the same label {label!r}, expected different ones", name)
            seen[label] = value

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, _OneOf) and _typed(self._labels) == _typed(other._labels)

    def __hash__(self) -> int:
        return hash(_typed(self._labels))

    @property
    def _first(self) -> ChoiceValue:
        return self._values[0]

    def _from_codes(self, codes: Column) -> Column:
        return _objects(self._values)[codes]

    def _to_codes(self, name: str, values: Any) -> Column:
        is_column = isinstance(values, (Sequence, np.ndarray)) and not isinstance(values, (str, bytes))
        if not is_column or self._code(values) is not None:
            values = [values]
        known = {(type(label), label): code for code, label in enumerate(self._labels)}
        codes = np.empty(len(values), dtype=np.int64)
        for i, value in enumerate(values):
            value = _plain(value)
            simple = isinstance(value, (str, int, float))
            code = known.get((type(value), value)) if simple else self._code(value)
            if code is None:
                raise wrong(f'parameter "{name}"', value, f"one of {list(self._values)}")
            codes[i] = code
        return codes

    def _code(self, value: Any) -> int | None:
        for code, known in enumerate(self._values):
            if known is value or (type(known) is type(value) and bool(np.all(known == value))):
                return code
        return None


@dataclass(frozen=True, eq=False)
class Choice(_OneOf):
    """One of several, without an order among them: any objects, given back as they are. A file keeps texts, numbers and
    booleans themselves, and of others a label (``None``, the name of a class, else ``repr``).

    >>> vbo.Choice(["adam", "sgd", 3, True]).choices
    ('adam', 'sgd', 3, True)
    >>> vbo.Choice([None, (64, 32), int]).choices
    (None, (64, 32), <class 'int'>)
    """

    choices: tuple[ChoiceValue, ...]

    def __init__(self, choices: Sequence[ChoiceValue]) -> None:
        self._take("choices", choices)
        object.__setattr__(self, "choices", self._values)

    def _json(self) -> dict[str, Any]:
        return {"type": "categorical", "choices": list(self._labels)}


@dataclass(frozen=True, eq=False)
class Ordinal(_OneOf):
    """One of several in order: neighbours are similar.

    >>> vbo.Ordinal([16, 32, 64, 128]).values
    (16, 32, 64, 128)
    """

    values: tuple[ChoiceValue, ...]

    def __init__(self, values: Sequence[ChoiceValue]) -> None:
        self._take("values", values)
        object.__setattr__(self, "values", self._values)

    def _json(self) -> dict[str, Any]:
        return {"type": "ordinal", "values": list(self._labels)}


def _numeric_json(kind: str, p: Float | Int) -> dict[str, Any]:
    form = {"type": kind, "low": p.low, "high": p.high, "log": bool(p.log)}
    return form if p.step is None else {**form, "step": p.step}


def _numeric_repr(kind: str, p: Float | Int) -> str:
    """Without what is not set."""
    more = (", log=True" if p.log else "") + ("" if p.step is None else f", step={p.step!r}")
    return f"{kind}(low={p.low!r}, high={p.high!r}{more})"


Parameter = Union[Float, Int, Choice, Ordinal]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _label(value: Any, place: int) -> str | int | float | bool:
    if isinstance(value, (str, int, float)):
        return value
    name = getattr(value, "__qualname__", None)
    label = name if isinstance(name, str) else repr(value)
    # An address differs from process to process.
    return f"{type(value).__name__} {place}" if " at 0x" in label else label


def _typed(labels: tuple[Any, ...]) -> tuple[tuple[type, Any], ...]:
    return tuple((type(label), label) for label in labels)


def _objects(values: Sequence[Any]) -> Column:
    array = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):  # not array[:] = values, which would take a tuple apart
        array[i] = value
    return array


def parameter_from(json_form: Mapping[str, Any]) -> Parameter:
    """The other way of _json()."""
    kind = json_form["type"]
    if kind == "categorical":
        return Choice(json_form["choices"])
    if kind == "ordinal":
        return Ordinal(json_form["values"])
    make = Float if kind == "float" else Int
    return make(json_form["low"], json_form["high"], json_form["log"], json_form.get("step"))


class Space(Mapping[str, Parameter]):
    """Named parameters, in the order in which they are given.

    >>> space = vbo.Space(x=vbo.Float(-5, 10), n=vbo.Int(1, 512, log=True), solver=vbo.Choice(["adam", "sgd"]))
    >>> list(space)
    ['x', 'n', 'solver']
    >>> space["x"].high
    10.0

    Names that are not Python identifiers are given as a dict:

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
            if not isinstance(parameter, (Float, Int, Choice, Ordinal)):
                raise wrong(f'parameter "{name}"', parameter, "vbo.Float, vbo.Int, vbo.Choice or vbo.Ordinal")
        self._parameters = everything
        self._constraints: tuple[str, ...] = ()
        self._limits: tuple[Limit, ...] = ()
        self._core = _vbo.Space.from_json(self._json())

    def require(self, *constraints: str) -> Space:
        """The same space with constraints that every suggestion satisfies.

        They are expressions over the parameters, as in ``[[constraint]]`` of a study file.

        >>> space = vbo.Space(a=vbo.Float(0, 1), b=vbo.Float(0, 1)).require("a + b <= 1")
        >>> trials = vbo.Study(space, method="random").ask(100)
        >>> bool(np.all(trials["a"] + trials["b"] <= 1))
        True
        """
        for constraint in constraints:
            if not isinstance(constraint, str):
                raise wrong("a constraint", constraint, 'text such as "a + b <= 1"')
        return self._with(self._constraints + constraints, self._limits)

    def limit(self, metric: str, *, at_most: float | None = None, at_least: float | None = None) -> Space:
        """The same space with a measured constraint: a bound on a metric of the results.

        ``study.best`` is then the best result within all limits, and the least violating one while there
        is none; methods model where results are feasible.

        >>> space = vbo.Space(x=vbo.Float(0, 1)).limit("stress", at_most=250)
        >>> study = vbo.Study(space, method="random")
        >>> ids = study.ask(2).ids
        >>> study.tell(ids, [1.0, 2.0], metrics={"stress": [300, 200]})
        >>> study.best.value, study.best.feasible
        (2.0, True)
        """
        if not isinstance(metric, str):
            raise wrong("a limit's metric", metric, "text")
        bounds: dict[str, str | float] = {"metric": metric}
        for name, bound in (("at_most", at_most), ("at_least", at_least)):
            if bound is not None:
                bounds[name] = number(name, bound)
        return self._with(self._constraints, (*self._limits, tuple(bounds.items())))

    def _with_parameters(self, parameters: Mapping[str, Parameter]) -> Space:
        return Space(parameters)._with(self._constraints, self._limits)

    def _with(self, constraints: tuple[str, ...], limits: tuple[Limit, ...]) -> Space:
        space = Space(self._parameters)
        space._constraints = constraints
        space._limits = limits
        space._core = _vbo.Space.from_json(space._json())
        return space

    @property
    def constraints(self) -> tuple[str, ...]:
        """What `require` was given."""
        return self._constraints

    @property
    def limits(self) -> list[dict[str, str | float]]:
        """``[{"metric", "at_most", "at_least"}, ...]``, each with the bounds it has."""
        return [dict(limit) for limit in self._limits]

    @classmethod
    def _from_json(cls, form: Any) -> Space:
        if isinstance(form, Mapping):
            space = cls._from_json(form["parameters"]).require(*form["constraints"])
            for limit in form.get("limits", []):
                bounds = {name: bound for name, bound in limit.items() if name != "metric"}
                space = space.limit(limit["metric"], **bounds)
            return space
        return cls({p["name"]: parameter_from(p) for p in form})

    def _json(self) -> str:
        """As the storage writes it."""
        parameters = [{"name": name, **p._json()} for name, p in self._parameters.items()]
        if not self._constraints and not self._limits:
            return json.dumps(parameters)
        limits = {"limits": self.limits} if self._limits else {}
        return json.dumps({"parameters": parameters, "constraints": self._constraints, **limits})

    def __getitem__(self, name: str) -> Parameter:
        return self._parameters[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __len__(self) -> int:
        return len(self._parameters)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Space)
            and list(self.items()) == list(other.items())
            and self._constraints == other._constraints
            and self._limits == other._limits
        )

    def __hash__(self) -> int:
        return hash((tuple(self._parameters.items()), self._constraints, self._limits))

    def __repr__(self) -> str:
        text = f"Space({self._parameters!r})"
        if all(name.isidentifier() for name in self):
            text = "Space(" + ", ".join(f"{name}={p!r}" for name, p in self.items()) + ")"
        if self._constraints:
            text += f".require({', '.join(map(repr, self._constraints))})"
        for (_, metric), *bounds in self._limits:
            text += f".limit({metric!r}, {', '.join(f'{name}={bound!r}' for name, bound in bounds)})"
        return text

    def __reduce__(self) -> tuple[Callable[..., Space], tuple[Any, ...]]:
        return _space_again, (self._parameters, self._constraints, self._limits)

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


def _space_again(parameters: Mapping[str, Parameter], constraints: tuple[str, ...], limits: tuple[Limit, ...]) -> Space:
    return Space(parameters)._with(constraints, limits)
