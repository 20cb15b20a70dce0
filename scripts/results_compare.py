# SPDX-License-Identifier: MIT
"""Two methods side by side, seed against seed, for the page that scripts/results makes."""

import json

import results_tune
from results_rows import number


class Duels:
    """Answers of `vbo bench compare`, by (first, second, measure); each is asked for once."""

    def __init__(self, results, name):
        self.results, self.name, self.asked = results, name, {}

    def rows(self, first, second, by):
        key = (first, second, by)
        if key not in self.asked:
            found = self.results.compare(self.name, first, second, by)
            self.asked[key] = {r["task"]: r for r in found}
        return self.asked[key]

    def duel(self, task, first, second, by="reward"):
        """None when there is no seed both have."""
        return self.rows(first, second, by).get(task)

    def verdict(self, task, first, second, by="reward"):
        found = self.duel(task, first, second, by)
        if not found:
            return None
        return {"first": "won", "second": "lost", "tie": "tie"}[found["verdict"]]


def interval(duel):
    """-0.3 (-0.5 .. -0.1)"""
    if not duel:
        return "-"
    if duel["low"] is None:
        return number(duel["mean_difference"], 3)
    return (f"{number(duel['mean_difference'], 3)} "
            f"({number(duel['low'], 2)} .. {number(duel['high'], 2)})")


def tally(verdicts):
    """["won", "tie", None] -> "1 won, 1 tied, 0 lost of 2"."""
    known = [v for v in verdicts if v]
    if not known:
        return "-"
    return (f"{known.count('won')} won, {known.count('tie')} tied, {known.count('lost')} lost of "
            f"{len(known)}")


def champions(rows, families):
    """Of each family its row with the highest reward on this task: of a baseline the better of its
    default and its tuned setting, of the Gaussian process the best of its acquisitions."""
    best = {}
    for row in rows:
        name = results_tune.family(row["method"])
        if name not in families or row["final_reward"] is None:
            continue
        if name not in best or row["final_reward"] > best[name]["final_reward"]:
            best[name] = row
    return best


def uniform_reward(raw, name, task):
    """What uniform sampling gives on a task: the mean of the initial designs."""
    means = []
    for path in sorted((raw / name).glob("*.jsonl")):
        with open(path) as file:
            header = json.loads(file.readline())
            if header["task"] != task:
                continue
            for _ in range(header["initial_rounds"]):
                mean = json.loads(file.readline())["batch_mean"]
                if mean is not None:
                    means.append(mean)
    return sum(means) / len(means) if means else None
