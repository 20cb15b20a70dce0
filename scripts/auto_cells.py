#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The cells by which `auto` chooses, as a table: which methods are as good as the best.

    vbo bench run -p research/protocols/auto.toml --out build/auto
    scripts/auto_cells.py build/auto

Median gap to the optimum for each cell (task, batch, evaluations) and method over the seeds that all
of its methods have. A method is level with the best (*) when its median is no larger than the worst
seed of the best one; with one seed, when it is no more than 1% larger.
"""

import collections
import json
import pathlib
import statistics
import sys


def read(folders):
    cells = collections.defaultdict(lambda: collections.defaultdict(dict))
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("*.jsonl")):
            lines = [json.loads(line) for line in path.read_text().splitlines()]
            head, rounds = lines[0], [line for line in lines if "best" in line]
            if not rounds or rounds[-1]["round"] != head["rounds"] or head["optimum"] is None:
                continue
            cell = (head["batch"], head["batch"] * head["rounds"], head["task"])
            gap = max(0.0, head["optimum"] - rounds[-1]["best"])
            cells[cell][head["method"]][head["seed"]] = gap
    return cells


def level(gaps):
    """Of {method: gaps of its seeds}: the methods that are level with the best."""
    medians = {method: statistics.median(values) for method, values in gaps.items()}
    best = min(medians, key=medians.get)
    worst = max(gaps[best]) if len(gaps[best]) > 1 else 1.01 * medians[best]
    return medians, {method for method in gaps if medians[method] <= worst}


def main():
    methods = ["vbo", "gp-logei", "turbo"]
    counts = collections.Counter()
    cells = 0
    print("| batch | evaluations | task | seeds | " + " | ".join(f"`{m}`" for m in methods) + " |")
    print("|---:|---:|---|---:|" + "---:|" * len(methods))
    for (batch, evaluations, task), found in sorted(read(sys.argv[1:]).items()):
        if any(method not in found for method in methods):
            continue
        seeds = sorted(set.intersection(*(set(found[method]) for method in methods)))
        if not seeds:
            continue
        gaps = {method: [found[method][seed] for seed in seeds] for method in methods}
        medians, good = level(gaps)
        cells += 1
        counts.update(good)
        shown = (f"{medians[m]:.3g}{'*' if m in good else ''}" for m in methods)
        print(f"| {batch} | {evaluations} | {task} | {len(seeds)} | " + " | ".join(shown) + " |")
    print(f"\nLevel with the best, of {cells} cells: "
          + ", ".join(f"`{method}` {counts[method]}" for method in methods))


if __name__ == "__main__":
    main()
