#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The tables of research/methods/vbo-paper.md, from raw data.

    vbo bench run -p research/protocols/paper-choices.toml --out build/paper-choices
    scripts/paper_tables.py choices build/paper-choices
    scripts/results unpack
    scripts/paper_tables.py tasks build/results/main

A run's reward is the mean of all evaluations after the common first batch. `choices`: as a share of the
way from uniform sampling to the optimum, each method paired with `vbo-paper` by task and seed. `tasks`:
its mean over seeds, in brackets that of the first and of the last third of the rounds; on tasks whose
single evaluations can be arbitrarily bad none counts for less than the worst of the design.
"""

import itertools
import json
import math
import pathlib
import statistics
import sys

import results_store

OURS = "vbo-paper"


def rewards(path):
    """Mean outcome of every round after the first."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    head, rounds = rows[0], [row for row in rows if "batch_mean" in row]
    if head["task"] not in results_store.CLIPPED:
        return head, [row["batch_mean"] for row in rounds[1:]]
    cells = [line.split(",") for line in path.with_suffix(".csv").read_text().splitlines()[1:]]
    values = [(int(number), float(value)) for number, value in cells if value]
    worst = min(value for number, value in values if number == 1)
    by_round = itertools.groupby(values, key=lambda cell: cell[0])
    means = [statistics.mean(max(worst, value) for _, value in group) for _, group in by_round]
    return head, means[1:]


def read(folder):
    """(method, task) -> {seed: (rewards, optimum)}"""
    runs = {}
    for path in sorted(pathlib.Path(folder).glob("*.jsonl")):
        head, means = rewards(path)
        runs.setdefault((head["method"], head["task"]), {})[head["seed"]] = (means, head.get("optimum"))
    return runs


def signed_rank(differences):
    """Two-sided p of Wilcoxon's test, exact but for ties, which share their ranks."""
    sizes = sorted(abs(d) for d in differences if d)
    rank = {size: sizes.index(size) + (sizes.count(size) + 1) / 2 for size in sizes}
    positive = sum(rank[abs(d)] for d in differences if d > 0)
    n = len(sizes)
    ways = [1] + [0] * (n * (n + 1) // 2)  # subsets of the ranks 1..n with that sum
    for r in range(1, n + 1):
        for total in range(len(ways) - 1, r - 1, -1):
            ways[total] += ways[total - r]
    low = min(positive, n * (n + 1) / 2 - positive)
    return min(1.0, 2 * sum(ways[:math.floor(low) + 1]) / 2**n)


def choices(folder):
    runs = read(folder)
    tasks = sorted({task for _, task in runs})
    uniform = {task: statistics.mean(statistics.mean(means) for means, _ in runs["sobol", task].values())
               for task in tasks}
    share = {}
    for (method, task), seeds in runs.items():
        for seed, (means, optimum) in seeds.items():
            share.setdefault(method, {})[task, seed] = (statistics.mean(means) - uniform[task]) / (
                optimum - uniform[task])
    print("| method | reward | difference | better in | p |\n|---|---:|---:|---:|---:|")
    for method, of in share.items():
        row = f"| `{method}` | {statistics.mean(of.values()):.3f} |"
        if method != OURS:
            d = [of[key] - share[OURS][key] for key in of if key in share[OURS]]
            error = statistics.stdev(d) / math.sqrt(len(d))
            row += (f" {statistics.mean(d):+.3f} +- {error:.3f} | {sum(x > 0 for x in d)} of {len(d)} |"
                    f" {signed_rank(d):.1g} |")
        else:
            row += " | | |"
        print(row)


def tasks(folder):
    runs = read(folder)
    columns = ["sobol", "vbo-paper-literal", "gp-ei", OURS, "vbo-paper-gp-exploration",
               "vbo-paper-gp-exploitation", "vbo-paper?beta=0"]
    print("| task | " + " | ".join(f"`{c}`" for c in columns) + " |\n|---|" + "---:|" * len(columns))
    for task in sorted({task for _, task in runs}):
        base = runs.get((OURS, task), {})
        row = f"| {task} |"
        for method in columns:
            seeds = runs.get((method, task), {})
            if not seeds:
                row += " |"
                continue
            third = [len(means) // 3 for means, _ in seeds.values()][0]
            mean = {s: statistics.mean(means) for s, (means, _) in seeds.items()}
            parts = [statistics.mean(statistics.mean(means[cut]) for means, _ in seeds.values())
                     for cut in (slice(third), slice(-third, None))]
            above = sum(mean[s] > statistics.mean(base[s][0]) for s in seeds if s in base)
            row += (f" {statistics.mean(mean.values()):.3g} ({parts[0]:.3g}, {parts[1]:.3g}) n={len(seeds)}"
                    + ("" if method == OURS else f", above in {above}") + " |")
        print(row)


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("choices", "tasks"):
        sys.exit(__doc__)
    {"choices": choices, "tasks": tasks}[sys.argv[1]](sys.argv[2])
