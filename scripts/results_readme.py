# SPDX-License-Identifier: MIT
"""The numbers of the README, from the raw data and the pages made of them."""

import json
import re

import results_seven
import results_paper as paper
from results_compare import Duels
from results_cost import counted
from results_rows import leads, number

BEGIN, END = "<!-- numbers: scripts/results page -->", "<!-- end of numbers -->"


def origin(results, name):
    """Of the runs of `vbo` in a set: seeds, machines and commits."""
    heads = []
    for path in sorted((results.raw / name).rglob("*--vbo--*.jsonl")):
        with open(path, encoding="utf-8") as file:
            heads.append(json.loads(file.readline()))
    def several(key):
        return " and ".join(sorted({re.sub(r"\(R\)| Processor", "", str(h[key])).strip() for h in heads}))
    seeds = len({h["seed"] for h in heads})
    return f"({seeds} seeds; {several('machine')}; commit {several('commit')})" if heads else ""


def seven(results):
    if not results.has("main"):
        return []
    rows = results.table("main")["rows"]
    by_task = {t: [r for r in rows if r["task"] == t] for t in paper.TASKS}
    found = results_seven.standing({t: r for t, r in by_task.items() if r}, Duels(results, "main"))
    return ["* [The paper's seven tasks](research/results/README.md): " + results_seven.headline(found) + f" {origin(results, 'main')}."]


def held_out(results):
    if not results.has("holdout"):
        return []
    rows = results.table("holdout", "--at", "20,40")["rows"]
    tasks = list(dict.fromkeys(r["task"] for r in rows))

    def ahead(at):
        return sum(leads(r[f"best_at_{at}"], [x[f"best_at_{at}"] for x in rows if x["task"] == r["task"]])
                   for r in rows if r["method"] == "vbo")
    rivals = ", ".join(f"`{m}`" for m in sorted({r["method"] for r in rows} - {"vbo"}))
    return [f"* [Functions nobody tuned on](research/results/README.md#functions-nobody-tuned-on): beside {rivals}, "
            f"`vbo` has the best median, or is tied with it, on {ahead(20)} of {len(tasks)} after 20 rounds of 64 and on "
            f"{ahead(40)} after 40 {origin(results, 'holdout')}."]


def costs(results):
    data = counted(results)
    mine = {r["observations"]: r for r in data["rows"] if r["method"] == "vbo" and r["measured"]} if data else {}
    if not mine:
        return []
    few, many = min(mine), max(mine)

    def milliseconds(n):
        return f"{1e3 * (mine[n]['tell_seconds'] + mine[n]['ask_seconds']):.0f}"
    return [f"* [Cost of a round](research/results/README.md#cost-of-a-round): telling {data['batch']} results and "
            f"asking for the next {data['batch']} takes {milliseconds(few)} ms at {few} results and "
            f"{milliseconds(many)} ms at {many:,}, on one core."]


def block(results):
    return "\n".join([BEGIN, *seven(results), *held_out(results), *costs(results), END])


def replaced(text, new):
    """The README with its numbers replaced; None when it has no place for them."""
    start, end = text.find(BEGIN), text.find(END)
    return None if start < 0 or end < start else text[:start] + new + text[end + len(END):]
