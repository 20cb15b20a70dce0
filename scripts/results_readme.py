# SPDX-License-Identifier: MIT
"""The numbers of the README, from the raw data and the pages made of them."""

import re

import results_seven
import results_paper as paper
from results_compare import Duels
from results_cost import counted
from results_rows import leads, number

BEGIN, END = "<!-- numbers: scripts/results page -->", "<!-- end of numbers -->"


def seven(results):
    if not results.has("main"):
        return []
    rows = results.table("main")["rows"]
    by_task = {t: [r for r in rows if r["task"] == t] for t in paper.TASKS}
    found = results_seven.standing({t: r for t, r in by_task.items() if r}, Duels(results, "main"))
    return ["* [The paper's seven tasks](docs/results/README.md): " + results_seven.headline(found) + "."]


def held_out(results):
    if not results.has("holdout"):
        return []
    rows = results.table("holdout", "--at", "20,40")["rows"]
    tasks = list(dict.fromkeys(r["task"] for r in rows))

    def ahead(at):
        return sum(leads(r[f"best_at_{at}"], [x[f"best_at_{at}"] for x in rows if x["task"] == r["task"]])
                   for r in rows if r["method"] == "vbo")
    rivals = ", ".join(f"`{m}`" for m in sorted({r["method"] for r in rows} - {"vbo"}))
    return [f"* [Functions nobody tuned on](docs/results/README.md#functions-nobody-tuned-on): beside {rivals}, "
            f"`vbo` has the best median, or shares it, on {ahead(20)} of {len(tasks)} after 20 rounds of 64 and on "
            f"{ahead(40)} after 40."]


def costs(results):
    data = counted(results)
    mine = {r["observations"]: r for r in data["rows"] if r["method"] == "vbo" and r["measured"]} if data else {}
    if not mine:
        return []
    few, many = min(mine), max(mine)

    def milliseconds(n):
        return f"{1e3 * (mine[n]['tell_seconds'] + mine[n]['ask_seconds']):.0f}"
    return [f"* [Cost of a round](docs/results/README.md#cost-of-a-round): hearing of {data['batch']} results and "
            f"suggesting the next {data['batch']} takes `vbo` {milliseconds(few)} ms at {few} results and "
            f"{milliseconds(many)} ms at {many:,}, on one core."]


# Page, and the libraries it is about.
PEERS = {"peers.md": "Optuna and BoTorch", "peers-small.md": "HEBO, SMAC3 and Optuna"}


def peers(results):
    """How often each contender has the best median at the end: the last line of a page's first table."""
    lines = []
    for name, libraries in PEERS.items():
        text = (results.pages / name).read_text() if (results.pages / name).exists() else ""
        header = re.search(r"^\| task \| round \| (.+) \|$", text, re.M)
        counts = re.findall(r"^\| \*best median\* \| (\d+) \| (.+) \|$", text, re.M)
        batch = re.search(r"rounds of (\d+) evaluations", text)
        if not header or not counts or not batch:
            continue
        rounds, last = counts[-1]
        tasks = set(re.findall(rf"^\| (?!task|\*)([^|]+) \| {rounds} \|", text, re.M))
        won = dict(zip(header[1].split(" | "), map(int, last.split(" | "))))
        others = ", ".join(f"`{c}` on {n}" for c, n in sorted(won.items(), key=lambda x: -x[1]) if n and c != "vbo")
        lines.append(f"* [Beside {libraries}](docs/results/{name}), on one machine: after {rounds} rounds of {batch[1]} "
                     f"`vbo` has the best median, or shares it, on {won['vbo']} of {len(tasks)} functions"
                     + (f"; {others}." if others else "."))
    return lines


def block(results):
    return "\n".join([BEGIN, *seven(results), *held_out(results), *costs(results), *peers(results), END])


def replaced(text, new):
    """The README with its numbers replaced; None when it has no place for them."""
    start, end = text.find(BEGIN), text.find(END)
    return None if start < 0 or end < start else text[:start] + new + text[end + len(END):]
