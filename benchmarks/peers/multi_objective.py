#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Other optimizers on the problems of build/release/multi_objective, beside its own methods, in one run: a table of the
hypervolume relative to the front of all results of all contenders together, medians over seeds (research/multi-objective.md).

  python3 -m venv /tmp/peers && /tmp/peers/bin/pip install pymoo==0.6.1.3 optuna==4.1.0
  /tmp/peers/bin/python benchmarks/peers/multi_objective.py --problems re21,wfg4 --seeds 3
"""
import argparse
import json
import statistics
import subprocess
import sys
import time

import numpy as np


class Problem:
    """Evaluates points of the unit cube by the benchmark program, so that everybody solves the same problem."""

    def __init__(self, program, entry):
        self.program, self.name, self.inputs = program, entry["name"], entry["inputs"]
        self.objectives, self.constrained = entry["objectives"], entry["constrained"]

    def evaluate(self, points):
        text = "\n".join(" ".join(f"{u:.17g}" for u in point) for point in points)
        done = subprocess.run([self.program, "evaluate", self.name], input=text, capture_output=True, text=True, check=True)
        return np.array([[float(v) for v in line.split()] for line in done.stdout.splitlines()])

    def score(self, results, batch, ideal, nadir):
        text = "\n".join(" ".join(f"{v:.17g}" for v in row) for row in results)
        scale = [f"{v:.17g}" for v in [*ideal, *nadir]]
        done = subprocess.run([self.program, "score", self.name, str(batch), *scale], input=text, capture_output=True,
                              text=True, check=True)
        return [float(v) for v in done.stdout.split()]


def with_pymoo(make, problem, seed, batch, rounds):
    from pymoo.core.evaluator import Evaluator
    from pymoo.core.population import Population
    from pymoo.core.problem import Problem as Definition
    from pymoo.problems.static import StaticProblem

    definition = Definition(n_var=problem.inputs, n_obj=problem.objectives, n_ieq_constr=int(problem.constrained),
                            xl=np.zeros(problem.inputs), xu=np.ones(problem.inputs))
    algorithm = make(problem, batch)
    algorithm.setup(definition, termination=("n_eval", 10**9), seed=seed, verbose=False)
    results, waiting = [], []
    while len(results) < batch * rounds:
        population = algorithm.ask()
        points = population.get("X") if isinstance(population, Population) else np.array([population.X])
        found = problem.evaluate(points)
        results.extend(found)
        given = {"F": found[:, :problem.objectives]}
        if problem.constrained:
            given["G"] = found[:, -1:]
        Evaluator().eval(StaticProblem(definition, **given), population)
        algorithm.tell(infills=population)
    return results[:batch * rounds]


def nsga2(problem, batch):
    from pymoo.algorithms.moo.nsga2 import NSGA2
    return NSGA2(pop_size=batch)


def sms_emoa(problem, batch):
    from pymoo.algorithms.moo.sms import SMSEMOA
    return SMSEMOA(pop_size=batch, n_offsprings=batch)


def moead(problem, batch):
    from pymoo.algorithms.moo.moead import ParallelMOEAD
    from pymoo.util.ref_dirs import get_reference_directions
    directions = get_reference_directions("energy", problem.objectives, batch, seed=1)
    return ParallelMOEAD(directions)


def with_optuna(make, problem, seed, batch, rounds):
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    violations = lambda trial: trial.user_attrs.get("violation", [0.0])
    study = optuna.create_study(directions=["minimize"] * problem.objectives,
                                sampler=make(seed, batch, violations if problem.constrained else None))
    results = []
    for _ in range(rounds):
        trials = [study.ask() for _ in range(batch)]
        points = [[trial.suggest_float(f"x{i}", 0, 1) for i in range(problem.inputs)] for trial in trials]
        for trial, found in zip(trials, problem.evaluate(points)):
            if problem.constrained:
                trial.set_user_attr("violation", [float(found[-1])])
            study.tell(trial, [float(v) for v in found[:problem.objectives]])
            results.append(found)
    return results


def tpe(seed, batch, constraints):
    import optuna
    return optuna.samplers.TPESampler(seed=seed, constant_liar=True, constraints_func=constraints)


PEERS = {"NSGA-II": (with_pymoo, nsga2), "SMS-EMOA": (with_pymoo, sms_emoa), "MOEA/D": (with_pymoo, moead),
         "Optuna TPE": (with_optuna, tpe)}


def by_vbo(program, method, problem, seed, batch, rounds):
    done = subprocess.run([program, "results", problem.name, str(seed), str(batch), str(rounds), method],
                          capture_output=True, text=True, check=True)
    return [[float(v) for v in line.split()] for line in done.stdout.splitlines()]


def front_of(problem, results):
    """The non-dominated feasible results of all contenders."""
    from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting
    found = np.unique(np.array(results), axis=0)
    if problem.constrained:
        found = found[found[:, -1] <= 0]
    values = found[:, :problem.objectives]
    front = values[:0]
    for part in np.array_split(values, max(1, len(values) // 500)):
        both = np.vstack([front, part])
        front = both[NonDominatedSorting().do(both, only_non_dominated_front=True)]
    return front


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/multi_objective")
    parser.add_argument("--problems", default="all")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--methods", default="pareto", help="of vbo, in the same run")
    parser.add_argument("--peers", default=",".join(PEERS))
    arguments = parser.parse_args()
    listed = subprocess.run([arguments.program, "list"], capture_output=True, text=True, check=True).stdout.splitlines()
    problems = [Problem(arguments.program, json.loads(line)) for line in listed]
    if arguments.problems != "all":
        problems = [p for p in problems if p.name in arguments.problems.split(",")]
    shown = [r for r in (5, 10, 20, 40) if r <= arguments.rounds]
    print("| problem | method | " + " | ".join(str(r * arguments.batch) for r in shown) + " | seconds a round |")
    print("|---|---|" + "---:|" * (len(shown) + 1))
    for problem in problems:
        runs, seconds = {}, {}
        for name in filter(None, (arguments.methods + "," + arguments.peers).split(",")):
            start = time.perf_counter()
            for seed in range(1, arguments.seeds + 1):
                if name in PEERS:
                    play, make = PEERS[name]
                    found = play(make, problem, seed, arguments.batch, arguments.rounds)
                else:
                    found = by_vbo(arguments.program, name, problem, seed, arguments.batch, arguments.rounds)
                runs.setdefault(name, []).append([list(map(float, row)) for row in found])
            seconds[name] = (time.perf_counter() - start) / arguments.seeds / arguments.rounds
        front = front_of(problem, [row for one in runs.values() for results in one for row in results])
        ideal, nadir = front.min(0), front.max(0)
        rows = [[*values, *([0.0] if problem.constrained else [])] for values in front.tolist()]
        best = problem.score(rows, len(rows), ideal, nadir)[0]
        for name, all_results in runs.items():
            scores = [problem.score(results, arguments.batch, ideal, nadir) for results in all_results]
            cells = [f"{statistics.median(score[r - 1] for score in scores) / best:.3f}" for r in shown]
            print(f"| {problem.name} | {name} | " + " | ".join(cells) + f" | {seconds[name]:.2f} |", flush=True)
        print(json.dumps({"name": problem.name, "ideal": ideal.tolist(), "nadir": nadir.tolist(), "hypervolume": best}),
              file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
