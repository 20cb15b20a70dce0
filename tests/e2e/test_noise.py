# SPDX-License-Identifier: MIT
"""Programs that give another value each time."""
import csv
import io
import json
import unittest

from support import VboTest

# (x - 1)^2 + n / 10 with noise from the seed it gets; says in a file what it was given.
NOISY = ["python3", "-c", "import json, os, random, sys\n"
         "seed = int(sys.argv[1])\n"
         "p = json.loads(os.environ['VBO_PARAMS'])\n"
         "with open('given', 'a') as f: print(os.environ['VBO_TRIAL_ID'], seed, os.environ['VBO_SEED'],"
         " os.environ['VBO_REPEAT'], file=f)\n"
         "print((p['x'] - 1) ** 2 + p['n'] / 10 + 3 * random.Random(seed).gauss(0, 1))", "{seed}"]
REPEATS = "\n[noise]\nrepeats = 3\n"


class Noise(VboTest):
    def repeated(self, **options):
        self.study(NOISY, workers=2, batch=6, evaluate=REPEATS, **options)

    def given(self):
        return [[int(number) for number in line.split()] for line in (self.folder / "given").read_text().splitlines()]

    def test_every_point_is_evaluated_so_many_times_with_other_seeds(self):
        self.repeated(budget=18)
        self.vbo("run", "study.toml")
        trials = self.json("trials", "parabola.db")
        self.assertEqual(len(trials), 18)
        points = {}
        for trial in trials:
            points.setdefault(trial.get("repeat_of", trial["id"]), []).append(trial)
        self.assertEqual(len(points), 6)
        for same in points.values():
            self.assertEqual([trial.get("repeat", 1) for trial in same], [1, 2, 3])
            self.assertEqual(len({json.dumps(trial["params"]) for trial in same}), 1)
            self.assertEqual(len({trial["value"] for trial in same}), 3)
        given = self.given()
        self.assertEqual(len({seed for _, seed, _, _ in given}), 18)
        repeats = {trial["id"]: trial.get("repeat", 1) for trial in trials}
        for trial, seed, variable, repeat in given:
            self.assertEqual(seed, variable)
            self.assertEqual(repeat, repeats[trial])

    def test_a_small_space_is_sampled_again(self):
        program = ["python3", "-c", "import random, sys\nn, seed = int(sys.argv[1]), int(sys.argv[2])\n"
                   "print(abs(n - 2.2) + float(sys.argv[3]) * random.Random(seed).gauss(0, 1))", "{n}", "{seed}"]
        for noise, trials in (("0.5", 30), ("0", 7)):
            self.write("small.toml", f"""
[study]
budget = 30
batch = 4
[[parameter]]
name = "n"
type = "int"
low = 0
high = 5
[evaluate]
command = {json.dumps([*program, noise])}
workers = 3
""")
            ended = self.vbo("run", "small.toml", expect=None)
            found = self.json("trials", "small.db")
            self.assertEqual({trial["params"]["n"] for trial in found[:6]}, set(range(6)))
            self.assertEqual(self.json("best", "small.db")["params"]["n"], 2)
            self.assertEqual(len(found), trials)
            self.assertEqual("Every point of the space" in ended.stderr + ended.stdout, noise == "0")
            self.assertIn("of this finite space", self.vbo("explain", "small.db", 7).stdout)
            self.vbo("verify", "small.db")
            (self.folder / "small.db").unlink()

    def test_the_table_has_the_columns_and_can_be_imported(self):
        self.repeated(budget=18)
        self.vbo("run", "study.toml")
        text = self.vbo("trials", "parabola.db").stdout
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual([row["repeat"] for row in rows[:3]], ["1", "2", "3"])
        self.assertEqual([row["repeat_of"] for row in rows[:3]], ["", "1", "1"])
        known = [(t["params"], t["value"], t.get("repeat_of"), t.get("repeat"))
                 for t in self.json("trials", "parabola.db")]
        self.write("past.csv", text)
        (self.folder / "parabola.db").unlink()
        self.vbo("import", "study.toml", "past.csv")
        self.assertEqual([(t["params"], t["value"], t.get("repeat_of"), t.get("repeat"))
                          for t in self.json("trials", "parabola.db")], known)

    def test_suggestions_say_what_they_repeat(self):
        self.repeated(budget=18)
        asked = self.json("ask", "study.toml", "-n", 4)
        self.assertEqual([s.get("repeat_of") for s in asked], [None, 1, 1, None])
        self.assertEqual(asked[0]["params"], asked[2]["params"])
        self.vbo("tell", "parabola.db", 1, 5)
        self.vbo("drop", "parabola.db", 2)
        asked = self.json("ask", "study.toml")  # the one that was dropped is made up for
        self.assertEqual([s.get("repeat_of") for s in asked], [1])

    def test_later_runs_complete_what_an_earlier_one_began(self):
        self.repeated(budget=7, method="gp-logei")
        text = (self.folder / "study.toml").read_text()
        for budget in (7, 16, 24):
            self.write("study.toml", text.replace("budget = 7", f"budget = {budget}"))
            self.vbo("run", "study.toml")
        count = {}
        for trial in self.json("trials", "parabola.db"):
            self.assertEqual(trial["state"], "completed")
            first = trial.get("repeat_of", trial["id"])
            count[first] = count.get(first, 0) + 1
        self.assertEqual(list(count.values()), [3] * 8)

    def test_auto_evaluates_leading_points_again_and_only_under_noise(self):
        auto = '\n[noise]\nrepeats = "auto"\n'
        self.study(NOISY, budget=120, batch=6, workers=1, method="sobol", evaluate=auto)
        self.vbo("run", "study.toml")
        trials = self.json("trials", "parabola.db")
        again = [trial for trial in trials if "repeat_of" in trial]
        self.assertGreaterEqual(len(again), 6)
        params = {trial["id"]: trial["params"] for trial in trials}
        self.assertTrue(all(trial["params"] == params[trial["repeat_of"]] for trial in again))
        (self.folder / "parabola.db").unlink()
        self.study(budget=120, batch=6, workers=1, method="sobol", evaluate=auto)
        self.vbo("run", "study.toml")
        trials = self.json("trials", "parabola.db")
        self.assertEqual((len(trials), len([trial for trial in trials if "repeat_of" in trial])), (120, 1))

    def test_what_is_wrong_is_said(self):
        self.study(evaluate='\n[noise]\nrepeats = "often"\n')
        said = self.vbo("run", "study.toml", expect=2).stderr
        self.assertIn("noise.repeats: found 'often', expected \"auto\" or a whole number from 1 to 1000", said)
        self.study(evaluate="\n[noise]\nrepeat = 3\n")
        self.assertIn("noise.repeat", self.vbo("run", "study.toml", expect=2).stderr)
        self.study(evaluate="env = {VBO_SEED = \"1\"}")
        self.assertIn("evaluate.env.VBO_SEED", self.vbo("run", "study.toml", expect=2).stderr)

    def test_the_best_point_has_an_interval(self):
        self.study(NOISY, budget=60, workers=2, batch=6, method="sobol")
        self.vbo("run", "study.toml")
        best = self.json("best", "parabola.db")
        self.assertEqual(best["noise"]["verdict"], "present")
        self.assertLess(best["estimate"]["low"], best["estimate"]["mean"])
        self.assertLess(best["estimate"]["mean"], best["estimate"]["high"])
        self.assertTrue(0 <= best["estimate"]["chance"] <= 1)
        self.assertAlmostEqual(best["noise"]["deviation"], 3, delta=1.5)
        text = self.vbo("best", "parabola.db").stdout
        self.assertIn("90% interval", text)
        self.assertIn("noise of one result", text)
        status = self.json("status", "parabola.db")
        self.assertEqual(status["recommendation"]["id"], best["id"])
        self.assertIn("90% interval", self.vbo("status", "parabola.db").stdout)
        # The best single result is luckier than what is estimated, and nothing calls it best.
        lucky = min(self.json("trials", "parabola.db"), key=lambda trial: trial["value"])
        self.assertEqual(status["luckiest"]["id"], lucky["id"])
        self.assertLess(lucky["value"], best["estimate"]["mean"])
        self.assertEqual(status["best"]["id"], best["id"])
        text = self.vbo("status", "parabola.db").stdout
        self.assertIn(f"best         trial {best['id']}, by its estimate", text)
        self.assertIn(f"of trial {lucky['id']}.", text)
        mean = f"{best['estimate']['mean']:.6g}"
        self.assertIn(f"best by its estimate {mean} (trial {best['id']})", self.vbo("plot", "parabola.db").stdout)
        again = self.vbo("run", "study.toml")
        self.assertIn(f"Best by its estimate: trial {best['id']}", again.stdout)
        self.assertIn("90% interval", again.stdout)
        self.assertIn(f"best estimate {mean} (trial {best['id']})", again.stderr.splitlines()[1])  # of the progress
        found = self.json("run", "study.toml")
        self.assertEqual((found["best"]["id"], found["estimate"]), (best["id"], best["estimate"]))

    def test_explain_compares_with_the_best_by_its_estimate(self):
        self.study(NOISY, budget=60, workers=2, batch=6, method="gp-logei")
        self.vbo("run", "study.toml")
        trials = self.json("trials", "parabola.db")
        found = self.json("explain", "parabola.db", 60)
        before = min(trial["value"] for trial in trials[:54])
        self.assertGreater(found["best_before"], before)
        self.assertIn("by its estimate)", found["why"])

    def test_without_noise_it_says_so(self):
        self.study(budget=60, workers=2, batch=6, method="sobol")
        self.vbo("run", "study.toml")
        text = self.vbo("best", "parabola.db").stdout
        self.assertIn("no noise detected", text)
        self.assertNotIn("+-", text)
        self.assertIn(f"Best {self.json('best', 'parabola.db')['value']:.6g}  (trial", self.vbo("run", "study.toml").stdout)
        self.assertEqual(self.json("best", "parabola.db")["value"],
                         min(trial["value"] for trial in self.json("trials", "parabola.db")))

    def test_standard_errors(self):
        self.study(["echo", '{"value": 2.5, "sem": 0.25}'], budget=2)
        self.vbo("run", "study.toml")
        self.assertEqual([trial["sem"] for trial in self.json("trials", "parabola.db")], [0.25, 0.25])
        self.vbo("ask", "parabola.db", "-n", 2, "--over-budget")
        self.vbo("tell", "parabola.db", 3, 1.5, "--sem", 0.5)
        self.assertIn("--sem", self.vbo("tell", "parabola.db", 4, 1.5, "--sem", "-1", expect=2).stderr)
        rows = list(csv.DictReader(io.StringIO(self.vbo("trials", "parabola.db").stdout)))
        self.assertEqual([row["sem"] for row in rows], ["0.25", "0.25", "0.5", ""])
        self.write("past.csv", "x,n,kind,value,sem\n1,2,plain,3.5,0.125\n2,2,plain,3.5,\n")
        self.vbo("import", "parabola.db", "past.csv")
        self.assertEqual([trial.get("sem") for trial in self.json("trials", "parabola.db")][4:], [0.125, None])
        self.write("wrong.csv", "x,n,kind,value,sem\n1,2,plain,3.5,-1\n")
        self.assertIn("sem: found", self.vbo("import", "parabola.db", "wrong.csv", expect=2).stderr)


if __name__ == "__main__":
    unittest.main()
