# SPDX-License-Identifier: MIT
"""The parts of a study that read: its definition, trials and results."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import _vbo
from ._answers import Counts, Importance, Recommended, importance_from, recommended_from
from ._arguments import Doubles, number, whole, wrong
from ._errors import Conflict, Unsupported
from ._objectives import Front, Goal, front_from
from ._open import Shared
from ._space import Column, Point, Space
from ._trials import Trial, Trials, arrow_column, attribute_columns, trials_from

if TYPE_CHECKING:
    import pandas


class StudyReader:
    """The part of `Study` that reads."""

    _shared: Shared
    _left: bool
    _url: str
    _definition: dict[str, Any]
    _space: Space
    _objectives: tuple[str, ...]
    _batch: int
    _budget: int

    @property
    def _core(self) -> _vbo.Study:
        if self._left:
            raise Conflict("the study is closed; open it again with vbo.open(storage)")
        return self._shared.core

    # -- What it is --

    @property
    def space(self) -> Space:
        """Its parameters, constraints and limits."""
        return self._space

    @property
    def name(self) -> str:
        """Shown in output."""
        return str(self._definition["name"])

    @property
    def goal(self) -> str:
        """Of the only objective; `goals` has those of several."""
        self._only_one("goal", "goals")
        return str(self._definition["objectives"][0]["goal"])

    @property
    def goals(self) -> dict[str, Goal]:
        """The goal of each objective by name; a single one is called "value" where nobody has named it."""
        return {str(objective["name"]): cast(Goal, objective["goal"]) for objective in self._definition["objectives"]}

    @property
    def references(self) -> dict[str, float]:
        """The references that were given, by objective."""
        return {
            str(objective["name"]): float(objective["reference"])
            for objective in self._definition["objectives"]
            if objective.get("reference") is not None
        }

    def _only_one(self, what: str, instead: str) -> None:
        if len(self._objectives) > 1:
            names = ", ".join(self._objectives)
            raise Unsupported(f"{what}: the study has several objectives ({names}), expected {instead} instead")

    @property
    def budget(self) -> int:
        """Evaluations in all, where `run` ends."""
        return self._budget

    @property
    def method(self) -> str:
        """As it was given; with ``"auto"``, `log` has the method that was chosen."""
        return str(self._definition["optimizer"]["method"])

    @property
    def batch(self) -> int:
        """How many suggestions `run` asks for together."""
        return self._batch

    @property
    def seed(self) -> int:
        """The seed of the method's random numbers."""
        return int(self._definition["optimizer"]["seed"])

    @property
    def storage(self) -> str | None:
        """The file, or None when it lives in memory."""
        return None if self._url == "memory:" else self._url

    # -- What happened --

    @property
    def best(self) -> Trial | None:
        """The best completed trial, or None: under noise the one that is best by its estimate, see `recommended`. With
        limits the best feasible one, and the least violating one while none is: ``study.best.feasible`` tells which.
        Several objectives have a `front` instead."""
        found = self._recommended("best")
        return None if found is None else found.trial

    def front(self) -> Front:
        """The trials that no other one dominates: the answer of a study with several objectives.

        >>> space = vbo.Space(x=vbo.Float(0, 1))
        >>> study = vbo.Study(space, goals={"cost": "minimize", "speed": "maximize"}, method="random")
        >>> trials = study.ask(3)
        >>> study.tell(trials, {"cost": [1.0, 2.0, 3.0], "speed": [5.0, 9.0, 7.0]})
        >>> [trial.id for trial in study.front()], study.front().extremes["speed"].values
        ([1, 2], {'cost': 2.0, 'speed': 9.0})
        """
        table, text = self._core.front()
        return front_from(self._rows(table), json.loads(text))

    def best_by(self, weights: Mapping[str, float]) -> Trial | None:
        """The trial of the front with the smallest sum of weight times value, where what is maximized counts
        negatively; None while there is no front."""
        if not isinstance(weights, Mapping) or not weights:
            raise wrong("weights", weights, f"a number for one or more of {list(self._objectives)}")
        found = self._rows(self._core.best({str(name): number(f"weights[{name!r}]", w) for name, w in weights.items()}))
        return found[0] if found else None

    @property
    def best_value(self) -> float | None:
        """The value of `best`, under noise its estimate."""
        found = self._recommended("best_value")
        return None if found is None else found.mean

    @property
    def best_params(self) -> Point:
        """The point of `best`; empty while there is none."""
        best = self.best
        return {} if best is None else best.point

    @property
    def best_trial(self) -> Trial | None:
        """`best`, by the name it has in Optuna."""
        return self.best

    @property
    def recommended(self) -> Recommended | None:
        """The evaluated point to use: under noise the one with the best estimate; without, `best`. None before
        there is a result."""
        return None if len(self._objectives) > 1 else self._recommended("recommended")

    def _recommended(self, what: str) -> Recommended | None:
        self._only_one(what, "front() or best_by()")
        table, text = self._core.recommended()
        rows = self._rows(table)
        return recommended_from(rows[0], text) if rows else None

    @property
    def pending(self) -> Trials:
        """The suggestions that have not been told, also those of an earlier process."""
        table = self._core.trials(True)
        return Trials(table["ids"].view(np.int64), self._space._columns(table["points"]))

    @property
    def counts(self) -> Counts:
        """How many trials there are in each state."""
        return Counts(*self._core.counts())

    def trials(self) -> list[Trial]:
        """Every trial in the order of ids."""
        return self._rows(self._core.trials(False))

    def columns(self) -> dict[str, Column]:
        """Every trial as NumPy columns: id, state, the parameters, value (or each objective), error, metrics,
        user_attrs."""
        return self._columns_of(self._core.trials(False))

    def _columns_and_violations(self) -> tuple[dict[str, Column], Doubles]:
        """And how far each trial lies outside the limits of the space: 0 where it is feasible, NaN without metrics."""
        table = self._core.trials(False)
        return self._columns_of(table), np.asarray(table.get("violations", np.zeros(len(table["ids"]))))

    def _columns_of(self, table: Mapping[str, Any]) -> dict[str, Column]:
        return {
            "id": table["ids"].view(np.int64),
            "state": np.array(table["states"], dtype=object),
            **self._space._columns(table["points"]),
            **dict(zip(self._objectives, table["values"])),
            "error": np.array(table["errors"], dtype=object),
            **{f"metrics.{name}": column for name, column in table["metrics"].items()},
            **self._repeat_columns(table),
            **attribute_columns(table["attributes"]),
            "seconds": table["seconds"],
            "source": np.array(table["sources"], dtype=object),
        }

    def _repeat_columns(self, table: Mapping[str, Any]) -> dict[str, Column]:
        """Standard errors, and which trials repeat the point of another, where there are any."""
        columns: dict[str, Column] = {}
        names = ["sem"] if len(self._objectives) == 1 else [f"sem.{name}" for name in self._objectives]
        if not all(np.all(np.isnan(column)) for column in table["sems"]):
            columns.update(zip(names, table["sems"]))
        if np.any(table["repeat_of"]):
            columns["repeat_of"] = table["repeat_of"].astype(np.int64)
            columns["repeat"] = table["repeats"].astype(np.int64)
        return columns

    def to_pandas(self) -> pandas.DataFrame:
        """Every trial as a DataFrame with the columns of `columns` and the id as its index."""
        import pandas

        return pandas.DataFrame(self.columns()).set_index("id")

    def to_parquet(self, path: str | os.PathLike[str]) -> Path:
        """Writes the columns of `columns` as a Parquet file; needs pyarrow. Returns its path."""
        import pyarrow
        from pyarrow import parquet

        file = Path(path)
        columns = {name: arrow_column(pyarrow, column) for name, column in self.columns().items()}
        parquet.write_table(pyarrow.table(columns), file)
        return file

    def importance(self, objective: str | None = None, *, threads: int = 0) -> dict[str, Importance]:
        """How much each parameter matters, in nats; empty below 20 completed trials. Of several objectives for the one
        that is named.

        >>> study = vbo.Study({"x": vbo.Float(0, 1), "y": vbo.Float(0, 1)}, method="sobol", seed=1)
        >>> trials = study.ask(128)
        >>> study.tell(trials, trials["x"])
        >>> found = study.importance()
        >>> found["x"].nats > 1 > found["y"].nats
        True
        """
        if objective is None:
            self._only_one("importance", "the name of one as its first argument")
        elif objective not in self._objectives:
            raise wrong("objective", objective, f"one of {list(self._objectives)}")
        return importance_from(self._core.importance_json(whole("threads", threads, 0)), objective)

    def report(self, path: str | os.PathLike[str] = "report.html") -> Path:
        """Writes the report of ``vbo report``: one page that needs no network. Returns its path."""
        file = Path(path)
        fresh = file.with_name(file.name + ".new")
        fresh.write_text(self._core.report_html(self.storage or "memory"), encoding="utf-8")
        return fresh.replace(file)  # nobody sees half a report

    def log(self) -> dict[str, Any]:
        """Values the method reports about its last training round, by name, and a message."""
        report: dict[str, Any] = json.loads(self._core.log())
        report["values"] = {name: float(value) for name, value in report["values"]}
        return report

    def _rows(self, table: Mapping[str, Any]) -> list[Trial]:
        return trials_from(table, self._space._columns(table["points"]), self._objectives)

    def __repr__(self) -> str:
        where = self.storage or "memory"
        return f"<vbo.Study {self.name!r} in {where}: {_goal_text(self.goals)} over {len(self._space)} parameters by {self.method}>"


def _goal_text(goals: Mapping[str, Goal]) -> str:
    """"minimize", or "minimize error, maximize speed"."""
    if len(goals) == 1:
        return next(iter(goals.values()))
    return ", ".join(f"{goal} {name}" for name, goal in goals.items())
