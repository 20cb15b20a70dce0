# SPDX-License-Identifier: MIT
"""Evaluating a Python function until the run ends."""

from __future__ import annotations

import asyncio
import inspect
import math
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Union, cast

import numpy as np

from . import _pools
from ._answers import Recommended
from ._arguments import wrong
from ._errors import Error, Infeasible, InvalidInput, Unsupported
from ._evaluate import UNKNOWN, Evaluation, Objective, Outcome, evaluate, evaluate_elsewhere, outcome_of, takes
from ._interrupts import Interrupts
from ._objectives import Front, value_columns
from ._progress import Progress
from ._space import Point
from ._study import Study
from ._trials import Trial, Trials

if TYPE_CHECKING:  # at run time only when there is a pool: importing them takes a while
    from concurrent.futures import BrokenExecutor, Executor, Future

Callback = Callable[[Study, Trial], Union[bool, np.bool_, None]]

_LOOK_AROUND = 0.1  # seconds: how soon an interrupt is noticed while evaluations run
_MOST_LOSSES = 2  # a trial whose process died so often has failed
_PATIENCE = 5.0  # seconds without a result, three evaluations at least, after which what others evaluate counts as lost


class ObjectiveFailed(Error):
    """No evaluation was completed, in the study or in this run: the text shows the last failure, the exception's cause
    is the first of this run.

    Attributes:
        study: The study with its failed trials.
    """

    study: Study | None = None


@dataclass(frozen=True)
class RunOptions:
    workers: int
    processes: bool | str
    executor: Executor | None
    batch_function: bool
    budget: int
    seconds: float | None
    timeout: float | None
    value: float | None
    failures_in_a_row: int
    progress: bool | None
    callbacks: tuple[Callback, ...]


@dataclass(frozen=True)
class Result:
    """What `minimize` and `maximize` return. ``result["x"]`` is the best value of parameter x.

    Attributes:
        value: The best value, under noise the estimate at `point` (`recommended` has its interval), or None when the run
            was stopped before anything was completed. Several objectives have a `front` instead, and neither value nor
            point nor trial.
        point: The parameters of the best trial.
        trial: The best trial with everything known about it.
        ended: ``"budget_spent"``, ``"interrupted"``, ``"too_many_failures"``, ``"space_exhausted"``,
            ``"time_over"``, ``"good_enough"`` or ``"stopped"`` (by a callback or ``study.stop()``).
        study: The study, to read or to continue.
        seconds: Wall time of this run.
    """

    value: float | None
    point: Point
    trial: Trial | None
    ended: str
    study: Study
    seconds: float

    def __getitem__(self, name: str) -> Any:
        if len(self.study.goals) > 1:
            raise Unsupported("the study has several objectives, expected result.front and one of its trials")
        return self.point[name]

    @property
    def front(self) -> Front:
        """The trials that no other one dominates: see `Study.front`."""
        return self.study.front()

    @property
    def best_value(self) -> float | None:
        """`value`, by the name it has in Optuna."""
        return self.value

    @property
    def best_params(self) -> Point:
        """`point`, by the name it has in Optuna."""
        return self.point

    @property
    def best_trial(self) -> Trial | None:
        """`trial`, by the name it has in Optuna."""
        return self.trial

    @property
    def recommended(self) -> Recommended | None:
        """The trial to use where evaluations are noisy: see `Study.recommended`."""
        return self.study.recommended

    def _repr_html_(self) -> str:
        from ._html import study_html

        return study_html(self.study)


class Run:
    """One call of `Study.run`. Keeps every worker busy; what an earlier process left comes first."""

    def __init__(self, study: Study, function: Objective, options: RunOptions) -> None:
        if not callable(function):
            raise InvalidInput(f"function: found {function!r}, expected something to call", "function")
        if options.batch_function and (options.workers > 1 or options.executor is not None):
            raise InvalidInput("batch_function evaluates whole batches in one call, expected workers=1", "workers")
        _pools.check(function, options.processes, options.executor, options.timeout)
        if options.value is not None and len(study.goals) > 1:
            raise InvalidInput("value: found a number, expected None in a study with several objectives", "value")
        if options.value is not None and not math.isfinite(options.value):
            raise wrong("value", options.value, "a finite number")
        for name, seconds in (("seconds", options.seconds), ("timeout", options.timeout)):
            if seconds is not None and seconds < 0:
                raise wrong(name, seconds, "at least 0")
        if options.progress is not None and not isinstance(options.progress, (bool, np.bool_)):
            raise wrong("progress", options.progress, "True, False or None")
        self.study = study
        self.objectives = tuple(study.goals)
        self.function = function
        self.takes_seed = not options.batch_function and takes(function, "seed")
        self.takes_trial = not options.batch_function and takes(function, "trial")
        self.options = options
        self.mine: set[int] = set()  # trials that this run has taken and not told

    def _begin(self) -> None:
        self.ended: str | None = None
        self.failures_in_a_row = 0
        self.failures = self.crashes = 0  # crashes: those that are not infeasible
        self.last_error = ""
        self.first_exception: BaseException | None = None
        counts = self.study.counts
        self.done = counts.completed + counts.failed
        self.completed_before = counts.completed  # by earlier runs
        self.any_completed = False
        self.pending = self._take_pending()
        self.waiting = deque(self.pending)
        self.losses: dict[int, int] = {}
        self.alone = False  # what is open elsewhere counts as lost
        self.study._stop = False
        self.start = time.monotonic()

    def _take_pending(self) -> Trials:
        """What was suggested and not told, but for what another run evaluates, in this process or in the one that this
        study belongs to."""
        with self.study._shared.taking:
            taken = list(self.study._shared.taken)  # before what is pending: another run may be telling
            pending = self.study.pending
            free = ~np.isin(pending.ids, taken) & (not self.study._core.joined())
            return self._taken(Trials(pending.ids[free], {name: column[free] for name, column in pending.columns.items()}))

    def _ask(self, n: int) -> Trials:
        with self.study._shared.taking:  # else a run that begins now would find them pending
            return self._taken(self.study._ask(n, durable=False))

    def _taken(self, trials: Trials) -> Trials:
        self.mine.update(trials.ids.tolist())
        self.study._shared.taken.update(trials.ids.tolist())
        return trials

    def _release(self, ids: Sequence[int]) -> None:
        self.study._shared.taken.difference_update(ids)
        self.mine.difference_update(ids)

    def run(self) -> Result:
        try:
            self._begin()
            self._evaluate_all()
        finally:
            self._release(list(self.mine))
        return self._result()

    def _evaluate_all(self) -> None:
        with self._watched():
            if self.options.batch_function:
                self._run_batches()
            elif self.options.workers == 1 and self.options.executor is None and not self.options.processes:
                self._run_here()
            else:
                self._run_pool()

    @contextmanager
    def _watched(self) -> Iterator[None]:
        self.progress = Progress(self.study, self.options.budget, self.options.progress, self.done)
        with Interrupts() as self.interrupts:
            try:
                yield
            finally:
                self.progress.close()

    def _result(self) -> Result:
        ended = self.ended or "budget_spent"
        if ended != "interrupted":
            self._raise_if_all_failed()
        best = self.study.recommended if len(self.objectives) == 1 else None
        return Result(
            value=best.mean if best else None,
            point=best.trial.point if best else {},
            trial=best.trial if best else None,
            ended=ended,
            study=self.study,
            seconds=time.monotonic() - self.start,
        )

    def _raise_if_all_failed(self) -> None:
        counts = self.study.counts
        if counts.completed == 0 and counts.failed > 0:
            last = self.last_error or self._stored_error()
            text = f"every evaluation failed ({counts.failed} of them), the last one with: {last}"
        elif self.crashes and counts.completed == self.completed_before:  # inputs that make no sense are an answer
            text = f"every evaluation of this run failed ({self.failures} of them), the last one with: {self.last_error}"
        else:
            return
        failed = ObjectiveFailed(text)
        failed.study = self.study
        raise failed from self.first_exception

    def _stored_error(self) -> str:
        """Of an earlier run on the same storage."""
        failed = (trial for trial in self.study.trials() if trial.state == "failed")
        last = max(failed, key=lambda trial: (trial.finished_at, trial.id))
        return last.error or "an unknown error"

    # -- When to stop --

    def _check_end(self) -> None:
        if self.ended:
            return
        seconds = self.options.seconds
        if self.interrupts.count:
            self.ended = "interrupted"
        elif self.study._stop:
            self.ended = "stopped"
        elif seconds is not None and time.monotonic() - self.start >= seconds:
            self.ended = "time_over"
        elif self.done >= self.options.budget:
            self.ended = "budget_spent"

    def _left(self, running: int) -> int:
        """How many evaluations the budget has room for, besides those that run here and elsewhere."""
        counts = self.study.counts
        self.done = counts.completed + counts.failed
        elsewhere = counts.waiting + counts.running - running - len(self.waiting)
        return self.options.budget - self.done - running - (0 if self.alone else max(0, elsewhere))

    def _room(self, running: int) -> int:
        """As `_left`; with nothing to do here waits for what is evaluated elsewhere, while results come from there."""
        left = self._left(running)
        if left > 0 or running or self.ended or self.done >= self.options.budget:
            return left
        longest = float(np.nanmax(self.study.columns()["seconds"], initial=0.0))
        done, since = self.done, time.monotonic()
        while left <= 0 and not self.ended:
            time.sleep(_LOOK_AROUND)
            if self.done != done:
                done, since = self.done, time.monotonic()
            # Else its process has died, or somebody asked and does not tell.
            self.alone = time.monotonic() - since > max(_PATIENCE, 3 * longest)
            left = self._left(running)
            self._check_end()
        return 0 if self.ended else left

    def _next(self, running: int, at_most: int) -> Trial | None:
        """The next trial to start, or None; asks for at most so many new ones."""
        return self.waiting.popleft() if self._may_begin(running, at_most) else None

    def _may_begin(self, running: int, at_most: int) -> int:
        """Sees to it that the first of `waiting` can be started, with at most so many new ones; how many there is room
        for, or 0 when nothing can be."""
        # Ids have no gaps: of those up to the budget each process may begin what it has. There are some beyond it when
        # two have asked at the same moment; they are for when others are lost.
        left = self._left(running) if self._has_within_budget() else self._room(running)
        if self.done + running >= self.options.budget or not (left > 0 or self._has_within_budget()):
            return 0
        if not self.waiting:
            self.pending = self._ask(min(at_most, left, self.study.batch))
            self.waiting.extend(self.pending)
            if not self.waiting:
                if not running:  # else their results may be a reason to evaluate a point again
                    self.ended = "space_exhausted"
                return 0
            if not self._has_within_budget() and (left := self._room(running)) <= 0:
                return 0
        return max(1, left)

    def _has_within_budget(self) -> bool:
        return bool(self.waiting) and self.waiting[0].id <= self.options.budget

    # -- The ways to evaluate --

    def _function_for(self, trial: Trial) -> Objective:
        """The function, with the seed of this trial when it takes one."""
        if not self.takes_seed:
            return self.function
        return partial(self.function, seed=self.study._core.seed_of(trial.id))

    def _id_for(self, trial: Trial) -> int | None:
        return trial.id if self.takes_trial else None

    def _run_here(self) -> None:
        while True:
            self._check_end()
            trial = None if self.ended else self._next(0, 1)
            if trial is None:
                return
            try:
                self.interrupts.evaluating = True
                outcome = evaluate(self._function_for(trial), trial.point, self.objectives, self._id_for(trial))
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
            room = 0 if self.ended else self._may_begin(0, self.study.batch)
            if room == 0:
                return
            within = sum(trial.id <= self.options.budget for trial in self.waiting)
            trials = self.pending[: within or room]
            self.pending = self.pending[len(trials) :]
            self.waiting = deque(self.pending)
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

    def _evaluate_batch(self, trials: Trials) -> list[Outcome]:
        try:
            found = self.function(trials)
        except InvalidInput:
            raise
        except Exception as error:
            return [Outcome.failed(error) for _ in trials.ids]
        columns = value_columns(self.objectives, found, len(trials), "the function's values")
        rows = zip(*(column.tolist() for column in columns))
        return [outcome_of(row if len(row) > 1 else row[0], self.objectives) for row in rows]

    def _run_pool(self) -> None:
        from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, wait

        pool = self._make_pool()
        ours = pool if isinstance(pool, _pools.Processes) else None  # which tell whose process has died
        call = evaluate if self.options.executor is None and ours is None else evaluate_elsewhere
        running: dict[Future[Outcome], tuple[Trial, float]] = {}
        timed_out: set[Future[Outcome]] = set()
        broken: BrokenExecutor | None = None
        try:
            while True:
                self._check_end()
                if self.interrupts.count > 1:
                    break  # what runs stays pending
                while broken is None and not self.ended and len(running) < self.options.workers:
                    trial = self._next(len(running), self.options.workers - len(running))
                    if trial is None:
                        break
                    try:
                        future = pool.submit(
                            call, self._function_for(trial), trial.point, self.objectives, self._id_for(trial)
                        )
                    except BrokenExecutor as error:
                        self.waiting.appendleft(trial)
                        broken = error
                        break
                    running[future] = (trial, time.monotonic())
                if not running and broken is None:
                    break
                if ours and self.options.timeout is not None:
                    for future, (_, since) in running.items():
                        if time.monotonic() - since > self.options.timeout and future not in timed_out and not future.done():
                            timed_out.add(future)
                            ours.kill(future)
                finished, _ = wait(running, timeout=_LOOK_AROUND, return_when=FIRST_COMPLETED)
                ended: list[tuple[Trial, Outcome]] = []
                for future in finished:
                    trial, _ = running.pop(future)
                    if ours:
                        ours.release(future)
                    if _pools.is_death(died := future.exception()):
                        if not ours and isinstance(died, BrokenExecutor):
                            broken = died
                        outcome = self._after_death(trial, future in timed_out)
                    else:
                        outcome = _result_of(future)
                    timed_out.discard(future)
                    if outcome is not None:
                        ended.append((trial, outcome))
                self._tell(ended)
                # A pool ends with the first of its processes, and so do all its evaluations: they begin again.
                if broken is not None and not running:
                    pool = ours = self._pool_after(broken)
                    broken = None
        finally:
            if pool is not self.options.executor:
                given_up = self.interrupts.count > 1
                pool.shutdown(wait=not given_up, cancel_futures=True)

    def _make_pool(self) -> Executor:
        if self.options.executor is not None:
            # A call in a given pool cannot be stopped alone, but a process like its own can.
            limited = self.options.timeout is not None
            like = _pools.in_place_of(self.options.executor, self.options.workers) if limited else None
            return self.options.executor if like is None else like
        if self.options.processes:
            method = None if self.options.processes is True else self.options.processes
            return _pools.of_method(self.options.workers, method)
        from concurrent.futures import ThreadPoolExecutor

        return ThreadPoolExecutor(self.options.workers, thread_name_prefix="vbo")

    def _pool_after(self, broken: BrokenExecutor) -> _pools.Processes:
        pool = _pools.in_place_of(self.options.executor, self.options.workers)
        if pool is None:
            raise Error(
                f"the executor broke ({broken}); what it was evaluating stays pending and comes first when you run again"
            ) from broken
        warnings.warn(
            "a process of the executor died, which has ended the executor; the run goes on in processes started like its own",
            RuntimeWarning,
            stacklevel=2,
        )
        return pool

    def _after_death(self, trial: Trial, timed_out: bool) -> Outcome | None:
        """Of a trial whose process died; None: it is tried once more."""
        if timed_out:
            return Outcome(error=f"took longer than the timeout of {self.options.timeout:g} s", cause="timeout")
        self.losses[trial.id] = self.losses.get(trial.id, 0) + 1
        if self.losses[trial.id] < _MOST_LOSSES:
            self.waiting.appendleft(trial)
            return None
        return Outcome(error="the process that evaluated it died", cause="lost")

    async def arun(self, timeout: float | None) -> Result:
        """As `run`, with a coroutine function: so many of its calls at the same time in the running event loop."""
        try:
            self._begin()
            await self._await_all(timeout)
        finally:
            self._release(list(self.mine))
        return self._result()

    async def _await_all(self, timeout: float | None) -> None:
        running: dict[asyncio.Task[Outcome], Trial] = {}
        with self._watched():
            try:
                while True:
                    self._check_end()
                    if self.interrupts.count > 1:
                        break
                    while not self.ended and len(running) < self.options.workers:
                        wanted = self.options.workers - len(running)
                        trial = await asyncio.to_thread(self._next, len(running), wanted)
                        if trial is None:
                            break
                        evaluation = Evaluation(trial.id, trial.point) if self.takes_trial else None
                        called = self._call(trial, evaluation)
                        running[asyncio.ensure_future(self._await(called, evaluation, timeout))] = trial
                    if not running:
                        break
                    finished, _ = await asyncio.wait(running, timeout=_LOOK_AROUND, return_when=asyncio.FIRST_COMPLETED)
                    await asyncio.to_thread(self._tell, [(running.pop(task), task.result()) for task in finished])
            finally:
                for task in running:  # these stay pending
                    task.cancel()
                await asyncio.gather(*running, return_exceptions=True)

    def _call(self, trial: Trial, evaluation: Evaluation | None) -> Any:
        """What is to be awaited, or the exception that came instead."""
        function = self._function_for(trial)
        try:
            called = function(trial.point) if evaluation is None else function(trial.point, trial=evaluation)
        except Exception as error:
            return error
        if not inspect.isawaitable(called):  # the trial stays pending
            raise InvalidInput(
                f"function: {self.function!r} returned {called!r}, expected a coroutine function (async def); "
                "vbo.minimize(function, space, workers=8) evaluates plain functions, in threads",
                "function",
            )
        return called

    async def _await(self, called: Any, evaluation: Evaluation | None, timeout: float | None) -> Outcome:
        start = time.perf_counter()
        try:
            if isinstance(called, Exception):
                raise called
            result = await asyncio.wait_for(called, timeout)
        except asyncio.TimeoutError as error:
            if timeout is None:
                outcome = Outcome.failed(error)
            else:
                outcome = Outcome(error=f"took longer than the timeout of {timeout:g} s", cause="timeout")
        except Infeasible as error:
            outcome = Outcome(error=str(error) or "infeasible", cause="infeasible", exception=error)
        except Exception as error:
            outcome = Outcome.failed(error)
        else:
            outcome = outcome_of(result, self.objectives)
        if evaluation is not None and evaluation.user_attrs:
            outcome.user_attrs = {**evaluation.user_attrs, **(outcome.user_attrs or {})}
        outcome.seconds = time.perf_counter() - start
        return outcome

    # -- Results --

    def _tell(self, ended: list[tuple[Trial, Outcome]]) -> None:
        if not ended:
            return
        outcomes = [outcome for _, outcome in ended]
        misuses = [outcome for outcome in outcomes if outcome.misuse]
        if misuses and not self.any_completed and len(misuses) == len(outcomes):
            # Of no use to go on: the trial stays pending, for the function as it is once it is repaired.
            raise InvalidInput(str(misuses[0].error), "function")
        names = sorted({name for outcome in outcomes for name in outcome.metrics or {}})
        failed = [outcome for outcome in outcomes if outcome.error is not None]
        self.study.tell(
            [trial.id for trial, _ in ended],
            [outcome.value if len(self.objectives) == 1 else self._row(outcome) for outcome in outcomes],
            error=[outcome.error for outcome in outcomes] if failed else None,
            cause=[outcome.cause for outcome in outcomes],
            metrics={name: [(o.metrics or {}).get(name, UNKNOWN) for o in outcomes] for name in names},
            seconds=[outcome.seconds for outcome in outcomes],
            sem=[self._sem(outcome) for outcome in outcomes] if any(outcome.sem for outcome in outcomes) else None,
            user_attrs=[o.user_attrs for o in outcomes] if any(o.user_attrs for o in outcomes) else None,
        )
        self._release([trial.id for trial, _ in ended])
        self.done += len(ended)
        for trial, outcome in ended:
            self._after(trial, outcome)
        self.progress.advance(len(ended), [o.value for o in outcomes if o.error is None])

    def _sem(self, outcome: Outcome) -> Any:
        if len(self.objectives) == 1:
            return outcome.sem[0] if outcome.sem else UNKNOWN
        return outcome.sem or None

    @staticmethod
    def _row(outcome: Outcome) -> tuple[float, ...] | None:
        return outcome.values if outcome.error is None else None

    def _after(self, trial: Trial, outcome: Outcome) -> None:
        if outcome.error is None:
            self.failures_in_a_row = 0
            self.any_completed = True
            target = self.options.value
            if target is not None and not self.ended:
                better = outcome.value <= target if self.study.goal == "minimize" else outcome.value >= target
                if better:
                    self.ended = "good_enough"
        else:
            self.failures += 1
            self.last_error = outcome.error
            if self.first_exception is None:
                self.first_exception = outcome.exception
            self.crashes += outcome.cause != "infeasible"
            self.failures_in_a_row += outcome.cause != "infeasible"
            if 0 < self.options.failures_in_a_row <= self.failures_in_a_row and not self.ended:
                self.ended = "too_many_failures"
        if not self.options.callbacks:
            return
        state = "completed" if outcome.error is None else "failed"
        finished = Trial(
            trial.id, trial.point, state, outcome.value if outcome.error is None and len(self.objectives) == 1 else None,
            outcome.error, outcome.cause if outcome.error is not None else None, dict(outcome.metrics or {}), outcome.seconds,
            values=dict(zip(self.objectives, outcome.values)) if outcome.error is None else {},
            user_attrs=dict(outcome.user_attrs or {}),
        )  # fmt: skip
        for callback in self.options.callbacks:
            stop = callback(self.study, finished)
            if isinstance(stop, (bool, np.bool_)) and stop and not self.ended:
                self.ended = "stopped"


def _result_of(future: Future[Outcome]) -> Outcome:
    """An executor may fail by itself, for example when the function cannot be pickled."""
    try:
        return future.result()
    except Exception as error:
        return Outcome.failed(error)
