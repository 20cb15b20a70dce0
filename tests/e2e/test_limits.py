# SPDX-License-Identifier: MIT
"""Measured constraints from the study file to the exit code: metric, at_most, at_least."""
import csv
import io
import json
import unittest

from support import STUDY, VboTest, toml

# The best value, at x = 1, has far too much stress.
COMMAND = ["awk", 'BEGIN {printf "{\\"value\\": %.17g, \\"metrics\\": {\\"stress\\": %.17g, \\"mass\\": 2}}\\n", '
                  '({x} - 1) ^ 2 + {n} / 10, 100 * {x}}']
LIMIT = '[[constraint]]\nmetric = "stress"\nat_most = {bound}\n'


class Limits(VboTest):
    def limited(self, bound, command=None, name="study.toml", extra="", **more):
        more = {"budget": 24, "batch": 4, "workers": 2, "goal": "minimize", "method": "random",
                "evaluate": "retries = 0", **more}
        text = STUDY.format(command=toml(command or COMMAND), **more)
        return self.write(name, text.replace("[evaluate]", LIMIT.format(bound=bound) + extra + "[evaluate]"))

    def test_best_is_the_best_feasible_result(self):
        self.vbo("run", self.limited(-100))  # x <= -1
        trials = self.json("trials", "parabola.db")
        feasible = [t for t in trials if t["metrics"]["stress"] <= -100]
        self.assertTrue(0 < len(feasible) < len(trials))
        for trial in trials:
            self.assertEqual(trial["feasible"], trial in feasible)
            self.assertEqual(trial["violation"] == 0, trial in feasible)
        wanted = min(feasible, key=lambda t: (t["value"], t["id"]))
        self.assertGreater(wanted["value"], min(t["value"] for t in trials))
        best = self.json("best", "parabola.db")
        self.assertEqual((best["id"], best["feasible"]), (wanted["id"], True))
        self.assertEqual(best["metrics"], wanted["metrics"])
        self.assertIn("stress = ", self.vbo("best", "parabola.db").stdout)
        status = self.json("status", "parabola.db")
        self.assertEqual(status["feasible"], len(feasible))
        self.assertEqual(status["best"]["id"], wanted["id"])
        self.assertEqual(status["curve"][-1]["id"], wanted["id"])
        self.assertIn(f"feasible     {len(feasible)} of {len(trials)} results", self.vbo("status", "parabola.db").stdout)
        rows = list(csv.DictReader(io.StringIO(self.vbo("trials", "parabola.db").stdout)))
        self.assertEqual(sum(row["feasible"] == "true" for row in rows), len(feasible))
        self.assertEqual({row["metrics.mass"] for row in rows}, {"2"})

    def test_only_a_feasible_result_is_good_enough(self):
        done = self.json("run", self.limited(-300, extra="[stop]\nvalue = 20.0\n", budget=400))  # x <= -3: value >= 16
        self.assertEqual(done["end"], "good_enough")
        values = [t["value"] for t in self.json("trials", "parabola.db") if t["state"] == "completed" and not t["feasible"]]
        self.assertLess(min(values), 16)  # which did not end it
        best = self.json("best", "parabola.db")
        self.assertTrue(best["feasible"] and 16 <= best["value"] <= 20, best)

    def test_nothing_feasible_is_exit_3_and_the_least_violating_result(self):
        out = self.vbo("run", self.limited(-1e6), expect=3).stdout
        self.assertIn("State: no feasible point yet.\n", out)
        self.assertIn("Nothing is feasible", out)
        self.assertIn("  state        no feasible point yet\n", self.vbo("status", "parabola.db").stdout)
        trials = self.json("trials", "parabola.db")
        least = min(trials, key=lambda t: t["metrics"]["stress"])
        shown = self.vbo("best", "parabola.db", "--json", expect=3)
        self.assertEqual(json.loads(shown.stdout)["id"], least["id"])
        self.assertEqual(json.loads(shown.stdout)["feasible"], False)
        self.assertIn("least violating", shown.stderr)
        self.assertIn("violated", self.vbo("best", "parabola.db", expect=3).stdout)
        status = self.json("status", "parabola.db")
        self.assertEqual((status["feasible"], status["curve"]), (0, []))

    def test_check_says_which_limits_hold_and_by_how_much(self):
        self.limited(150, extra='[[constraint]]\nmetric = "mass"\nat_least = 0.1\nat_most = 0.4\n')
        out = self.vbo("check", "study.toml", "--at", "x=1").stdout
        self.assertIn("limit  stress = 100, at most 150: holds by 50\n", out)
        self.assertIn("limit  mass = 2, in [0.1, 0.4]: violated by 1.6\n", out)
        stress, mass = self.json("check", "study.toml", "--at", "x=1.5")["limits"]
        self.assertEqual((stress["metric"], stress["at_least"], stress["at_most"], stress["measured"], stress["room"]),
                         ("stress", None, 150, 150, 0))
        self.assertTrue(stress["holds"] and stress["active"])
        self.assertEqual((mass["holds"], mass["active"], mass["at_least"]), (False, False, 0.1))
        self.assertAlmostEqual(mass["room"], -1.6)

    def test_what_keeps_the_best_result_from_being_better(self):
        self.limited(150, extra='[[start]]\nx = 1.499\nn = 0\nkind = "plain"\n', budget=1)
        self.vbo("run", "study.toml")
        status = self.json("status", "parabola.db")["best"]
        self.assertEqual([(at["metric"], at["active"]) for at in status["limits"]], [("stress", True)])
        self.assertEqual(status["at_bounds"], [{"parameter": "n", "bound": 0, "side": "low"}])
        best = self.json("best", "parabola.db")
        self.assertEqual((best["limits"], best["at_bounds"]), (status["limits"], status["at_bounds"]))
        for command in ("status", "best"):
            text = self.vbo(command, "parabola.db").stdout
            self.assertIn("stress = 149.9, at most 150: holds by 0.1, active\n", text)
            self.assertIn("n is at its lower bound, 0: consider widening\n", text)
            self.assertNotIn("x is at", text)

    def test_a_missing_metric_is_a_failure_that_says_so(self):
        self.vbo("run", self.limited(0, command=["awk", "BEGIN {print {x}}"], budget=4), expect=None)
        for trial in self.json("trials", "parabola.db"):
            self.assertEqual(trial["state"], "failed")
            self.assertIn('the metric "stress" is missing', trial["error"])

    def test_who_tells_by_hand_is_reminded(self):
        self.limited(250)
        self.vbo("ask", "study.toml")
        told = self.vbo("tell", "study.toml", 1, 0.5, expect=2)
        self.assertIn('metric "stress" is missing', told.stderr)
        self.vbo("tell", "study.toml", 1, 0.5, "--metric", "stress=240")
        self.assertTrue(self.json("best", "study.toml")["feasible"])

    def test_limits_are_part_of_the_study(self):
        self.vbo("run", self.limited(0, budget=4), expect=None)
        self.assertIn("limits", self.vbo("run", self.limited(1, budget=4), expect=2).stderr)

    def test_wrong_limits(self):
        for lines, wanted in {
            'metric = "stress"\n': "constraint 1.at_most: missing, expected at_most or at_least",
            "at_most = 3\n": "constraint 1.metric: missing",
            'metric = "stress"\nat_most = "3"\n': "constraint 1.at_most: found",
            'metric = "stress"\nat_most = nan\n': "expected a finite number",
            'metric = "stress"\nat_most = 1\nat_least = 2\n': "constraint 1.at_least: found 2, expected a number not above at_most",
            'metric = "stress"\nat_mots = 1\n': 'did you mean "at_most"?',
            'metric = "stress"\nat_most = 1\nrequire = "x < 1"\n': "found both require and metric",
        }.items():
            text = STUDY.format(command=toml(COMMAND), budget=4, batch=1, workers=1, goal="minimize",
                                method="random", evaluate="")
            self.write("study.toml", text.replace("[evaluate]", "[[constraint]]\n" + lines + "[evaluate]"))
            self.assertIn(wanted, self.vbo("check", "study.toml", expect=2).stderr)

    def test_a_task_brings_its_limits(self):
        self.write("vessel.toml", '[study]\nbudget = 32\nbatch = 8\n[optimizer]\nmethod = "vbo"\n'
                                  '[evaluate]\ntask = "pressure-vessel"\n')
        self.vbo("run", "vessel.toml", expect=None)
        trial = self.json("trials", "vessel.db")[0]
        self.assertEqual(set(trial["metrics"]), {"shell_load", "head_load", "volume", "longest"})
        self.assertIn("feasible", trial)


if __name__ == "__main__":
    unittest.main()
