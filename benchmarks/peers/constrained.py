# SPDX-License-Identifier: MIT
"""The engineering problems against Optuna's TPE with constraints_func.

    vbo bench run -p research/protocols/engineering.toml -o results/engineering
    python benchmarks/peers/constrained.py --vbo build/release/vbo --results results/engineering

TPE is used as Optuna's documentation says for batches, constant_liar=True, with one constraint per
bound: how far the metric lies outside, relative to the bound, which is how this repository scales
violations. It gets the same number of evaluations in the same batches. Its results are kept in
RESULTS/tpe.json, so a second call only prints the table: for each problem and method the median
over seeds of the best feasible value (a seed without one counts as infinitely bad) and in how many
seeds there was one.
"""

import argparse
import json
import math
import pathlib
import statistics
import subprocess
import warnings

TASKS = ["welded-beam", "pressure-vessel", "speed-reducer", "tension-spring"]


class Task:
    """A task of this repository, evaluated through `vbo bench serve-task`."""

    def __init__(self, program, name, seed):
        described = subprocess.run([program, "bench", "serve-task", name, "--describe"], check=True,
                                   capture_output=True, text=True)
        self.info = json.loads(described.stdout)
        self.process = subprocess.Popen([program, "bench", "serve-task", name, "--seed", str(seed)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.count = 0

    def evaluate(self, params):
        self.count += 1
        self.process.stdin.write(json.dumps({"id": self.count, "params": params}) + "\n")
        self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline())
        if "error" in reply:
            raise RuntimeError(reply["error"])
        return reply["value"], self.excesses(reply["metrics"])

    def excesses(self, metrics):
        found = []
        for limit in self.info["limits"]:
            metric = metrics[limit["metric"]]
            for bound, sign in (("at_most", 1.0), ("at_least", -1.0)):
                if bound in limit:
                    found.append(sign * (metric - limit[bound]) / (abs(limit[bound]) or 1.0))
        return found

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def distribution(optuna, parameter):
    d = optuna.distributions
    step = parameter.get("step")
    if parameter["type"] == "int":
        return d.IntDistribution(int(parameter["low"]), int(parameter["high"]))
    if parameter["type"] == "float":
        return d.FloatDistribution(parameter["low"], parameter["high"], step=step or None)
    raise ValueError(f"no such parameter among these problems: {parameter}")


def tpe(program, name, seed, batch, rounds):
    """The best feasible value after every round; None before there is one."""
    import optuna  # pylint: disable=import-outside-toplevel

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore", FutureWarning)
    task = Task(program, name, seed)
    sampler = optuna.samplers.TPESampler(seed=seed, constant_liar=True,
                                         constraints_func=lambda trial: trial.user_attrs["excesses"])
    study = optuna.create_study(direction="minimize", sampler=sampler)
    space = {p["name"]: distribution(optuna, p) for p in task.info["parameters"]}
    best, curve = None, []
    for _ in range(rounds):
        trials = [study.ask(space) for _ in range(batch)]
        for trial in trials:
            value, excesses = task.evaluate(trial.params)
            trial.set_user_attr("excesses", excesses)
            study.tell(trial, value)
            if max(excesses) <= 0.0 and (best is None or value < best):
                best = value
        curve.append(best)
    task.close()
    return curve


def ours(folder):
    """{(task, method, seed): best feasible value or None} of the jobs below `folder`."""
    found = {}
    for file in sorted(folder.rglob("*.jsonl")):
        lines = file.read_text().splitlines()
        job = json.loads(lines[0])
        last = json.loads(lines[-1])
        best = last.get("best")
        found[job["task"], job["method"], job["seed"]] = None if best is None else -best
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vbo", default="build/release/vbo")
    parser.add_argument("--results", type=pathlib.Path, required=True)
    parser.add_argument("--tasks", nargs="+", default=TASKS)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()

    kept = options.results / "tpe.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    for name in options.tasks:
        for seed in range(1, options.seeds + 1):
            key = f"{name} {seed} {options.batch} {options.rounds}"
            if key not in known:
                known[key] = tpe(options.vbo, name, seed, options.batch, options.rounds)
                kept.write_text(json.dumps(known))

    found = ours(options.results)
    for name in options.tasks:
        for seed in range(1, options.seeds + 1):
            found[name, "optuna-tpe", seed] = known[f"{name} {seed} {options.batch} {options.rounds}"][-1]
    methods = list(dict.fromkeys(method for _, method, _ in found))
    print("| problem | best known | " + " | ".join(methods) + " |")
    print("|---|---|" + "---|" * len(methods))
    for name in options.tasks:
        described = subprocess.run([options.vbo, "bench", "serve-task", name, "--describe"],
                                   check=True, capture_output=True, text=True)
        cells = []
        for method in methods:
            values = [math.inf if v is None else v for (task, m, _), v in sorted(found.items())
                      if (task, m) == (name, method)]
            feasible = sum(math.isfinite(v) for v in values)
            median = statistics.median(values) if values else math.nan
            cells.append(f"{median:.6g} ({feasible}/{len(values)})")
        print(f"| {name} | {json.loads(described.stdout)['optimum']:.6g} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
