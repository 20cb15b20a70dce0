#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Users from the first command to the answer: a training script, a robot, three workers on a server. Those with a
circuit and an aerofoil are in test_objectives.py and test_files.py."""
import csv
import json
import re
import signal
import unittest
import urllib.error
import urllib.request

import postgres
from support import PATIENCE, VboTest, toml

TRAIN = """import json, os, random, sys
rate, width, kind = float(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
rng = random.Random(int(os.environ["VBO_SEED"]))
print("epoch  loss")
for epoch in range(3):
    loss = (rate - 0.02) ** 2 * 400 + 20 / width + 0.2 / (epoch + 1) + (0.1 if kind == "sgd" else 0)
    print(f"{epoch:5}  {loss:.4f}")
if width * rate > 60:
    sys.exit("CUDA out of memory")
print(json.dumps({RESULT}))
"""

STUDY = """[study]
name = "training"
goal = "minimize"
budget = {budget}
batch = 4
seed = 3
storage = {storage}

[[parameter]]
name = "rate"
type = "float"
low = 1e-4
high = 1.0
log = true

[[parameter]]
name = "width"
type = "int"
low = 8
high = 512

[[parameter]]
name = "kind"
type = "categorical"
choices = ["adam", "sgd"]
"""

EVALUATE = """
[evaluate]
command = {command}
workers = 2
retries = 0
"""


class User(VboTest):
    def study(self, *, budget=24, storage="training.db", more="", command=("python3", "train.py", "{rate}", "{width}", "{kind}")):
        text = STUDY.format(budget=budget, storage=json.dumps(storage)) + (EVALUATE.format(command=toml(list(command))) if command else "")
        return self.write("training.toml", text + more)

    def train(self, result):
        self.write("train.py", TRAIN.replace("RESULT", result))


class Training(User):
    def test_from_a_script_that_fails_to_the_answer(self):
        limit = '\n[[constraint]]\nmetric = "seconds"\nat_most = 2.5\n'
        # The script forgets to report what the study limits.
        self.train('"value": loss')
        self.study(more=limit)
        checked = self.vbo("check", "training.toml", "--at", "rate=0.01", expect=1)
        self.assertIn("seconds", checked.stdout)
        self.train('"value": loss, "metrics": {"seconds": width / 128}')
        checked = self.vbo("check", "training.toml", "--at", "rate=0.01", "--at", "width=128", "--at", "kind=adam").stdout
        self.assertRegex(checked, r'line   \{"value": 0\.\d+, "metrics": \{"seconds": 1\.0\}\}')
        self.assertIn("limit  seconds = 1, at most 2.5: holds by 1.5", checked)
        self.assertIn("method auto chose", checked)
        # Interrupted and continued.
        process = self.start("run", "training.toml")
        self.wait_status(lambda s: s["completed"] + s["failed"] >= 4, "it has begun", db="training.db")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertRegex(err + out, r"Interrupted|24 of 24")
        done = self.vbo("run", "training.toml")
        self.assertIn("24 of 24 evaluations", done.stdout)
        self.assertRegex(done.stdout, r"Another 4 evaluations: \d+% likely to bring a better result")
        status = self.vbo("status", "training.db").stdout
        self.assertRegex(status, r"\n  state +\w+")
        self.assertRegex(status, r"\n  next batch   of 4: \d+% likely")
        shown = self.json("status", "training.db")["next_batch"]
        self.assertEqual(shown["batch"], 4)
        self.assertAlmostEqual(shown["expected_gain"], shown["chance"] * shown["gain"])
        # Why, in sentences.
        why = self.vbo("explain", "training.db", 20).stdout
        self.assertRegex(why, r"It (gave|failed)")
        # A change of mind: another method, more budget, wider bounds.
        text = (self.folder / "training.toml").read_text()
        self.write("training.toml", text.replace("budget = 24", "budget = 32").replace("high = 512", "high = 640")
                   + '\n[optimizer]\nmethod = "turbo"\n')
        self.vbo("run", "training.toml")
        self.assertIn("until then method auto, batch 4", self.vbo("trials", "training.db", "--history").stdout)
        self.assertEqual(self.json("status", "training.db")["method"], "turbo")
        best = self.json("best", "training.db")
        self.assertLess(best["value"], 0.6)
        self.assertLessEqual(best["metrics"]["seconds"], 2.5)
        self.vbo("verify", "training.db")
        self.vbo("export", "training.db", "--csv", "all.csv")
        self.assertEqual(len(list(csv.DictReader((self.folder / "all.csv").open()))), 32)

    def test_a_wrong_command_is_found_out_at_once(self):
        self.train('"value": loss')
        self.study(command=("python3", "trian.py", "{rate}"))
        done = self.vbo("run", "training.toml", expect=3)
        self.assertIn("trian.py", done.stdout)  # the last line of standard error
        self.assertIn("the set-up is probably wrong", done.stdout)
        self.study()
        self.vbo("run", "training.toml")
        self.assertEqual(self.json("status", "training.db")["completed"] + self.json("status", "training.db")["failed"], 24)


class Robot(User):
    def post(self, path, body, expect=200):
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read()
        self.assertEqual(status, expect, text)
        return json.loads(text)

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=PATIENCE) as answer:
            return json.load(answer)

    def test_a_plate_of_experiments(self):
        """A study without a program begins with its server; results, failures, corrections, and a person beside it."""
        self.study(command=None)
        self.assertIn("vbo serve training.toml --allow-tell", self.vbo("serve", "training.toml", expect=2).stderr)
        server = self.start("serve", "training.toml", "--port", 0, "--allow-tell")
        self.url = server.stdout.readline().strip()
        plate = self.post("api/ask", {"count": 4})
        self.assertEqual(self.get("api/pending"), plate)
        value = lambda p: (p["rate"] - 0.1) ** 2 + 5 / p["width"]
        for suggestion in plate[:2]:
            self.post("api/tell", {"id": suggestion["id"], "value": value(suggestion["params"]), "metrics": {"ph": 7}})
        self.post("api/tell", {"id": plate[2]["id"], "error": "the vial broke"})
        self.post("api/drop", {"ids": [plate[3]["id"]], "reason": "the power went"})
        # What was really dosed, a result read wrongly, an experiment of last week, a repeat with its error.
        more = self.post("api/ask", {"count": 2})
        self.post("api/tell", {"id": more[0]["id"], "value": 0.9, "actual": {"rate": 0.123}})
        self.post("api/tell", {"id": more[1]["id"], "value": 9.0, "sem": 0.1})
        self.post("api/tell", {"id": more[1]["id"], "value": 0.8, "replace": "a decimal point"})
        self.post("api/tell", {"at": {"rate": 0.2, "width": 100, "kind": "sgd"}, "value": 0.7})
        self.assertIn("error", self.post("api/tell", {"id": 99, "value": 1}, 404))
        # A person tells from a terminal meanwhile.
        mine = self.json("ask", "training.db", "-n", 1)
        self.vbo("tell", "training.db", mine[0]["id"], 0.65)
        status = self.wait_until(lambda: (lambda s: s if s["completed"] == 6 else None)(self.get("api/study")), "all are there")
        self.assertEqual((status["failed"], status["waiting"]), (1, 0))
        server.send_signal(signal.SIGINT)
        self.finish(server, 0)
        history = self.vbo("trials", "training.db", "--history").stdout
        for word in ("a decimal point", "the power went"):
            self.assertIn(word, history)
        self.assertIn("a decimal point", self.vbo("explain", "training.db", more[1]["id"]).stdout)
        trials = {t["id"]: t for t in self.json("trials", "training.db")}
        self.assertEqual(trials[more[0]["id"]]["params"]["rate"], 0.123)
        self.assertEqual(trials[plate[2]["id"]]["error"], "the vial broke")
        # The robot was switched off; it goes on where it was.
        again = self.start("serve", "training.toml", "--port", 0, "--allow-tell")
        self.url = again.stdout.readline().strip()
        self.assertEqual(len(self.post("api/ask", {"count": 3})), 3)
        self.vbo("verify", "training.db")


class Cluster(User):
    @classmethod
    def setUpClass(cls):
        cls.server = postgres.Server()
        cls.addClassCleanup(cls.server.end)

    def test_three_workers_on_a_server(self):
        url = f"{self.server.url}&study=shared"
        self.train('"value": loss, "metrics": {"seconds": width / 128}')
        self.study(budget=60, storage=url)
        text = (self.folder / "train.py").read_text()
        self.write("train.py", "import time; time.sleep(0.1)\n" + text)
        workers = [self.start("work", "training.toml", "--workers", 1, "--name", name) for name in ("ada", "bob", "eve")]
        coordinator = self.start("run", "training.toml", "--workers", 0)

        def look():
            done = self.vbo("status", url, "--json", expect=None)
            return json.loads(done.stdout) if done.returncode == 0 else None
        running = self.wait_until(lambda: (lambda s: s if s and s["completed"] + s["failed"] >= 10 else None)(look()), "ten results")
        self.assertLessEqual(running["running"], 6)  # the next one of a worker starts while its last is stored
        workers[1].kill()  # its trial goes to another
        self.finish(coordinator, 0)
        for worker in (workers[0], workers[2]):
            self.assertIn("the study has ended", self.finish(worker, 0)[0])
        status = self.json("status", url)
        self.assertEqual(status["completed"] + status["failed"], 60)
        counted = {w["name"]: w["evaluations"] for w in status["workers"]}
        self.assertEqual(sum(counted.values()), 60)
        self.assertTrue(counted["ada"] > 5 and counted["eve"] > 5, counted)
        # The ends are told by the workers' clocks, to some milliseconds.
        ran = [[t[key] for key in ("started_at", "finished_at")] for t in self.json("trials", url)]
        for start, _ in ran:
            self.assertLessEqual(sum(begin <= start < end - 0.05 for begin, end in ran), 3)
        self.assertRegex(self.vbo("studies", self.server.url).stdout, r"training +auto +60/60")
        # With the numbers of a URL in a hint, ready for a shell.
        hint = self.vbo("explain", url, 99, expect=None).stderr
        self.assertIn(f"vbo trials '{url}'", hint)
        self.assertRegex(self.vbo("report", url, "--output", "page.html").stdout, "page.html")
        self.assertTrue(re.search("x-vbo-study", (self.folder / "page.html").read_text()))


if __name__ == "__main__":
    unittest.main()
