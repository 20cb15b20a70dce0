# SPDX-License-Identifier: MIT
"""The paper's seven tasks, its ablations and its claims, for the page that scripts/results makes."""

import statistics

import results_coverage
import results_paper as paper
from results_compare import champions, interval, tally, uniform_reward
from results_rows import AVERAGE, leads, markdown, number, ours, row_of
from results_store import CLIPPED

# A method has learned when it has come this far from uniform sampling to the best of all methods.
LEARNED = 0.25


def standing(by_task, duels, hero=AVERAGE):
    """Per task: the hero against the best baseline and against each of them; whether `vbo` as it is, which
    looks for the best value, has the highest."""
    found = {}
    for task, rows in by_task.items():
        mine = row_of(rows, hero)
        rivals = champions(rows, paper.FAMILIES)
        if not mine or not rivals:
            continue
        top = max(rivals.values(), key=lambda r: r["final_reward"])
        found[task] = {
            "mine": mine, "top": top, "rivals": rivals,
            "duel": duels.duel(task, hero, top["method"]),
            "verdicts": [duels.verdict(task, hero, r["method"]) for r in rivals.values()],
            "best": leads((row_of(rows, "vbo") or mine)["best"], [r["best"] for r in rows])}
    return found


def headline(found):
    """One sentence, also for the README. Ahead, behind: beyond seed variation."""
    judged = [f for f in found.values() if f["duel"]]
    verdicts = [f["duel"]["verdict"] for f in judged]
    return (f"with `aim = \"average\"` `vbo` has the highest average reward on {verdicts.count('first')} of "
            f"{len(judged)} tasks against the best setting of the best baseline on each, is tied (within seed "
            f"variation) on {verdicts.count('tie')}, and is behind on {verdicts.count('second')}; with `aim = "
            f"\"best\"`, the default, its best value is the highest, or tied with it, on "
            f"{sum(f['best'] for f in judged)}")


def verdict(by_task, duels):
    found = standing(by_task, duels)
    lines = []
    for task, f in found.items():
        lines.append([task, number(f["mine"]["final_reward"]), f"{f['top']['method']}",
                      number(f["top"]["final_reward"]), interval(f["duel"]),
                      {"first": "vbo", "second": f["top"]["method"], "tie": "tie"}[f["duel"]["verdict"]]
                      if f["duel"] else "-", tally(f["verdicts"]),
                      number((row_of(by_task[task], "vbo") or f["mine"])["best"], 6), paper.ATTAINABLE[task]])
    text = ["Average reward is the paper's measure: " + headline(found) + ". Of every baseline the better of its default and its tuned setting counts, of "
            "the Gaussian process the best of its acquisitions, on each task anew. The difference is the mean "
            f"over seeds of `{AVERAGE}` minus the best baseline, with its 95% interval (Student); it is a tie when "
            "the interval holds zero. Few seeds make wide intervals.", "",
            markdown(["task", f"reward of {AVERAGE}", "best baseline", "its reward", "difference (95%)", "ahead",
                      "against all baselines", "best of vbo", "attainable"], lines, (1, 3, 7)), ""]
    beaten = []
    for task, rows in by_task.items():
        mine = row_of(rows, AVERAGE)
        if not mine:
            continue
        for r in rows:
            if duels.verdict(task, AVERAGE, r["method"]) == "lost":
                beaten.append(f"* {task}: `{r['method']}` ({number(r['final_reward'])}) above it "
                              f"({number(mine['final_reward'])}), "
                              f"{interval(duels.duel(task, AVERAGE, r['method']))}.")
    if beaten:
        text += [f"Who is ahead of `{AVERAGE}` by reward, ablations included, beyond seed variation:", "",
                 *beaten, ""]
    return text


def task_table(rows, whole, task):
    """Our rows of one task, best first, with the paper's numbers beside ours. `whole`: the same rows
    with rewards that count the warm-up, too."""
    published = paper.TABLES.get(task, {})
    ranks = {m: i + 1 for i, m in
             enumerate(sorted(published, key=lambda m: published[m][0], reverse=True))}
    noisy = any(r.get("reading") is not None for r in rows)
    header = ["rank", "method", "seeds", "reward", "variance", "with warm-up", "late reward",
              "best, true value" if noisy else "best", "quartiles"]
    header += (["highest reading"] if noisy else []) + ["gap", "rank by best", "s/round",
                                                        "FLOP/round"]
    header += ["paper: reward", "variance", "rank"] if published else []
    lines = []
    for r in rows:
        m = r["method"]
        all_of_it = row_of(whole, m)
        several = r["seeds"] > 1  # one seed has no spread
        cells = [number(r["rank"], 3), ours(m), str(r["seeds"]), number(r["final_reward"]),
                 number(r["variance"], 2), number(all_of_it and all_of_it["final_reward"]),
                 number(r["late_reward"]), number(r["best"], 6),
                 f"{number(r['best_q25'])} .. {number(r['best_q75'])}" if several else "-"]
        cells += [number(r.get("reading"), 6)] if noisy else []
        cells += [number(r["gap"], 2), number(r["rank_best"], 3),
                  number(r["seconds_per_round"], 2), number(r["flops_per_round"], 2)]
        if published:
            reward, variance = published.get(m, (None, None))
            cells += [number(reward), number(variance, 2), str(ranks.get(m, "-"))]
        lines.append(cells)
    return markdown(header, lines, [i for i in range(len(header)) if i != 1])


def seven_tasks(results, duels):
    rows = results.table("main")["rows"]
    whole = results.table("main", reward="all")["rows"]
    by_task = {t: [r for r in rows if r["task"] == t] for t in paper.TASKS}
    by_task = {t: found for t, found in by_task.items() if found}
    drawn = results.draw("main", "main")
    text = ["## The paper's seven tasks", "", *results.coverage("main"), *verdict(by_task, duels),
            *results.figure("main", "overview-reward", "Average reward S_t on the seven tasks"),
            *results.figure("main", "overview-best", "Best value on the seven tasks")]
    for task, found in by_task.items():
        r = found[0]
        seeds = results_coverage.seeds_text([x["seeds"] for x in found])
        clipped = (" Single simulations diverge to -10^7: rewards count no evaluation for less than the worst "
                   "of the initial design, here and in the figures.") if task in CLIPPED else ""
        text += [f"### {task}", "",
                 f"Batch {r['batch']}, {r['rounds']} rounds, "
                 f"{seeds}. Attainable: {paper.ATTAINABLE[task]}"
                 + (f"; {paper.ABOVE_ATTAINABLE[task]}, so ranks are compared, not these numbers"
                    if task in paper.ABOVE_ATTAINABLE else "") + f".{clipped}", "",
                 task_table(found, [x for x in whole if x["task"] == task], task), ""]
        curves = [f"[{what}](figures/main/{stem}.svg)" for what, stem in
                  (("reward", f"{task}-b{r['batch']}-reward"),
                   ("best value", f"{task}-b{r['batch']}-best")) if stem in drawn]
        text += ["Figures: " + ", ".join(curves) + ".", ""] if curves else []
    return text, by_task


def ablation(results, by_task, duels):
    present = {r["method"] for rows in by_task.values() for r in rows}
    groups = [(hero, [m for m in variants if m in present])
              for hero, variants in paper.ABLATIONS.items() if hero in present]
    names = [m for hero, variants in groups for m in (hero, *variants)]
    results.draw("main", "ablation", *[w for m in names for w in ("-m", m)],
                 keep=lambda stem: stem == "overview-reward")
    text = ["## Ablation", "",
            "One half of the objective left to a Gaussian process, or exploration left out (`beta=0`; for the flagship "
            "that is `vbo` as it is, and `vbo?beta=0.02` has information in its objective); everything else is shared "
            "with the method in front, the local search of `vbo` included. Average reward of the "
            "main phase; in brackets the mean difference to that method over seeds with its 95% interval, and the "
            "paper's value where it has one. A difference whose interval holds zero is a tie.", ""]
    for hero, variants in groups:
        lines = []
        for task, rows in by_task.items():
            mine = row_of(rows, hero)
            if not mine:
                continue
            cells = [task]
            for m in (hero, *variants):
                found = row_of(rows, m)
                published = paper.published(task, m)
                note = [] if m == hero or not found else [interval(duels.duel(task, m, hero))]
                note += [f"paper {number(published[0])}"] if published else []
                cells.append((number(found["final_reward"]) if found else "-")
                             + (f" ({'; '.join(note)})" if note else ""))
            lines.append(cells)
        sums = ["*against it*", ""] + [tally([duels.verdict(t, m, hero) for t in by_task])
                                       for m in variants]
        text += [markdown(["task", hero, *variants], [*lines, sums]), ""]
    return text + results.figure("ablation", "overview-reward", "Average reward of the ablations")


def share(answers):
    """yes, no or k of n."""
    answers = list(answers)
    if not answers:
        return "-"
    if all(answers):
        return f"yes, {len(answers)} of {len(answers)}"
    return f"no, {sum(answers)} of {len(answers)}" if 2 * sum(answers) <= len(answers) \
        else f"mostly, {sum(answers)} of {len(answers)}"


def learners(results, name, spread):
    """(method, task) of those that came a good part of the way from uniform sampling to the best."""
    tasks = {t for places in spread.values() for t in places}
    found = set()
    for task in tasks:
        uniform = uniform_reward(results.raw, name, task)
        top = max(places[task][1] for places in spread.values() if task in places)
        if uniform is None or top <= uniform:
            continue
        found |= {(m, task) for m, places in spread.items()
                  if task in places and places[task][1] - uniform >= LEARNED * (top - uniform)}
    return found


def steadier(results, name, spread, method):
    """Per task: moves the method less than the median of the others, among those that learn?"""
    learned = learners(results, name, spread)
    answers, idle = [], []
    for task, (moved, _) in spread.get(method, {}).items():
        rivals = [spread[m][task][0] for m in spread
                  if not m.startswith("vbo") and (m, task) in learned]
        if (method, task) not in learned:
            idle.append(task)
        elif rivals:
            answers.append(moved < statistics.median(rivals))
    text = share(answers)
    return text + (f"; does not learn on {', '.join(sorted(idle))}" if idle else "")


def claims(results, by_task, duels, sweeps, counted):
    def wins(method, tasks):
        """Ahead of the best baseline, of the paper's own Gaussian process, or level."""
        found = standing({t: by_task[t] for t in tasks if t in by_task}, duels, method)
        return tally([{"first": "won", "second": "lost", "tie": "tie"}[f["duel"]["verdict"]]
                      if f["duel"] else None for f in found.values()])

    def beats(first, second):
        return tally([duels.verdict(t, first, second) for t in by_task])

    rows = [["VBO has the highest average reward on the synthetic functions (against the best baseline of each)",
             wins(AVERAGE, paper.SYNTHETIC), wins("vbo-paper", paper.SYNTHETIC)],
            ["... and on the four real-world tasks", wins(AVERAGE, paper.REAL_WORLD),
             wins("vbo-paper", paper.REAL_WORLD)],
            ["It is above the paper's Gaussian process (`gp-ei`, default settings)",
             beats(AVERAGE, "gp-ei"), beats("vbo-paper", "gp-ei")],
            ["Exploration by information beats exploration by a GP's deviation",
             beats("vbo?beta=0.02", "vbo-gp-exploration"), beats("vbo-paper", "vbo-paper-gp-exploration")],
            ["Exploitation by the network (`vbo`: by the stack of critics and a small GP) beats "
             "exploitation by that GP alone",
             beats("vbo?beta=0.02", "vbo-gp-exploitation"), beats("vbo-paper", "vbo-paper-gp-exploitation")],
            ["Information in the objective helps at all (against beta = 0)",
             beats("vbo?beta=0.02", "vbo"), beats("vbo-paper", "vbo-paper?beta=0")],
            ["Of the two, replacing the exploration hurts more",
             beats("vbo-gp-exploitation", "vbo-gp-exploration"),
             beats("vbo-paper-gp-exploitation", "vbo-paper-gp-exploration")]]
    for name, what, spread in sweeps:
        if spread:
            rows.append([f"Less sensitive to {what} than the median of the other methods that learn",
                         steadier(results, name, spread, "vbo"),
                         steadier(results, name, spread, "vbo-paper")])
    if counted:
        cell = {(r["method"], r["observations"]): r["flops"] for r in counted["rows"] if r["measured"]}

        def fewer(method):
            pairs = [(n, cell["hmc", n] / cell[method, n]) for m, n in sorted(cell) if m == "hmc"
                     and cell.get((method, n))]
            return ", ".join(f"{number(ratio, 2)}x at n = {n}" for n, ratio in pairs)
        rows.append(["About 10^2 times fewer operations a round than a Bayesian network by HMC (counted)",
                     fewer("vbo"), fewer("vbo-paper")])
    return ["## The paper's claims", "",
            "Does it hold, and on how many tasks? Seed against seed: won, tied (the 95% interval of the mean "
            "difference holds zero) or lost. `vbo` is the recommended method, with `aim = \"average\"` in the first three "
            "rows, `vbo-paper` the paper's. In the claims about the halves of the objective the flagship is `vbo?beta=0.02`, which has both.", "",
            markdown(["claim", "vbo", "vbo-paper"], rows), "",
            "Published values cannot be compared one to one: "
            + "; ".join(f"on {t} {why}" for t, why in paper.ABOVE_ATTAINABLE.items())
            + ". The paper gives neither rounds nor seeds nor, for the real-world tasks, batches.", ""]
