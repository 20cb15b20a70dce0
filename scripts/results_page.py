# SPDX-License-Identifier: MIT
"""docs/results/README.md from raw results: its numbers are computed here or by `vbo bench`."""

import json
import shutil
import statistics
import subprocess

import results_coverage
import results_paper as paper
from results_rows import above, ahead, leaders, leads, markdown, number, ours, rank_among, row_of

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

    def coverage(self, name):
        """What has been run of the protocols of a set: a paragraph."""
        words = [w for path in self.plan[name] for w in ("--protocol", path)]
        planned = self.bench("run", *words, "--dry-run", "--out", self.raw / name).split()
        found = [p.stem for p in (self.raw / name).glob("*.jsonl")]
        return [results_coverage.summary(name, planned, found), ""]

    def table(self, name, *words):
        return json.loads(self.bench("table", self.raw / name, "--json", *words))

    def draw(self, name, out, *words, keep=lambda stem: True):
        """Figures of a set below figures/OUT; those kept."""
        target = self.pages / "figures" / out
        shutil.rmtree(target, ignore_errors=True)
        self.bench("plot", self.raw / name, "-o", target, *words)
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


# ---- the seven tasks -----------------------------------------------------------------------------


def verdict(by_task):
    """How the flagship fares: one line per task, and where it does not win."""
    lines, lost = [], []
    wins_baselines = wins_paper = wins_all = wins_best = judged = 0
    baselines = [m for m in paper.METHODS if m not in paper.ABLATIONS]
    for task, rows in by_task.items():
        vbo = row_of(rows, "vbo")
        if not vbo:
            continue
        judged += 1
        everybody = [r["method"] for r in rows]
        against = rank_among(rows, "vbo", baselines, "final_reward")
        among = rank_among(rows, "vbo", paper.METHODS, "final_reward")
        overall = rank_among(rows, "vbo", everybody, "final_reward")
        best = rank_among(rows, "vbo", everybody, "best")
        wins_baselines += against == 1
        wins_paper += among == 1
        wins_all += overall == 1
        wins_best += best == 1
        lines.append([task, number(vbo["final_reward"]), str(against), str(among), str(overall),
                      leaders(rows, "final_reward"), number(vbo["best"], 6), str(best),
                      leaders(rows, "best", 6), paper.ATTAINABLE[task]])
        if overall > 1:
            lost.append(f"* {task}, final reward: {ahead(rows, 'vbo', 'final_reward')}.")
        if best > 1:
            lost.append(f"* {task}, best value: {ahead(rows, 'vbo', 'best', 6)}.")
    methods = [len(rows) for rows in by_task.values() if row_of(rows, "vbo")] or [0]
    text = [f"`vbo` has the highest final reward on **{wins_baselines} of {judged}** tasks against the "
            f"paper's seven baselines, on {wins_paper} of {judged} with its own two ablations among them, "
            f"and on {wins_all} of {judged} among all {results_coverage.span(methods)} methods here; it has "
            f"the highest best value (median over seeds, without luck on noisy tasks) on {wins_best} of "
            f"{judged}.", "",
            markdown(["task", "reward of vbo", "rank against the baselines", "with ablations",
                      "among all", "highest reward", "best of vbo", "rank by best", "highest best",
                      "attainable"], lines, range(1, 9)), ""]
    if lost:
        text += ["Where `vbo` does not win:", "", *lost, ""]
    return text


def task_table(rows, task):
    """Our rows of one task, best first, with the paper's numbers beside ours."""
    published = paper.TABLES.get(task, {})
    ranks = {m: i + 1 for i, m in
             enumerate(sorted(published, key=lambda m: published[m][0], reverse=True))}
    noisy = any(r.get("reading") is not None for r in rows)
    header = ["rank", "method", "final reward", "variance", "late reward",
              "best, true value" if noisy else "best", "quartiles"]
    header += (["highest reading"] if noisy else []) + ["gap", "rank by best", "s/round",
                                                        "FLOP/round"]
    header += ["paper: reward", "variance", "rank"] if published else []
    lines = []
    for r in rows:
        m = r["method"]
        several = r["seeds"] > 1  # one seed has no spread
        cells = [number(r["rank"], 3), ours(m), number(r["final_reward"]),
                 number(r["variance"], 2), number(r["late_reward"]),
                 number(r["best"], 6),
                 f"{number(r['best_q25'])} .. {number(r['best_q75'])}" if several else "-"]
        cells += [number(r.get("reading"), 6)] if noisy else []
        cells += [number(r["gap"], 2), number(r["rank_best"], 3),
                  number(r["seconds_per_round"], 2), number(r["flops_per_round"], 2)]
        if published:
            reward, variance = published.get(m, (None, None))
            cells += [number(reward), number(variance, 2), str(ranks.get(m, "-"))]
        lines.append(cells)
    return markdown(header, lines, [i for i in range(len(header)) if i != 1])


def seven_tasks(results):
    rows = results.table("main")["rows"]
    by_task = {t: [r for r in rows if r["task"] == t] for t in paper.TASKS}
    by_task = {t: found for t, found in by_task.items() if found}
    drawn = results.draw("main", "main")
    text = ["## The paper's seven tasks", "", *results.coverage("main"), *verdict(by_task),
            *results.figure("main", "overview-reward", "Average reward S_t on the seven tasks"),
            *results.figure("main", "overview-best", "Best value on the seven tasks")]
    for task, found in by_task.items():
        r = found[0]
        seeds = results_coverage.seeds_text([x["seeds"] for x in found])
        text += [f"### {task}", "",
                 f"Batch {r['batch']}, {r['rounds']} rounds, "
                 f"{seeds}. Attainable: {paper.ATTAINABLE[task]}"
                 + (f"; {paper.ABOVE_ATTAINABLE[task]}, so ranks are compared, not these numbers"
                    if task in paper.ABOVE_ATTAINABLE else "") + ".", "",
                 task_table(found, task), ""]
        curves = [f"[{what}](figures/main/{stem}.svg)" for what, stem in
                  (("reward", f"{task}-b{r['batch']}-reward"),
                   ("best value", f"{task}-b{r['batch']}-best")) if stem in drawn]
        text += ["Figures: " + ", ".join(curves) + ".", ""] if curves else []
    return text, by_task


def ablation(results, by_task):
    names = ["vbo", "vbo-paper", *paper.ABLATIONS]
    results.draw("main", "ablation", *[w for m in names for w in ("-m", m)],
                 keep=lambda stem: stem == "overview-reward")
    lines = []
    for task, rows in by_task.items():
        cells = [task]
        for m in names:
            found = row_of(rows, m)
            published = paper.TABLES.get(task, {}).get(m)
            cells.append((number(found["final_reward"]) if found else "-")
                         + (f" (paper {number(published[0])})" if published else ""))
        lines.append(cells)
    return ["## Ablation", "",
            "One half of the objective of `vbo` left to its small Gaussian process: the process's "
            "deviation instead of the critics' information (exploration), the process's mean alone "
            "instead of the stack of critics and process (exploitation). The ablations share "
            "everything else with `vbo`, the local searches included, so small differences are "
            "noise. `vbo-paper` differs from all three in more than one half. Final reward:", "",
            markdown(["task", *names], lines, range(1, 5)), "",
            *results.figure("ablation", "overview-reward", "Average reward of the ablations")]


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
    labels = {line for lines in found.values() for line in lines}
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
    text += [f"How far the average reward at the end moves while {option} varies, as a share of the "
             "whole range seen on that task (0 = not at all), least sensitive first; in brackets the "
             "highest reward reached. A method that is bad everywhere is insensitive, too.", "",
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
            "No method of this repository was tuned on these. Whoever shares the highest value, up to "
            "rounding, has the best median.", "", *results.coverage("holdout"),
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


# ---- cost ----------------------------------------------------------------------------------------


def counted(results):
    path = results.raw / "flops.json"
    return json.loads(path.read_text()) if path.exists() else None


def cost(results):
    text = ["## Cost of a round", ""]
    data = counted(results)
    if data:
        sizes = sorted({r["observations"] for r in data["rows"]})
        cell = {(r["method"], r["observations"]): r for r in data["rows"] if r["measured"]}

        def order(method):
            return [-cell[method, n]["flops"] if (method, n) in cell else float("-inf")
                    for n in reversed(sizes)]

        rows = []
        for m in sorted({r["method"] for r in data["rows"]}, key=order, reverse=True):
            cells = [ours(m)]
            for n in sizes:
                r, vbo = cell.get((m, n)), cell.get(("vbo", n))
                ratio = f" ({number(r['flops'] / vbo['flops'], 2)})" if r and vbo and vbo["flops"] else ""
                cells.append(f"{number(r['flops'], 3)}{ratio}" if r else "too long")
            for n in sizes:
                r = cell.get((m, n))
                cells.append(number(r["tell_seconds"] + r["ask_seconds"], 2) if r else "too long")
            rows.append(cells)
        header = [f"FLOP, n = {n}" for n in sizes] + [f"s, n = {n}" for n in sizes]
        text += ["### Counted", "",
                 f"What the code executes to hear of a batch of {data['batch']} results and suggest the "
                 f"next, with n observations in all, on `{data['task']}` ({data['machine']}, one core, commit "
                 f"{data['commit']}); in brackets: times the operations of `vbo`.", "",
                 markdown(["method", *header], rows, range(1, 2 * len(sizes) + 1)), "",
                 "![FLOPs and seconds of one round](figures/flops.svg)", ""]
        (results.pages / "figures").mkdir(parents=True, exist_ok=True)
        shutil.copy(results.raw / "flops.svg", results.pages / "figures/flops.svg")
    return text + [results.bench("flops", "--model", "paper").strip(), ""]


# ---- the paper's claims --------------------------------------------------------------------------


def share(results):
    """yes, no or k of n."""
    results = list(results)
    if not results:
        return "-"
    if all(results):
        return f"yes, {len(results)} of {len(results)}"
    return f"no, {sum(results)} of {len(results)}" if 2 * sum(results) <= len(results) \
        else f"mostly, {sum(results)} of {len(results)}"


def claims(results, by_task, beta, batch):
    def wins(method, tasks):
        """Highest final reward among the paper's ten, `method` standing for its VBO."""
        rivals = [m for m in paper.METHODS if m != "vbo"]
        return [rank_among(by_task[t], method, [method, *rivals], "final_reward") == 1
                for t in tasks if t in by_task and row_of(by_task[t], method)]

    def beats(a, b):
        pairs = [(row_of(rows, a), row_of(rows, b)) for rows in by_task.values()]
        return [above(x["final_reward"], y["final_reward"]) for x, y in pairs if x and y]

    rows = [["VBO has the highest final reward of ten methods on the synthetic functions",
             share(wins("vbo", paper.SYNTHETIC)), share(wins("vbo-paper", paper.SYNTHETIC))],
            ["... and on the four real-world tasks", share(wins("vbo", paper.REAL_WORLD)),
             share(wins("vbo-paper", paper.REAL_WORLD))],
            ["Exploration by information beats exploration by a GP's deviation",
             share(beats("vbo", "vbo-gp-exploration")),
             share(beats("vbo-paper", "vbo-gp-exploration"))],
            ["Exploitation by the network (`vbo`: by the stack of critics and a small GP) beats "
             "exploitation by that GP alone",
             share(beats("vbo", "vbo-gp-exploitation")),
             share(beats("vbo-paper", "vbo-gp-exploitation"))],
            ["Of the two, replacing the exploration hurts more",
             share(beats("vbo-gp-exploitation", "vbo-gp-exploration")), ""]]
    for spread, what in ((beta, "beta"), (batch, "batch size")):
        if not spread:
            continue

        def steadier(method):
            rivals = [m for m in spread if not m.startswith("vbo")]
            return [spread[method][t][0] < statistics.median(spread[m][t][0] for m in rivals
                                                             if t in spread[m])
                    for t in spread.get(method, {})]
        rows.append([f"Less sensitive to {what} than the median of the other methods",
                     share(steadier("vbo")), share(steadier("vbo-paper"))])
    data = counted(results)
    if data:
        cell = {(r["method"], r["observations"]): r["flops"] for r in data["rows"] if r["measured"]}

        def fewer(method):
            pairs = [(n, cell["hmc", n] / cell[method, n]) for m, n in sorted(cell) if m == "hmc"
                     and cell.get((method, n))]
            return ", ".join(f"{number(ratio, 2)}x at n = {n}" for n, ratio in pairs)
        rows.append(["About 10^2 times fewer operations a round than a Bayesian network by HMC (counted)",
                     fewer("vbo"), fewer("vbo-paper")])
    return ["## The paper's claims", "",
            "Does it hold, and on how many tasks? `vbo` is the recommended method, `vbo-paper` the paper's "
            "networks and constants. The ablations share everything else with `vbo`, so that small "
            "differences there are noise; from `vbo-paper` they differ in more than the replaced half.", "",
            markdown(["claim", "vbo", "vbo-paper"], rows), "",
            "Published values cannot be compared one to one: "
            + "; ".join(f"on {t} {why}" for t, why in paper.ABOVE_ATTAINABLE.items())
            + ". The paper gives neither rounds nor seeds nor, for the real-world tasks, batches.", ""]


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


def write(results, picture):
    results.pages.mkdir(parents=True, exist_ok=True)
    jobs, facts = results.origin()
    text = ["# Results", "",
            "Generated from raw data by `scripts/results page`; do not edit. What the columns mean "
            "and how runs are made: [benchmarks](../bench.md). The tasks: [tasks](../tasks.md).", "",
            f"{jobs} runs, commit {', '.join(facts['commit'])}; {', '.join(facts['machine'])}; "
            f"{', '.join(facts['compiler'])}. Every method has the same initial design, batch and rounds; "
            "each part says how far its protocol has been run. All values are in the sign that is maximized.", ""]
    notes = results.pages / "notes.md"
    if notes.exists():
        text += [notes.read_text().strip(), ""]
    beta = batch = by_task = None
    sections = []
    if results.has("main"):
        section, by_task = seven_tasks(results)
        sections += section + ablation(results, by_task)
        hero(results, picture)
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
        text += claims(results, by_task, beta, batch)
    text += sections
    if results.has("holdout"):
        text += holdout(results)
    if results.has("small-batch"):
        text += small_batch(results)
    absent = [name for name in results.plan if not results.has(name)]
    if absent:
        text += ["## Not run", "", *[f"* {n}: `scripts/results run --only {n}`" for n in absent], ""]
    text += cost(results)
    if (results.pages / "peers.md").exists():
        text += ["## Other libraries", "", "Optuna and BoTorch on the same functions: "
                 "[beside other libraries](peers.md).", ""]
    text += ["## Again", "", "```", "scripts/results unpack      # the raw data of this page",
             "scripts/results page        # the page and its figures from them",
             "scripts/results run         # or everything anew", "```", ""]
    page = results.pages / "README.md"
    page.write_text("\n".join(text).rstrip() + "\n")
    return page
