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


def peers(results):
    """The last line of each half of the table in peers.md: how often each has the best median."""
    page = results.pages / "peers.md"
    if not page.exists():
        return []
    text = page.read_text()
    tasks = set(re.findall(r"^\| (?!task|\*)([^|]+) \| 40 \|", text, re.M))
    counts = re.search(r"^\| \*best median\* \| 40 \| (\d+) \|", text, re.M)
    header = re.search(r"^\| task \| round \| (\w+) \|", text, re.M)
    if not tasks or not counts or not header or header[1] != "vbo":
        return []
    return [f"* [Beside Optuna and BoTorch](docs/results/peers.md), on one machine: after 40 rounds of 64 `vbo` has "
            f"the best median, or shares it, on {counts[1]} of {len(tasks)} functions."]


def block(results):
    return "\n".join([BEGIN, *seven(results), *held_out(results), *costs(results), *peers(results), END])


def replaced(text, new):
    """The README with its numbers replaced; None when it has no place for them."""
    start, end = text.find(BEGIN), text.find(END)
    return None if start < 0 or end < start else text[:start] + new + text[end + len(END):]
