# SPDX-License-Identifier: MIT
"""research/results/README.md from raw results: its numbers are computed here or by `vbo bench`."""

import json
import shutil
import statistics
import subprocess

import results_coverage
import results_reproduced
import results_seven
import results_tune
from results_compare import Duels
from results_cost import consistency, cost, counted
from results_rows import leads, markdown, number, ours
from results_store import CLIPPED

HERO_TASKS = ["ackley10", "interferometer", "lunar-lander", "pest-control"]
HERO_METHODS = ["vbo", "turbo", "cmaes", "gp-logei", "hmc", "sobol"]


class Results:
    """The raw data, the program that reads them, and the protocols they come from."""

    def __init__(self, program, raw, pages, plan):
        self.program, self.raw, self.pages, self.plan = program, raw, pages, plan

    def bench(self, *words):
        return subprocess.run([*self.program, *map(str, words)], check=True, capture_output=True,
                              text=True).stdout

    def has(self, name):
        return any((self.raw / name).glob("*.jsonl"))

    def planned(self, name):
        words = [w for path in self.plan[name] for w in ("--protocol", path)]
        return self.bench("run", *words, "--skip-missing", "--dry-run", "--out",
                          self.raw / name).split()

    def found(self, name):
        return [p.stem for p in (self.raw / name).glob("*.jsonl")]

    def coverage(self, name):
        """What has been run of the protocols of a set: a paragraph."""
        return [results_coverage.summary(name, self.planned(name), self.found(name)), ""]

    def state(self, name):
        """The same in a word; None when nothing of it has been run."""
        if name.endswith(".json"):
            return "yes" if (self.raw / name).exists() else None
        planned, found = set(self.planned(name)), set(self.found(name))
        if not planned & found:
            return None
        return "yes" if planned <= found else f"{len(planned & found)} of {len(planned)} runs"

    def clipped(self, name):
        """Rewards of tasks on which evaluations diverge are read with a floor."""
        tasks = {stem.split("--")[0] for stem in self.found(name)}
        return [w for task in CLIPPED if task in tasks for w in ("--clip", task)]

    def table(self, name, *words, reward="main"):
        return json.loads(self.bench("table", self.raw / name, "--json", "--reward", reward,
                                     *self.clipped(name), *words))

    def compare(self, name, first, second, by):
        """Rows of `vbo bench compare`; none when the two share nothing."""
        command = [*self.program, "compare", first, second, "--in", self.raw / name, "--by", by, "--json",
                   *self.clipped(name)]
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        if done.returncode == 2:
            return []
        done.check_returncode()
        return json.loads(done.stdout)["rows"]

    def draw(self, name, out, *words, keep=lambda stem: True):
        """Figures of a set below figures/OUT; those kept."""
        target = self.pages / "figures" / out
        shutil.rmtree(target, ignore_errors=True)
        self.bench("plot", self.raw / name, "-o", target, *self.clipped(name), *words)
        for svg in target.glob("*.svg"):
            if not keep(svg.stem):
                svg.unlink()
        return sorted(p.stem for p in target.glob("*.svg"))

    def figure(self, out, name, text):
        """Nothing when it was not drawn, as an overview of a single task."""
        drawn = (self.pages / f"figures/{out}/{name}.svg").exists()
        return [f"![{text}](figures/{out}/{name}.svg)", ""] if drawn else []

    def origin(self):
        headers = []
        for path in sorted(self.raw.rglob("*.jsonl")):
            with open(path) as file:
                headers.append(json.loads(file.readline()))
        facts = {key: sorted({h[key] for h in headers})
                 for key in ("commit", "machine", "compiler")}
        return len(headers), facts


# ---- sensitivity ---------------------------------------------------------------------------------


def spreads(results, name, option):
    """Per task and line: (highest - lowest)/range of the task, and the highest end reward."""
    found = {}
    for r in results.table(name)["rows"]:
        base, _, settings = r["method"].partition("?")
        kept = [s for s in settings.split("&") if s and not s.startswith(option + "=")]
        line = base + ("?" + "&".join(kept) if kept else "")
        found.setdefault(r["task"], {}).setdefault(line, []).append(r["end_reward"])
    # A variant bears the name of its method unless there are two.
    labels = sorted({line for lines in found.values() for line in lines})
    bases = [line.partition("?")[0] for line in labels]
    short = {line: base if bases.count(base) == 1 else line for line, base in zip(labels, bases)}
    spread = {}
    for task, lines in found.items():
        every = [v for values in lines.values() for v in values if v is not None]
        width = (max(every) - min(every)) or 1.0
        for line, values in lines.items():
            values = [v for v in values if v is not None]
            if values:
                moved = (max(values) - min(values)) / width
                spread.setdefault(short[line], {})[task] = (moved, max(values))
    return spread, list(found)


def sensitivity(results, name, title, option, intro):
    results.draw(name, name, keep=lambda stem: stem.startswith(f"{name}-"))
    spread, tasks = spreads(results, name, option)
    order = sorted(spread, key=lambda m: statistics.mean(s for s, _ in spread[m].values()))
    rows = [[ours(m), number(statistics.mean(s for s, _ in spread[m].values()), 2)]
            + [f"{spread[m][t][0]:.2f} ({number(spread[m][t][1], 4)})" if t in spread[m] else "-"
               for t in tasks] for m in order]
    text = [f"## {title}", "", intro, "", *results.coverage(name)]
    text += results.figure(name, f"{name}-reward", title) + results.figure(name, f"{name}-best", title)
    text += [f"Rewards count the main phase. How far the average reward at the end moves while {option} varies, as a share of the "
             "whole range seen on that task (0 = not at all), least sensitive first; in brackets the "
             "highest reward reached. A method that is bad everywhere is insensitive, too, and takes no part "
             "in the comparison among the claims.", "",
             markdown(["method", "mean", *tasks], rows, range(1, len(tasks) + 2)), ""]
    return text, spread


# ---- tables of best values -----------------------------------------------------------------------


def holdout(results):
    at = [20, 40]
    data = results.table("holdout", "--at", ",".join(map(str, at)))
    results.draw("holdout", "holdout", keep=lambda stem: stem == "overview-best")
    methods = [r["method"] for r in data["ranks"]]
    tasks = list(dict.fromkeys(r["task"] for r in data["rows"]))
    wins = {(m, t): 0 for m in methods for t in at}
    rows = []
    for task in tasks:
        for t in at:
            values = {r["method"]: r[f"best_at_{t}"] for r in data["rows"] if r["task"] == task}
            cells = []
            for m in methods:
                text = number(values.get(m), 6)
                if leads(values.get(m), values.values()):
                    text = f"**{text}**"
                    wins[m, t] += 1
                cells.append(text)
            rows.append([f"`{task}`", str(t), *cells])
    rows += [["*best median*", str(t), *[str(wins[m, t]) for m in methods]] for t in at]
    return ["## Functions nobody tuned on", "",
            "Best value (median over seeds; minimized functions negated) after 20 and 40 rounds of 64. "
            "No method of this repository was tuned on these; `vbo` was developed with five of the seven tasks "
            "above in sight. Whoever shares the highest value, up to rounding, has the best median.", "", *results.coverage("holdout"),
            markdown(["function", "round", *methods], rows, range(1, len(methods) + 2)), "",
            *results.figure("holdout", "overview-best", "Best value on functions nobody tuned on")]


def small_batch(results):
    data = results.table("small-batch")
    results.draw("small-batch", "small-batch", keep=lambda stem: stem == "overview-best")
    tasks = {r["task"]: (r["batch"], r["rounds"]) for r in data["rows"]}
    values = {t: [r["best"] for r in data["rows"] if r["task"] == t] for t in tasks}
    rows = []
    for rank in sorted(data["ranks"], key=lambda r: r["rank_best"]):
        cells = [ours(rank["method"]), number(rank["rank_best"], 3), str(rank["first_best"])]
        for t in tasks:
            r = next((r for r in data["rows"] if r["task"] == t and r["method"] == rank["method"]), None)
            text = number(r["best"], 5) if r else "-"
            cells.append(f"**{text}**" if r and leads(r["best"], values[t]) else text)
        rows.append(cells)
    header = [f"{t} ({b} x {n})" for t, (b, n) in tasks.items()]
    return ["## Small batches", "",
            "The budgets of Li, Rudner and Wilson (ICLR 2024), batch x rounds: few evaluations in small "
            "batches, the opposite of what `vbo` is made for. Best value, median over seeds, ordered by "
            "mean rank.", "", *results.coverage("small-batch"),
            markdown(["method", "mean rank", "first", *header], rows, range(1, len(tasks) + 3)), "",
            *results.figure("small-batch", "overview-best", "Best value with small batches")]


# ---- the page ------------------------------------------------------------------------------------


def rasterise(svg, png, width):
    subprocess.run(["rsvg-convert", "--width", str(width), str(svg), "--output", str(png)],
                   check=True)


def hero(results, picture):
    """The figure of the README: few methods, four tasks."""
    results.draw("main", "hero", *[w for m in HERO_METHODS for w in ("-m", m)],
                 *[w for t in HERO_TASKS for w in ("-t", t)],
                 keep=lambda stem: stem == "overview-best")
    svg = results.pages / "figures/hero/overview-best.svg"
    if picture and svg.exists():
        picture.parent.mkdir(parents=True, exist_ok=True)
        rasterise(svg, picture, 1600)


def tuning(results):
    """The winner of each baseline, and what the seven tasks are run with."""
    best = results_tune.winners(results.table("tuning")["rows"])
    rows = [[name, f"`{setting}`", number(rank, 3)] for name, (setting, rank) in best.items()]
    return ["## Tuning of the baselines", "",
            "A handful of settings for every baseline on functions outside the seven tasks; the one with the best mean "
            "rank by average reward runs on all seven beside the defaults. `vbo` runs with its defaults.", "",
            *results.coverage("tuning"), markdown(["baseline", "setting", "mean rank"], rows, (2,)), ""]


def opening(results):
    jobs, facts = results.origin()
    text = ["# Results", "",
            "Generated from raw data by `scripts/results page`; do not edit. What the columns mean "
            "and how runs are made: [benchmarks](../bench.md). The tasks: [tasks](../tasks.md).", "",
            *results_reproduced.table(lambda name: results.state(name) if name.endswith(".json")
                                      or name in results.plan else None),
            f"{jobs} runs, commit {', '.join(facts['commit'])}; {', '.join(facts['machine'])}; "
            f"{', '.join(facts['compiler'])}. Every method has the same initial design, batch and rounds; "
            "each part says how far its protocol has been run. All values are in the sign that is maximized.", "",
            "**Reward** is the average reward S_t, averaged over the last 20 rounds, as in the paper. As published it "
            "counts from the end of the warm-up, which here is the initial design all methods share; every table, "
            "figure and comparison of this page uses that, except the columns *with warm-up*, which count all "
            "evaluations.", ""]
    notes = results.pages / "notes.md"
    return text + ([notes.read_text().strip(), ""] if notes.exists() else [])


def write(results, picture):
    results.pages.mkdir(parents=True, exist_ok=True)
    text = opening(results)
    beta = batch = by_task = None
    sections = []
    duels = Duels(results, "main")
    if results.has("main"):
        section, by_task = results_seven.seven_tasks(results, duels)
        sections += section + results_seven.ablation(results, by_task, duels)
        hero(results, picture)
    if results.has("tuning"):
        sections += tuning(results)
    if results.has("batch-size"):
        section, batch = sensitivity(
            results, "batch-size", "Batch size", "batch size",
            "The same number of evaluations in batches of different size.")
        sections += section
    if results.has("beta"):
        section, beta = sensitivity(
            results, "beta", "Beta", "beta",
            "The weight of exploration. All methods but VBO's use the upper confidence bound here "
            "(`focal` its Monte-Carlo form).")
        sections += section
    if by_task:
        text += results_seven.claims(results, by_task, duels,
                                     [("beta", "beta", beta), ("batch-size", "batch size", batch)],
                                     counted(results))
    text += sections
    if results.has("holdout"):
        text += holdout(results)
    if results.has("small-batch"):
        text += small_batch(results)
    absent = [name for name in results.plan if not results.has(name)]
    if absent:
        text += ["## Not run", "", *[f"* {n}: `scripts/results run --only {n}`" for n in absent], ""]
    text += cost(results) + consistency(results)
    if (results.pages / "peers.md").exists():
        text += ["## Other libraries", "", "Optuna and BoTorch on the same functions: "
                 "[beside other libraries](peers.md)."
                 + (" HEBO, SMAC3 and Vizier in batches of 8: [small batches](peers-small.md)."
                    if (results.pages / "peers-small.md").exists() else ""), ""]
    text += ["## Again", "", "```", "scripts/results unpack      # the raw data of this page",
             "scripts/results page        # the page, its figures and the README's numbers from them",
             "scripts/results run         # or everything anew", "```", ""]
    page = results.pages / "README.md"
    page.write_text("\n".join(text).rstrip() + "\n")
    return page
