#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our methods beside what people would pick instead, on the same functions, budgets and seeds.

    python3 benchmarks/peers/optimizers.py --program build/release/vbo --out peers
    python3 benchmarks/peers/optimizers.py --out peers --report docs/results/peers.md

Quality: best value (median over seeds) after 20 and 40 rounds of 64 evaluations.
Speed:   seconds per suggestion with n = 100, 1000 and 10000 results, model fit included.

Every contender runs in a process of its own on one thread and evaluates through the evaluator
protocol of study files (`vbo bench serve-task`). A cell that outruns its time limit is reported as
far as it got; a library that is not installed is reported as such. Cells already in --out are not
run again, so a stopped run continues.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import platform
import random
import statistics
import subprocess
import sys
import time

import contenders

HERE = pathlib.Path(__file__).resolve()
TASKS = ["branin", "hartmann6", "ackley?dim=10&shift=1", "levy?dim=10&shift=17&rotate=17",
         "rastrigin?dim=10&shift=3&rotate=3", "rosenbrock?dim=20&shift=2",
         "ackley?dim=50&shift=6&rotate=6", "mixed"]
TIMING_TASK = "ackley?dim=10&shift=1"
OURS = ["vbo", "turbo", "cmaes", "gp-logei", "sobol"]
ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}


class Task:
    """A task behind `vbo bench serve-task`. Values are maximized unless own_sign is asked for."""

    def __init__(self, program, name, seed):
        self.about = json.loads(subprocess.run([*program, "serve-task", name, "--describe"],
                                               check=True, capture_output=True, text=True).stdout)
        self.sign = -1.0 if self.about["goal"] == "minimize" else 1.0
        self.process = subprocess.Popen([*program, "serve-task", name, "--seed", str(seed)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.next_id = 1

    @property
    def space(self):
        return self.about["parameters"]

    def evaluate(self, points):
        """In the task's own sign."""
        values = []
        for point in points:
            self.process.stdin.write(json.dumps({"id": self.next_id, "params": point}) + "\n")
            self.process.stdin.flush()
            reply = json.loads(self.process.stdout.readline())
            if "value" not in reply:
                raise RuntimeError(f"the task refused {point}: {reply.get('error')}")
            values.append(reply["value"])
            self.next_id += 1
        return values


def make(cell, program, task):
    name = cell["contender"]
    if name in contenders.PEERS:
        return contenders.PEERS[name](task.space, cell["seed"], cell["batch"])
    return contenders.Ours(program, name, cell["task"], cell["seed"], cell["batch"],
                           cell.get("rounds", 1) * cell["batch"])


def told(contender, task, points, own):
    contender.tell(points, own if contender.wants_own_sign else [task.sign * v for v in own])


def random_points(space, n, rng):
    def draw(p):
        if p["type"] == "categorical":
            return rng.choice(p["choices"])
        if p["type"] == "int":
            return rng.randint(int(p["low"]), int(p["high"]))
        return rng.uniform(p["low"], p["high"])
    return [{p["name"]: draw(p) for p in space} for _ in range(n)]


def play_quality(cell, program):
    """Prints one JSON line per round: best so far, seconds spent in tell and ask."""
    task = Task(program, cell["task"], cell["seed"])
    contender = make(cell, program, task)
    best = float("-inf")
    for round_number in range(1, cell["rounds"] + 1):
        start = time.perf_counter()
        points = contender.ask(cell["batch"])
        seconds = time.perf_counter() - start
        own = task.evaluate(points)
        best = max(best, max(task.sign * v for v in own))
        start = time.perf_counter()
        told(contender, task, points, own)
        seconds += time.perf_counter() - start
        print(json.dumps({"round": round_number, "best": best, "seconds": seconds}), flush=True)


def play_speed(cell, program):
    """Prints the seconds for one suggestion alone and for each of a batch, after n results."""
    task = Task(program, cell["task"], cell["seed"])
    rng = random.Random(cell["seed"])

    def seconds(n, q):
        contender = make(cell, program, task)
        history = random_points(task.space, n, rng)
        values = task.evaluate(history)
        told(contender, task, history[:-q], values[:-q])
        start = time.perf_counter()
        told(contender, task, history[-q:], values[-q:])
        contender.ask(q)
        return (time.perf_counter() - start) / q

    seconds(2 * cell["batch"], 1)  # imports and first-call compilation are nobody's suggestion
    for q in (1, cell["batch"]):
        print(json.dumps({"q": q, "seconds": seconds(cell["n"], q)}), flush=True)


def child(cell, program):
    try:
        if cell["contender"] in contenders.PEERS:
            contenders.one_thread()
        (play_quality if cell["kind"] == "quality" else play_speed)(cell, program)
    except contenders.Unavailable as reason:
        print(json.dumps({"unavailable": str(reason)}), flush=True)


def cell_path(out, cell):
    key = json.dumps(cell, sort_keys=True)
    name = "".join(c if c.isalnum() or c in "-." else "-" for c in
                   f"{cell['kind']}-{cell['contender']}-{cell['task']}-{cell['seed']}")
    return out / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:8]}.json"


def run_cell(cell, args):
    path = cell_path(args.out, cell)
    if path.exists():
        return
    command = [sys.executable, str(HERE), "--child", json.dumps(cell), "--program", *args.program]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, **ONE_THREAD})
    start = time.perf_counter()
    try:
        output, errors = process.communicate(timeout=args.limit)
        end = "done" if process.returncode == 0 else "failed"
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        end = "time limit"
    lines = []
    for line in output.splitlines():
        try:
            lines.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    result = {"cell": cell, "end": end, "seconds": time.perf_counter() - start, "lines": lines}
    if end == "failed":
        result["error"] = errors.strip()[-2000:]
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(result) + "\n")
    temporary.rename(path)
    unavailable = next((l["unavailable"] for l in lines if "unavailable" in l), None)
    print(f"{cell['kind']}  {cell['contender']}  {cell['task']}  "
          f"{'seed ' + str(cell['seed']) if cell['kind'] == 'quality' else 'n = ' + str(cell['n'])}"
          f":  {unavailable or end}  ({result['seconds']:.1f} s)", file=sys.stderr, flush=True)


def cells_of(args):
    names = args.ours + [p for p in contenders.PEERS if p in args.peers]
    quality = [{"kind": "quality", "contender": c, "task": t, "seed": s, "batch": args.batch,
                "rounds": args.rounds}
               for s in range(1, args.seeds + 1) for t in args.tasks for c in names]
    speed = [{"kind": "speed", "contender": c, "task": TIMING_TASK, "seed": 1, "batch": args.batch,
              "n": n} for n in args.sizes for c in names]
    return quality, speed


def machine():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown processor"


def write_facts(args):
    version = subprocess.run([*args.program, "--version"], capture_output=True, text=True).stdout
    facts = {"machine": machine(), "cores": os.cpu_count(), "python": platform.python_version(),
             "vbo": version.strip(), "versions": contenders.versions(), "limit": args.limit}
    (args.out / "facts.json").write_text(json.dumps(facts, indent=2) + "\n")
    print("versions: " + ", ".join(f"{k} {v or 'not installed'}"
                                   for k, v in facts["versions"].items()), file=sys.stderr)


def number(value):
    return "-" if value is None else f"{value:.5g}"


def median_at(results, round_number):
    """Median over the seeds that got so far, and how many of them did."""
    values = [r["lines"][round_number - 1]["best"] for r in results
              if len(r["lines"]) >= round_number and "best" in r["lines"][round_number - 1]]
    return (statistics.median(values) if values else None), len(values)


def quality_table(results, rounds):
    by = {}
    for r in results:
        by.setdefault(r["cell"]["task"], {}).setdefault(r["cell"]["contender"], []).append(r)
    order = list(dict.fromkeys(r["cell"]["contender"] for r in results))
    lines = ["| task | round | " + " | ".join(order) + " |", "|---|---:|" + "---:|" * len(order)]
    wins = {c: {t: 0 for t in rounds} for c in order}
    for task, found in by.items():
        for t in rounds:
            cells = {c: median_at(found.get(c, []), t) for c in order}
            seeds = max((n for _, n in cells.values()), default=0)
            # Only those whose every seed got so far can have the best median.
            full = [v for v, n in cells.values() if v is not None and n == seeds]
            highest = max(full) if full else None
            texts = []
            for c in order:
                value, n = cells[c]
                text = number(value) + (f" ({n} of {seeds})" if value is not None and n < seeds else "")
                if value is not None and value == highest and n == seeds:
                    text = f"**{text}**"
                    wins[c][t] += 1
                texts.append(text)
            lines.append(f"| {task} | {t} | " + " | ".join(texts) + " |")
    for t in rounds:
        lines.append(f"| *best median* | {t} | " + " | ".join(str(wins[c][t]) for c in order) + " |")
    return "\n".join(lines)


def speed_table(results):
    sizes = sorted({r["cell"]["n"] for r in results})
    order = list(dict.fromkeys(r["cell"]["contender"] for r in results))
    batch = results[0]["cell"]["batch"]
    header = [f"{q} at n = {n}" for n in sizes for q in ("alone", f"in {batch}")]
    lines = ["| contender | " + " | ".join(header) + " |", "|---|" + "---:|" * len(header)]
    for c in order:
        texts = []
        for n in sizes:
            found = next((r for r in results if r["cell"]["contender"] == c
                          and r["cell"]["n"] == n), None)
            for q in (1, batch):
                seconds = next((l["seconds"] for l in (found or {"lines": []})["lines"]
                                if l.get("q") == q), None)
                late = found is not None and found["end"] == "time limit" and seconds is None
                texts.append("too slow" if late else number(seconds))
        lines.append(f"| {c} | " + " | ".join(texts) + " |")
    return "\n".join(lines)


def report(args):
    facts = json.loads((args.out / "facts.json").read_text())
    results = [json.loads(p.read_text()) for p in sorted(args.out.glob("*-*.json"))]
    names = args.ours + list(contenders.PEERS)
    results.sort(key=lambda r: names.index(r["cell"]["contender"])
                 if r["cell"]["contender"] in names else len(names))
    missing, troubles = {}, []
    for r in results:
        c = r["cell"]
        reason = next((l["unavailable"] for l in r["lines"] if "unavailable" in l), None)
        if reason:
            missing.setdefault((c["contender"], reason), set()).add(c["task"])
        elif r["end"] != "done":
            where = f"seed {c['seed']}" if c["kind"] == "quality" else f"n = {c['n']}"
            got = f"after {len(r['lines'])} rounds" if c["kind"] == "quality" else "timing"
            why = r.get("error", "").splitlines()[-1:] or [""]
            troubles.append(f"{c['contender']}, {c['task']}, {where}: {r['end']} {got} {why[0]}")
    usable = [r for r in results if not any("unavailable" in l for l in r["lines"])]
    quality = [r for r in usable if r["cell"]["kind"] == "quality"]
    speed = [r for r in usable if r["cell"]["kind"] == "speed"]
    text = ["# Beside other libraries", "",
            "Generated by `benchmarks/peers/optimizers.py`; do not edit.", "",
            f"{facts['machine']}, {facts['cores']} cores, one thread per contender. "
            f"{facts['vbo']}, Python {facts['python']}, "
            + ", ".join(f"{k} {v}" for k, v in facts["versions"].items() if v)
            + f". A cell may take {facts['limit']:.0f} s.", ""]
    if quality:
        batch, rounds = quality[0]["cell"]["batch"], quality[0]["cell"]["rounds"]
        seeds = len({r["cell"]["seed"] for r in quality})
        marks = sorted({max(1, rounds // 2), rounds})
        text += ["## Quality", "",
                 f"Best value, higher is better: median over {seeds} seeds after so many rounds of "
                 f"{batch} evaluations. Values of minimized functions are negated. In brackets: how "
                 "many seeds got so far within the time limit.", "",
                 quality_table(quality, marks), ""]
    if speed:
        text += ["## Speed", "",
                 f"Seconds per suggestion on {TIMING_TASK} after n results, fitting the model "
                 "included: one suggestion after one new result, and each of a batch after a batch "
                 "of new results.", "", speed_table(speed), ""]
    if missing:
        text += ["## Not taking part", ""]
        text += [f"* {name}: {why} ({', '.join(sorted(tasks))})"
                 for (name, why), tasks in sorted(missing.items())] + [""]
    if troubles:
        text += ["## Cut off or failed", ""] + [f"* {t}".rstrip() for t in troubles] + [""]
    pathlib.Path(args.report).write_text("\n".join(text))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", nargs="+", default=["build/release/vbo"],
                        help="vbo, or vbo-bench (default build/release/vbo)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("peers"))
    parser.add_argument("--report", help="only write this Markdown file from what is in --out")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--tasks", nargs="+", default=TASKS)
    parser.add_argument("--ours", nargs="+", default=OURS)
    parser.add_argument("--peers", nargs="*", default=list(contenders.PEERS))
    parser.add_argument("--sizes", nargs="+", type=int, default=[100, 1000, 10000])
    parser.add_argument("--limit", type=float, default=900.0, help="seconds for one cell")
    parser.add_argument("--jobs", type=int, default=max(1, os.cpu_count() or 1),
                        help="quality cells at a time; timings always run alone")
    parser.add_argument("--only", choices=["quality", "speed"])
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    # `vbo` has the servers below `vbo bench`, vbo-bench has them itself.
    if len(args.program) == 1 and pathlib.Path(args.program[0]).name == "vbo":
        args.program.append("bench")
    if args.child:
        child(json.loads(args.child), args.program)
        return
    if args.report:
        report(args)
        return
    args.out.mkdir(parents=True, exist_ok=True)
    write_facts(args)
    quality, speed = cells_of(args)
    if args.only != "quality":
        for cell in speed:
            run_cell(cell, args)
    if args.only != "speed":
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            list(pool.map(lambda cell: run_cell(cell, args), quality))


if __name__ == "__main__":
    main()
