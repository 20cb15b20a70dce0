#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The benchmark program end to end: run, kill, continue, table, compare, plot, flops, peers.

usage: smoke_test.py PROGRAM SOURCE_DIR
"""

import json
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
PROTOCOLS = SOURCE / "research/protocols"


def bench(*words, code=0):
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=240)
    if done.returncode != code:
        raise AssertionError(f"{words} ended with {done.returncode}: {done.stderr}")
    return done.stdout if code == 0 else done.stderr


class Smoke(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def observations(self, directory):
        return {p.name: p.read_text() for p in directory.glob("*.csv")}

    def test_protocol_runs_and_everything_is_made_from_it(self):
        out = self.path / "results"
        words = ["run", "--protocol", PROTOCOLS / "smoke.toml", "--skip-missing", "--out", out]
        report = json.loads(bench(*words, "--json"))
        self.assertGreaterEqual(report["run"], 14)
        self.assertEqual(report["failed"], 0)
        again = json.loads(bench(*words, "--json"))
        self.assertEqual((again["run"], again["found"]), (0, report["run"]))

        table = json.loads(bench("table", out, "--json", "--at", "2"))
        row = next(r for r in table["rows"]
                   if r["task"] == "branin" and r["method"] == "random" and r["batch"] == 8)
        self.assertEqual(row["seeds"], 2)
        # By hand from the observations: S_t over the last rounds (all of them), then over seeds;
        # from the end of the initial design of one round, or of everything.
        for flag, first in (("main", 1), ("all", 0)):
            rewards = []
            for path in out.glob("branin--random--b8-*.csv"):
                values = [float(line.split(",")[1]) for line in path.read_text().splitlines()[1:]]
                means = [sum(values[8 * first:8 * t]) / (8 * (t - first))
                         for t in range(first + 1, 5)]
                rewards.append(sum(means) / len(means))
            table = json.loads(bench("table", out, "--json", "--reward", flag))
            row = next(r for r in table["rows"]
                       if r["task"] == "branin" and r["method"] == "random" and r["batch"] == 8)
            self.assertAlmostEqual(row["final_reward"], sum(rewards) / 2, places=9)

        comparison = json.loads(bench("compare", "cmaes", "random", "--in", out, "--json"))
        self.assertEqual(len(comparison["rows"]), 4)
        for svg in bench("plot", out, "-o", self.path / "figures").split():
            xml.etree.ElementTree.parse(svg)
        self.assertTrue((self.path / "figures/overview-best.svg").exists())
        self.assertTrue((self.path / "figures/batch-size-reward.svg").exists())

    def test_a_killed_run_continues_to_the_same_numbers(self):
        words = ["run", "-t", "ackley?dim=30", "-m", "cmaes", "-b", "64", "-r", "60", "--seeds",
                 "12", "--jobs", "2", "--out"]
        whole, cut = self.path / "whole", self.path / "cut"
        bench(*words, whole)
        process = subprocess.Popen([PROGRAM, *words, str(cut)], stderr=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL)
        while process.poll() is None and len(list(cut.glob("*.jsonl"))) < 2:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        found = len(list(cut.glob("*.jsonl")))
        report = json.loads(bench(*words, cut, "--json"))
        self.assertEqual(report["found"], found)
        self.assertEqual(report["found"] + report["run"], 12)
        self.assertEqual(self.observations(whole), self.observations(cut))

    def test_mistakes_are_named_and_nothing_is_written(self):
        out = self.path / "none"
        message = bench("run", "-t", "branin", "-m", "no-such", "--out", out, code=2)
        self.assertIn("no-such", message)
        bad = self.path / "bad.toml"
        bad.write_text('name = "x"\nmethod = ["vbo"]\n')
        message = bench("run", "-p", bad, "--out", out, code=2)
        self.assertIn("bad.toml, line 2", message)
        self.assertIn("Directory", bench("run", "--help"))
        bench("table", self.path / "nowhere", code=2)
        self.assertFalse(out.exists())

    def test_every_protocol_is_readable(self):
        for protocol in sorted(PROTOCOLS.glob("*.toml")):
            jobs = bench("run", "-p", protocol, "--skip-missing", "--dry-run", "--out", self.path)
            self.assertGreater(len(jobs.splitlines()), 10, protocol)

    def test_methods_named_on_the_command_line_are_swept_too(self):
        jobs = bench("run", "-p", PROTOCOLS / "beta.toml", "-t", "interferometer", "-m", "vbo", "-s", "1",
                     "--dry-run", "--out", self.path)
        self.assertEqual([job.split("--")[1] for job in jobs.split()],
                         ["vbo@beta=0.01", "vbo@beta=0.1", "vbo@beta=1", "vbo@beta=10"])

    def test_results_page_from_raw_and_from_packed_data(self):
        protocols, raw, pages = (self.path / name for name in ("protocols", "raw", "pages"))
        readme = self.path / "README.md"
        readme.write_text("Before\n<!-- numbers: scripts/results page -->\n<!-- end of numbers -->\nAfter\n")
        protocols.mkdir()
        sweep = '[sweep]\noption = "beta"\nvalues = [0.1, 1.0]\n'
        for name, methods, tasks, more in (
                ("synthetic", ["vbo", "cmaes", "gp-ei"], ["branin"], ""),
                ("real-world", ["vbo", "cmaes", "gp-ei"], ["interferometer", "brusselator"], ""),
                ("ablation", ["vbo", "vbo?beta=0.02", "vbo-gp-exploration"], ["branin"], ""),
                ("tuning", ["gp-ei", "gp-ei?kernel=rbf", "gp-ts", "cmaes?sigma0=0.2", "cmaes"],
                 ["levy?dim=2"], ""),
                ("holdout", ["vbo", "cmaes"], ["michalewicz", "schaffer7?dim=2"], ""),
                ("small-batch", ["vbo", "random"], ["branin"], ""),
                ("batch-size", ["vbo", "cmaes"], ["branin"], ""),
                ("beta", ["vbo", "gp-ucb"], ["branin"], sweep)):
            batch = "[4, 8]" if name == "batch-size" else "4"
            (protocols / f"{name}.toml").write_text(
                f'name = "{name}"\nseeds = 2\nbatch = {batch}\nevaluations = 8\n'
                f"methods = {json.dumps(methods)}\n{more}"
                + "".join(f'[[task]]\nname = "{task}"\n' for task in tasks))
        script = [sys.executable, str(SOURCE / "scripts/results")]

        def results(action, raw, *words, code=0):
            done = subprocess.run([*script, action, *map(str, words), "--program", PROGRAM, "--raw",
                                   str(raw), "--pages", str(pages), "--protocols", str(protocols),
                                   "--readme", str(readme), "--no-picture"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stdout + done.stderr

        results("run", raw)
        (raw / "flops.json").write_text(bench(
            "flops", "--model", "counted", "-m", "vbo", "-m", "cmaes", "-n", "20", "-b", "8",
            "--json"))
        bench("consistency", "--samples", "32,64", "--steps", "3", "--seeds", "1", "--save",
              raw / "consistency.json")
        results("page", raw)
        page = (pages / "README.md").read_text()
        for wanted in ("## What of the paper is reproduced", "## Tuning of the baselines",
                       "## The paper's claims", "### interferometer", "best, true value",
                       "with warm-up", "for less than the worst of the initial design",
                       "Consistency of the estimates", "directed",
                       "## Ablation", "| task | vbo?beta=0.02 | vbo-gp-exploration | vbo |", "## Batch size", "## Beta", "## Functions nobody tuned on",
                       "## Small batches", "| FLOP, n = 20 |", "1 050 010 000 000",
                       "paper: reward", "(figures/holdout/overview-best.svg)"):
            self.assertIn(wanted, page)
        for picture in re.findall(r"\]\((figures/[^)]*)\)", page):
            xml.etree.ElementTree.parse(pages / picture)
        self.assertEqual(page.count("Complete: "), 6)
        self.assertTrue((protocols / "tuned.toml").exists())
        self.assertIn("* [The paper's seven tasks]", readme.read_text())
        self.assertTrue(readme.read_text().startswith("Before\n"))
        self.assertIn("0.0", results("pack", raw))
        self.assertNotIn("MB", results("pack", raw))  # nothing changed, nothing is written
        results("unpack", self.path / "again")
        results("page", self.path / "again")
        self.assertEqual((pages / "README.md").read_text(), page)
        # README, page and raw data agree, and it shows when one of them is changed by hand.
        results("check", raw)
        for file in (readme, pages / "README.md"):
            before = file.read_text()
            at = re.search(r"(\d) of \d", before).start()
            file.write_text(before[:at] + "9" + before[at + 1:])
            self.assertIn(file.name, results("check", raw, code=1))
            file.write_text(before)
        # A lent machine goes on from what is stored, and its results come back.
        for path in (raw / "main").glob("branin--vbo-gp*"):
            path.unlink()
        (pages / "raw/main.tar.xz").unlink()
        results("pack", raw)
        results("machine", self.path / "lent", "--limit", "900", "--out", self.path / "back", "--jobs",
                "1", "--only", "main", "--again", "random")
        self.assertLessEqual(len(list((self.path / "back").iterdir())), 8)
        fresh = self.path / "fresh"
        results("take", fresh, self.path / "back")
        lost = {p.name for p in (self.path / "again/main").glob("branin--vbo-gp*.jsonl")}
        self.assertLessEqual(lost, {p.name for p in (fresh / "main").glob("*.jsonl")})
        # What is missing is named, with the command that makes it.
        for path in (raw / "holdout").glob("michalewicz--*"):
            path.unlink()
        for path in (raw / "beta").glob("*-s2.*"):
            path.unlink()
        shutil.rmtree(raw / "small-batch")
        results("page", raw)
        page = (pages / "README.md").read_text()
        self.assertIn("**4 of 8 runs** of the protocol so far: `schaffer7?dim=2`: 2 seeds; not run: "
                      "`michalewicz`. `scripts/results run --only holdout` completes it.", page)
        self.assertIn("`branin`: 1 seed (4 of 8 runs). `scripts/results run --only beta`", page)
        self.assertIn("* small-batch: `scripts/results run --only small-batch`", page)

    def test_published_flops(self):
        rows = json.loads(bench("flops", "--model", "paper", "--json"))["rows"]
        totals = {(r["method"], r["observations"]): r["total"] for r in rows}
        self.assertEqual(totals["LLA", 100], 1050001000000)
        self.assertEqual(totals["VBO-MI", 1000], 420000)

    def test_peers_script_reports_what_is_not_installed(self):
        script = SOURCE / "benchmarks/peers/optimizers.py"
        out = self.path / "peers"
        words = [sys.executable, str(script), "--program", PROGRAM, "--out", str(out)]
        plan = [*words, "--seeds", "2", "--rounds", "2", "--batch", "4", "--tasks", "branin",
                "mixed", "--ours", "cmaes", "--peers", "botorch-turbo", "--sizes", "10", "--limit",
                "120"]
        subprocess.run(plan, check=True, capture_output=True)
        # A run that was killed: what it had is reported as far as it got.
        cell = {"kind": "quality", "contender": "turbo", "task": "branin", "seed": 1, "batch": 4,
                "rounds": 2}
        rounds = [{"cell": cell}, {"round": 1, "best": -7.5, "seconds": 0.25}]
        (out / "quality-turbo-branin-1-00000000.part").write_text(
            "\n".join(map(json.dumps, rounds)) + '\n{"round": 2, "be')
        # Cut by the deadline: made again by the same command; failed: no matter of time.
        stored = next(out.glob("quality-cmaes-branin-1-*.json"))
        whole = json.loads(stored.read_text())
        stored.write_text(json.dumps({**whole, "lines": whole["lines"][:1], "end": "deadline"}))
        subprocess.run(plan, check=True, capture_output=True)
        again = json.loads(stored.read_text())
        self.assertEqual((again["end"], len(again["lines"])), ("done", 2))
        failed = {"cell": {**cell, "contender": "hmc"}, "lines": rounds[1:], "end": "failed"}
        (out / "quality-hmc-branin-1-00000000.json").write_text(json.dumps(failed))
        # In one process, from another environment; and medians whose runs are gone.
        subprocess.run([*words, "--here", "--only", "quality", "--seeds", "1", "--rounds", "1", "--batch",
                        "4", "--tasks", "branin", "--ours", "random", "--peers"], check=True, capture_output=True)
        (out / "earlier.json").write_text(json.dumps({"about": "a slate", "contenders": {
            "hebo": {"seeds": 7, "runs": "7 of 7", "mean": 4.5, "median": 3.5, "best": {"branin": {"2": 12345.0}}}}}))
        page = self.path / "peers.md"
        subprocess.run([*words, "--report", str(page)], check=True)
        text = page.read_text()
        self.assertIn("| branin | 2 |", text)
        self.assertIn("| cmaes |", text)
        self.assertIn("botorch-turbo", text)
        self.assertIn("| turbo | branin | 1 | 0.25 | -7.5 |", text)
        self.assertIn("1 seed of `turbo`, `hmc`, `random`; 2 seeds of `cmaes`; 7 seeds of `hebo`. A single seed "
                      "says little.", text)
        self.assertNotIn("| hmc | branin | 1 |", text)
        self.assertIn("* hmc, branin, seed 1, after round 1", text)
        self.assertIn(" **12345** |", text)
        self.assertIn("| hebo | 7 | 7 of 7 | 4.5 | 3.5 |", text)
        self.assertRegex(text, r"\| random \| branin \| 1 \| ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
