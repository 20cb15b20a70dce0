#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that read input files and write output files: templates, extraction, folders of trials, and XFOIL."""
import os
import re
import shlex
import shutil
import subprocess
import unittest

from support import ROOT, VboTest

STUDY = """[study]
name = "beam"
goal = "minimize"
budget = {budget}
batch = 4
seed = 1

[optimizer]
method = "{method}"

[[parameter]]
name = "x"
type = "float"
low = -5.0
high = 10.0

[[parameter]]
name = "n"
type = "int"
low = 0
high = 20

[[template]]
from = "deck.in"
to = "input/deck"

[evaluate]
command = {command}
workers = 2
retries = 0
{evaluate}

[[extract]]
metric = "value"
file = "out/result.log"
pattern = '^cost = (\\S+)'

[[extract]]
metric = "mass"
file = "out/result.json"
json = "parts.-1.mass"

[[extract]]
metric = "steps"
file = "history.csv"
column = "step"

[[constraint]]
metric = "mass"
at_most = 18.0
"""

DECK = "* a deck\nx = {x}\nn = {n}\nliteral {{x}}\n"

# A simulator that knows nothing of vbo. It fails where n is 20.
SOLVER = """#!/bin/sh
x=$(sed -n 's/^x = //p' input/deck)
n=$(sed -n 's/^n = //p' input/deck)
mkdir out
echo "starting" > out/result.log
if [ "$n" = 20 ]; then echo "cannot mesh" >&2; exit 3; fi
awk "BEGIN {printf \\"cost = 99\\\\ncost = %.17g\\\\n\\", ($x - 1) ^ 2 + $n / 10}" >> out/result.log
echo "{\\"parts\\": [{\\"mass\\": 1}, {\\"mass\\": $n}]}" > out/result.json
printf 'step,residual\\n1,0.5\\n2,0.25\\n' > history.csv
"""

# name: (text to replace, replacement, what the message must contain)
WRONG = {
    "unknown key": ('to = "input/deck"', 'too = "input/deck"', ['template 1.too: unknown key, did you mean "to"?']),
    "no from": ('from = "deck.in"\n', "", ["template 1.from: missing, expected the path of a file"]),
    "a path that leaves": ("input/deck", "../deck", ['template 1.to: found "../deck", expected a file inside']),
    "an absolute path": ("input/deck", "/tmp/deck", ['template 1.to: found "/tmp/deck"']),
    "a template that is not there": ("deck.in", "dekc.in", ["dekc.in: No such file or directory"]),
    "no group": ("(\\S+)", "\\S+", ["extract 1.pattern: found no group, expected ( ) around the number"]),
    "bad pattern": ("(\\S+)", "(\\S+", ["extract 1.pattern: column", "found ( without )"]),
    "an output that leaves": ("out/result.log", "../result.log", ['extract 1.file: found "../result.log"']),
    "no way": ('column = "step"', "", ["extract 3.metric: found no way to the value"]),
    "two ways": ('column = "step"', 'column = "step"\njson = "a"', ["found several ways to the value"]),
    "metric twice": ('metric = "steps"', 'metric = "mass"', ['extract 3.metric: found "mass" a second time']),
    "default": ('column = "step"', 'column = "step"\ndefault = "x"', ["extract 3.default: found 'x', expected a finite"]),
    "keep": ("retries = 0", 'retries = 0\nkeep = "some"', ['evaluate.keep: found \'some\', expected "failed"']),
    "stdin": ("retries = 0", 'retries = 0\nstdin = "deck.in"', ['evaluate.stdin: found "deck.in", expected what']),
    "serve": ("retries = 0", 'retries = 0\nmode = "serve"', ['extract 1.metric: found a value to extract beside mode']),
    "no table": ("[[template]]", "[template]", ["template: found { from = 'deck.in'", "expected [[template]] tables"]),
    "no program": ("command = ", 'task = "branin"\n# ', ["parameter: found parameters beside evaluate.task"]),
}


class Files(VboTest):
    def study(self, *, budget=16, method="random", evaluate="", command='["./solver"]', name="beam.toml"):
        self.write("deck.in", DECK)
        self.write("solver", SOLVER)
        (self.folder / "solver").chmod(0o755)
        return self.write(name, STUDY.format(budget=budget, method=method, evaluate=evaluate, command=command))

    def folders(self, at="beam.work"):
        path = self.folder / at
        return sorted(p.name for p in path.iterdir()) if path.exists() else []

    def test_check_shows_what_was_read_and_leaves_the_files(self):
        self.study()
        out = self.vbo("check", "beam.toml", "--at", "x=1.5", "--at", "n=3").stdout
        self.assertIn('line   value from out/result.log: cost = 0.55', out)
        self.assertIn("line   mass from out/result.json: parts.-1.mass = 3\n", out)
        self.assertIn('line   steps from history.csv:3: step = 2\n', out)
        folder = re.search(r"^files  (.+)$", out, re.M)[1]
        self.assertEqual((self.folder / folder / "input/deck").read_text(), "* a deck\nx = 1.5\nn = 3\nliteral {x}\n")
        shown = self.json("check", "beam.toml", "--at", "x=1.5", "--at", "n=3")
        self.assertEqual((shown["value"], shown["metrics"]), (0.55, {"mass": 3, "steps": 2}))
        self.assertTrue(shown["files"].endswith("beam.work/check/trial-1"))
        self.assertEqual(self.folders("beam.work/check"), ["trial-1"])

    def test_check_says_what_is_wrong(self):
        for name, (old, new, words) in WRONG.items():
            with self.subTest(name):
                text = (self.folder / self.study()).read_text()
                self.assertIn(old, text)
                self.write("beam.toml", text.replace(old, new, 1))
                err = self.vbo("check", "beam.toml", expect=2).stderr
                for word in words:
                    self.assertIn(word, err)

    def test_check_says_which_placeholder_and_which_output_is_missing(self):
        self.study()
        self.write("deck.in", "x = {x}\nn = {nn}\n")
        self.assertRegex(self.vbo("check", "beam.toml", expect=2).stderr,
                         r"deck\.in:2: placeholder \{nn\} names no parameter, expected one of \{x\} \{n\} "
                         r"\(write \{\{nn\}\} for plain text\)")
        self.write("deck.in", "x = {x}\nn = 3\n")
        self.assertIn('note: beam.toml: parameter "n" stands in no template', self.vbo("check", "beam.toml").stderr)
        text = (self.folder / self.study()).read_text()
        self.write("beam.toml", text.replace("out/result.log", "out/result.lg"))
        self.assertIn('value: the program wrote no out/result.lg, did you mean "out/result.log"?',
                      self.vbo("check", "beam.toml", expect=1).stdout)
        self.write("beam.toml", text.replace("^cost", "^price"))
        self.assertIn(r"value: none of the 3 lines of out/result.log matches ^price = (\S+)",
                      self.vbo("check", "beam.toml", expect=1).stdout)
        self.write("beam.toml", text.replace("parts.-1.mass", "parts.-1.mas"))
        self.assertIn('out/result.json, in parts.-1, has no "mas", did you mean "mass"?',
                      self.vbo("check", "beam.toml", expect=1).stdout)

    def test_a_run_keeps_the_folders_of_failures(self):
        self.study(budget=60)
        self.vbo("run", "beam.toml")
        trials = self.json("trials", "beam.db")
        failed = [t for t in trials if t["state"] == "failed"]
        self.assertTrue(0 < len(failed) < 20)
        for trial in trials:
            if trial["state"] == "completed":
                x, n = trial["params"]["x"], trial["params"]["n"]
                self.assertAlmostEqual(trial["value"], (x - 1) ** 2 + n / 10, places=12)
                self.assertEqual(trial["metrics"], {"mass": n, "steps": 2})
        self.assertEqual(self.folders(), sorted(f"trial-{t['id']}" for t in failed))
        kept = self.folder / "beam.work" / f"trial-{failed[0]['id']}"
        self.assertEqual((kept / "stderr.txt").read_text(), "cannot mesh\n")
        self.assertIn("n = 20", (kept / "input/deck").read_text())
        # Once they succeed nothing stays.
        self.write("solver", SOLVER.replace("exit 3", "true"))
        self.vbo("retry", "beam.toml", "--failed")
        self.vbo("run", "beam.toml")
        self.assertEqual(self.folders(), [])
        self.assertFalse((self.folder / "beam.work").exists())

    def test_keep_all_and_none(self):
        self.study(evaluate='keep = "all"\nwork_dir = "scratch/beam"')
        self.vbo("run", "beam.toml")
        self.assertEqual(len(self.folders("scratch/beam")), 16)
        self.assertEqual(self.folders(), [])
        self.study(budget=60, evaluate='keep = "none"', name="other.toml")
        self.vbo("run", "other.toml")
        self.assertEqual(self.folders("other.work"), [])

    def test_when_everything_fails_the_files_are_named(self):
        self.study()
        self.write("solver", "#!/bin/sh\necho no licence >&2; exit 1\n")
        done = self.vbo("run", "beam.toml", expect=3)
        self.assertIn("no licence", done.stdout)
        self.assertRegex(done.stderr, r"ls beam\.work +what failed evaluations have left")
        failed = self.json("status", "beam.db")["failed"]
        self.assertGreaterEqual(self.folders(), [f"trial-{i}" for i in range(1, failed + 1)])

    def test_killed_and_resumed_it_is_the_same_study(self):
        self.study(budget=24, method="vbo", name="whole.toml")
        self.vbo("run", "whole.toml", "--workers", 1)
        self.study(budget=24, method="vbo")
        while self.vbo("status", "beam.db", "--json", expect=None).returncode != 0 or \
                self.json("status", "beam.db")["pending"] + self.json("status", "beam.db")["completed"] < 24:
            process = self.start("run", "beam.toml", "--workers", 1)
            self.wait_until(lambda: process.poll() is not None or self.folders(), "it has begun")
            process.kill()
            process.wait()
            if process.returncode == 0:
                break
            done = self.vbo("run", "beam.toml", "--workers", 1, "--time-limit", "0.3", expect=None)
            if done.returncode == 0:
                break
        self.vbo("run", "beam.toml", "--workers", 1)
        def results(name):
            return [(t["params"], t["value"], t["state"]) for t in self.json("trials", name)]
        self.assertEqual(results("beam.db"), results("whole.db"))
        failed = [f"trial-{t['id']}" for t in self.json("trials", "beam.db") if t["state"] == "failed"]
        self.assertEqual(self.folders(), sorted(failed))

    def test_a_worker_elsewhere_uses_its_own_files(self):
        """Another machine: a copy of the study file, its template and program, with the storage of the first."""
        self.study(budget=12)
        there = self.folder / "there"
        there.mkdir()
        for name in ("deck.in", "solver"):
            shutil.copy(self.folder / name, there)
        text = (self.folder / "beam.toml").read_text()
        (there / "beam.toml").write_text(text.replace("seed = 1", f'seed = 1\nstorage = "{self.folder}/beam.db"', 1)
                                         .replace("retries = 0", 'retries = 0\nkeep = "all"'))
        coordinator = self.start("run", "beam.toml", "--workers", 0)
        self.vbo("work", "there/beam.toml", "--name", "elsewhere")
        self.finish(coordinator, 0)
        self.assertEqual(len(self.folders("there/beam.work")), 12)
        self.assertEqual(self.folders(), [])
        self.assertEqual({t["worker"] for t in self.json("trials", "beam.db")}, {"elsewhere"})

    def test_serve_mode_gets_the_folder_with_the_request(self):
        self.study(budget=8, evaluate='mode = "serve"', command='["python3", "server.py"]')
        text = (self.folder / "beam.toml").read_text()
        self.write("beam.toml", text[:text.index("[[extract]]")])
        self.write("server.py", "import json, sys\nfor line in sys.stdin:\n    r = json.loads(line)\n"
                                "    deck = open(r['work_dir'] + '/input/deck').read().split()\n"
                                "    print(json.dumps({'id': r['id'], 'value': float(deck[5])}), flush=True)\n")
        self.vbo("run", "beam.toml")
        self.assertEqual([t["value"] for t in self.json("trials", "beam.db")],
                         [t["params"]["x"] for t in self.json("trials", "beam.db")])
        self.assertEqual(self.folders(), [])

    def test_the_file_of_init_shows_how(self):
        self.vbo("init", "new.toml")
        text = (self.folder / "new.toml").read_text()
        # Without their comment signs the lines are a right study file.
        start, end = text.index("# [[template]]"), text.index("# [stop]")
        lines = [re.sub(r"^# ?", "", line) for line in text[start:end].splitlines()]
        self.write("new.toml", text[:start] + "\n".join(lines) + "\n" + text[end:])
        self.write("input.txt.in", "x = {x1} {x2}\n")
        self.write("new.py", "print(open('input.txt').read()); open('output.log', 'w').write('drag = 4.5\\n')\n")
        self.write("new.toml", (self.folder / "new.toml").read_text().replace('"new.py"', '"{study_dir}/new.py"'))
        self.assertEqual(self.json("check", "new.toml")["value"], 4.5)


class Aerofoil(VboTest):
    """examples/airfoil with the commands of docs/how-to/programs-with-files.md, in the XFOIL of Debian."""

    def setUp(self):
        super().setUp()
        if not shutil.which("xfoil") and subprocess.run([ROOT / "scripts/bootstrap", "xfoil"]).returncode:
            self.skipTest("xfoil cannot be installed here")
        for path in (ROOT / "examples/airfoil").iterdir():
            shutil.copy(path, self.folder)
        # As examples/README.md says.
        command = re.search(r"`(cc -shared [^`]+)`", (ROOT / "examples/README.md").read_text())[1]
        subprocess.run(shlex.split(command), cwd=self.folder, check=True)
        self.quiet = {"env": {**os.environ, "LD_PRELOAD": self.path("quiet.so")}}

    def test_least_drag(self):
        page = (ROOT / "docs/how-to/programs-with-files.md").read_text()
        text = (self.folder / "airfoil.toml").read_text()
        for block in re.findall(r"^```toml\n(.*?)^```", page, re.S | re.M):
            for line in filter(None, block.splitlines()):
                self.assertIn(line, text)
        self.write("airfoil.toml", text.replace("budget = 96", "budget = 40"))
        block, = re.findall(r"^```sh\n(.*?)^```", page, re.S | re.M)
        for command in block.splitlines():
            done = self.vbo(*shlex.split(command)[1:], **self.quiet)
            if "check" in command:
                self.assertIn("ran    xfoil < xfoil.in\n", done.stdout)
                self.assertRegex(done.stdout, r"line   value from polar\.txt: -?\d+\.\d+ +0\.7000")
        best = self.json("best", "airfoil.db")
        # Far below what the aerofoil it begins with has, 0.0071, as measured by hand.
        self.assertLess(best["value"], 0.0062)
        self.assertGreaterEqual(best["metrics"]["moment"], -0.08)
        trials = self.json("trials", "airfoil.db")
        failed = [t for t in trials if t["state"] == "failed"]
        kept = self.folder / "airfoil.work"
        self.assertEqual(sorted(p.name for p in kept.iterdir() if p.name != "check"),
                         sorted(f"trial-{t['id']}" for t in failed))
        for trial in failed:
            self.assertRegex(trial["error"], r"polar\.txt|timeout|exit code 2|signal")


if __name__ == "__main__":
    unittest.main()
