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
PEERS = {"peers.md": "Optuna and BoTorch", "peers-small.md": "HEBO, SMAC3, Optuna and Vizier"}


def page_values(table, names):
    """Round -> task -> contender -> median, of those whose every seed got so far."""
    found = {}
    for task, at, cells in re.findall(r"^\| (?!task|\*)([^|]+) \| (\d+) \| (.+) \|$", table, re.M):
        texts = dict(zip(names, cells.replace("**", "").split(" | ")))
        found.setdefault(int(at), {})[task] = {c: float(x) for c, x in texts.items() if x != "-" and "(" not in x}
    return found


def ahead_of_vbo(values, end, text):
    """Who has the higher median at the end, and of those who ended before, at their last round."""
    def times(c, at):
        both = [x for x in values[at].values() if c in x and "vbo" in x]
        return sum(not leads(x["vbo"], [x[c]]) for x in both), len(both)
    names = list(dict.fromkeys(c for x in values.values() for row in x.values() for c in row if c != "vbo"))
    last = {c: max(at for at, x in values.items() if any(c in row for row in x.values())) for c in names}
    seeds = {c: n for n, names in re.findall(r"(\d[\d to]* seeds?) of ([^;.]+)", text)
             for c in re.findall("`(.+?)`", names)}
    won = sorted(((c, times(c, end)[0]) for c in names if last[c] == end), key=lambda x: -x[1])
    line = ", ".join(f"`{c}` on {n}" for c, n in won if n)
    line = f" Ahead of `vbo` there: {line}." if line else ""
    for c in names:
        if last[c] < end:
            n, of = times(c, last[c])
            line += f" `{c}` ({seeds[c]}, {last[c]} rounds) is ahead of `vbo` after as many on {n} of {of}."
    return line


def peers(results):
    """How often each contender has the best median at the end, the last line of a page's first table, and who is
    ahead of `vbo`."""
    lines = []
    for name, libraries in PEERS.items():
        text = (results.pages / name).read_text() if (results.pages / name).exists() else ""
        header = re.search(r"^\| task \| round \| (.+) \|$", text, re.M)
        counts = re.findall(r"^\| \*best median\* \| (\d+) \| (.+) \|$", text, re.M)
        batch = re.search(r"rounds of (\d+) evaluations", text)
        if not header or not counts or not batch:
            continue
        rounds, last = counts[-1]
        contenders = header[1].split(" | ")
        values = page_values(text[header.start():].split("\n\n")[0], contenders)
        won = dict(zip(contenders, map(int, last.split(" | "))))
        others = ", ".join(f"`{c}` on {n}" for c, n in sorted(won.items(), key=lambda x: -x[1]) if n and c != "vbo")
        where = "" if "Measured earlier" in text else ", on one machine"
        lines.append(f"* [Beside {libraries}](docs/results/{name}){where}: after {rounds} rounds of {batch[1]} "
                     f"`vbo` has the best median, or shares it, on {won['vbo']} of {len(values[int(rounds)])} functions"
                     + (f"; {others}." if others else ".") + ahead_of_vbo(values, int(rounds), text))
    return lines


def block(results):
    return "\n".join([BEGIN, *seven(results), *held_out(results), *costs(results), *peers(results), END])


def replaced(text, new):
    """The README with its numbers replaced; None when it has no place for them."""
    start, end = text.find(BEGIN), text.find(END)
    return None if start < 0 or end < start else text[:start] + new + text[end + len(END):]
