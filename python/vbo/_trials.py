# SPDX-License-Identifier: MIT
"""Suggestions and results as Python objects."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ._arguments import Doubles, Integers
from ._space import Column, Point

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Trial:
    """One suggestion and its result. ``trial["x"]`` is the value of parameter x.

    Attributes:
        id: 1, 2, 3, ... in the order of suggestion.
        point: The value of each parameter.
        state: ``"waiting"``, ``"running"``, ``"completed"`` or ``"failed"``.
        value: The result, or None; None too with several objectives.
        values: The result of each objective by name; empty while there is none.
        error: Why it failed, or None; `cause` is the reason in one word.
        metrics: Further measurements by name.
        sem: The standard error of the value, or None where it is unknown; with several objectives `sems` by name.
        repeat_of: The trial whose point this one repeats, or None; it is the `repeat`-th evaluation there.
        violation: How far the metrics lie outside the limits of the space, 0 when feasible; None unless
            completed in a study with limits.
        seconds: How long the evaluation took; 0 when unknown.
        user_attrs: What the function or `tell` gave to be kept with the trial.
        steps: What was reported while it ran: the value of each step, with several objectives a tuple.
        source: Which part of the method suggested it.
        worker: Who evaluated it; empty when unknown.
    """

    id: int
    point: Point
    state: str = "waiting"
    value: float | None = None
    error: str | None = None
    cause: str | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    source: str = ""
    worker: str = ""
    asked_at: float = 0.0
    finished_at: float = 0.0
    violation: float | None = None
    values: dict[str, float] = field(default_factory=dict)
    sem: float | None = None
    sems: dict[str, float] = field(default_factory=dict)
    repeat_of: int | None = None
    repeat: int = 1
    user_attrs: dict[str, Any] = field(default_factory=dict)
    steps: dict[int, Any] = field(default_factory=dict)

    @property
    def feasible(self) -> bool:
        """Completed, and within all limits of the space."""
        return self.state == "completed" and not self.violation

    def __getitem__(self, name: str) -> Any:
        return self.point[name]


class Trials:
    """Suggestions as columns: what ``study.ask(n)`` returns.

    Attributes:
        ids: int64, one per suggestion.

    ``trials["x"]`` is the column of parameter x: float64, int64, or an object array of choices.
    ``trials[0]`` is one of them as a `Trial`, ``trials[:8]`` are some, and iterating gives them all.
    """

    __slots__ = ("ids", "columns")

    def __init__(self, ids: Integers, columns: dict[str, Column]) -> None:
        self.ids = ids
        self.columns = columns

    @property
    def points(self) -> list[Point]:
        """One dict per suggestion, with plain Python values."""
        names = list(self.columns)
        rows = zip(*(column.tolist() for column in self.columns.values()))
        return [dict(zip(names, row)) for row in rows]

    @overload
    def __getitem__(self, key: str) -> Column: ...
    @overload
    def __getitem__(self, key: int) -> Trial: ...
    @overload
    def __getitem__(self, key: slice) -> Trials: ...
    def __getitem__(self, key: str | int | slice) -> Column | Trial | Trials:
        if isinstance(key, str):
            return self.columns[key]
        if isinstance(key, slice):
            return Trials(self.ids[key], {name: column[key] for name, column in self.columns.items()})
        point = {name: _plain(column[key]) for name, column in self.columns.items()}
        return Trial(int(self.ids[key]), point)

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with the id as its index."""
        import pandas

        return pandas.DataFrame({"id": self.ids, **self.columns}).set_index("id")

    def __iter__(self) -> Iterator[Trial]:
        for id, point in zip(self.ids.tolist(), self.points):
            yield Trial(id, point)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        names = ", ".join(self.columns)
        return f"<{len(self)} suggestions of {names}>"


def _plain(value: Any) -> Any:
    item = getattr(value, "item", None)
    return item() if item else value


def attribute_columns(texts: Sequence[str]) -> dict[str, Column]:
    """user_attrs.NAME by name, None where a trial has none of this name."""
    if not any(texts):
        return {}
    rows = [json.loads(text or "{}") for text in texts]
    columns: dict[str, Column] = {}
    for name in sorted({name for row in rows for name in row}):
        column = np.empty(len(rows), dtype=object)
        column[:] = [row.get(name) for row in rows]
        columns[f"user_attrs.{name}"] = column
    return columns


def arrow_column(pyarrow: Any, column: Column) -> Any:
    """NaN and None become null; values of different types, which Arrow does not have in one column, become text."""
    values = column.tolist()
    try:
        return pyarrow.array(values, from_pandas=True)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
        return pyarrow.array([None if value is None else str(value) for value in values])


def trials_from(table: Mapping[str, Any], columns: dict[str, Column], objectives: Sequence[str]) -> list[Trial]:
    """A Trial per row of what the core calls a table."""
    ids: Integers = table["ids"]
    values: list[Doubles] = table["values"]
    metrics = {name: column.tolist() for name, column in table["metrics"].items()}
    violations = table["violations"].tolist() if "violations" in table else None
    errors: list[Doubles] = table["sems"]
    repeat_of, repeats = (table[name].tolist() for name in ("repeat_of", "repeats"))
    rows = zip(
        ids.tolist(), Trials(ids, columns).points, table["states"], zip(*(column.tolist() for column in values)), table["errors"],
        table["causes"], table["seconds"].tolist(), table["sources"], table["workers"],
        table["asked_at"].tolist(), table["finished_at"].tolist(),
    )  # fmt: skip
    trials = []
    for i, (id, point, state, results, error, cause, seconds, source, worker, asked, finished) in enumerate(rows):
        trials.append(
            Trial(
                id=id, point=point, state=state,
                value=results[0] if state == "completed" and len(objectives) == 1 else None,
                values=dict(zip(objectives, results)) if state == "completed" else {},
                error=error, cause=cause, seconds=seconds, source=source, worker=worker,
                metrics={name: column[i] for name, column in metrics.items() if column[i] == column[i]},
                asked_at=asked, finished_at=finished,
                violation=violations[i] if violations and state == "completed" else None,
                sem=float(errors[0][i]) if len(objectives) == 1 and errors[0][i] == errors[0][i] else None,
                sems={name: float(column[i]) for name, column in zip(objectives, errors) if column[i] == column[i]},
                repeat_of=int(repeat_of[i]) or None, repeat=int(repeats[i]),
                user_attrs=json.loads(table["attributes"][i] or "{}"),
                steps={step: found[0] if len(found) == 1 else tuple(found) for step, found in table["steps"][i]},
            )
        )  # fmt: skip
    return trials
