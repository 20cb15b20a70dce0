# SPDX-License-Identifier: MIT
"""`minimize` and `maximize`, and `aminimize` for coroutines."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from . import _pools
from ._arguments import callables, number, whole, wrong
from ._evaluate import Objective
from ._run import Callback, Result, Run, RunOptions
from ._objectives import Goal
from ._space import Parameter, Point, Space
from ._study import Method, Option, Study

if TYPE_CHECKING:
    from concurrent.futures import Executor


def _optimize(goal: Goal, function: Objective, space: Any, run: dict[str, Any], **study: Any) -> Result:
    _pools.check(function, run["processes"], run["executor"], run["timeout"])
    if study["batch"] is None:
        workers = _pools.count_workers(run["workers"], run["processes"], run["executor"])
        study["batch"] = 32 if run["batch_function"] else workers
    return Study(space, goal=goal, **study).run(function, **run)


def minimize(
    function: Objective,
    space: Space | Mapping[str, Parameter],
    budget: int = 100,
    *,
    goals: Mapping[str, Goal] | None = None,
    references: Mapping[str, float] | None = None,
    batch: int | None = None,
    workers: int | None = None,
    processes: bool | str = False,
    executor: Executor | None = None,
    batch_function: bool = False,
    method: Method | None = None,
    seed: int | None = 0,
    storage: str | os.PathLike[str] | None = None,
    name: str | None = None,
    options: Mapping[str, Option] | None = None,
    repeats: int | Literal["auto"] | None = None,
    threads: int = 0,
    seconds: float | None = None,
    timeout: float | None = None,
    value: float | None = None,
    failures_in_a_row: int = 20,
    progress: bool | None = None,
    callbacks: Iterable[Callback] = (),
) -> Result:
    """Finds the point where `function` is smallest, in `budget` evaluations: those of earlier calls on the same
    storage included.

    Args:
        function: Called with a dict of parameters; returns a number, or
            ``{"value": 1.25, "sem": 0.1, "metrics": {"mass": 3.1}, "user_attrs": {"note": "dry"}}``. With an argument
            called ``seed`` it also gets one that differs from trial to trial, with one called ``trial`` an
            `Evaluation`. After an exception the trial has failed and the run goes on;
            `vbo.Infeasible` marks an input that makes no sense. `ObjectiveFailed` when nothing was completed.
        space: A `Space`, or a dict of parameters.
        goals: For several objectives a goal for each, ``{"error": "minimize", "speed": "maximize"}``: `function` then
            returns a dict with their values, or a tuple in this order, and ``result.front`` is the answer. `references`
            as in `Study`.
        budget: Evaluations in all. Calling again with more continues; with as many it returns the stored result.
        batch: Suggestions that are made together; as many as there are workers otherwise.
        workers: Evaluations at the same time, in threads. -1: as many as cores. None: 1, as many as cores with
            `processes`, as many as the executor has.
        processes: True evaluates in processes instead; or the name of a start method of multiprocessing.
            When one dies only its trial is affected: it is tried once more.
        executor: Any ``concurrent.futures.Executor`` to evaluate with: ``ThreadPoolExecutor(8)``, that of Dask
            (``client.get_executor()``), ``mpi4py.futures``, loky, Parsl.
        batch_function: `function` takes `Trials` (``trials["x"]`` is a column) and returns all values.
        method, seed, storage, name, options, repeats, threads: As in `Study`. With a storage, calling again resumes.
        seconds: Stop after so much time.
        timeout: Seconds that one evaluation may take; needs ``processes=True``, or a ``ProcessPoolExecutor``: processes
            started like its own are then used instead.
        value: Stop when a value is this good.
        failures_in_a_row: Stop after so many failures in a row; 0 never.
        progress: Show progress: True, False, or None for "on a terminal or in a notebook".
        callbacks: Called as ``callback(study, trial)`` after each result; returning True stops.

    Ctrl-C ends the run after the running evaluations, and again at once; nothing that was told is
    lost, and the result so far is returned with ``ended == "interrupted"``.

    >>> space = vbo.Space(x=vbo.Float(-5, 10), y=vbo.Float(0, 15))
    >>> best = vbo.minimize(lambda p: (p["x"] - 1) ** 2 + p["y"], space, budget=30, method="random", progress=False)
    >>> best.ended
    'budget_spent'
    >>> best.value == (best["x"] - 1) ** 2 + best["y"]
    True
    """
    run = dict(
        workers=workers, processes=processes, executor=executor, batch_function=batch_function, seconds=seconds,
        timeout=timeout, value=value, failures_in_a_row=failures_in_a_row, progress=progress, callbacks=callbacks,
    )  # fmt: skip
    return _optimize("minimize", function, space, run, goals=goals, references=references, budget=budget, batch=batch, method=method, seed=seed,
                     storage=storage, name=name, options=options, repeats=repeats, threads=threads)  # fmt: skip


def maximize(
    function: Objective,
    space: Space | Mapping[str, Parameter],
    budget: int = 100,
    *,
    batch: int | None = None,
    workers: int | None = None,
    processes: bool | str = False,
    executor: Executor | None = None,
    batch_function: bool = False,
    method: Method | None = None,
    seed: int | None = 0,
    storage: str | os.PathLike[str] | None = None,
    name: str | None = None,
    options: Mapping[str, Option] | None = None,
    repeats: int | Literal["auto"] | None = None,
    threads: int = 0,
    seconds: float | None = None,
    timeout: float | None = None,
    value: float | None = None,
    failures_in_a_row: int = 20,
    progress: bool | None = None,
    callbacks: Iterable[Callback] = (),
) -> Result:
    """Finds the point where `function` is largest, in `budget` evaluations in all. Everything else is as in `minimize`.

    >>> best = vbo.maximize(lambda p: -abs(p["n"] - 3), {"n": vbo.Int(0, 5)}, budget=20, progress=False)
    >>> best["n"], best.ended
    (3, 'space_exhausted')
    """
    run = dict(
        workers=workers, processes=processes, executor=executor, batch_function=batch_function, seconds=seconds,
        timeout=timeout, value=value, failures_in_a_row=failures_in_a_row, progress=progress, callbacks=callbacks,
    )  # fmt: skip
    return _optimize("maximize", function, space, run, budget=budget, batch=batch, method=method, seed=seed,
                     storage=storage, name=name, options=options, repeats=repeats, threads=threads)  # fmt: skip


async def aminimize(
    function: Callable[[Point], Awaitable[Any]],
    space: Space | Mapping[str, Parameter],
    budget: int = 100,
    *,
    goal: Goal = "minimize",
    goals: Mapping[str, Goal] | None = None,
    references: Mapping[str, float] | None = None,
    batch: int | None = None,
    workers: int = 8,
    method: Method | None = None,
    seed: int | None = 0,
    storage: str | os.PathLike[str] | None = None,
    name: str | None = None,
    options: Mapping[str, Option] | None = None,
    repeats: int | Literal["auto"] | None = None,
    threads: int = 0,
    seconds: float | None = None,
    timeout: float | None = None,
    value: float | None = None,
    failures_in_a_row: int = 20,
    progress: bool | None = None,
    callbacks: Iterable[Callback] = (),
) -> Result:
    """As `minimize`, `budget` evaluations in all, awaiting a coroutine function (``async def``): `workers` of its calls
    at the same time.

    Args:
        goal: ``"maximize"`` finds where it is largest.
        goals, references: As in `minimize`.
        timeout: Seconds that one call may take; it is cancelled then.

    >>> import asyncio
    >>> async def objective(point):
    ...     await asyncio.sleep(0)
    ...     return point["x"] ** 2
    >>> asyncio.run(vbo.aminimize(objective, {"x": vbo.Float(-1, 1)}, budget=16, progress=False)).ended
    'budget_spent'
    """
    count = _pools.count_workers(workers, False, None)
    limit = None if timeout is None else number("timeout", timeout)
    if limit is not None and limit < 0:
        raise wrong("timeout", timeout, "at least 0")
    study = Study(
        space, goal=goal, goals=goals, references=references, budget=budget, batch=count if batch is None else batch, method=method, seed=seed,
        storage=storage, name=name, options=options, repeats=repeats, threads=threads,
    )  # fmt: skip
    run = RunOptions(
        workers=count,
        processes=False,
        executor=None,
        batch_function=False,
        budget=whole("budget", budget, 1),
        seconds=None if seconds is None else number("seconds", seconds),
        timeout=None,
        value=None if value is None else number("value", value),
        failures_in_a_row=whole("failures_in_a_row", failures_in_a_row, 0),
        progress=progress,
        callbacks=callables(callbacks),
    )
    return await Run(study, function, run).arun(limit)
