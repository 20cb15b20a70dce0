# SPDX-License-Identifier: MIT
"""Evaluating a Python function until there is a reason to stop, and `minimize` and `maximize`."""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from ._arguments import doubles
from ._errors import Error, Infeasible, InvalidInput
from ._progress import Progress
from ._space import Parameter, Point, Space
from ._study import Option, Study
from ._trials import Trial, Trials

if TYPE_CHECKING:  # at run time only when there is a pool: importing them takes a while
    from concurrent.futures import Executor, Future

Objective = Callable[[Any], Any]
Callback = Callable[[Study, Trial], Union[bool, None]]

_LOOK_AROUND = 0.1  # seconds: how soon an interrupt is noticed while evaluations run
_MOST_LOSSES = 2  # a trial whose process died so often has failed
_UNKNOWN = float("nan")


class ObjectiveFailed(Error):
    """Every evaluation failed; the text shows the last failure."""


@dataclass(frozen=True)
class RunOptions:
    workers: int
    processes: bool | str
    executor: Executor | None
    batch_function: bool
    budget: int
    seconds: float | None
    value: float | None
    failures_in_a_row: int
    progress: bool | None
    callbacks: tuple[Callback, ...]


@dataclass(frozen=True)
class Result:
    """What `minimize` and `maximize` return. ``result["x"]`` is the best value of parameter x.

    Attributes:
        value: The best value, or None when nothing was completed.
        point: The parameters of the best trial.
        trial: The best trial with everything known about it.
        ended: ``"budget_spent"``, ``"interrupted"``, ``"too_many_failures"``, ``"space_exhausted"``,
            ``"time_over"``, ``"good_enough"`` or ``"stopped"`` (by a callback).
        study: The study, to look at or to go on with.
        seconds: Wall time of this run.
    """

    value: float | None
    point: Point
    trial: Trial | None
    ended: str
    study: Study
    seconds: float

    def __getitem__(self, name: str) -> Any:
        return self.point[name]


@dataclass
class _Outcome:
    """What came of one call; plain data, because it may come from another process."""

    value: float = _UNKNOWN
    error: str | None = None
    cause: str = "reported"
    metrics: Mapping[str, float] | None = None
    seconds: float = 0.0


def _evaluate(function: Objective, point: Point) -> _Outcome:
    """Runs where the workers are."""
    start = time.perf_counter()
    try:
        outcome = _outcome_of(function(point))
    except Infeasible as error:
        outcome = _Outcome(error=str(error) or "infeasible", cause="infeasible")
    except Exception as error:
        outcome = _Outcome(error=_text_of(error), cause="crash")
    outcome.seconds = time.perf_counter() - start
    return outcome


def _text_of(error: BaseException) -> str:
    """`ValueError: message (file.py:12)`: where it was raised is what one wants to know."""
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    frames = traceback.extract_tb(error.__traceback__)
    return f"{text} ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else text


def _outcome_of(result: Any) -> _Outcome:
    """A number, or what an evaluator prints: {"value": 1.25, "metrics": {"mass": 3.1}}."""
    metrics: Mapping[str, float] | None = None
    if isinstance(result, Mapping):
        if "error" in result:
            return _Outcome(error=str(result["error"]))
        metrics = {str(name): float(number) for name, number in result.get("metrics", {}).items()}
        result = result.get("value")
    if result is None:
        return _Outcome(error="the function returned no value", cause="no_value")
    value = float(result)
    if not np.isfinite(value):
        return _Outcome(error=f"the value is {value}", cause="non_finite", metrics=metrics)
    return _Outcome(value=value, metrics=metrics)


def _ignore_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's business


class _Interrupts:
    """Ctrl-C: the first ends the run after what is being evaluated, the second gives that up.

    While the function runs in this very thread, the first stops it at once.
    """

    def __init__(self) -> None:
        self.count = 0
        self.evaluating = False
        self._mine = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> _Interrupts:
        if self._mine:
            self._before = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        if self._mine:
            signal.signal(signal.SIGINT, self._before)

    def _on_signal(self, *_: object) -> None:
        self.count += 1
        if self.evaluating:
            raise KeyboardInterrupt


class Run:
    """One call of `Study.run`. Keeps every worker busy; what an earlier process left comes first."""

    def __init__(self, study: Study, function: Objective, options: RunOptions) -> None:
        if not callable(function):
            raise InvalidInput(f"function: found {function!r}, expected something to call", "function")
        if options.batch_function and (options.workers > 1 or options.executor is not None):
            raise InvalidInput("batch_function evaluates whole batches in one call, expected workers=1", "workers")
        self.study = study
        self.function = function
        self.options = options
        self.ended: str | None = None
        self.failures_in_a_row = 0
        self.last_error = ""
        counts = study.counts
        self.done = counts.completed + counts.failed
        self.any_completed = counts.completed > 0
        self.waiting = deque(study.pending)
        self.losses: dict[int, int] = {}
        self.start = time.monotonic()

    def run(self) -> Result:
        self.progress = Progress(self.study, self.options.budget, self.options.progress, self.done)
        with _Interrupts() as self.interrupts:
            try:
                if self.options.batch_function:
                    self._run_batches()
                elif self.options.workers == 1 and self.options.executor is None and not self.options.processes:
                    self._run_here()
                else:
                    self._run_pool()
            finally:
                self.progress.close()
        if self.ended == "too_many_failures" and not self.any_completed:
            raise ObjectiveFailed(f"every evaluation failed, the last one with: {self.last_error}")
        best = self.study.best
        return Result(
            value=best.value if best else None,
            point=best.point if best else {},
            trial=best,
            ended=self.ended or "budget_spent",
            study=self.study,
            seconds=time.monotonic() - self.start,
        )

    # -- When to stop --

    def _check_end(self) -> None:
        if self.ended:
            return
        seconds = self.options.seconds
        if self.interrupts.count:
            self.ended = "interrupted"
        elif seconds is not None and time.monotonic() - self.start >= seconds:
            self.ended = "time_over"
        elif self.done >= self.options.budget:
            self.ended = "budget_spent"

    def _next(self, running: int, at_most: int) -> Trial | None:
        """The next trial to start, or None; asks for at most so many new ones."""
        left = self.options.budget - self.done - running
        if left <= 0:
            return None
        if not self.waiting:
            self.waiting.extend(self.study._ask(min(at_most, left, self.study.batch), durable=False))
        if not self.waiting:
            self.ended = "space_exhausted"
            return None
        return self.waiting.popleft()

    # -- The three ways --

    def _run_here(self) -> None:
        while True:
            self._check_end()
            trial = None if self.ended else self._next(0, 1)
            if trial is None:
                return
            try:
                self.interrupts.evaluating = True
                outcome = _evaluate(self.function, trial.point)
                self.interrupts.evaluating = False
            except KeyboardInterrupt:
                self.interrupts.evaluating = False
                self.waiting.appendleft(trial)  # it stays pending, for the next run
                self.ended = "interrupted"
                return
            self._tell([(trial, outcome)])

    def _run_batches(self) -> None:
        while True:
            self._check_end()
            left = self.options.budget - self.done
            if self.ended or left <= 0:
                return
            pending = self.study.pending
            trials = pending if len(pending) else self.study._ask(min(left, self.study.batch), durable=False)
            if len(trials) == 0:
                self.ended = "space_exhausted"
                return
            start = time.perf_counter()
            try:
                self.interrupts.evaluating = True
                outcomes = self._evaluate_batch(trials)
                self.interrupts.evaluating = False
            except KeyboardInterrupt:
                self.interrupts.evaluating = False
                self.ended = "interrupted"
                return
            for outcome in outcomes:
                outcome.seconds = (time.perf_counter() - start) / len(outcomes)
            self._tell(list(zip(trials, outcomes)))

    def _evaluate_batch(self, trials: Trials) -> list[_Outcome]:
        try:
            values = doubles("the function's values", self.function(trials), len(trials))
        except InvalidInput:
            raise
        except Exception as error:
            return [_Outcome(error=_text_of(error), cause="crash") for _ in trials.ids]
        return [_outcome_of(value) for value in values.tolist()]

    def _run_pool(self) -> None:
        from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait

        pool = self.options.executor or self._make_pool()
        running: dict[Future[_Outcome], Trial] = {}
        try:
            while True:
                self._check_end()
                if self.interrupts.count > 1:
                    break  # what runs stays pending
                while not self.ended and len(running) < self.options.workers:
                    trial = self._next(len(running), self.options.workers - len(running))
                    if trial is None:
                        break
                    try:
                        running[pool.submit(_evaluate, self.function, trial.point)] = trial
                    except BrokenExecutor:
                        if self.options.executor is not None:
                            raise
                        self.waiting.appendleft(trial)
                        pool = self._replace(pool, running)
                if not running:
                    break
                finished, _ = wait(running, timeout=_LOOK_AROUND, return_when=FIRST_COMPLETED)
                broken = any(isinstance(future.exception(), BrokenExecutor) for future in finished)
                if broken and self.options.executor is None:
                    pool = self._replace(pool, running)
                    continue
                self._tell([(running.pop(future), _result_of(future)) for future in finished])
        finally:
            if pool is not self.options.executor:
                self._shut_down(pool)

    def _make_pool(self) -> Executor:
        from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

        if not self.options.processes:
            return ThreadPoolExecutor(self.options.workers, thread_name_prefix="vbo")
        import multiprocessing

        method = None if self.options.processes is True else self.options.processes
        context = multiprocessing.get_context(method)
        return ProcessPoolExecutor(self.options.workers, mp_context=context, initializer=_ignore_interrupts)

    def _replace(self, pool: Executor, running: dict[Future[_Outcome], Trial]) -> Executor:
        """A worker process died, and with it the pool: what ran is tried once more in a new one."""
        pool.shutdown(wait=False)
        lost: list[tuple[Trial, _Outcome]] = []
        for trial in running.values():
            self.losses[trial.id] = self.losses.get(trial.id, 0) + 1
            if self.losses[trial.id] < _MOST_LOSSES:
                self.waiting.append(trial)
            else:
                lost.append((trial, _Outcome(error="the process that evaluated it died", cause="lost")))
        running.clear()
        self._tell(lost)
        return self._make_pool()

    def _shut_down(self, pool: Executor) -> None:
        given_up = self.interrupts.count > 1
        if given_up:
            for process in list((getattr(pool, "_processes", None) or {}).values()):
                process.terminate()
        pool.shutdown(wait=not given_up, cancel_futures=True)

    # -- Results --

    def _tell(self, ended: list[tuple[Trial, _Outcome]]) -> None:
        if not ended:
            return
        outcomes = [outcome for _, outcome in ended]
        names = sorted({name for outcome in outcomes for name in outcome.metrics or {}})
        failed = [outcome for outcome in outcomes if outcome.error is not None]
        self.study.tell(
            [trial.id for trial, _ in ended],
            [outcome.value for outcome in outcomes],
            error=[outcome.error for outcome in outcomes] if failed else None,
            cause=[outcome.cause for outcome in outcomes],
            metrics={name: [(o.metrics or {}).get(name, _UNKNOWN) for o in outcomes] for name in names},
            seconds=[outcome.seconds for outcome in outcomes],
        )
        self.done += len(ended)
        for trial, outcome in ended:
            self._after(trial, outcome)
        self.progress.advance(len(ended), [o.value for o in outcomes if o.error is None])

    def _after(self, trial: Trial, outcome: _Outcome) -> None:
        if outcome.error is None:
            self.failures_in_a_row = 0
            self.any_completed = True
            target = self.options.value
            if target is not None and not self.ended:
                better = outcome.value <= target if self.study.goal == "minimize" else outcome.value >= target
                if better:
                    self.ended = "good_enough"
        else:
            self.last_error = outcome.error
            self.failures_in_a_row += outcome.cause != "infeasible"
            if 0 < self.options.failures_in_a_row <= self.failures_in_a_row and not self.ended:
                self.ended = "too_many_failures"
        if not self.options.callbacks:
            return
        state = "completed" if outcome.error is None else "failed"
        finished = Trial(
            trial.id, trial.point, state, outcome.value if outcome.error is None else None, outcome.error,
            outcome.cause if outcome.error is not None else None, dict(outcome.metrics or {}), outcome.seconds,
        )  # fmt: skip
        for callback in self.options.callbacks:
            if callback(self.study, finished) is True and not self.ended:
                self.ended = "stopped"


def _result_of(future: Future[_Outcome]) -> _Outcome:
    """An executor may fail by itself, for example when the function cannot be pickled."""
    try:
        return future.result()
    except Exception as error:
        return _Outcome(error=_text_of(error), cause="crash")


def _optimize(goal: str, function: Objective, space: Any, run: dict[str, Any], **study: Any) -> Result:
    if study["batch"] is None:
        study["batch"] = 32 if run["batch_function"] else run["workers"]
    return Study(space, goal=goal, **study).run(function, **run)


def minimize(
    function: Objective,
    space: Space | Mapping[str, Parameter],
    budget: int = 100,
    *,
    batch: int | None = None,
    workers: int = 1,
    processes: bool | str = False,
    executor: Executor | None = None,
    batch_function: bool = False,
    method: str = "vbo",
    seed: int = 0,
    storage: str | os.PathLike[str] | None = None,
    name: str | None = None,
    options: Mapping[str, Option] | None = None,
    threads: int = 0,
    seconds: float | None = None,
    value: float | None = None,
    failures_in_a_row: int = 20,
    progress: bool | None = None,
    callbacks: Iterable[Callback] = (),
) -> Result:
    """Finds the point where `function` is smallest.

    Args:
        function: Called with a dict of parameters; returns a number, or
            ``{"value": 1.25, "metrics": {"mass": 3.1}}``. An exception makes the trial fail and the run
            go on; `vbo.Infeasible` says that the input makes no sense.
        space: A `Space`, or a dict of parameters.
        budget: Evaluations in all, also those of earlier runs on the same storage.
        batch: Suggestions that are made together; as many as there are workers otherwise.
        workers: Evaluations at the same time, in threads.
        processes: True evaluates in processes instead; or the name of a start method of multiprocessing.
        executor: Any ``concurrent.futures.Executor`` to evaluate with, `workers` at a time.
        batch_function: `function` takes `Trials` (``trials["x"]`` is a column) and returns all values.
        method, seed, storage, name, options, threads: As in `Study`. With a storage, calling again resumes.
        seconds: Stop after so much time.
        value: Stop when a value is this good.
        failures_in_a_row: Stop after so many failures in a row; 0 never.
        progress: Show progress on standard error: True, False, or None for "when it is a terminal".
        callbacks: Called as ``callback(study, trial)`` after each result; returning True stops.

    Ctrl-C ends the run after what is being evaluated, and again at once; nothing that was told is
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
        value=value, failures_in_a_row=failures_in_a_row, progress=progress, callbacks=callbacks,
    )  # fmt: skip
    return _optimize("minimize", function, space, run, budget=budget, batch=batch, method=method, seed=seed,
                     storage=storage, name=name, options=options, threads=threads)  # fmt: skip


def maximize(
    function: Objective,
    space: Space | Mapping[str, Parameter],
    budget: int = 100,
    *,
    batch: int | None = None,
    workers: int = 1,
    processes: bool | str = False,
    executor: Executor | None = None,
    batch_function: bool = False,
    method: str = "vbo",
    seed: int = 0,
    storage: str | os.PathLike[str] | None = None,
    name: str | None = None,
    options: Mapping[str, Option] | None = None,
    threads: int = 0,
    seconds: float | None = None,
    value: float | None = None,
    failures_in_a_row: int = 20,
    progress: bool | None = None,
    callbacks: Iterable[Callback] = (),
) -> Result:
    """Finds the point where `function` is largest. Everything else is as in `minimize`.

    >>> best = vbo.maximize(lambda p: -abs(p["n"] - 3), {"n": vbo.Int(0, 5)}, budget=20, progress=False)
    >>> best["n"], best.ended
    (3, 'space_exhausted')
    """
    run = dict(
        workers=workers, processes=processes, executor=executor, batch_function=batch_function, seconds=seconds,
        value=value, failures_in_a_row=failures_in_a_row, progress=progress, callbacks=callbacks,
    )  # fmt: skip
    return _optimize("maximize", function, space, run, budget=budget, batch=batch, method=method, seed=seed,
                     storage=storage, name=name, options=options, threads=threads)  # fmt: skip
