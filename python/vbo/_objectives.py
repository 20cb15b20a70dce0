# SPDX-License-Identifier: MIT
"""What a study optimizes: one objective or several, and their values in the forms that arguments take."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ._arguments import Doubles, doubles, number, per_trial, wrong
from ._errors import InvalidInput
from ._trials import Trial

if TYPE_CHECKING:
    import pandas

Goal = Literal["minimize", "maximize"]
_GOALS = ("minimize", "maximize")


def objectives_of(goal: object, goals: object, references: object) -> list[dict[str, Any]]:
    """The objectives as a study's definition has them."""
    if goals is None:
        if references is not None:
            raise wrong("references", references, "None without goals=")
        if goal not in _GOALS:
            raise wrong("goal", goal, '"minimize" or "maximize"')
        return [{"name": "value", "goal": goal}]
    if not isinstance(goals, Mapping) or len(goals) < 2:
        raise wrong("goals", goals, 'two or more, for example {"error": "minimize", "speed": "maximize"}')
    if goal != "minimize":
        raise wrong("goal", goal, "either goal or goals")
    if references is not None and not isinstance(references, Mapping):
        raise wrong("references", references, "a dict with a number for some of the objectives")
    for name in references or {}:
        if name not in goals:
            raise wrong("references", name, f"one of {list(goals)}")
    objectives = []
    for name, wanted in goals.items():
        if not isinstance(name, str):
            raise wrong("goals", name, "names of objectives")
        if wanted not in _GOALS:
            raise wrong(f"goals[{name!r}]", wanted, '"minimize" or "maximize"')
        objectives.append({"name": name, "goal": wanted})
        if references and references.get(name) is not None:
            objectives[-1]["reference"] = number(f"references[{name!r}]", references[name])
    return objectives


def value_columns(names: Sequence[str], values: Any, n: int, argument: str = "values") -> list[Doubles]:
    """One column per objective. One objective: numbers. Several: a dict of columns, a dict or a sequence in the order of
    the objectives for each of n trials, or an array (n, objectives)."""
    if len(names) == 1:
        return [doubles(argument, values, n)]
    if hasattr(values, "columns") and hasattr(values, "to_numpy"):  # a DataFrame
        values = {name: values[name] for name in values.columns}
    if isinstance(values, Mapping):
        _check_names(names, values, argument)
        return [doubles(f"{argument}[{name!r}]", values[name], n) for name in names]
    expected = f"for each trial a dict with {', '.join(names)}, or {len(names)} numbers"
    try:
        rows = list(values)
    except TypeError:
        raise wrong(argument, values, expected) from None
    if n == 1 and len(rows) == len(names) and not any(isinstance(row, Mapping) or np.ndim(row) > 0 for row in rows):
        rows = [rows]
    if len(rows) != n:
        raise InvalidInput(f"{argument}: found {len(rows)} of them, expected {n}, one per trial", argument)
    table = np.full((n, len(names)), np.nan)
    for i, row in enumerate(rows):
        if row is None or isinstance(row, float) and np.isnan(row):  # it has failed
            continue
        if isinstance(row, Mapping):
            _check_names(names, row, argument)
            row = [row[name] for name in names]
        numbers = doubles(argument, row)
        if len(numbers) != len(names):
            raise wrong(argument, row, expected)
        table[i] = numbers
    return [np.ascontiguousarray(column) for column in table.T]


def sem_columns(names: Sequence[str], sem: Any, n: int) -> list[Doubles]:
    """One column of standard errors per objective, given as the values are; a number is that of all trials."""
    if len(names) == 1:
        columns = [per_trial("sem", sem, n)]
    elif isinstance(sem, Mapping):
        _check_names(names, sem, "sem")
        columns = [per_trial(f"sem[{name!r}]", sem[name], n) for name in names]
    else:
        columns = value_columns(names, sem, n, "sem")
    for column in columns:
        if np.any(column < 0) or np.any(np.isinf(column)):
            raise wrong("sem", sem, "standard errors, 0 or more")
    return columns


def _check_names(names: Sequence[str], values: Mapping[Any, Any], argument: str) -> None:
    for name in values:
        if name not in names:
            raise wrong(argument, name, f"one of the objectives {list(names)}")
    for name in names:
        if name not in values:
            raise InvalidInput(f'{argument}: objective "{name}" is missing in {dict(values)!r}', argument)


@dataclass(frozen=True)
class TradeOff:
    """Trials along the front of two objectives alone, from the best in `first` to the best in `second`.

    Attributes:
        trials: At most 7, the ends among them.
        buys: What one unit of `first` given up buys of `second` from each of them to the next; one number fewer.
    """

    first: str
    second: str
    trials: list[Trial]
    buys: list[float]


@dataclass(frozen=True)
class Front(Sequence[Trial]):
    """The feasible trials of a study that no other one dominates: a sequence of trials in the order of ids.

    Attributes:
        trials: The trials.
        hypervolume: Between the front and the reference, in the product of the objectives' units.
        exact: Whether it is; it is an estimate for many trials and many objectives.
        reference: By objective what the hypervolume is measured against; empty while there is no trial.
        extremes: By objective the trial that is best in it.
        knee: The trial with the smallest sum of objectives, each scaled to its range on the front; None where no trial
            is better balanced than the extremes.
        trade_offs: One per pair of objectives.
    """

    trials: list[Trial]
    hypervolume: float
    exact: bool
    reference: dict[str, float]
    extremes: dict[str, Trial]
    knee: Trial | None
    trade_offs: list[TradeOff]

    def __len__(self) -> int:
        return len(self.trials)

    def __iter__(self) -> Iterator[Trial]:
        return iter(self.trials)

    def __getitem__(self, key: Any) -> Any:
        return self.trials[key]

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with the objectives, the parameters, and the id as its index."""
        import pandas

        return pandas.DataFrame([{"id": t.id, **t.values, **t.point} for t in self.trials]).set_index("id")

    def __repr__(self) -> str:
        return f"<vbo.Front of {len(self)} trials, hypervolume {self.hypervolume:.6g}>"


def front_from(trials: list[Trial], found: Mapping[str, Any]) -> Front:
    """From the trials and what the core says about them."""
    by_id = {trial.id: trial for trial in trials}
    return Front(
        trials=trials,
        hypervolume=float(found["hypervolume"]),
        exact=bool(found["exact"]),
        reference={name: float(value) for name, value in found["reference"].items()},
        extremes={name: by_id[id] for name, id in found["extremes"].items()},
        knee=by_id.get(found["knee"]),
        trade_offs=[
            TradeOff(
                pair["first"],
                pair["second"],
                [by_id[stop["id"]] for stop in pair["stops"]],
                [float(stop["buys"]) for stop in pair["stops"][:-1]],
            )
            for pair in found["trade_offs"]
        ],
    )
