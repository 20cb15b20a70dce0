#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Methods with several objectives on ZDT, DTLZ, WFG, MW and C-DTLZ (pymoo) and RE (jmetalpy): ours and those of other
libraries, on the same problems over the unit cube, in batches (research/multi-objective.md).

  python3 -m venv /tmp/peers
  /tmp/peers/bin/pip install pymoo==0.6.2 jmetalpy==1.9.0 moocore==0.3.2 optuna==4.1.0 cmaes==0.13.1
  /tmp/peers/bin/python benchmarks/peers/multi_objective.py run DATA.jsonl --problems zdt1,re21 --contenders pareto,NSGA-II
  /tmp/peers/bin/python benchmarks/peers/multi_objective.py table DATA.jsonl
  /tmp/peers/bin/python benchmarks/peers/multi_objective.py page research/multi-objective.jsonl
  /tmp/peers/bin/python benchmarks/peers/multi_objective.py fronts re41   # fronts.json: what results are relative to

`run` appends one line per problem, contender and seed to DATA.jsonl, skipping what is there: the hypervolume of all feasible
results so far, in units of the front's ideal and nadir, below nadir + 10%, relative to that of the front.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

import moocore
import numpy as np

FRONTS = pathlib.Path(__file__).with_name("multi_objective_fronts.json")


class Problem:
    """`function` takes points X (n,D) of the unit cube and returns values (n,M) and constraints (n,C), which hold up to 0."""

    def __init__(self, name, inputs, objectives, constraints, function):
        self.name, self.inputs, self.objectives, self.constraints = name, inputs, objectives, constraints
        self.function = function

    def evaluate(self, points):
        values, constraints = self.function(np.clip(np.asarray(points, dtype=float), 0.0, 1.0))
        return np.hstack([values, constraints]) if self.constraints else values


def of_pymoo(name, made):
    def function(points):
        found = made.evaluate(made.xl + points * (made.xu - made.xl), return_as_dictionary=True)
        finite = {name: np.nan_to_num(found[name], nan=1e9, posinf=1e9) for name in ("F", "G") if found.get(name) is not None}
        return finite["F"], finite.get("G")
    return Problem(name, made.n_var, made.n_obj, made.n_ieq_constr, function)


def of_jmetal(name, made):
    from jmetal.core.solution import FloatSolution
    low, high = np.array(made.lower_bound), np.array(made.upper_bound)
    objectives = made.number_of_objectives()

    def function(points):
        values = []
        for x in low + points * (high - low):
            solution = FloatSolution(list(low), list(high), objectives, 0)
            solution.variables = list(x)
            try:
                values.append(made.evaluate(solution).objectives)
            except ZeroDivisionError:
                values.append([1e9] * objectives)
        return np.nan_to_num(np.array(values, dtype=float), nan=1e9, posinf=1e9), None
    return Problem(name, len(low), objectives, 0, function)


RE = ("21", "22", "23", "24", "25", "31", "32", "33", "34", "35", "36", "37")  # without RE41, 42 and 61: see the page
MW = (1, 2, 3, 6, 7, 12, 13)


def get_problem_of_pymoo(name):
    from pymoo.problems import get_problem
    if name.startswith("c"):
        return get_problem(name.replace("-", ""), n_var=7 if name == "c1-dtlz1" else 12, n_obj=3)
    return get_problem(name)


def problem_of(name):
    from pymoo.problems import get_problem
    if name.startswith("re"):
        from jmetal.problem.multiobjective import re
        return of_jmetal(name, getattr(re, name.upper())())
    if name.startswith("dtlz2-"):
        return of_pymoo(name, get_problem("dtlz2", n_var=int(name.split("-")[1]), n_obj=3))
    if name.startswith("wfg"):
        return of_pymoo(name, get_problem(name, n_var=10, n_obj=3))
    return of_pymoo(name, get_problem_of_pymoo(name))


NAMES = [*(f"zdt{i}" for i in (1, 2, 3)), "dtlz2-12", "dtlz2-30", "dtlz2-100", *(f"wfg{i}" for i in range(1, 10)),
         *(f"re{i}" for i in RE), *(f"mw{i}" for i in MW), "c1-dtlz1", "c1-dtlz3", "c2-dtlz2", "c3-dtlz4"]


# ---- Hypervolume -----------------------------------------------------------------------------------------------------

def hypervolume(problem, front, results):
    """Of results (n,M+C), in units of the front."""
    results = np.asarray(results, dtype=float)
    values = results[:, :problem.objectives]
    if problem.constraints:
        values = values[(results[:, problem.objectives:] <= 0).all(axis=1)]
    ideal, nadir = np.array(front["ideal"]), np.array(front["nadir"])
    scaled = (values - ideal) / (nadir - ideal)
    scaled = scaled[(scaled < 1.1).all(axis=1)]
    if not len(scaled):
        return 0.0
    return float(moocore.hypervolume(moocore.filter_dominated(scaled), ref=np.full(problem.objectives, 1.1)))


def long_front(problem, seeds=2, population=300, generations=150):
    """The best of long runs of NSGA-II and NSGA-III."""
    found = []
    for seed in range(1, seeds + 1):
        for make in (nsga2, nsga3):
            results = with_pymoo(make, problem, seed, population, generations)
            results = np.array(results)
            if problem.constraints:
                results = results[(results[:, problem.objectives:] <= 0).all(axis=1)]
            found.append(moocore.filter_dominated(results[:, :problem.objectives]))
    return moocore.filter_dominated(np.vstack(found))


def front_of(name):
    """Ideal, nadir and hypervolume of the front: known ones exactly."""
    problem = problem_of(name)
    sphere = 1.331 - np.pi / 6
    known = {"zdt1": ([0, 0], [1, 1], 1.21 - 1 / 3), "zdt2": ([0, 0], [1, 1], 1.21 - 2 / 3)}
    if name.startswith("dtlz2"):
        known[name] = ([0] * 3, [1] * 3, sphere)
    if name in [f"wfg{i}" for i in range(4, 10)]:
        known[name] = ([0] * 3, [2, 4, 6], sphere)
    if name in known:
        ideal, nadir, volume = known[name]
        return {"ideal": ideal, "nadir": nadir, "hypervolume": volume, "how": "known"}
    if name == "zdt3":
        f = np.linspace(0, 0.852, 200001)
        values, how = np.column_stack([f, 1 - np.sqrt(f) - f * np.sin(10 * np.pi * f)]), "known"
    elif name in ("mw2", "mw6", "mw12", "c1-dtlz1", "c1-dtlz3"):
        from pymoo.util.ref_dirs import get_reference_directions
        spread = [get_reference_directions("das-dennis", 3, n_partitions=60)] if name.startswith("c") else []
        made = get_problem_of_pymoo(name)
        values, how = made.pareto_front(*spread), "points of pymoo"
    elif name in ("wfg1", "wfg2", "wfg3"):
        from pymoo.problems import get_problem
        made = get_problem(name, n_var=10, n_obj=3)
        k = np.linspace(0, 1, 81)
        places = np.array([[a, a, b, b] for a in k for b in k])
        values, how = made.evaluate(made._positional_to_optimal(places), return_values_of=["F"]), "optimal points on a grid"
    else:
        values, how = long_front(problem), "long runs of NSGA-II and NSGA-III"
    values = moocore.filter_dominated(np.asarray(values, dtype=float))
    front = {"ideal": values.min(0).tolist(), "nadir": values.max(0).tolist(), "how": how}
    without = Problem(name, problem.inputs, problem.objectives, 0, None)
    return {**front, "hypervolume": hypervolume(without, front, values)}


# ---- Contenders ------------------------------------------------------------------------------------------------------

def with_pymoo(make, problem, seed, batch, rounds):
    from pymoo.core.evaluator import Evaluator
    from pymoo.core.population import Population
    from pymoo.core.problem import Problem as Definition
    from pymoo.problems.static import StaticProblem

    definition = Definition(n_var=problem.inputs, n_obj=problem.objectives, n_ieq_constr=problem.constraints,
                            xl=np.zeros(problem.inputs), xu=np.ones(problem.inputs))
    algorithm = make(problem, batch)
    algorithm.setup(definition, termination=("n_eval", 10**9), seed=seed, verbose=False)
    results = []
    while len(results) < batch * rounds:
        population = algorithm.ask()
        points = population.get("X") if isinstance(population, Population) else np.array([population.X])
        found = problem.evaluate(points)
        results.extend(found)
        given = {"F": found[:, :problem.objectives]}
        if problem.constraints:
            given["G"] = found[:, problem.objectives:]
        Evaluator().eval(StaticProblem(definition, **given), population)
        algorithm.tell(infills=population)
    return results[:batch * rounds]


def directions(problem, count):
    from pymoo.util.ref_dirs import get_reference_directions
    return get_reference_directions("energy", problem.objectives, count, seed=1)


def nsga2(problem, batch):
    from pymoo.algorithms.moo.nsga2 import NSGA2
    return NSGA2(pop_size=batch)


def nsga3(problem, batch):
    from pymoo.algorithms.moo.nsga3 import NSGA3
    return NSGA3(directions(problem, batch), pop_size=batch)


def sms_emoa(problem, batch):
    from pymoo.algorithms.moo.sms import SMSEMOA
    return SMSEMOA(pop_size=batch, n_offsprings=batch)


def moead(problem, batch):
    from pymoo.algorithms.moo.moead import ParallelMOEAD
    return ParallelMOEAD(directions(problem, batch))


def with_optuna(make, problem, seed, batch, rounds):
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    constraints = (lambda trial: trial.user_attrs.get("constraints", [0.0])) if problem.constraints else None
    study = optuna.create_study(directions=["minimize"] * problem.objectives, sampler=make(seed, batch, constraints))
    results = []
    for _ in range(rounds):
        trials = [study.ask() for _ in range(batch)]
        points = [[trial.suggest_float(f"x{i}", 0, 1) for i in range(problem.inputs)] for trial in trials]
        for trial, found in zip(trials, problem.evaluate(points)):
            if problem.constraints:
                trial.set_user_attr("constraints", found[problem.objectives:].tolist())
            study.tell(trial, found[:problem.objectives].tolist())
            results.append(found)
    return results


def tpe(seed, batch, constraints):
    import optuna
    return optuna.samplers.TPESampler(seed=seed, constant_liar=True, constraints_func=constraints)


def optuna_nsga2(seed, batch, constraints):
    import optuna
    return optuna.samplers.NSGAIISampler(seed=seed, population_size=batch, constraints_func=constraints)


PEERS = {"NSGA-II": (with_pymoo, nsga2), "NSGA-III": (with_pymoo, nsga3), "SMS-EMOA": (with_pymoo, sms_emoa),
         "MOEA/D": (with_pymoo, moead), "Optuna TPE": (with_optuna, tpe), "Optuna NSGA-II": (with_optuna, optuna_nsga2)}
WITHOUT_CONSTRAINTS = {"MOEA/D"}


def by_vbo(program, method, problem, seed, batch, rounds):
    """Results, and the median of the seconds of a round."""
    command = [program, method, *map(str, (seed, batch, rounds, problem.inputs, problem.objectives, problem.constraints))]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        results = []
        for _ in range(rounds):
            lines = [process.stdout.readline() for _ in range(batch)]
            found = problem.evaluate([[float(u) for u in line.split()] for line in lines])
            results.extend(found)
            process.stdin.write("".join(" ".join(f"{v:.17g}" for v in row) + "\n" for row in found))
            process.stdin.flush()
        seconds = float(process.stdout.readline())
    return results, seconds


# ---- Commands --------------------------------------------------------------------------------------------------------

def rows_of(path):
    if not pathlib.Path(path).exists():
        return []
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]


def names_of(text):
    return NAMES if text == "all" else text.split(",")


def run(arguments):
    fronts = json.loads(FRONTS.read_text())
    done = {(row["problem"], row["contender"], row["seed"], row["batch"]) for row in rows_of(arguments.data)
            if row["rounds"] >= arguments.rounds}
    first, last = (int(v) for v in (arguments.seeds + "-" + arguments.seeds).split("-")[:2])
    shown = sorted({r for r in (5, 10, 20, 40, 80) if r < arguments.rounds} | {arguments.rounds})
    for name in names_of(arguments.problems):
        problem, front = problem_of(name), fronts[name]
        for contender in arguments.contenders.split(","):
            if problem.constraints and contender in WITHOUT_CONSTRAINTS:
                continue
            for seed in range(first, last + 1):
                if (name, contender, seed, arguments.batch) in done:
                    continue
                start = time.perf_counter()
                if contender in PEERS:
                    play, make = PEERS[contender]
                    results = play(make, problem, seed, arguments.batch, arguments.rounds)
                    seconds = (time.perf_counter() - start) / arguments.rounds
                else:
                    results, seconds = by_vbo(arguments.program, contender, problem, seed, arguments.batch, arguments.rounds)
                reached = {r * arguments.batch: round(hypervolume(problem, front, results[:r * arguments.batch])
                                                      / front["hypervolume"], 5) for r in shown}
                row = {"problem": name, "contender": contender, "seed": seed, "batch": arguments.batch,
                       "rounds": arguments.rounds, "reached": reached, "seconds": round(seconds, 4)}
                with open(arguments.data, "a") as data:
                    data.write(json.dumps(row) + "\n")


def table(arguments):
    rows = [row for path in arguments.data for row in rows_of(path)]
    counts = sorted({int(n) for row in rows for n in row["reached"]})
    print("| problem | method | " + " | ".join(map(str, counts)) + " | seeds | seconds a round |")
    print("|---|---|" + "---:|" * (len(counts) + 2))
    for name in dict.fromkeys(row["problem"] for row in rows):
        for contender in dict.fromkeys(row["contender"] for row in rows):
            these = [row for row in rows if row["problem"] == name and row["contender"] == contender]
            if not these:
                continue
            cells = []
            for n in counts:
                values = [row["reached"][str(n)] for row in these if str(n) in row["reached"]]
                cells.append(f"{statistics.median(values):.3f}" if values else "")
            seconds = statistics.median(row["seconds"] for row in these)
            print(f"| {name} | {contender} | " + " | ".join(cells) + f" | {len(these)} | {seconds:.3f} |")


GROUPS = {"ZDT and DTLZ": ("zdt", "dtlz"), "WFG": ("wfg",), "RE": ("re",), "With constraints": ("mw", "c")}
BEGIN, END = "<!-- measured: benchmarks/peers/multi_objective.py page -->\n", "<!-- end of measured -->\n"


def page(arguments):
    """The tables of research/multi-objective.md, between its marks."""
    rows = rows_of(arguments.data)
    contenders = list(dict.fromkeys(row["contender"] for row in rows))
    contenders.sort(key=lambda name: (name != "pareto", [*PEERS, name].index(name)))
    text = ""
    for group, prefixes in GROUPS.items():
        names = [name for name in NAMES if name.startswith(prefixes) and any(row["problem"] == name for row in rows)]
        if not names:
            continue
        text += f"### {group}\n\n| problem | evaluations | " + " | ".join(contenders) + " |\n|---|---:|" + "---:|" * len(contenders) + "\n"
        best = {}
        for name in names:
            for count in ("640", "1280", "2560"):
                medians = {}
                for contender in contenders:
                    values = [row["reached"][count] for row in rows if row["problem"] == name and row["contender"] == contender
                              and count in row["reached"]]
                    if values:
                        medians[contender] = (statistics.median(values), len(values))
                if not medians:
                    continue
                highest = max(value for value, _ in medians.values())
                if len(medians) > 1:
                    best.setdefault(count, []).append({c for c, (value, _) in medians.items() if value == highest})
                cells = [f"{'**' if medians[c][0] == highest else ''}{medians[c][0]:.3f}{'**' if medians[c][0] == highest else ''}"
                         if c in medians else "" for c in contenders]
                text += f"| {name} | {int(count):,} | " + " | ".join(cells) + " |\n"
        text += "\n" + " ".join(
            f"At {int(count):,} evaluations `pareto` has the best median on {sum('pareto' in winners for winners in all_winners)}"
            f" of {len(all_winners)}." for count, all_winners in best.items()) + "\n\n"
    seeds = {c: sorted({sum(row["problem"] == n and row["contender"] == c for row in rows) for n in NAMES} - {0}) for c in contenders}
    text += "Seeds per problem: " + ", ".join(f"{c} {'-'.join(map(str, sorted({n[0], n[-1]})))}" for c, n in seeds.items() if n) + ".\n"
    target = pathlib.Path(arguments.page)
    head, rest = target.read_text().split(BEGIN)
    target.write_text(head + BEGIN + text + END + rest.split(END)[1])


def fronts(arguments):
    known = json.loads(FRONTS.read_text()) if FRONTS.exists() else {}
    for name in names_of(arguments.problems):
        known[name] = front_of(name)
        FRONTS.write_text("{\n" + ",\n".join(f'"{n}": {json.dumps(known[n])}' for n in sorted(known)) + "\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("run")
    command.add_argument("data")
    command.add_argument("--program", default="build/release/multi_objective")
    command.add_argument("--problems", default="all")
    command.add_argument("--seeds", default="1-10")
    command.add_argument("--batch", type=int, default=64)
    command.add_argument("--rounds", type=int, default=40)
    command.add_argument("--contenders", default="pareto," + ",".join(PEERS))
    command.set_defaults(do=run)
    command = commands.add_parser("table")
    command.add_argument("data", nargs="+")
    command.set_defaults(do=table)
    command = commands.add_parser("page")
    command.add_argument("data")
    command.add_argument("--page", default="research/multi-objective.md")
    command.set_defaults(do=page)
    command = commands.add_parser("fronts")
    command.add_argument("problems", nargs="?", default="all")
    command.set_defaults(do=fronts)
    arguments = parser.parse_args()
    arguments.do(arguments)


if __name__ == "__main__":
    sys.exit(main())
