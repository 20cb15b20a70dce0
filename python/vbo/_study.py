# SPDX-License-Identifier: MIT
"""A study: a space, a goal, a method, and every trial so far."""

from __future__ import annotations

import json
import os
import re
import secrets
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Union, overload

import numpy as np

from . import _pools, _vbo
from ._arguments import Integers, callables, integers, number, whole, wrong
from ._errors import InvalidInput, Unsupported
from ._objectives import Goal, objectives_of, value_columns
from ._open import Shared, name_of, opened, url_of
from ._reader import StudyReader
from ._results import Steps, results
from ._space import Parameter, Space
from ._trials import Trial, Trials

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from ._evaluate import Objective
    from ._run import Callback, Result

Method = Union[
    Literal[
        "auto", "gp-logei", "gp-ei", "gp-ucb", "gp-ts", "ibnn", "dkl", "focal", "turbo", "vbo", "pareto",
        "gp-logehvi", "vbo-paper", "vbo-paper-literal", "vbo-paper-gp-exploration", "vbo-paper-gp-exploitation", "vbo-gp-exploration",
        "vbo-gp-exploitation", "hmc", "sghmc", "laplace", "cmaes", "sobol", "random",
    ],
    str,  # of a later build
]  # fmt: skip
"""Names of methods, see `vbo.methods`."""
Ids = Union[int, Trial, Trials, Integers, Sequence[int]]
Attributes = Union[Mapping[str, Any], Sequence[Union[Mapping[str, Any], None]], None]
Option = Union[bool, int, float, str, Sequence[float]]


class Study(StudyReader):
    """Suggests points to evaluate and uses their results for the next ones, `budget` evaluations in all.

    A study lives in a storage: a file that the ``vbo`` command reads and writes as well, or memory.
    What was suggested is stored before it is returned, and a result before it is told to the method, so a
    process that is killed at any moment loses nothing. Opening the same file again resumes it.

    Args:
        space: A `Space`, or a dict of parameters.
        goal: ``"minimize"`` or ``"maximize"``.
        goals: Instead of `goal`, for two to eight objectives: ``{"error": "minimize", "speed": "maximize"}``. The answer
            is then `front`.
        references: With `goals`, for some of the objectives an unacceptable value; the hypervolume is measured
            against them.
        method: One of ``vbo.methods()``; ``"auto"`` otherwise, which chooses one by the size of the problem
            (``study.log()["message"]`` has the choice and the reason).
        batch: How many results come back together, 1 otherwise; a method trains about so often.
        seed: Same seed, same order of results: same suggestions, bit for bit. None: a random one.
        budget: Evaluations in all, as far as known, 1000 otherwise; methods plan with it and ``run`` ends there.
        storage: A file (also ``"sqlite:///FILE"``), created when absent, or ``"postgresql://..."``; None keeps the
            study in memory. A stored study keeps its method, seed, name and options where they are not given;
            ``budget`` and ``batch`` may differ from call to call.
        name: Shown in output; the file's name otherwise, in PostgreSQL what follows ``study=``.
        options: Options of the method, see ``vbo.methods()``.
        repeats: Evaluations of every point, 1 otherwise; the method learns their mean and its standard error. ``"auto"``,
            of one objective: leading points are evaluated again when that is worth more than a new point.
        threads: Threads the method uses; 0 means all cores. Suggestions do not depend on it.

    One study may be used by several threads: calls wait for each other, and release the GIL. Several processes may open
    one file: the first runs the method, the others read, ask it and tell; the next takes over when it ends. After a
    fork every call in the child is an `Unsupported` error. Pickling keeps the storage's name and opens it again.

    >>> space = vbo.Space(x=vbo.Float(-5, 10), n=vbo.Int(1, 8))
    >>> study = vbo.Study(space, method="random", batch=4, seed=1)
    >>> trials = study.ask(4)
    >>> trials.ids
    array([1, 2, 3, 4])
    >>> study.tell(trials.ids, trials["x"] ** 2 + trials["n"])
    >>> study.counts.completed
    4
    >>> bool(study.best.value == min(trials["x"] ** 2 + trials["n"]))
    True
    """

    def __init__(
        self,
        space: Space | Mapping[str, Parameter],
        *,
        goal: Goal = "minimize",
        goals: Mapping[str, Goal] | None = None,
        references: Mapping[str, float] | None = None,
        method: Method | None = None,
        batch: int | None = None,
        seed: int | None = 0,
        budget: int | None = None,
        storage: str | os.PathLike[str] | None = None,
        name: str | None = None,
        options: Mapping[str, Option] | None = None,
        repeats: int | Literal["auto"] | None = None,
        threads: int = 0,
    ) -> None:
        if not isinstance(space, Space):
            if not isinstance(space, Mapping):
                raise wrong("space", space, "a vbo.Space or a dict of parameters")
            space = Space(space)
        objectives = objectives_of(goal, goals, references)
        for argument, text in (("method", method), ("name", name)):
            if text is not None and not isinstance(text, str):
                raise wrong(argument, text, "text")
        if options is not None and not isinstance(options, Mapping):
            raise wrong("options", options, "a dict")
        url = url_of(storage)
        # What is not given is of a new study only; a stored one keeps its own.
        given = {
            "name": name, "budget": budget, "method": method, "seed": seed or None, "batch": None, "options": options or None,
            "repeats": repeats,
        }  # fmt: skip
        definition = {
            "name": name if name is not None else "study" if storage is None else name_of(url),
            "objectives": objectives,
            "budget": 1000 if budget is None else whole("budget", budget, 1),
            "space": json.loads(space._json()),
            "optimizer": {
                "method": method or "auto",
                "seed": secrets.randbits(31) if seed is None else whole("seed", seed, 0),
                "batch": 1 if batch is None else whole("batch", batch, 1),
                "budget": 0,
                "settings": {key: _option(key, value) for key, value in (options or {}).items()},
                "repeats": _repeats(repeats),
            },
            "unstated": [key for key, value in given.items() if value is None],
        }
        text = json.dumps(definition)
        count = whole("threads", threads, 0)
        shared = opened(
            url, lambda: _vbo.Study.open(text, url, count), lambda core: core.go_on_with(text, url)
        )
        self._adopt(shared, url, space)
        if batch is not None:
            self._batch = whole("batch", batch, 1)
        if budget is not None:
            self._budget = whole("budget", budget, 1)

    def _adopt(self, shared: Shared, url: str, space: Space | None = None) -> Study:
        shared.users.add(self)
        self._shared = shared
        self._left = False
        self._stop = False
        self._url = url
        self._definition: dict[str, Any] = json.loads(shared.core.definition())
        self._space = space or Space._from_json(self._definition["space"])
        self._objectives = tuple(str(objective["name"]) for objective in self._definition["objectives"])
        self._batch = int(self._definition["optimizer"]["batch"])
        self._budget = int(self._definition["budget"])
        if warning := shared.core.warning():
            warnings.warn(warning, stacklevel=3)
        return self
    # -- Ask and tell --

    @overload
    def ask(self) -> Trial: ...
    @overload
    def ask(self, n: int) -> Trials: ...
    def ask(self, n: int | None = None) -> Trial | Trials:
        """New suggestions, stored and waiting to be told.

        ``ask(n)`` gives `Trials`, columns of n suggestions that are meant to be evaluated together;
        fewer only when the space has no more points. When all of them have been evaluated, those that may be the best
        are suggested again, as far as the budget goes and where there is noise. ``ask()`` gives a single `Trial`.
        """
        trials = self._ask(1 if n is None else whole("n", n, 1))
        if n is not None:
            return trials
        if len(trials) == 0:
            counts = self.counts
            if left := counts.waiting + counts.running:
                raise Unsupported(
                    f"every point of the space has been suggested; tell the results of the {left} that are open: "
                    "where results of one point differ, points are suggested again"
                )
            raise Unsupported("the space has no more points to suggest, and no noise that would make it worth repeating one")
        return trials[0]

    def _ask(self, n: int, durable: bool = True) -> Trials:
        """Suggestions that are evaluated by this process need not survive a power failure before
        their results do."""
        ids, codes = self._core.ask(n, durable)
        return Trials(ids.view(np.int64), self._space._columns(codes))

    def tell(
        self,
        ids: Ids,
        values: Any = None,
        *,
        error: str | Sequence[str | None] | None = None,
        cause: str | Sequence[str] = "reported",
        metrics: Mapping[str, Any] | None = None,
        seconds: Any = None,
        sem: Any = None,
        user_attrs: Attributes = None,
    ) -> None:
        """The results of suggestions: all of them are stored, or, on an error, none.

        Args:
            ids: What ``ask`` gave: an id, a `Trial`, `Trials`, or ids in any array.
            values: One number per id. One that is not finite makes its trial fail. Of several objectives a dict of
                numbers or columns by name, a dict or a tuple per id, or an array with a column per objective.
            error: Why there is no value: one text for all, or one per id with None for those that have
                a value. `cause` is the reason in one word; ``"infeasible"`` means that the input makes no sense.
            metrics: Further measurements: a number, or one per id, by name.
            seconds: How long the evaluations took.
            sem: The standard error of each value, where it is known: one for all, or one per id. Of several objectives in
                the forms of `values`; a dict may have one for all.
            user_attrs: Anything else to keep with the trial, which no method sees: a dict of text, numbers, lists or
                dicts, one for all or one per id.

        >>> study = vbo.Study(vbo.Space(x=vbo.Float(0, 1)), method="random")
        >>> trials = study.ask(3)
        >>> study.tell(trials.ids[:2], [0.5, 0.25], metrics={"mass": [1.0, 2.0]})
        >>> study.tell(3, error="the pump was blocked")
        >>> [t.state for t in study.trials()]
        ['completed', 'completed', 'failed']
        """
        if isinstance(ids, Trial):
            ids = ids.id
        numbers = integers("ids", ids.ids if isinstance(ids, Trials) else ids)
        self._core.tell(numbers, self._results(len(numbers), values, error, cause, metrics, seconds, sem, user_attrs))

    def add(
        self,
        points: Any,
        values: Any = None,
        *,
        error: str | Sequence[str | None] | None = None,
        cause: str | Sequence[str] = "reported",
        metrics: Mapping[str, Any] | None = None,
        seconds: Any = None,
        sem: Any = None,
        user_attrs: Attributes = None,
        steps: Sequence[Steps] | None = None,
    ) -> Integers:
        """Results of points that were not suggested, such as past data. Returns their new ids.

        `points` is a dict of columns (or a pandas DataFrame with these columns), one dict with a
        value per parameter, or a list of such dicts. Results of the same point count as repeats. `steps` has for each
        what it reported while it ran, ``{1: 0.9, 2: 0.5}``; everything else is as in `tell`.

        >>> study = vbo.Study(vbo.Space(x=vbo.Float(0, 1), kind=vbo.Choice(["a", "b"])), method="random")
        >>> study.add({"x": [0.1, 0.2], "kind": ["a", "b"]}, [5.0, 4.0])
        array([1, 2])
        >>> study.best["kind"]
        'b'
        """
        codes, rows = self._space._codes(_columns_of(self._space, points))
        ids = self._core.add(codes, rows, self._results(rows, values, error, cause, metrics, seconds, sem, user_attrs, steps))
        return ids.view(np.int64)

    def enqueue(self, points: Any) -> None:
        """Points to evaluate next, before what the method suggests: a dict, a list of dicts, columns or a DataFrame. The
        method chooses the parameters that are left out.

        >>> study = vbo.Study(vbo.Space(x=vbo.Float(0, 1), n=vbo.Int(1, 9)), method="random")
        >>> study.enqueue({"x": 0.25})
        >>> study.ask()["x"]
        0.25
        """
        columns, given = _completed(self._space, points)
        codes, rows = self._space._codes(columns)
        try:
            self._core.enqueue(codes, rows, given)
        except InvalidInput as error:  # they are the starts of a study file there, counted from 1
            raise InvalidInput(re.sub(r"\bstart (\d+)", _place, str(error)), "points") from None

    def _results(self, n: int, values: Any, *others: Any) -> _vbo.Results:
        columns = None if values is None else value_columns(self._objectives, values, n)
        return results(n, self._objectives, columns, *others)

    # -- Running --

    def run(
        self,
        function: Objective,
        *,
        workers: int | None = None,
        processes: bool | str = False,
        executor: Executor | None = None,
        batch_function: bool = False,
        budget: int | None = None,
        seconds: float | None = None,
        timeout: float | None = None,
        value: float | None = None,
        failures_in_a_row: int = 20,
        progress: bool | None = None,
        callbacks: Iterable[Callback] = (),
    ) -> Result:
        """Evaluates until the study has `budget` results in all, those of earlier runs included.

        Without one the study's own budget counts. `vbo.minimize` explains the arguments."""
        from ._run import Run, RunOptions

        options = RunOptions(
            workers=_pools.count_workers(workers, processes, executor),
            processes=processes,
            executor=executor,
            batch_function=batch_function,
            budget=self.budget if budget is None else whole("budget", budget, 1),
            seconds=None if seconds is None else number("seconds", seconds),
            timeout=None if timeout is None else number("timeout", timeout),
            value=None if value is None else number("value", value),
            failures_in_a_row=whole("failures_in_a_row", failures_in_a_row, 0),
            progress=progress,
            callbacks=callables(callbacks),
        )
        return Run(self, function, options).run()

    def stop(self) -> None:
        """Ends a `run` of this study after the running evaluations: from a callback, the function, or another thread."""
        self._stop = True

    # -- Its end --

    def close(self) -> None:
        """Nothing can be asked or told afterwards; the storage is closed with the last `Study` of this process on
        it. Also at the end of ``with``."""
        if not self._left:
            self._left = True
            self._shared.leave(self)

    def __enter__(self) -> Study:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __reduce__(self) -> tuple[Callable[..., Study], tuple[str]]:
        if self.storage is None:
            raise Unsupported(
                "a study in memory cannot be pickled; give it a file with storage= and pickle that"
            )
        return open_study, (os.path.abspath(self.storage),)

    def _repr_html_(self) -> str:
        from ._html import study_html

        return study_html(self)


def open_study(storage: str | os.PathLike[str], *, threads: int = 0) -> Study:
    """Resumes the study of a file, whether begun by Python, the command line or C++."""
    url, count = url_of(storage), whole("threads", threads, 0)
    shared = opened(url, lambda: _vbo.Study.open_existing(url, count), lambda core: None)
    return Study.__new__(Study)._adopt(shared, url)


def load(path: str | os.PathLike[str]) -> Study:
    """Creates or resumes the study of a study file, as ``vbo ask study.toml`` does.

    Its program is not run: ask and tell, or ``study.run(function)``.
    """
    file = os.fspath(path)
    url = _vbo.storage_of(file)
    shared = opened(url, lambda: _vbo.Study.load(file), lambda core: core.load_again(file))
    return Study.__new__(Study)._adopt(shared, url)


def _repeats(repeats: object) -> int | str:
    if isinstance(repeats, str):
        if repeats != "auto":
            raise wrong("repeats", repeats, '"auto" or a number')
        return repeats
    return 1 if repeats is None else whole("repeats", repeats, 1)


def _option(name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if np.isfinite(value) else {"number": str(value)}
    try:
        return [float(item) for item in value]
    except (TypeError, ValueError):
        raise wrong(f"options[{name!r}]", value, "true, false, a number, text or numbers") from None


def _place(start: re.Match[str]) -> str:
    return f"points[{int(start[1]) - 1}]"


def _completed(space: Space, points: Any) -> tuple[dict[str, Any], list[list[bool]]]:
    """Columns of points that may have values for some parameters alone, and per point which have one."""
    if hasattr(points, "columns") and hasattr(points, "to_dict"):  # a DataFrame
        points = {str(name): points[name].to_numpy() for name in points.columns}
    if isinstance(points, Mapping):
        rows = max((len(space[name]._to_codes(name, column)) for name, column in points.items() if name in space), default=1)
        filled = {name: [parameter._first] * rows for name, parameter in space.items() if name not in points}
        return {**points, **filled}, [[name in points for name in space]] * rows
    if isinstance(points, Sequence) and all(isinstance(point, Mapping) for point in points):
        for name in {name for point in points for name in point if name not in space}:
            raise InvalidInput(f'unknown parameter "{name}", expected {", ".join(space)}', str(name))
        columns = {name: [point.get(name, parameter._first) for point in points] for name, parameter in space.items()}
        return columns, [[name in point for name in space] for point in points]
    raise wrong("points", points, "a dict, a list of dicts, columns or a DataFrame")


def _columns_of(space: Space, points: Any) -> Mapping[str, Any]:
    if isinstance(points, Mapping):
        return points
    if hasattr(points, "columns") and hasattr(points, "to_numpy"):  # a DataFrame
        return {name: points[name] for name in points.columns if name in space}
    if isinstance(points, Sequence) and all(isinstance(point, Mapping) for point in points):
        for point in points:
            for name in set(point).symmetric_difference(space):
                found = "is unknown" if name in point else "has no value"
                raise InvalidInput(f'parameter "{name}" {found} in {dict(point)!r}', str(name))
        return {name: [point[name] for point in points] for name in space}
    raise wrong("points", points, "a dict of columns, a list of dicts or a DataFrame")
