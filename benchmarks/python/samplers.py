# SPDX-License-Identifier: MIT
"""VboSampler against Optuna's own samplers, in one run: best value and CPU milliseconds per trial (of the sampler alone, all threads).

    PYTHONPATH=build/release/python build/peers/bin/python benchmarks/python/samplers.py [--trials N] [--seeds N] [--batch N]
        [--samplers vbo,tpe,gp,cmaes,random] [--functions branin,...]

build/peers is made by: scripts/python-env build/peers benchmarks/python/requirements.txt
A sampler that takes longer than --seconds is stopped there and shown with the trials it made.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

import vbo.optuna

Space = Mapping[str, BaseDistribution]
Function = Callable[[Mapping[str, Any]], float]


def floats(n: int, low: float, high: float) -> dict[str, BaseDistribution]:
    return {f"x{i}": FloatDistribution(low, high) for i in range(n)}


def column(p: Mapping[str, Any], n: int) -> np.ndarray:
    return np.array([p[f"x{i}"] for i in range(n)])


def branin(p: Mapping[str, Any]) -> float:
    x, y = p["x0"] * 15 - 5, p["x1"] * 15
    return (y - 5.1 / (4 * math.pi**2) * x**2 + 5 / math.pi * x - 6) ** 2 + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def rosenbrock(p: Mapping[str, Any]) -> float:
    x = column(p, 6)
    return float(np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2))


def ackley(p: Mapping[str, Any]) -> float:
    x = column(p, 10)
    return float(-20 * np.exp(-0.2 * np.sqrt(np.mean(x**2))) - np.exp(np.mean(np.cos(2 * np.pi * x))) + 20 + np.e)


def mixed(p: Mapping[str, Any]) -> float:
    """Floats, a logarithm, an int and two choices, one of which turns the bowl round."""
    x = column(p, 4)
    turn = {"a": 1.0, "b": 0.3, "c": -0.5, "d": -1.0}[p["kind"]]
    value = float(np.sum((x - 0.4 * turn) ** 2)) + (math.log10(p["rate"]) + 3) ** 2 / 4
    return value + abs(p["layers"] - 12) / 20 + (0.0 if p["solver"] else 0.5) + 0.2 * (1 - turn)


def ripples(p: Mapping[str, Any]) -> float:
    x = column(p, 4) - 0.37
    return float(np.sum(x**2 + 0.3 * (1 - np.cos(6 * np.pi * x))))


def gears(p: Mapping[str, Any]) -> float:
    """Integers alone: the ratio of four gear wheels."""
    return float(abs(1 / 6.931 - p["a"] * p["b"] / (p["c"] * p["d"])))


def training(p: Mapping[str, Any]) -> float:
    """A learning curve's end: the best rate depends on the optimizer, width costs."""
    best = {"sgd": -1.0, "adam": -2.5, "rmsprop": -3.0}[p["optimizer"]]
    loss = 0.1 * (math.log10(p["rate"]) - best) ** 2 + 3 / math.sqrt(p["width"]) + p["width"] / 2000
    return loss + (p["dropout"] - 0.3) ** 2 + {"sgd": 0.1, "adam": 0.0, "rmsprop": 0.05}[p["optimizer"]]


def switches(p: Mapping[str, Any]) -> float:
    """Eight switches that matter in pairs, and two floats."""
    on = [p[f"s{i}"] for i in range(8)]
    wrong = sum(on[i] != (on[i - 1] if i % 2 else i % 4 == 0) for i in range(8))
    return wrong + float(np.sum((column(p, 2) - 0.2 * on[0] - 0.5) ** 2))


FUNCTIONS: dict[str, tuple[Function, Space]] = {
    "branin": (branin, floats(2, 0, 1)),
    "rosenbrock6": (rosenbrock, floats(6, -2, 2)),
    "ackley10": (ackley, floats(10, -5, 5)),
    "mixed8": (
        mixed,
        {**floats(4, -1, 1), "rate": FloatDistribution(1e-6, 1, log=True), "layers": IntDistribution(1, 64),
         "kind": CategoricalDistribution("abcd"), "solver": CategoricalDistribution([True, False])},
    ),
    "ripples4": (ripples, floats(4, -1, 1)),
    "gears": (gears, {name: IntDistribution(12, 60) for name in "abcd"}),
    "training": (
        training,
        {"rate": FloatDistribution(1e-5, 1, log=True), "width": IntDistribution(8, 512, log=True),
         "dropout": FloatDistribution(0, 0.8), "optimizer": CategoricalDistribution(["sgd", "adam", "rmsprop"])},
    ),
    "switches": (
        switches,
        {**floats(2, 0, 1), **{f"s{i}": CategoricalDistribution([False, True]) for i in range(8)}},
    ),
}  # fmt: skip


def sampler(name: str, seed: int, batch: int, trials: int) -> optuna.samplers.BaseSampler:
    if name == "vbo":
        return vbo.optuna.VboSampler(seed=seed, batch=batch if batch > 1 else None, budget=trials)
    if name == "tpe":
        return optuna.samplers.TPESampler(seed=seed, constant_liar=batch > 1)
    if name == "gp":
        return optuna.samplers.GPSampler(seed=seed)
    if name == "cmaes":
        return optuna.samplers.CmaEsSampler(seed=seed)
    return optuna.samplers.RandomSampler(seed=seed)


def through_optuna(name: str, function: Function, space: Space, arguments: Any, seed: int) -> tuple[list[float], float]:
    """Best value so far after each trial, and seconds of the sampler alone."""
    study = optuna.create_study(sampler=sampler(name, seed, arguments.batch, arguments.trials))
    values: list[float] = []
    seconds = 0.0
    while len(values) < arguments.trials and seconds < arguments.seconds:
        start = time.process_time()
        trials = [study.ask(dict(space)) for _ in range(min(arguments.batch, arguments.trials - len(values)))]
        seconds += time.process_time() - start
        results = [function(trial.params) for trial in trials]
        start = time.process_time()
        for trial, value in zip(trials, results):
            study.tell(trial, value)
        seconds += time.process_time() - start
        values += results
    return np.minimum.accumulate(values).tolist(), seconds


def natively(function: Function, space: Space, arguments: Any, seed: int) -> tuple[list[float], float]:
    parameters = {name: vbo.optuna._parameter_of(name, d) for name, d in space.items()}
    study = vbo.Study(parameters, batch=arguments.batch, seed=seed, budget=arguments.trials)
    values: list[float] = []
    seconds = 0.0
    while len(values) < arguments.trials and seconds < arguments.seconds:
        start = time.process_time()
        trials = study.ask(min(arguments.batch, arguments.trials - len(values)))
        seconds += time.process_time() - start
        results = [function(point) for point in trials.points]
        start = time.process_time()
        study.tell(trials, results)
        seconds += time.process_time() - start
        values += results
    return np.minimum.accumulate(values).tolist(), seconds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=120, help="of one run's sampler")
    parser.add_argument("--samplers", default="vbo,tpe,gp,cmaes,random")
    parser.add_argument("--functions", default=",".join(FUNCTIONS))
    arguments = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore")
    print(f"trials {arguments.trials}, batch {arguments.batch}, {arguments.seeds} seeds: median of the best value")
    print("| function | sampler | trials made | best at 1/4 | best at the end | CPU ms per trial |\n|---|---|---|---|---|---|")
    for function_name in arguments.functions.split(","):
        function, space = FUNCTIONS[function_name]
        for name in arguments.samplers.split(","):
            curves, seconds = [], 0.0
            for seed in range(1, arguments.seeds + 1):
                if name == "native":
                    curve, spent = natively(function, space, arguments, seed)
                else:
                    curve, spent = through_optuna(name, function, space, arguments, seed)
                curves.append(curve)
                seconds += spent
            made = min(map(len, curves))
            early = statistics.median(curve[min(max(arguments.trials // 4, 1), made) - 1] for curve in curves)
            late = statistics.median(curve[-1] for curve in curves)
            each = 1000 * seconds / sum(map(len, curves))
            print(f"| {function_name} | {name} | {made} | {early:.4g} | {late:.4g} | {each:.1f} |", flush=True)


if __name__ == "__main__":
    main()
