# SPDX-License-Identifier: MIT
"""vbo inside Optuna: a sampler, and studies in both directions.

    import optuna, vbo

    study = optuna.create_study(sampler=vbo.optuna.VboSampler(seed=1))
    study.optimize(objective, n_trials=100)
"""

from __future__ import annotations

import math
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import FrameType
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, TPESampler
from optuna.search_space import IntersectionSearchSpace
from optuna.trial import FrozenTrial, TrialState

from ._arguments import whole
from ._errors import InvalidInput
from ._optuna_results import CONSTRAINTS, amounts_of, count_constraints, goals_of, limited, results_of
from ._optuna_studies import from_optuna
from ._optuna_studies import to_optuna as _to_optuna
from ._space import Choice, Float, Int, Parameter, Space
from ._study import Method, Option, Study

__all__ = ["VboSampler", "from_optuna", "to_optuna"]

_UNKNOWN_BUDGET = 1000
_MOST_AHEAD = 64  # suggestions that are made before anybody asked for them


class _Axis:
    """One parameter of Optuna as one of ours: steps are counted, choices are numbered."""

    def __init__(self, distribution: BaseDistribution) -> None:
        self.distribution = distribution
        self.step: float | int | None = None
        self.parameter: Parameter
        if isinstance(distribution, CategoricalDistribution):
            self.parameter = Choice([str(i) for i in range(len(distribution.choices))])
        elif isinstance(distribution, FloatDistribution):
            if distribution.step is None:
                self.parameter = Float(distribution.low, distribution.high, distribution.log)
            else:
                self.step = distribution.step
                self.parameter = Int(0, round((distribution.high - distribution.low) / distribution.step))
        elif isinstance(distribution, IntDistribution):
            if distribution.step == 1:
                self.parameter = Int(distribution.low, distribution.high, distribution.log)
            else:
                self.step = distribution.step
                self.parameter = Int(0, (distribution.high - distribution.low) // distribution.step)
        else:
            raise InvalidInput(f"VboSampler does not support {distribution!r}")

    def to_optuna(self, value: Any) -> Any:
        distribution = self.distribution
        if isinstance(distribution, CategoricalDistribution):
            return distribution.choices[int(value)]
        if self.step is None:
            return value
        assert isinstance(distribution, (FloatDistribution, IntDistribution))
        return min(distribution.low + value * self.step, distribution.high)

    def from_optuna(self, value: Any) -> Any:
        """None when it lies outside."""
        distribution = self.distribution
        internal = distribution.to_internal_repr(value)
        if not distribution._contains(internal):
            return None
        if isinstance(distribution, CategoricalDistribution):
            return str(int(internal))
        assert isinstance(distribution, (FloatDistribution, IntDistribution))
        return value if self.step is None else round((value - distribution.low) / self.step)


class _Engine:
    """A vbo study in memory for one search space, and which trials of an Optuna study it has received."""

    def __init__(self, space: Mapping[str, BaseDistribution], limits: int, **options: Any) -> None:
        self.space = dict(space)
        self.limits = limits
        self.axes = {name: _Axis(distribution) for name, distribution in space.items()}
        self.study = Study(limited(Space({name: axis.parameter for name, axis in self.axes.items()}), limits), **options)
        self.ahead: deque[tuple[int, dict[str, Any]]] = deque()  # suggested and not given out yet
        self.given: dict[int, tuple[int, dict[str, Any]]] = {}  # trial number -> what it was given
        self.learned: set[int] = set()  # numbers of trials that have ended ...
        self.all_before = 0  # ... and all below this one
        self.since_result = 0  # suggestions given out since the last result

    def learn(self, trials: Sequence[FrozenTrial]) -> None:
        """Tells what has ended since the last time: what we suggested, and what others did."""
        ours: list[tuple[int, Any]] = []
        others: list[tuple[dict[str, Any], Any]] = []
        for trial in trials[self.all_before :]:
            if not trial.state.is_finished() or trial.number in self.learned:
                continue
            self.learned.add(trial.number)
            suggestion = self.given.pop(trial.number, None)
            point = self._point_of(trial)
            if suggestion is not None and point == suggestion[1]:
                ours.append((suggestion[0], trial))
                continue
            if suggestion is not None:
                self.ahead.appendleft(suggestion)  # something else was evaluated in its place
            if point is not None:
                others.append((point, trial))
        while self.all_before in self.learned:
            self.learned.remove(self.all_before)
            self.all_before += 1
        if ours:
            self.study.tell([id for id, _ in ours], **results_of([trial for _, trial in ours], self.limits))
        if others:
            self.study.add([point for point, _ in others], **results_of([trial for _, trial in others], self.limits))
        if ours or others:
            self.since_result = 0

    def _point_of(self, trial: FrozenTrial) -> dict[str, Any] | None:
        point: dict[str, Any] = {}
        for name, axis in self.axes.items():
            if name not in trial.params:
                return None
            value = axis.from_optuna(trial.params[name])
            if value is None:
                return None
            point[name] = value
        return point

    def suggest(self, number: int, batch: int | None, before: int) -> dict[str, Any] | None:
        """None when the space has no more points. Without a batch, looks ahead as far as others wait. `before` are
        being evaluated that nobody suggested here, when nothing has ended: they belong to the first batch."""
        if not self.ahead:
            many = max(1, batch - before) if batch else min(max(self.since_result, 1), _MOST_AHEAD)
            trials = self.study.ask(many)
            self.ahead.extend(zip(trials.ids.tolist(), trials.points))
        if not self.ahead:
            return None
        self.since_result += 1
        self.given[number] = self.ahead.popleft()
        return {name: axis.to_optuna(self.given[number][1][name]) for name, axis in self.axes.items()}


def _budget_of(study: optuna.Study, trials: Sequence[FrozenTrial]) -> int | None:
    """How many trials there will be when the running optimize() has ended, in whichever thread it was called: Optuna
    does not tell its samplers. None when trials are asked for one by one, or without a number."""
    for frame in sys._current_frames().values():
        place: FrameType | None = frame
        while place is not None:
            names = place.f_locals if place.f_code.co_name in ("_optimize", "_optimize_sequential") else {}
            wanted, begun = names.get("n_trials"), names.get("time_start")
            ours = getattr(names.get("study"), "_study_id", None) == study._study_id
            # One: asked for one by one, or one of those that n_jobs starts.
            if ours and isinstance(wanted, int) and wanted > 1 and isinstance(begun, datetime):
                return wanted + sum(other.datetime_start is not None and other.datetime_start < begun for other in trials)
            place = place.f_back
    return None


class VboSampler(BaseSampler):
    """Suggests with vbo inside any Optuna study, of one objective or of several (``directions``).

    Parameters that every trial has are suggested together by the method; those that are only
    sometimes there, and those of the first trial, by `independent_sampler`. While no trial has ended, those
    count that are being evaluated.

    Args:
        seed: Same seed and same order of results: same suggestions. None: a random one.
        method: One of ``vbo.methods()``; `options` are its options.
        batch: How many trials are evaluated at the same time. So many suggestions are made at once, and
            the next ones when they are used up. None adapts: a study that asks one by one gets them one by
            one; one that asks for many before it tells gets up to 64 at once.
        budget: How many trials there will be. None takes the ``n_trials`` of the running ``optimize`` with what was
            there before it, and 1000 where it gives none.
        constraints_func: As in Optuna's own samplers: takes a trial and returns numbers, of which those
            above 0 are violations. The method models each of them, and where trials are feasible.
        independent_sampler: For what the method does not suggest; Optuna's ``TPESampler`` otherwise.
        threads: Threads the method uses; 0 means all cores, which pays with many trials at a time.

    Threads (``n_jobs``) share one sampler. Several processes on one storage have one each and use
    all trials; with the same seed they still make different suggestions.

    >>> import optuna
    >>> optuna.logging.set_verbosity(optuna.logging.ERROR)
    >>> study = optuna.create_study(sampler=vbo.optuna.VboSampler(seed=1, method="sobol"))
    >>> study.optimize(lambda trial: trial.suggest_float("x", -10, 10) ** 2, n_trials=20)
    >>> study.best_value < 1
    True
    """

    def __init__(
        self,
        *,
        seed: int | None = None,
        method: Method = "auto",
        batch: int | None = None,
        budget: int | None = None,
        options: Mapping[str, Option] | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        independent_sampler: BaseSampler | None = None,
        threads: int = 1,
    ) -> None:
        self._seed = _random_seed() if seed is None else whole("seed", seed, 0)
        self._owner = os.getpid()  # the process whose seed it is
        self._batch = None if batch is None else whole("batch", batch, 1)
        self._budget = None if budget is None else whole("budget", budget, 1)
        self._options: dict[str, Any] = {
            "method": method, "batch": self._batch or 1, "options": options, "threads": whole("threads", threads, 0),
        }  # fmt: skip
        Study(Space(x=Float(0, 1)), **self._options).close()  # reports wrong options at once
        self._constraints_func = constraints_func
        self._independent = independent_sampler or TPESampler(seed=self._seed % 2**32)
        self._forget()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._study_key: object = None
        self._limits = self._without = 0  # constraints per trial; how many of the first trials have none
        self._intersection = IntersectionSearchSpace(include_pruned=True)
        self._engine: _Engine | None = None

    def __getstate__(self) -> dict[str, Any]:
        hidden = ("_lock", "_study_key", "_limits", "_without", "_intersection", "_engine")
        return {key: value for key, value in self.__dict__.items() if key not in hidden}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()  # what it has learned is in the trials

    def reseed_rng(self) -> None:
        """Optuna calls it before every trial of n_jobs: threads go on with one engine, which knows what each evaluates.
        Only a copy in another process needs another seed."""
        with self._lock:
            if self._owner != os.getpid():
                self._owner = os.getpid()
                self._seed = _random_seed()
                self._engine = None
            self._independent.reseed_rng()

    def infer_relative_search_space(self, study: optuna.Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        with self._lock:
            key = (study._storage, study._study_id)
            if key != self._study_key:
                self._study_key, self._engine = key, None
                self._limits = self._without = 0
                self._intersection = IntersectionSearchSpace(include_pruned=True)
            space = self._intersection.calculate(study) or _space_of_running(study, trial)
        return {name: distribution for name, distribution in space.items() if not distribution.single()}

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        if not search_space:
            return {}
        with self._lock:
            trials = study.get_trials(deepcopy=False)
            limits = self._count_limits(trials)
            budget = self._budget or _budget_of(study, trials) or 0
            engine = self._engine
            if engine is None or engine.space != search_space or engine.limits != limits or engine.study.budget < budget:
                # No two processes create the same trial, so no two engines have the same seed.
                seed = int(np.random.SeedSequence([self._seed, trial.number]).generate_state(1)[0])
                engine = self._engine = _Engine(
                    search_space, limits, seed=seed, budget=budget or _UNKNOWN_BUDGET, **goals_of(study, search_space), **self._options
                )
            engine.learn(trials)
            ended = any(other.state.is_finished() for other in trials)
            before = 0 if ended else sum(other.number < trial.number for other in trials) - len(engine.given)
            suggested = engine.suggest(trial.number, self._batch, before)
        if suggested is not None:
            return suggested
        # Every point of a finite space is known or being evaluated, and Optuna wants one all the same.
        return {name: self.sample_independent(study, trial, name, axis) for name, axis in search_space.items()}

    def _count_limits(self, trials: Sequence[FrozenTrial]) -> int:
        """Of the first trial that has constraints; those that have ended without are looked at once."""
        if not self._limits:
            while self._without < len(trials) and trials[self._without].state.is_finished() and not amounts_of(trials[self._without]):
                self._without += 1
            self._limits = count_constraints(trials[self._without :])
        return self._limits

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        self._independent.before_trial(study, trial)

    def after_trial(
        self, study: optuna.Study, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        if self._constraints_func is not None and state in (TrialState.COMPLETE, TrialState.PRUNED):
            constraints = tuple(float(amount) for amount in self._constraints_func(trial))
            if any(math.isnan(amount) for amount in constraints):
                raise InvalidInput(f"constraints_func: found {constraints}, expected numbers, not NaN")
            study._storage.set_trial_system_attr(trial._trial_id, CONSTRAINTS, constraints)
        self._independent.after_trial(study, trial, state, values)


def _space_of_running(study: optuna.Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
    """What the trials before this one have in common while none of them has ended: many asked at once are then
    suggested together from the second on."""
    trials = study.get_trials(deepcopy=False)
    if any(other.state in (TrialState.COMPLETE, TrialState.PRUNED) for other in trials):
        return {}
    running = [other.distributions for other in trials if other.state == TrialState.RUNNING and other.number < trial.number]
    known = [distributions for distributions in running if distributions]
    if not known:
        return {}
    shared = {name for name, axis in known[0].items() if all(other.get(name) == axis for other in known[1:])}
    return {name: known[0][name] for name in sorted(shared)}


def _random_seed() -> int:
    return int.from_bytes(os.urandom(4), "little")


def to_optuna(
    study: Study,
    *,
    storage: str | optuna.storages.BaseStorage | None = None,
    study_name: str | None = None,
    sampler: BaseSampler | None = None,
) -> optuna.Study:
    return _to_optuna(study, storage=storage, study_name=study_name, sampler=sampler or VboSampler())


to_optuna.__doc__ = _to_optuna.__doc__
