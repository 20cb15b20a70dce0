# SPDX-License-Identifier: MIT
"""Which setting of each baseline the seven tasks are run with: the winner of the tuning protocol."""

import statistics

FAMILIES = {"gp-ei": "gp", "gp-logei": "gp", "gp-ucb": "gp", "gp-ts": "gp"}


def family(method):
    """hmc?acquisition=ucb -> hmc; the acquisitions of one Gaussian process are one family."""
    base = method.partition("?")[0]
    return FAMILIES.get(base, base)


def winners(rows):
    """Family -> (setting, mean rank), by average reward over the tasks on which all settings ran."""
    by_family = {}
    for row in rows:
        by_family.setdefault(family(row["method"]), {}).setdefault(row["task"], []).append(row)
    best = {}
    for name, tasks in by_family.items():
        settings = {r["method"] for found in tasks.values() for r in found}
        places = {m: [] for m in settings}
        for found in tasks.values():
            if {r["method"] for r in found} != settings:
                continue
            order = sorted(found, key=lambda r: r["final_reward"], reverse=True)
            for place, row in enumerate(order, 1):
                places[row["method"]].append(place)
        ranked = {m: statistics.mean(p) for m, p in places.items() if p}
        if ranked:
            setting = min(ranked, key=lambda m: (ranked[m], m))
            best[name] = (setting, ranked[setting])
    return best


def protocol(best, tasks):
    """tuned.toml: the winners on the seven tasks. `tasks`: (name, batch, rounds, seeds)."""
    methods = ", ".join(f'"{setting}"' for setting, _ in best.values())
    text = ["# Written by `scripts/results tune` from the results of tuning.toml; do not edit.",
            'name = "tuned"',
            'summary = "Every baseline with the setting that did best on functions outside the seven"',
            f"methods = [{methods}]"]
    for name, batch, rounds, seeds in tasks:
        text += ["", "[[task]]", f'name = "{name}"', f"batch = {batch}", f"rounds = {rounds}",
                 f"seeds = {seeds}"]
    return "\n".join(text) + "\n"
