# SPDX-License-Identifier: MIT
"""Optuna's TPE on the problems of noisy_problems and categorical_problems.

    build/release/benchmarks/noisy_problems 10 vbo cmaes | tee noisy.txt
    python benchmarks/peers/served_problems.py build/release/benchmarks/noisy_problems --seeds 10 >> noisy.txt
    python benchmarks/peers/served_problems.py --compare noisy.txt

Points come in the same batches, with constant_liar=True, as Optuna's documentation says for batches.
Lines have the form of the programs': on noisy problems the log10 of the true gap at the best
observation, which is what Optuna recommends, after half of the evaluations and all; on categorical
ones the best value. --compare counts for each method on how many problems its median is best.
"""

import argparse
import collections
import math
import multiprocessing
import statistics
import subprocess
import warnings


class Served:
    """A problem that a program evaluates: a point per line in, its values per line out."""

    def __init__(self, program, *words):
        self.process = subprocess.Popen([program, "--serve", *words], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.head = [float(word) for word in self.process.stdout.readline().split()]

    def __call__(self, point):
        self.process.stdin.write(" ".join(map(str, point)) + "\n")
        self.process.stdin.flush()
        return [float(word) for word in self.process.stdout.readline().split()]

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def play(job):
    import optuna

    program, problem, seed, noisy, evaluations, batch = job
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    evaluate = Served(program, problem, str(seed)) if noisy else Served(program, problem)
    head = evaluate.head
    if noisy:
        space = {f"x{i}": optuna.distributions.FloatDistribution(head[2 * i], head[2 * i + 1])
                 for i in range(len(head) // 2)}
    else:
        space = {f"x{i}": optuna.distributions.CategoricalDistribution(range(int(n)))
                 for i, n in enumerate(head)}
    study = optuna.create_study(direction="minimize" if noisy else "maximize",
                                sampler=optuna.samplers.TPESampler(seed=seed, constant_liar=True))
    gaps, half, until, done = {}, None, 0, 0
    while done < evaluations:
        trials = [study.ask(space) for _ in range(min(batch, evaluations - done))]
        for trial in trials:
            found = evaluate(list(trial.params.values()))
            study.tell(trial, found[0])
            gaps[trial.number] = found[-1]
        done += len(trials)
        if half is None and done >= evaluations // 2:
            half = gaps[study.best_trial.number]
    whole = gaps[study.best_trial.number]
    evaluate.close()
    if noisy:
        values = [math.log10(half), math.log10(whole), math.log10(whole), math.log10(min(gaps.values()))]
        return f"run | {problem} | optuna-tpe | {seed} | " + " | ".join(f"{v:.3f}" for v in values)
    return f"run | {problem} | optuna-tpe | {seed} | {half:.6g} | {whole:.6g} | {until}"


def problems_of(program):
    listed = subprocess.run([program, "--list"], check=True, capture_output=True, text=True)
    return listed.stdout.splitlines()


def compare(path):
    runs = collections.defaultdict(list)
    with open(path) as file:
        for line in file:
            if line.startswith("run | "):
                _, problem, method, _, half, whole, *rest = (word.strip() for word in line.split("|"))
                runs[problem, method].append((float(whole), len(rest) > 1))
    problems = list(dict.fromkeys(problem for problem, _ in runs))
    methods = list(dict.fromkeys(method for _, method in runs))
    wins = collections.Counter()
    print("| problem | " + " | ".join(methods) + " |\n|---|" + "---:|" * len(methods))
    for problem in problems:
        lower_is_better = runs[problem, methods[0]][0][1]
        medians = {m: statistics.median(v for v, _ in runs[problem, m])
                   for m in methods if (problem, m) in runs}
        best = min(medians.values()) if lower_is_better else max(medians.values())
        for method, median in medians.items():
            wins[method] += median == best
        print(f"| {problem} | " + " | ".join(
            f"**{medians[m]:.4g}**" if medians.get(m) == best else f"{medians.get(m, math.nan):.4g}"
            for m in methods) + " |")
    print("| best median | " + " | ".join(str(wins[m]) for m in methods) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", help="noisy_problems or categorical_problems")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--evaluations", type=int)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--compare", metavar="FILE")
    words = parser.parse_args()
    if words.compare:
        return compare(words.compare)
    noisy = "noisy" in words.program.rsplit("/", 1)[-1]
    evaluations = words.evaluations or (640 if noisy else 1000)
    jobs = [(words.program, problem, seed, noisy, evaluations, words.batch)
            for problem in problems_of(words.program) if words.only in problem
            for seed in range(1, words.seeds + 1)]
    with multiprocessing.Pool(words.jobs) as pool:
        for line in pool.imap(play, jobs):
            print(line, flush=True)


if __name__ == "__main__":
    main()
