# SPDX-License-Identifier: MIT
"""The page about other libraries, from the cells that optimizers.py left behind."""

import json
import pathlib
import statistics


def read_part(path):
    """A cell as far as it got: its first line says which it is, every other one is a result."""
    result = {"lines": []}
    for line in path.read_text().splitlines():
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue  # cut off while it was written
        if "cell" in entry:
            result["cell"] = entry["cell"]
        else:
            result["lines"].append(entry)
    return result


def read_cells(out):
    """Finished cells, and those whose run was killed."""
    results = [json.loads(p.read_text()) for p in sorted(out.glob("*-*.json"))]
    for path in sorted(out.glob("*-*.part")):
        if not path.with_suffix(".json").exists():
            result = read_part(path)
            if "cell" in result:
                results.append({**result, "end": "killed"})
    return results


def read_earlier(out):
    """Medians of contenders whose cells are gone, as an earlier page had them, and how they were made."""
    path = out / "earlier.json"
    found = json.loads(path.read_text()) if path.exists() else {"contenders": {}, "about": ""}
    return found["contenders"], found["about"]


def number(value, digits=5):
    return "-" if value is None else f"{value:.{digits}g}"


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def best_at(result, round_number):
    return result["lines"][round_number - 1]["best"] if len(result["lines"]) >= round_number else None


def median_at(results, round_number):
    """Median over the seeds that got so far, and how many of them did."""
    values = [v for v in (best_at(r, round_number) for r in results) if v is not None]
    return (statistics.median(values) if values else None), len(values)


def in_order(results):
    return list(dict.fromkeys(r["cell"]["contender"] for r in results))


def by_task(results):
    found = {}
    for r in results:
        found.setdefault(r["cell"]["task"], {}).setdefault(r["cell"]["contender"], []).append(r)
    return found


def above(a, b):
    """Higher by more than rounding errors, as in every table of `vbo bench`: whoever has found the
    optimum shares the first place."""
    return a - b > 1e-6 * (1.0 + abs(b))


def seeds_text(results, order, earlier):
    """5 seeds of a, b; 1 seed of c. A single seed says little."""
    groups = {}
    for c in order:
        count = ([earlier[c]["seeds"]] if c in earlier else
                 sorted(len(found[c]) for found in by_task(results).values() if c in found))
        text = " to ".join(map(str, sorted({count[0], count[-1]})))
        groups.setdefault(text, []).append(f"`{c}`")
    text = "; ".join(f"{n} seed{'' if n == '1' else 's'} of {', '.join(names)}"
                     for n, names in groups.items())
    return text + (". A single seed says little." if "1" in groups else ".")


def quality_table(results, rounds, order, earlier):
    rows = []
    wins = {c: {t: 0 for t in rounds} for c in order}
    for task, found in by_task(results).items():
        for t in rounds:
            cells = {c: (earlier[c]["best"].get(task, {}).get(str(t)), earlier[c]["seeds"])
                     if c in earlier else median_at(found.get(c, []), t) for c in order}
            # Only those whose every seed got so far can have the best median.
            full = {c: v for c, (v, n) in cells.items()
                    if v is not None and (c in earlier or n == len(found[c]))}
            texts = []
            for c in order:
                value, n = cells[c]
                text = number(value, 6)
                if value is not None and c not in full:
                    text += f" ({n} of {len(found[c])})"
                if c in full and not any(above(v, value) for v in full.values()):
                    text = f"**{text}**"
                    wins[c][t] += 1
                texts.append(text)
            rows.append([task, str(t)] + texts)
    for t in rounds:
        rows.append(["*best median*", str(t)] + [str(wins[c][t]) for c in order])
    return markdown(["task", "round"] + order, rows)


def reached_table(results, reference, rounds):
    """Where time ended a contender's runs: how far they got, what it had, what ours had then."""
    rows = []
    for task, found in by_task(results).items():
        for c in in_order(results):
            cells = [r for r in found.get(c, []) if r["end"] != "failed"]
            if all(len(r["lines"]) >= rounds for r in cells):
                continue
            reached = int(statistics.median_low([len(r["lines"]) for r in cells]))
            # The whole run, the round it was cut in included; of a killed one, what is known.
            spent = statistics.median([r.get("seconds", sum(l["seconds"] for l in r["lines"]))
                                       for r in cells])
            if reached == 0:
                rows.append([c, task, "0", number(spent, 3), "-", "-"])
                continue
            value, _ = median_at(cells, reached)
            ours, _ = median_at(found.get(reference, []), reached)
            rows.append([c, task, str(reached), number(spent, 3), number(value, 6), number(ours, 6)])
    return markdown(["contender", "task", "round reached", "seconds", "its best",
                     f"{reference} at that round"], rows) if rows else ""


def cost_table(results, order, earlier):
    """How long the suggestions of a whole run take."""
    rows = []
    for c in order:
        if c in earlier:
            rows.append([c, str(earlier[c]["seeds"]), earlier[c]["runs"], number(earlier[c]["mean"], 3),
                         number(earlier[c]["median"], 3)])
            continue
        cells = [r for r in results if r["cell"]["contender"] == c and r["lines"]]
        rounds = [l["seconds"] for r in cells for l in r["lines"]]
        done = sum(r["end"] == "done" for r in cells)
        rows.append([c, str(len({r["cell"]["seed"] for r in cells})), f"{done} of {len(cells)}",
                     number(statistics.mean(rounds) if rounds else None, 3),
                     number(statistics.median(rounds) if rounds else None, 3)])
    return markdown(["contender", "seeds", "runs that got through", "mean s/round",
                     "median s/round"], rows)


def processor_text(results):
    """Seconds of the processor alone, where they were measured beside those of the clock."""
    rounds = {}
    for r in results:
        rounds.setdefault(r["cell"]["contender"], []).extend(l["cpu"] for l in r["lines"] if "cpu" in l)
    texts = [f"`{c}` {number(statistics.mean(s), 3)} (median {number(statistics.median(s), 3)})"
             for c, s in rounds.items() if s]
    return "Mean seconds of the processor in a round: " + ", ".join(texts) + "." if texts else ""


def speed_table(results):
    sizes = sorted({r["cell"]["n"] for r in results})
    batch = results[0]["cell"]["batch"]
    header = [f"{q} at n = {n}" for n in sizes for q in ("alone", f"in {batch}")]
    rows = []
    for c in in_order(results):
        texts = []
        for n in sizes:
            found = next((r for r in results if r["cell"]["contender"] == c
                          and r["cell"]["n"] == n), {"lines": [], "end": "not run"})
            for q in (1, batch):
                seconds = next((l["seconds"] for l in found["lines"] if l.get("q") == q), None)
                texts.append(number(seconds, 3) if seconds is not None
                             else {"time limit": "too slow", "done": "-"}.get(found["end"],
                                                                              found["end"]))
        rows.append([c] + texts)
    return markdown(["contender"] + header, rows)


def troubles_of(results):
    """Contenders that cannot take part, and cells that failed."""
    missing, failed = {}, []
    for r in results:
        c = r["cell"]
        reason = next((l["unavailable"] for l in r["lines"] if "unavailable" in l), None)
        if reason:
            missing.setdefault((c["contender"], reason), set()).add(c["task"])
        elif r["end"] == "failed":
            where = (f"seed {c['seed']}, after round {len(r['lines'])}" if c["kind"] == "quality"
                     else f"n = {c['n']}")
            why = (r.get("error", "").splitlines() or ["no message"])[-1]
            failed.append(f"{c['contender']}, {c['task']}, {where}: {why}")
    return missing, failed


def write(out, page, names, reference="vbo"):
    facts = json.loads((out / "facts.json").read_text())
    results, (earlier, about) = read_cells(out), read_earlier(out)
    results.sort(key=lambda r: names.index(r["cell"]["contender"])
                 if r["cell"]["contender"] in names else len(names))
    missing, failed = troubles_of(results)
    usable = [r for r in results if not any("unavailable" in l for l in r["lines"])]
    quality = [r for r in usable if r["cell"]["kind"] == "quality"]
    speed = [r for r in usable if r["cell"]["kind"] == "speed"]
    order = in_order(quality)
    earlier = {c: found for c, found in earlier.items() if c not in order}  # measured again since
    order = sorted([*order, *earlier], key=lambda c: names.index(c) if c in names else len(names))
    for c, found in earlier.items():
        for why, tasks in found.get("not", {}).items():
            missing.setdefault((c, why), set()).update(tasks)
    text = ["# Beside other libraries", "",
            "Generated by `benchmarks/peers/optimizers.py`; do not edit. Each library is used as its "
            "documentation recommends for batches, with its own initial design and default "
            "settings.", "",
            f"{facts['machine']}, {facts['cores']} cores, "
            + ("one contender at a time with one thread. " if facts["jobs"] == 1 else
               f"{facts['jobs']} contenders at a time with one thread each. ")
            + ", ".join([facts["vbo"], f"Python {facts['python']}"]
                        + [f"{k} {v}" for k, v in facts["versions"].items() if v])
            + f". One run (task, contender, seed) may take {facts['limit']:.0f} s"
            + (f", all together {facts['deadline']:.0f} s" if facts.get("deadline") else "") + ".", ""]
    if quality:
        batch, rounds = quality[0]["cell"]["batch"], quality[0]["cell"]["rounds"]
        text += ["## Quality", "",
                 f"Best value, higher is better: median over seeds after so many rounds of {batch} "
                 f"evaluations: {seeds_text(quality, order, earlier)} Values of minimized "
                 "functions are negated. Bold: the highest, shared when equal up to rounding. In "
                 "brackets: how many seeds got so far in time; `-`: none did, it was not run "
                 "there, or it cannot search this space."
                 + (f" Measured earlier, on {about}, of which medians alone are stored: "
                    f"{', '.join(f'`{c}`' for c in order if c in earlier)}." if earlier else ""), "",
                 quality_table(quality, sorted({max(1, rounds // 2), rounds}), order, earlier), ""]
        reached = reached_table(quality, reference, rounds)
        if reached:
            text += [f"Where a run ended before round {rounds} (median over its seeds), the seconds "
                     f"of the whole run, and what `{reference}` had after as many evaluations:", "",
                     reached, ""]
        text += ["What a round costs, suggestions and learning together, over the rounds that were "
                 "made:", "", cost_table(quality, order, earlier), ""]
        if processor_text(quality):
            text += [processor_text(quality), ""]
    if speed:
        text += ["## Speed", "",
                 f"Seconds per suggestion on `{speed[0]['cell']['task']}` after n results, fitting "
                 "the model included: one suggestion after one new result, and each of a batch after "
                 "a batch of new results. `vbo` and `cmaes` learn once a batch is complete: alone, "
                 f"they hand out what they have. Too slow: not within {facts['speed_limit']:.0f} s, with "
                 "the import of the library and a warm-up.", "", speed_table(speed), ""]
    if missing:
        text += ["## Not taking part", ""]
        text += [f"* {name}: {why} ({', '.join(sorted(tasks))})"
                 for (name, why), tasks in sorted(missing.items())] + [""]
    if failed:
        text += ["## Failed", ""] + [f"* {t}" for t in failed] + [""]
    pathlib.Path(page).write_text("\n".join(text))
