# SPDX-License-Identifier: MIT
"""Studies of Optuna as studies of vbo, and the other way round."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler
from optuna.search_space import IntersectionSearchSpace
from optuna.trial import FrozenTrial, TrialState

from ._errors import InvalidInput
from ._optuna_results import CONSTRAINTS, count_constraints, goals_of, limited, results_of
from ._space import Choice, Float, Int, Parameter, Space, _label
from ._study import Method, Option, Study
from ._trials import Trial

_OWN_SPACE = "vbo_space"  # the attribute of a study in which to_optuna() keeps our space
_ID = "vbo_id"
_START, _END = "datetime_start", "datetime_complete"
_METRIC = "metrics."  # what attributes of a trial with metrics begin with


def from_optuna(
    study: optuna.Study,
    *,
    storage: str | os.PathLike[str] | None = None,
    method: Method = "auto",
    batch: int = 1,
    seed: int = 0,
    budget: int = 1000,
    options: Mapping[str, Option] | None = None,
    threads: int = 0,
) -> Study:
    """A vbo study with the space and all ended trials of an Optuna study.

    Every trial has to have the same parameters. Several objectives keep the metric names of the study, or are called
    ``value_0``, ``value_1``, ... Pruned trials count with their last intermediate
    value; constraints become limits of metrics ``constraint_0``, ...; durations, attributes and values of steps are kept,
    and when a trial began and ended as attributes of these names. What `to_optuna` wrote comes back with its ordinals,
    metrics and limits.
    """
    trials = [trial for trial in study.get_trials(deepcopy=False) if trial.state.is_finished()]
    distributions = IntersectionSearchSpace(include_pruned=True).calculate(study)
    if not distributions:
        raise InvalidInput("study: found no parameters that every trial has, expected at least one", "study")
    for trial in trials:
        for name in trial.params:
            if name not in distributions and trial.state != TrialState.FAIL:
                raise InvalidInput(f'parameter "{name}" of trial {trial.number} is not in every trial', name)
    order = [name for name in trials[0].params if name in distributions]  # as the objective asks for them
    space = Space({name: _parameter_of(distributions[name]) for name in [*order, *distributions]})
    own = study.user_attrs.get(_OWN_SPACE)
    limits: int | None
    own_space = Space._from_json(json.loads(own)) if own else None
    if own_space is not None and list(own_space) == list(space):
        # Its choices are labels; Optuna has the values.
        again = {name: _with_values_of(own_space[name], distributions[name]) for name in own_space}
        space, limits = own_space._with_parameters(again), None
    else:
        limits = count_constraints(trials)
        space = limited(space, limits)
    made = Study(
        space, **goals_of(study, space, study.metric_names), name=study.study_name, storage=storage, method=method, batch=batch,
        seed=seed, budget=budget, options=options, threads=threads,
    )  # fmt: skip
    whole_ones = [trial for trial in trials if all(name in trial.params for name in space)]
    if whole_ones:
        points = [{name: trial.params[name] for name in space} for trial in whole_ones]
        found = results_of(whole_ones, limits)
        if not limits:
            found["metrics"] = _metrics_of(whole_ones)
        several = len(made.goals) > 1  # of which Optuna has no values of steps
        made.add(
            points, **found, user_attrs=[_attributes_of(trial) for trial in whole_ones],
            steps=None if several else [_steps_of(trial) for trial in whole_ones],
        )  # fmt: skip
    return made


def _attributes_of(trial: FrozenTrial) -> dict[str, Any]:
    """Its own, and when it began and ended: times of our trials are those of our own storage."""
    times = {_START: trial.datetime_start, _END: trial.datetime_complete}
    return {
        **{name: value for name, value in trial.user_attrs.items() if not name.startswith(_METRIC) and name != _ID},
        **{name: time.isoformat() for name, time in times.items() if time is not None},
    }


def _steps_of(trial: FrozenTrial) -> dict[int, float]:
    return {step: value for step, value in trial.intermediate_values.items() if math.isfinite(value)}


def _metrics_of(trials: Sequence[FrozenTrial]) -> dict[str, list[float]]:
    """What to_optuna wrote, and any other numbers in attributes of that form."""
    names = {key for trial in trials for key in trial.user_attrs if key.startswith(_METRIC)}
    return {
        name.removeprefix(_METRIC): [float(trial.user_attrs.get(name, math.nan)) for trial in trials]
        for name in sorted(names)
    }


def _parameter_of(distribution: BaseDistribution) -> Parameter:
    if isinstance(distribution, FloatDistribution):
        return Float(distribution.low, distribution.high, distribution.log, distribution.step)
    if isinstance(distribution, IntDistribution):
        step = None if distribution.step == 1 else distribution.step
        return Int(distribution.low, distribution.high, distribution.log, step)
    assert isinstance(distribution, CategoricalDistribution)
    return Choice(list(distribution.choices))


def _with_values_of(parameter: Parameter, distribution: BaseDistribution) -> Parameter:
    if isinstance(parameter, (Float, Int)) or not isinstance(distribution, CategoricalDistribution):
        return parameter
    return type(parameter)(list(distribution.choices))


def to_optuna(
    study: Study,
    *,
    storage: str | optuna.storages.BaseStorage | None = None,
    study_name: str | None = None,
    sampler: BaseSampler | None = None,
) -> optuna.Study:
    """An Optuna study with all trials of a vbo study, their times, constraints and metrics; open ones are queued there.
    The names of several objectives become its metric names.

    Its dashboard, plots and importances then work on them. Optuna has no ordinals: they become categorical, and
    `from_optuna` brings them back.
    """
    made = optuna.create_study(
        directions=list(study.goals.values()),
        study_name=study_name or study.name,
        storage=storage,
        sampler=sampler,
    )
    made.set_user_attr(_OWN_SPACE, study.space._json())
    if len(study.goals) > 1:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            made.set_metric_names(list(study.goals))
    distributions = {name: _distribution_of(parameter) for name, parameter in study.space.items()}
    for trial in study.trials():
        if trial.state in ("waiting", "running"):
            made.enqueue_trial(trial.point, user_attrs={_ID: trial.id})
            continue
        attributes: dict[str, Any] = {_ID: trial.id, **{f"{_METRIC}{k}": v for k, v in trial.metrics.items()}}
        attributes |= {name: value for name, value in trial.user_attrs.items() if name not in (_START, _END)}
        if trial.error is not None:
            attributes["error"] = trial.error
        excess = [_excess(limit, trial.metrics) for limit in study.space.limits] if trial.state == "completed" else []
        frozen = optuna.create_trial(
            state=TrialState.COMPLETE if trial.state == "completed" else TrialState.FAIL,
            values=list(trial.values.values()) if trial.state == "completed" else None,
            params={name: _storable(value) for name, value in trial.point.items()},
            distributions=distributions,
            user_attrs=attributes,
            intermediate_values=trial.steps if len(study.goals) == 1 else None,
            system_attrs={CONSTRAINTS: excess} if excess else None,
        )
        if trial.finished_at > 0:
            frozen.datetime_complete = datetime.fromtimestamp(trial.finished_at)
            frozen.datetime_start = datetime.fromtimestamp(trial.finished_at - trial.seconds)
        if (start := _time(trial, _START)) and (end := _time(trial, _END)):
            frozen.datetime_start, frozen.datetime_complete = start, end
        made.add_trial(frozen)
    return made


def _time(trial: Trial, name: str) -> datetime | None:
    try:
        return datetime.fromisoformat(trial.user_attrs[name])
    except (KeyError, TypeError, ValueError):
        return None


def _distribution_of(parameter: Parameter) -> BaseDistribution:
    if isinstance(parameter, Float):
        return FloatDistribution(parameter.low, parameter.high, parameter.log, parameter.step)
    if isinstance(parameter, Int):
        return IntDistribution(parameter.low, parameter.high, parameter.log, parameter.step or 1)
    return CategoricalDistribution([_storable(value) for value in parameter._values])


def _storable(value: Any) -> Any:
    """Optuna keeps choices of simple types in a storage; of others it gets what a file of ours has."""
    return value if value is None else _stored(value)


def _stored(value: Any) -> Any:
    """A choice as a file of ours has it."""
    return value if isinstance(value, (str, int, float)) else _label(value, 0)


def _excess(limit: Mapping[str, Any], metrics: Mapping[str, float]) -> float:
    """How far a metric lies outside its bounds; at most 0 inside, as Optuna counts."""
    found = metrics.get(str(limit["metric"]), math.nan)
    return max(
        found - float(limit["at_most"]) if "at_most" in limit else -math.inf,
        float(limit["at_least"]) - found if "at_least" in limit else -math.inf,
    )
