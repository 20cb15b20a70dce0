#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our methods beside what people would pick instead, on the same functions, budgets and seeds.

    python3 benchmarks/peers/optimizers.py --program build/release/vbo --out peers
    python3 benchmarks/peers/optimizers.py --out peers --deadline 540 --limit 100
    python3 benchmarks/peers/optimizers.py --out peers --report research/results/peers.md

Quality: best value (median over seeds) after 20 and 40 rounds of 64 evaluations.
Speed:   seconds per suggestion with n = 100, 1000 and 10000 results, model fit included.

Every contender runs in a process of its own on one thread and evaluates through the evaluator
protocol of study files (`vbo bench serve-task`); never more of them at a time than there are cores.
Quick contenders come first, then the slow ones seed by seed, so that a run with a deadline has
learned the most. A cell that outruns its limit, or the deadline, is reported as far as it got; a
library that is not installed is reported as such. Cells finished in --out are not run again, those
cut by the deadline are, so a stopped run continues; rounds of a cell are on disk (.part) as soon as
they are made.
"""

import argparse
import contextlib
import hashlib
import json
import os
import pathlib
import platform
import queue
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import contenders
import peers_report

HERE = pathlib.Path(__file__).resolve()
TASKS = ["branin", "hartmann6", "ackley?dim=10&shift=1", "levy?dim=10&shift=17&rotate=17",
         "rastrigin?dim=10&shift=3&rotate=3", "rosenbrock?dim=20&shift=2",
         "ackley?dim=50&shift=6&rotate=6", "mixed"]
TIMING_TASK = "ackley?dim=10&shift=1"
OURS = ["vbo", "turbo", "cmaes", "gp-logei", "sobol"]
QUICK = ["vbo", "turbo", "cmaes", "sobol"]  # seconds for a whole run
SHORTEST = 20.0  # seconds before the deadline after which no cell is begun
ONE_THREAD = {**{name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
                                        "NPROC")},
              "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false"}


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
    budget = cell["rounds"] * cell["batch"] if "rounds" in cell else cell["n"] + cell["batch"]
    return contenders.Ours(program, name, cell["task"], cell["seed"], cell["batch"], budget)


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
    """Prints one JSON line per round: best so far, seconds spent in tell and ask, and those of the
    processor where the library works in this process: they tell more on a busy machine."""
    task = Task(program, cell["task"], cell["seed"])
    contender = make(cell, program, task)
    best = float("-inf")
    for round_number in range(1, cell["rounds"] + 1):
        start, worked = time.perf_counter(), time.process_time()
        points = contender.ask(cell["batch"])
        seconds, worked = time.perf_counter() - start, time.process_time() - worked
        own = task.evaluate(points)
        best = max(best, max(task.sign * v for v in own))
        start = time.perf_counter()
        told(contender, task, points, own)
        seconds += time.perf_counter() - start
        line = {"round": round_number, "best": best, "seconds": seconds}
        if cell["contender"] in contenders.PEERS:
            line["cpu"] = worked
        print(json.dumps(line), flush=True)


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


def end_with(parent):
    """A run that was killed leaves nobody working: checked twice a second."""
    def watch():
        while os.getppid() == parent:
            time.sleep(0.5)
        os.killpg(os.getpid(), signal.SIGKILL)
    threading.Thread(target=watch, daemon=True).start()


def play(cell, program):
    try:
        (play_quality if cell["kind"] == "quality" else play_speed)(cell, program)
    except contenders.Unavailable as reason:
        print(json.dumps({"unavailable": str(reason)}), flush=True)


def child(cell, program, parent):
    end_with(parent)
    if cell["contender"] in contenders.PEERS:
        contenders.one_thread()
    play(cell, program)


def cell_path(out, cell):
    key = json.dumps(cell, sort_keys=True)
    name = "".join(c if c.isalnum() or c in "-." else "-" for c in
                   f"{cell['kind']}-{cell['contender']}-{cell['task']}-{cell['seed']}")
    return out / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:8]}.json"


def is_settled(path):
    """A stored cell, unless the deadline cut it: the next run makes that one again."""
    return path.exists() and json.loads(path.read_text())["end"] != "deadline"


def settle(cell, path, part, end, seconds, complaint, args):
    result = peers_report.read_part(part)
    result.update(end=end, seconds=seconds)
    if end == "failed":
        result["error"] = complaint.strip()[-2000:]
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(result) + "\n")
    temporary.rename(path)
    part.unlink()
    unavailable = next((l["unavailable"] for l in result["lines"] if "unavailable" in l), None)
    where = (f"seed {cell['seed']}, {len(result['lines'])} rounds" if cell["kind"] == "quality"
             else f"n = {cell['n']}")
    print(f"{time.monotonic() - args.began:5.0f} s  {cell['kind']}  {cell['contender']}  "
          f"{cell['task']}  {where}:  {unavailable or end}  ({result['seconds']:.1f} s)",
          file=sys.stderr, flush=True)


def time_for(cell, args):
    """Seconds for a cell, and what its end is called when they are over; None: too late to begin."""
    limit = args.limit if cell["kind"] == "quality" else args.speed_limit
    left = args.began + args.deadline - time.monotonic() if args.deadline else limit
    if args.deadline and left < SHORTEST:
        return None
    return (left, "deadline") if left < limit else (limit, "time limit")


def run_here(args):
    """The cells one after the other in this process: for a library that compiles for minutes what
    it can use again in the next cell."""
    def too_long(*_):
        raise TimeoutError
    signal.signal(signal.SIGALRM, too_long)
    os.environ.update(ONE_THREAD)
    contenders.one_thread()
    for cell in [c for cells in cells_of(args) for c in cells]:
        path, granted = cell_path(args.out, cell), time_for(cell, args)
        if is_settled(path) or granted is None:
            continue
        part, end, complaint = path.with_suffix(".part"), "done", ""
        start = time.monotonic()
        with open(part, "w") as printed, contextlib.redirect_stdout(printed):
            print(json.dumps({"cell": cell}), flush=True)
            signal.setitimer(signal.ITIMER_REAL, granted[0])
            try:
                play(cell, args.program)
            except TimeoutError:
                end = granted[1]
            except Exception:  # whatever the library raises ends this cell alone
                end, complaint = "failed", traceback.format_exc()
            signal.setitimer(signal.ITIMER_REAL, 0)
        settle(cell, path, part, end, time.monotonic() - start, complaint, args)


def run_cell(cell, args):
    """Leaves one JSON file: the cell, how it ended, the lines it printed. False: too late."""
    path = cell_path(args.out, cell)
    granted = time_for(cell, args)
    if granted is None:
        return False
    command = [sys.executable, str(HERE), "--child", json.dumps(cell), "--parent",
               str(os.getpid()), "--program", *args.program]
    part = path.with_suffix(".part")
    start = time.monotonic()
    with open(part, "w") as printed, tempfile.TemporaryFile("w+") as errors:
        printed.write(json.dumps({"cell": cell}) + "\n")
        printed.flush()
        # A session of its own: the servers of the contender and of the task end with it.
        process = subprocess.Popen(command, stdout=printed, stderr=errors, start_new_session=True,
                                   env={**os.environ, **ONE_THREAD})
        try:
            end = "done" if process.wait(granted[0]) == 0 else "failed"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            end = granted[1]
        errors.seek(0)
        complaint = errors.read()
    settle(cell, path, part, end, time.monotonic() - start, complaint, args)
    return True


def cells_of(args):
    """The plan, best information first."""
    def quality(names, seeds):
        return [{"kind": "quality", "contender": c, "task": t, "seed": s, "batch": args.batch,
                 "rounds": args.rounds} for s in seeds for c in names for t in args.tasks]

    peers = [p for p in contenders.PEERS if p in args.peers]
    slow = [c for c in args.ours if c not in QUICK]
    plan = quality([c for c in args.ours if c in QUICK], range(1, args.seeds + 1))
    for seed in range(1, max(args.seeds, args.peer_seeds) + 1):
        plan += quality(slow if seed <= args.seeds else [], [seed])
        plan += quality(peers if seed <= args.peer_seeds else [], [seed])
    speed = [{"kind": "speed", "contender": c, "task": TIMING_TASK, "seed": 1, "batch": args.batch,
              "n": n} for n in args.sizes for c in args.ours + peers]
    return ([] if args.only == "speed" else plan), ([] if args.only == "quality" else speed)


def run_all(args):
    """Half of the workers begin with the timings, the others with quality; never more than --jobs
    processes at work, so that timings have a core of their own."""
    quality, speed = queue.SimpleQueue(), queue.SimpleQueue()
    for cells, into in zip(cells_of(args), (quality, speed)):
        for cell in cells:
            if not is_settled(cell_path(args.out, cell)):
                into.put(cell)

    late = []

    def work(queues):
        for cells in queues:
            while True:
                try:
                    cell = cells.get_nowait()
                except queue.Empty:
                    break
                if not run_cell(cell, args):
                    late.append(cell)

    timing = (args.jobs + 1) // 2
    workers = [threading.Thread(target=work,
                                args=([speed, quality] if i < timing else [quality],))
               for i in range(args.jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if late:
        print(f"{len(late)} cells were not begun; the same command continues", file=sys.stderr)


def machine():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown processor"


def joined(before, now):
    """Versions of two environments that fill the same folder."""
    if not before or not now or now in before.split(" and "):
        return before or now
    return f"{before} and {now}"


def write_facts(args):
    path = args.out / "facts.json"
    before = json.loads(path.read_text())["versions"] if path.exists() else {}
    version = subprocess.run([*args.program, "--version"], capture_output=True, text=True).stdout
    facts = {"machine": machine(), "cores": os.cpu_count(), "jobs": 1 if args.here else args.jobs,
             "python": platform.python_version(), "vbo": version.strip(),
             "versions": {name: joined(before.get(name), now)
                          for name, now in contenders.versions().items()}, "limit": args.limit,
             "speed_limit": args.speed_limit, "deadline": args.deadline}
    path.write_text(json.dumps(facts, indent=2) + "\n")
    print("versions: " + ", ".join(f"{k} {v or 'not installed'}"
                                   for k, v in facts["versions"].items()), file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", nargs="+", default=["build/release/vbo"],
                        help="vbo, or vbo-bench (default build/release/vbo)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("peers"))
    parser.add_argument("--report", help="only write this Markdown file from what is in --out")
    parser.add_argument("--seeds", type=int, default=5, help="for our methods")
    parser.add_argument("--peer-seeds", type=int, default=3, help="for the others")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--tasks", nargs="+", default=TASKS)
    parser.add_argument("--ours", nargs="*", default=OURS)
    parser.add_argument("--peers", nargs="*", default=list(contenders.PEERS))
    parser.add_argument("--sizes", nargs="+", type=int, default=[100, 1000, 10000])
    parser.add_argument("--limit", type=float, default=900.0, help="seconds for one quality cell")
    parser.add_argument("--speed-limit", type=float, default=120.0, help="seconds for one timing")
    parser.add_argument("--deadline", type=float, help="seconds for everything; what then runs is cut")
    parser.add_argument("--jobs", type=int, default=max(1, os.cpu_count() or 1),
                        help="cells at a time (default: one per core)")
    parser.add_argument("--here", action="store_true", help="one cell after the other in this process, "
                        "so that what a library has compiled serves the next one as well")
    parser.add_argument("--only", choices=["quality", "speed"])
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--parent", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    # `vbo` has the servers below `vbo bench`, vbo-bench has them itself.
    if len(args.program) == 1 and pathlib.Path(args.program[0]).name == "vbo":
        args.program.append("bench")
    if args.child:
        child(json.loads(args.child), args.program, args.parent)
        return
    if args.report:
        peers_report.write(args.out, args.report, args.ours + list(contenders.PEERS))
        return
    args.began = time.monotonic()
    args.out.mkdir(parents=True, exist_ok=True)
    write_facts(args)
    (run_here if args.here else run_all)(args)


if __name__ == "__main__":
    main()
