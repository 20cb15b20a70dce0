# SPDX-License-Identifier: MIT
"""Studies with several objectives through every command: run, workers, ask and tell, tables, HTTP, a server, chaos."""
import csv
import io
import json
import os
import random
import re
import shlex
import shutil
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from support import PATIENCE, ROOT, VboTest, toml

# A hundred instrumented processes do not fit into a small machine.
HANDS = 8 if os.environ.get("VBO_INSTRUMENTED", "") not in ("", "OFF") else 64

STUDY = """[study]
name = "tradeoff"
budget = {budget}
batch = {batch}
seed = 1
storage = {storage}

[[objective]]
name = "error"
goal = "minimize"
{reference}
[[objective]]
name = "speed"
goal = "maximize"

[optimizer]
method = "{method}"

[[parameter]]
name = "x"
type = "float"
low = 0.0
high = 1.0

[[parameter]]
name = "n"
type = "int"
low = 0
high = 20

[[parameter]]
name = "kind"
type = "categorical"
choices = ["plain", "with space"]
{more}
[evaluate]
command = {command}
workers = {workers}
retries = 0
{evaluate}
"""

# error = x^2 + n / 10, speed = 2 - (x - 1)^2: only n = 0 is on the front. The metric heat is x.
ANSWER = '{\\"values\\": {\\"error\\": %.17g, \\"speed\\": %.17g}, \\"metrics\\": {\\"heat\\": %.17g}}\\n'
PROGRAM = ["awk", f'BEGIN {{printf "{ANSWER}", {{x}} ^ 2 + {{n}} / 10, 2 - ({{x}} - 1) ^ 2, {{x}}}}']

# name: (text to replace, replacement, what the message must contain)
WRONG = {
    "unknown key": ('name = "error"', 'name = "error"\nweight = 1',
                    ['objective "error".weight: unknown key, expected one of name goal reference']),
    "no name": ('name = "error"\n', "", ["objective[1].name: missing, expected a text in quotes"]),
    "no goal": ('name = "speed"\ngoal = "maximize"', 'name = "speed"',
                ['objective "speed".goal: missing, expected "minimize" or "maximize"']),
    "goal": ('goal = "maximize"', 'goal = "max"', ["objective \"speed\".goal: found 'max', expected"]),
    "name twice": ('name = "speed"', 'name = "error"', ['objective "error".name: found "error" a second time']),
    "name of a parameter": ('name = "speed"', 'name = "x"', ['objective "x".name: found "x", which is a parameter']),
    "name with an equals sign": ('name = "speed"', 'name = "a=b"', ['expected a text of 1 to 128 bytes without =']),
    "reference infinite": ('name = "speed"', 'name = "speed"\nreference = inf',
                           ['objective "speed".reference: found inf, expected a finite number']),
    "reference as text": ('name = "speed"', 'name = "speed"\nreference = "low"', ["expected a finite number"]),
    "goal of the study": ("seed = 1", 'seed = 1\ngoal = "minimize"', ["study.goal: found a goal beside [[objective]] tables"]),
    "one objective": ('[[objective]]\nname = "speed"\ngoal = "maximize"\n', "", ["objective: found 1 [[objective]] table, expected 2 to 8"]),
    "nine objectives": ("[optimizer]", "".join(f'[[objective]]\nname = "f{m}"\ngoal = "minimize"\n' for m in range(7)) + "[optimizer]",
                        ["objective: found 9 [[objective]] tables, expected 2 to 8"]),
    "a value to stop at": ("[evaluate]", "[stop]\nvalue = 3\n[evaluate]", ["stop.value: found a value to stop at beside [[objective]] tables"]),
    "a task": ("command = ", 'task = "branin"\n# ', ["parameter: found parameters beside evaluate.task"]),
}


class Objectives(VboTest):
    def study(self, command=None, *, budget=24, batch=4, workers=2, method="sobol", storage="tradeoff.db", more="",
              evaluate="", reference="", name="study.toml"):
        return self.write(name, STUDY.format(
            command=toml(command or PROGRAM), budget=budget, batch=batch, workers=workers, method=method,
            storage=json.dumps(storage), more=more, evaluate=evaluate, reference=reference))

    def rows(self, name="tradeoff.db"):
        return list(csv.DictReader(io.StringIO(self.vbo("trials", name).stdout)))

    def check_front(self, front, trials):
        """Against the definition: nothing is at least as good in both and better in one."""
        done = [t for t in trials if t["state"] == "completed" and t.get("feasible") is not False]

        def better(a, b):
            (e, s), (f, t) = ((v["values"]["error"], v["values"]["speed"]) for v in (a, b))
            return e <= f and s >= t and (e < f or s > t)
        expected = [t["id"] for t in done if not any(better(other, t) for other in done)]
        self.assertEqual([t["id"] for t in front["trials"]], expected)
        self.assertEqual(front["size"], len(expected))
        # The area between the front and the reference, as a staircase from the lowest error on.
        reference = (front["reference"]["error"], front["reference"]["speed"])
        area, top = 0.0, reference[1]
        for e, s in sorted((t["values"]["error"], t["values"]["speed"]) for t in front["trials"]):
            if e < reference[0] and s > top:
                area += (reference[0] - e) * (s - top)
                top = s
        self.assertAlmostEqual(front["hypervolume"], area, delta=1e-9 * area)
        return expected


    def chaos(self, url, method, hands, budget, seed):
        self.study(["sh", "-c", "test $(($VBO_TRIAL_ID % 17)) != 5 || exit 1; exec \"$@\"", "-", *PROGRAM], budget=budget, batch=hands,
                   method=method, storage=url, more='[[constraint]]\nmetric = "heat"\nat_most = 0.9\n')
        rng = random.Random(seed)
        workers = []
        kills = 0
        while True:
            coordinator = self.start("run", "study.toml", "--workers", 0, "--quiet")
            end = time.monotonic() + 0.5 + rng.random()
            while coordinator.poll() is None and time.monotonic() < end:
                workers = [w for w in workers if w.poll() is None]
                while len(workers) < hands:
                    workers.append(self.start("work", "study.toml", "--idle", 60, "--quiet"))
                time.sleep(0.05)
                for worker in rng.sample(workers, rng.randrange(1 + hands // 8)):
                    worker.kill()
                    kills += 1
            if coordinator.poll() is not None:
                self.finish(coordinator, 0)
                break
            coordinator.kill()
            coordinator.wait()
        for worker in workers:
            worker.kill()
        self.assertGreater(kills, 0)
        trials = self.json("trials", url)
        self.assertEqual(len([t for t in trials if t["state"] in ("completed", "failed")]), budget)
        for trial in trials:
            if trial["state"] != "completed":
                continue
            x, n = trial["params"]["x"], trial["params"]["n"]
            self.assertAlmostEqual(trial["values"]["error"], x ** 2 + n / 10, 12)
        self.check_front(self.json("front", url), trials)
        verified = self.json("verify", url)
        self.assertTrue(verified["replayed"])
        self.assertEqual(verified["problems"], [])


class StudyFile(Objectives):
    def test_every_mistake_is_one_clear_line(self):
        good = (self.folder / self.study()).read_text()
        for name, (old, new, expected) in WRONG.items():
            with self.subTest(name):
                self.assertIn(old, good)
                self.write("study.toml", good.replace(old, new, 1))
                for command in ("check", "run"):
                    done = self.vbo(command, "study.toml", expect=2)
                    self.assertTrue(done.stderr.startswith("vbo: study.toml"), done.stderr)
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                    for text in expected:
                        self.assertIn(text, done.stderr)
                self.assertEqual(os.listdir(self.folder), ["study.toml"])

    def test_what_cannot_change_says_so(self):
        self.study()
        self.vbo("run", "study.toml")
        text = (self.folder / "study.toml").read_text()
        for old, new, message in (('goal = "maximize"', 'goal = "minimize"', 'objective speed goal: stored "maximize", given "minimize"'),
                                  ('goal = "maximize"', 'goal = "maximize"\nreference = 0', "objective speed reference: stored nothing, given 0"),
                                  ('name = "speed"', 'name = "rate"', "objective speed: stored")):
            self.write("study.toml", text.replace(old, new))
            self.assertIn(message, self.vbo("run", "study.toml", expect=2).stderr)


class Run(Objectives):
    def test_standard_errors_of_each_objective_are_told_exported_and_imported(self):
        self.study(budget=8)
        self.vbo("ask", "study.toml", "-n", 3)
        self.vbo("tell", "tradeoff.db", 1, "--value", "error=1", "--value", "speed=2", "--sem", "error=0.5", "--sem", "speed=0.25")
        self.vbo("tell", "tradeoff.db", 2, "--value", "error=1", "--value", "speed=2")
        for wrong in (["0.5"], ["error=0.5"], ["error=0.5", "speed=-1"], ["error=0.5", "speed=1", "sped=1"]):
            arguments = [word for text in wrong for word in ("--sem", text)]
            said = self.vbo("tell", "tradeoff.db", 3, "--value", "error=1", "--value", "speed=2", *arguments, expect=2).stderr
            self.assertIn("--sem error=0.1 --sem speed=0.1", said)
        self.assertEqual([trial.get("sem") for trial in self.json("trials", "tradeoff.db")],
                         [{"error": 0.5, "speed": 0.25}, None, None])
        self.assertEqual([(row["sem.error"], row["sem.speed"]) for row in self.rows()], [("0.5", "0.25"), ("", ""), ("", "")])
        self.write("past.csv", self.vbo("trials", "tradeoff.db").stdout)
        (self.folder / "tradeoff.db").unlink()
        self.vbo("import", "study.toml", "past.csv")
        self.assertEqual([trial.get("sem") for trial in self.json("trials", "tradeoff.db")], [{"error": 0.5, "speed": 0.25}, None])
        self.write("half.csv", "x,n,kind,error,speed,sem.error\n0.5,1,%s,1,2,0.5\n" % self.rows()[0]["kind"])
        self.assertIn("for each objective", self.vbo("import", "tradeoff.db", "half.csv", expect=2).stderr)

    def test_the_front_of_repeated_points_is_that_of_their_means(self):
        self.study(budget=8, more="[noise]\nrepeats = 2\n")
        self.vbo("ask", "study.toml", "-n", 4)
        for trial, error, speed in ((1, 0, 10), (2, 4, 10), (3, 1, 8), (4, 1, 8)):
            self.vbo("tell", "tradeoff.db", trial, "--value", f"error={error}", "--value", f"speed={speed}")
        front = self.json("front", "tradeoff.db")
        self.assertEqual([(t["id"], t["values"], t["evaluations"]) for t in front["trials"]],
                         [(1, {"error": 2, "speed": 10}, 2), (3, {"error": 1, "speed": 8}, 2)])
        self.assertEqual(self.json("status", "tradeoff.db")["front"]["hypervolume"], front["hypervolume"])

    def test_a_study_from_check_to_front(self):
        self.study()
        checked = self.json("check", "study.toml", "--at", "x=0.5", "--at", "n=2", "--at", "kind=plain")
        self.assertEqual(checked["values"], {"error": 0.45, "speed": 1.75})
        self.assertEqual(checked["metrics"], {"heat": 0.5})
        self.assertNotIn("value", checked)
        text = self.vbo("check", "study.toml", "--at", "x=0.5", "--at", "n=2").stdout
        self.assertIn("minimize error, maximize speed", text)
        self.assertIn("values error = 0.45, speed = 1.75", text)
        done = self.json("run", "study.toml")
        trials = self.json("trials", "tradeoff.db")
        front = self.json("front", "tradeoff.db")
        ids = self.check_front(front, trials)
        self.assertEqual(done["front"], front)
        self.assertNotIn("best", done)
        # The reference: the worst value, and a tenth of the range beyond.
        errors = [t["values"]["error"] for t in trials]
        speeds = [t["values"]["speed"] for t in trials]
        self.assertAlmostEqual(front["reference"]["error"], max(errors) + 0.1 * (max(errors) - min(errors)), 12)
        self.assertAlmostEqual(front["reference"]["speed"], min(speeds) - 0.1 * (max(speeds) - min(speeds)), 12)
        status = self.json("status", "tradeoff.db")
        self.assertEqual((status["goal"], status["best"], status["completed"]), (None, None, 24))
        self.assertEqual(status["front"]["trials"], front["trials"])
        steps = status["front"]["steps"]
        self.assertEqual(steps[-1]["size"], len(ids))
        self.assertAlmostEqual(steps[-1]["hypervolume"], front["hypervolume"], 12)
        self.assertEqual(sorted(s["hypervolume"] for s in steps), [s["hypervolume"] for s in steps])
        self.assertIn(f"{len(ids)} trade-offs, hypervolume", self.vbo("status", "tradeoff.db").stdout)
        shown = self.vbo("front", "tradeoff.db").stdout
        self.assertIn("minimize error, maximize speed", shown)
        self.assertEqual(len(shown.splitlines()), 3 + len(ids))
        self.vbo("verify", "tradeoff.db")

    def test_best_needs_weights(self):
        self.study()
        self.vbo("run", "study.toml")
        front = self.json("front", "tradeoff.db")["trials"]
        refused = self.vbo("best", "tradeoff.db", expect=2).stderr
        self.assertIn("vbo front tradeoff.db", refused)
        self.assertIn("--weights error=1,speed=1", refused)
        for error, speed in ((1, 0), (0, 1), (1, 0.5), (3, 1)):
            best = self.json("best", "tradeoff.db", "--weights", f"error={error},speed={speed}")
            expected = min(front, key=lambda t: error * t["values"]["error"] - speed * t["values"]["speed"])
            self.assertEqual(best["id"], expected["id"])
        self.assertIn("error = ", self.vbo("best", "tradeoff.db", "--weights", "error=1").stdout)
        for weights, text in (("eror=1", 'did you mean "error"?'), ("error", "expected NAME=NUMBER"), ("error=-1", "expected a finite number, 0 or more"),
                              ("error=0", "all weights are 0"), ("error=1,error=2", "a second time")):
            self.assertIn(text, self.vbo("best", "tradeoff.db", "--weights", weights, expect=2).stderr)

    def test_progress_and_summary(self):
        self.study()
        done = self.vbo("run", "study.toml")
        self.assertRegex(done.stderr, r"tradeoff: 24/24 evaluated, 0 failed, 0 running, \d+ trade-offs, hypervolume [\d.]+")
        self.assertRegex(done.stdout, r"\d+ trade-offs, hypervolume")
        self.assertIn("vbo front tradeoff.db", done.stderr)

    def test_a_given_reference_counts(self):
        self.study(reference="reference = 0.5")
        self.vbo("run", "study.toml")
        front = self.json("front", "tradeoff.db")
        self.assertEqual(front["reference"]["error"], 0.5)
        self.check_front(front, self.json("trials", "tradeoff.db"))

    def test_constraints_known_and_measured(self):
        self.study(more='[[constraint]]\nrequire = "x >= 0.1"\n[[constraint]]\nmetric = "heat"\nat_most = 0.6\n')
        self.vbo("run", "study.toml")
        trials = self.json("trials", "tradeoff.db")
        self.assertTrue(all(t["params"]["x"] >= 0.1 for t in trials))
        self.assertIn(False, [t["feasible"] for t in trials])
        front = self.json("front", "tradeoff.db")
        self.check_front(front, trials)
        self.assertTrue(all(t["metrics"]["heat"] <= 0.6 and t["feasible"] for t in front["trials"]))

    def test_nothing_is_feasible(self):
        self.study(more='[[constraint]]\nmetric = "heat"\nat_most = -1\n')
        self.assertIn("Nothing is feasible", self.vbo("run", "study.toml", expect=3).stdout)
        self.assertIn("no feasible result yet", self.vbo("front", "tradeoff.db", expect=3).stderr)
        self.assertEqual(self.json("front", "tradeoff.db", expect=3)["size"], 0)
        self.assertIn("no feasible result yet", self.vbo("best", "tradeoff.db", "--weights", "error=1", expect=3).stderr)
        self.assertIn("nothing is feasible yet", self.vbo("status", "tradeoff.db").stdout)

    def test_what_a_program_prints_wrong_is_named(self):
        names = '"error", "speed"'
        cases = {
            "3.5": "the last line it printed is 3.5, expected {",
            '{"values": {"error": 1}}': '"values" has no "speed", expected a number for each of ' + names,
            '{"values": {"error": 1, "speed": 2, "sped": 3}}': '"values" has "sped", which is no objective, did you mean "speed"?',
            '{"values": {"error": 1, "speed": "fast"}}': '"speed" in "values" is "fast", expected a number',
            '{"values": {"error": 1, "speed": NaN}}': 'the value of "speed" is nan, not a finite number',
            '{"values": [1, 2]}': '"values" is [1,2], expected an object with a number for each of ' + names,
            '{"value": 1}': 'expected "values" in it',
            '{"error": "no mesh"}': "no mesh",
            "nothing": 'no line it printed is {"values": {"error": NUMBER, "speed": NUMBER}}',
        }
        for mode in ("once", "serve"):
            for printed, message in cases.items():
                if mode == "serve" and not printed.startswith("{"):
                    continue  # chatter there
                with self.subTest(mode=mode, printed=printed):
                    line = printed if mode == "once" else printed.replace("{", '{"id": 1, ', 1)
                    self.write("f.sh", "#!/bin/sh\n" + ("" if mode == "once" else "read request\n") + f"echo '{line}'\n"
                               + ("" if mode == "once" else "sleep 100\n"))
                    self.study(["sh", "f.sh"], budget=1, workers=1, evaluate=f'mode = "{mode}"')
                    done = self.json("check", "study.toml", expect=1)
                    self.assertIn(message, done["error"])
                    self.assertIsNone(done["values"])

    def test_serve_mode_and_failures(self):
        self.write("f.py", "import json, sys\nfor line in sys.stdin:\n    job = json.loads(line)\n    x = job['params']['x']\n"
                   "    answer = {'error': 'too hot'} if x > 0.8 else {'values': {'speed': x, 'error': x * x}}\n"
                   "    print(json.dumps({'id': job['id'], **answer}), flush=True)\n")
        self.study(["python3", "f.py"], evaluate='mode = "serve"')
        self.vbo("run", "study.toml")
        trials = self.json("trials", "tradeoff.db")
        for trial in trials:
            x = trial["params"]["x"]
            self.assertEqual(trial["values"], None if x > 0.8 else {"error": x * x, "speed": x})
        self.assertIn("failed", [t["state"] for t in trials])
        self.check_front(self.json("front", "tradeoff.db"), trials)

    def test_kill_and_resume_give_the_same_study(self):
        self.study(["sh", "-c", "sleep 0.02; exec \"$@\"", "-", *PROGRAM], budget=40, workers=1, batch=1, method="cmaes")
        self.vbo("run", "study.toml")
        expected = [(t["params"], t["values"]) for t in self.json("trials", "tradeoff.db")]
        os.rename(self.path("tradeoff.db"), self.path("whole.db"))
        rng = random.Random(1)
        while True:
            process = self.start("run", "study.toml", "--quiet")
            try:
                process.wait(timeout=0.2 + 0.4 * rng.random())
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                continue
            self.assertEqual(process.returncode, 0, process.communicate())
            break
        self.assertEqual([(t["params"], t["values"]) for t in self.json("trials", "tradeoff.db")], expected)
        self.assertEqual(self.json("front", "tradeoff.db")["hypervolume"], self.json("front", "whole.db")["hypervolume"])

    def test_explain_says_what_it_gave(self):
        self.study(budget=12)
        self.vbo("run", "study.toml")
        best = self.json("best", "tradeoff.db", "--weights", "error=1")
        found = self.json("explain", "tradeoff.db", best["id"])
        self.assertEqual(found["values"], best["values"])
        self.assertIn("one of the best trade-offs", found["why"])
        self.assertIn("speed = ", self.vbo("explain", "tradeoff.db", best["id"]).stdout)

    def test_start_points_come_first(self):
        self.study(more='[[start]]\nx = 0.25\nn = 0\nkind = "plain"\n')
        self.vbo("run", "study.toml")
        self.assertEqual(self.json("trials", "tradeoff.db")[0]["values"], {"error": 0.0625, "speed": 2 - 0.75 ** 2})


class AskAndTell(Objectives):
    def test_tell_takes_a_value_for_each(self):
        self.study()
        asked = self.json("ask", "study.toml", "-n", 4)
        told = self.json("tell", "tradeoff.db", asked[0]["id"], "--value", "error=0.07", "--value", "speed=-12.5")
        self.assertEqual(told, {"id": 1, "state": "completed", "values": {"error": 0.07, "speed": -12.5}, "error": None})
        self.assertIn("error = 1, speed = 2", self.vbo("tell", "tradeoff.db", 2, "--value", "speed=2", "--value", "error=1").stdout)
        self.assertIn('"speed" is nan', self.json("tell", "tradeoff.db", 3, "--value", "speed=nan", "--value", "error=1")["error"])
        for arguments, text in (([4, 1.5], "found one value, and the study has 2 objectives, expected --value error=NUMBER --value speed=NUMBER"),
                                ([4, "--value", "error=1"], 'found none of "speed"'),
                                ([4, "--value", "error=1", "--value", "sped=1"], 'no objective is called "sped", did you mean "speed"?'),
                                ([4, "--value", "error=1", "--value", "speed=low"], 'found "low" for "speed", expected a number'),
                                ([4, "--value", "error=1", "--value", "error=2"], "a second time"),
                                ([4, 1, "--value", "error=1"], "found both VALUE and --value"),
                                ([4, "--value", "error=1", "--fail", "no"], "found both a value and --fail")):
            self.assertIn(text, self.vbo("tell", "tradeoff.db", *arguments, expect=2).stderr)
        self.assertEqual(self.json("status", "tradeoff.db")["waiting"], 1)
        # A correction, a point nobody suggested, and the same once more.
        refused = self.vbo("tell", "tradeoff.db", 2, "--value", "error=9", "--value", "speed=2", expect=2).stderr
        self.assertIn("--value error=9 --value speed=2 --replace REASON", refused)
        self.vbo("tell", "tradeoff.db", 2, "--value", "error=9", "--value", "speed=2", "--replace", "a typing error")
        at = self.json("tell", "tradeoff.db", "--at", "x=0.5", "--at", "n=3", "--at", "kind=plain", "--value", "error=0.1", "--value", "speed=1")
        self.assertEqual((at["id"], at["values"]), (5, {"error": 0.1, "speed": 1}))
        self.vbo("tell", "tradeoff.db", 1, "--value", "error=0.07", "--value", "speed=-12.5")
        self.json("ask", "tradeoff.db")  # the method learns all of it
        trials = self.json("trials", "tradeoff.db")
        self.assertEqual(trials[1]["values"], {"error": 9, "speed": 2})
        self.check_front(self.json("front", "tradeoff.db"), trials)
        self.vbo("verify", "tradeoff.db")

    def test_one_objective_takes_no_names(self):
        self.write("one.toml", '[study]\nbudget = 4\n[optimizer]\nmethod = "random"\n[[parameter]]\nname = "x"\ntype = "float"\nlow = 0\nhigh = 1\n')
        self.vbo("ask", "one.toml")
        self.assertIn('no objective is called "error"', self.vbo("tell", "one.db", 1, "--value", "error=1", expect=2).stderr)
        self.vbo("tell", "one.db", 1, "--value", "value=1.5")
        self.assertEqual(self.json("best", "one.db")["value"], 1.5)
        self.assertEqual(self.json("front", "one.db")["trials"][0]["value"], 1.5)
        self.assertIn("the study has one", self.vbo("best", "one.db", "--weights", "value=1", expect=2).stderr)

    def test_tables_out_and_in(self):
        self.study(["sh", "-c", "test $VBO_TRIAL_ID != 3 && exec \"$@\"", "-", *PROGRAM], budget=12)
        self.vbo("run", "study.toml")
        table = self.vbo("trials", "tradeoff.db").stdout
        self.assertEqual(table.splitlines()[0].split(",")[:7], ["id", "state", "values.error", "speed", "x", "n", "kind"])
        rows = self.rows()
        self.assertEqual((rows[2]["state"], rows[2]["speed"]), ("failed", ""))
        text = (self.folder / "study.toml").read_text()
        self.write("table.csv", table)
        self.write("second.toml", text.replace("tradeoff.db", "second.db"))
        self.assertEqual(self.json("import", "second.toml", "table.csv")["imported"], 12)
        self.assertEqual(self.json("import", "second.toml", "tradeoff.db")["known"], 12)
        self.assertEqual([r["speed"] for r in self.rows("second.db")][:12], [r["speed"] for r in rows])
        # Another order of the same objectives fits; another goal does not, nor fewer objectives.
        one, two = ('[[objective]]\nname = "error"\ngoal = "minimize"\n', '[[objective]]\nname = "speed"\ngoal = "maximize"\n')
        turned = text.replace("tradeoff.db", "turned.db").replace(one + "\n" + two, two + "\n" + one)
        self.assertNotEqual(turned, text.replace("tradeoff.db", "turned.db"))
        self.write("turned.toml", turned)
        self.json("import", "turned.toml", "tradeoff.db")
        self.assertEqual([t["values"] for t in self.json("trials", "turned.db")], [t["values"] for t in self.json("trials", "tradeoff.db")])
        self.write("other.toml", text.replace("tradeoff.db", "other.db").replace("maximize", "minimize"))
        self.assertIn("its goal is to minimize error, maximize speed", self.vbo("import", "other.toml", "tradeoff.db", expect=2).stderr)
        self.write("short.csv", "x,n,kind,error\n0.5,1,plain,2\n")
        self.assertIn('found no column "speed"', self.vbo("import", "other.toml", "short.csv", expect=2).stderr)


class Http(Objectives):
    def serve(self, *arguments):
        process = self.start("serve", *arguments, "--port", 0, "--quiet")
        self.url = process.stdout.readline().strip()
        self.assertTrue(self.url.startswith("http://"), self.url)

    def request(self, method, path, body=None, expect=200):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url.rstrip("/") + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        self.assertEqual(status, expect, text)
        return json.loads(text)

    def test_a_robot_with_several_objectives(self):
        self.study()
        self.serve("study.toml", "--allow-tell")
        asked = self.request("POST", "/api/ask", {"count": 4})
        self.assertEqual(self.request("GET", "/api/pending"), asked)
        told = self.request("POST", "/api/tell", {"id": 1, "values": {"error": 0.5, "speed": 3}, "metrics": {"heat": 1}})
        self.assertEqual(told, {"id": 1, "state": "completed", "values": {"error": 0.5, "speed": 3}, "error": None})
        self.request("POST", "/api/tell", {"id": 2, "values": {"error": 1, "speed": 2}, "sem": {"error": 0.1, "speed": 0.2}, "actual": {"x": 0.123}})
        at = self.request("POST", "/api/tell", {"at": {"x": 0.5, "n": 1, "kind": "plain"}, "values": {"error": 0.2, "speed": 1}})
        self.assertEqual((at["id"], at["values"]), (5, {"error": 0.2, "speed": 1}))
        self.request("POST", "/api/tell", {"id": 1, "values": {"error": 0.4, "speed": 3}, "replace": "read it wrong"})
        self.assertEqual(self.request("POST", "/api/drop", {"ids": [4], "reason": "broken"}), {"dropped": [4]})
        self.assertEqual([s["id"] for s in self.request("GET", "/api/pending")], [3])
        for body, word in (({"id": 3, "value": 1}, "values"), ({"id": 3, "values": {"error": 1}}, 'no \\"speed\\"'),
                           ({"id": 3, "values": {"error": 1, "speed": "x"}}, "values.speed"), ({"id": 3, "values": {"error": 1, "speed": 1, "sped": 1}}, "sped"),
                           ({"id": 3, "at": {}, "values": {}}, "at"), ({"id": 3}, "values"), ({"id": 3, "values": {"error": 1, "speed": 1}, "replace": ""}, "replace"),
                           ({"at": {"x": 1}, "values": {"error": 1, "speed": 1}}, "has no value"), ({"id": 3, "values": {"error": 1, "speed": 1}, "actual": 3}, "actual")):
            self.assertIn(word, json.dumps(self.request("POST", "/api/tell", body, 400)["error"]), body)
        for body in ({}, {"ids": []}, {"ids": ["a"]}, {"ids": [3], "why": "no"}):
            self.assertIn("field", self.request("POST", "/api/drop", body, 400)["error"])
        self.request("POST", "/api/drop", {"ids": [99]}, 404)
        self.request("POST", "/api/drop", {"ids": [1]}, 409)
        trials = {t["id"]: t for t in self.json("trials", "tradeoff.db")}
        self.assertEqual((trials[1]["values"], trials[2]["params"]["x"]), ({"error": 0.4, "speed": 3}, 0.123))
        self.assertEqual(trials[2]["sem"], {"error": 0.1, "speed": 0.2})
        front = self.wait_until(lambda: (lambda f: f if f["size"] == 2 else None)(self.request("GET", "/api/front")), "the front is there")
        self.assertEqual(front, self.json("front", "tradeoff.db"))
        listed = self.request("GET", "/api/trials")["trials"]
        self.assertEqual({t["id"]: t["values"] for t in listed}[5], {"error": 0.2, "speed": 1})
        study = self.request("GET", "/api/study")
        self.assertEqual((study["goal"], study["objectives"][1]), (None, {"name": "speed", "goal": "maximize"}))
        self.request("GET", "/api/drop", expect=405)

    def test_reading_only(self):
        self.study()
        self.vbo("run", "study.toml")
        self.serve("tradeoff.db")
        self.assertEqual(self.request("GET", "/api/front"), self.json("front", "tradeoff.db"))
        self.request("POST", "/api/drop", {"ids": [1]}, 403)


class Amplifier(Objectives):
    """examples/opamp, with the commands of docs/how-to/several-objectives.md."""

    def setUp(self):
        super().setUp()
        if not shutil.which("ngspice") and subprocess.run([ROOT / "scripts/bootstrap", "ngspice"]).returncode:
            self.skipTest("ngspice cannot be installed here")
        for name in ("opamp.toml", "opamp.cir.in"):
            shutil.copy(ROOT / "examples/opamp" / name, self.folder)

    def test_bandwidth_against_power(self):
        page = (ROOT / "docs/how-to/several-objectives.md").read_text()
        text = (self.folder / "opamp.toml").read_text()
        for table in re.findall(r"^(\[\[objective\]\]\n(?:.+\n)+)", page, re.M):
            for line in table.splitlines():
                self.assertIn(line, text)
        self.write("opamp.toml", text.replace("budget = 256", "budget = 48"))
        block = re.search(r"```sh\n(vbo check opamp.toml\n.*?)```", page, re.S)[1]
        for command in block.splitlines():
            self.vbo(*shlex.split(command.split(">")[0])[1:])
        front = self.json("front", "opamp.db")
        self.assertGreater(front["size"], 0)
        self.assertGreater(front["hypervolume"], 0)
        for trial in front["trials"]:
            self.assertGreaterEqual(min(trial["metrics"].values()), 60)
        why = self.json("explain", "opamp.db", 48)
        self.assertAlmostEqual(sum(why["trade_off"].values()), 1)
        self.assertRegex(why["why"], r"for the trade-off \d+% bandwidth_MHz, \d+% power_uW")
        trials = [t for t in self.json("trials", "opamp.db") if t["state"] == "completed"]
        self.assertGreater(len(trials), 24)
        self.assertIn(False, [t["feasible"] for t in trials])


class Chaos(Objectives):
    """Workers and coordinators are killed at random; the log replays bit for bit."""

    def test_a_file(self):
        self.chaos("tradeoff.db", "cmaes", HANDS, 300, 1)


if __name__ == "__main__":
    unittest.main()
