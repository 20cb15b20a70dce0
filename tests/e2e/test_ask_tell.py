# SPDX-License-Identifier: MIT
"""People and robots in the loop."""
import contextlib
import json
import signal
import sqlite3
import time
import unittest

from support import VboTest


class AskTell(VboTest):
    def test_round_trip(self):
        self.study(budget=100)
        first = self.json("ask", "study.toml", "-n", 3)
        self.assertEqual([s["id"] for s in first], [1, 2, 3])
        for suggestion in first:
            self.assertEqual(list(suggestion), ["id", "params"])
            self.assertEqual(list(suggestion["params"]), ["x", "n", "kind"])
        self.assertIn("trial 2 completed: -1.5", self.vbo("tell", "parabola.db", 2, "-1.5").stdout)
        told = self.json("tell", "study.toml", 1, "--fail", "sample broke")
        self.assertEqual((told["state"], told["value"], told["error"]), ("failed", None, "sample broke"))
        second = self.json("ask", "parabola.db")
        self.assertEqual([s["id"] for s in second], [4])
        states = {t["id"]: (t["state"], t["value"], t["error"]) for t in self.json("trials", "parabola.db")}
        self.assertEqual(states, {1: ("failed", None, "sample broke"), 2: ("completed", -1.5, None),
                                  3: ("waiting", None, None), 4: ("waiting", None, None)})
        self.assertEqual(self.json("best", "parabola.db")["id"], 2)

    def test_pending_suggestions_survive(self):
        self.study()
        asked = self.json("ask", "study.toml", "-n", 4)
        self.vbo("tell", "parabola.db", 3, 1)
        pending = self.json("ask", "parabola.db", "--pending")
        self.assertEqual(pending, [s for s in asked if s["id"] != 3])
        self.assertEqual(self.json("status", "parabola.db")["waiting"], 3)

    def test_run_takes_over_open_suggestions(self):
        self.study(budget=6)
        asked = self.json("ask", "study.toml", "-n", 2)
        self.vbo("run", "study.toml")
        trials = self.json("trials", "parabola.db")
        self.assertEqual([t["state"] for t in trials], ["completed"] * 6)
        self.assertEqual([t["params"] for t in trials[:2]], [s["params"] for s in asked])

    def test_text_for_people(self):
        self.study()
        text = self.vbo("ask", "study.toml", "-n", 2).stdout
        self.assertRegex(text, r"^1: x = .*, n = \d+, kind = .*\n2: x = ")

    def test_telling_twice_or_an_unknown_id_is_a_clear_error(self):
        self.study()
        self.vbo("ask", "study.toml")
        self.vbo("tell", "parabola.db", 1, 5)
        self.assertIn("trial 1 has already ended", self.vbo("tell", "parabola.db", 1, 6, expect=2).stderr)
        self.assertIn("trial 7 does not exist", self.vbo("tell", "parabola.db", 7, 6, expect=2).stderr)
        self.assertEqual(self.json("trials", "parabola.db")[0]["value"], 5)

    def test_values(self):
        self.study()
        self.vbo("ask", "study.toml", "-n", 6)
        for trial, (text, state) in enumerate({"-.5": "completed", "1e-3": "completed", "nan": "failed",
                                               "-inf": "failed", "+2": "completed"}.items(), start=1):
            self.assertEqual(self.json("tell", "parabola.db", trial, text)["state"], state)
        for wrong in (["abc"], [], ["1", "--fail", "x"], ['{"value": 1}']):
            self.vbo("tell", "parabola.db", 6, *wrong, expect=2)
        self.assertEqual(self.json("status", "parabola.db")["waiting"], 1)

    def test_a_study_without_evaluator(self):
        self.study()
        text = (self.folder / "study.toml").read_text()
        self.write("study.toml", text[:text.index("[evaluate]")])
        self.assertEqual(len(self.json("ask", "study.toml", "-n", 2)), 2)

    def test_a_finite_space_runs_out(self):
        self.write("small.toml", '[study]\nbudget = 10\n[optimizer]\nmethod = "random"\n[[parameter]]\nname = "a"\n'
                   'type = "int"\nlow = 1\nhigh = 3\n[evaluate]\ncommand = ["echo", "{a}"]\n')
        asked = self.json("ask", "small.toml", "-n", 5)
        self.assertEqual(sorted(s["params"]["a"] for s in asked), [1, 2, 3])
        done = self.vbo("ask", "small.db", "--json", expect=3)
        self.assertEqual(json.loads(done.stdout), [])
        self.assertIn("no more points", done.stderr)
        self.assertIn("Every point of the space has been evaluated", self.vbo("run", "small.toml").stdout)


class LongRequests(VboTest):
    """Thousands of suggestions wanted of a study that runs, with a method that takes its time for each."""

    def setUp(self):
        super().setUp()
        self.study(["sh", "-c", "sleep 0.02; echo 1.$VBO_TRIAL_ID"], budget=100_000, method="gp-ei")
        self.run_of_it = self.start("run", "study.toml")
        self.completed = self.wait_status(lambda status: status["completed"] >= 8, "the study runs")["completed"]

    def open_requests(self):
        with contextlib.closing(sqlite3.connect(self.path("parabola.db"))) as database:
            return database.execute("SELECT count FROM requests WHERE state = 'open'").fetchall()

    def test_workers_and_signals_do_not_wait_for_them(self):
        asker = self.start("ask", "study.toml", "-n", "10000", "--over-budget", "--wait", "60")
        self.wait_until(lambda: self.open_requests() and self.open_requests()[0][0] < 9_990, "some of it is there")
        before = self.wait_status(lambda status: True, "")["completed"]
        self.wait_status(lambda status: status["completed"] >= before + 8, "workers go on")
        # A short request does not wait for the long one.
        self.assertEqual(len(self.json("ask", "study.toml", "-n", "3", "--over-budget")), 3)
        self.assertIsNone(asker.poll())
        begin = time.monotonic()
        self.run_of_it.send_signal(signal.SIGINT)
        self.finish(self.run_of_it, 130)
        self.assertLess(time.monotonic() - begin, 20)
        asker.kill()
        asker.communicate()
        self.vbo("verify", "parabola.db")  # replays the study

    def test_nobody_suggests_for_one_that_is_gone(self):
        asker = self.start("ask", "study.toml", "-n", "10000", "--over-budget")
        self.wait_until(lambda: self.open_requests() and self.open_requests()[0][0] < 9_990, "some of it is there")
        asker.kill()
        self.wait_until(lambda: not self.open_requests(), "the request is gone")
        with contextlib.closing(sqlite3.connect(self.path("parabola.db"))) as database:
            handed = "SELECT count(*) FROM trials WHERE request IS NOT NULL AND state = 'completed'"
            self.wait_until(lambda: database.execute(handed).fetchone()[0] > 0, "workers evaluate what was suggested for it")

    def test_what_came_in_time_is_the_answer(self):
        some = self.vbo("ask", "study.toml", "-n", "10000", "--over-budget", "--wait", "1")
        count = len(some.stdout.splitlines())
        self.assertTrue(0 < count < 10_000, count)
        self.assertIn(f"{count} of 10000 suggestions", some.stderr)
        self.assertEqual(self.open_requests(), [])


if __name__ == "__main__":
    unittest.main()
