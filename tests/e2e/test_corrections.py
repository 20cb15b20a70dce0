# SPDX-License-Identifier: MIT
"""Corrections, own points, ends: what people change afterwards, and what makes a study stop."""
import csv
import io
import json
import os
import pathlib
import subprocess
import time
import unittest

from support import ROOT, VboTest

ASK_TELL = """[study]
name = "bench"
goal = "minimize"
budget = {budget}
batch = 4
seed = 1

[optimizer]
method = "{method}"

[[parameter]]
name = "temperature"
type = "float"
low = 20.0
high = 80.0
step = 0.5

[[parameter]]
name = "solvent"
type = "categorical"
choices = ["water", "ethanol"]
"""


class Corrections(VboTest):
    def bench(self, *, budget=20, method="gp-logei", more=""):
        return self.write("bench.toml", ASK_TELL.format(budget=budget, method=method) + more)

    def ask(self, count=1, *more):
        return self.json("ask", "bench.toml", "-n", count, *more)

    def test_a_result_is_replaced_with_a_reason(self):
        self.bench()
        self.ask(2)
        self.vbo("tell", "bench.db", 1, 125)
        self.vbo("tell", "bench.db", 1, 125)  # the same is fine
        refused = self.vbo("tell", "bench.db", 1, 1.25, expect=2).stderr
        self.assertIn("trial 1 has already ended: completed, value 125", refused)
        self.assertIn("vbo tell bench.db 1 1.25 --replace REASON", refused)
        self.ask(1)  # the method has heard of 125
        self.vbo("tell", "bench.db", 1, 1.25, "--replace", "decimal point")
        self.assertEqual(self.json("best", "bench.db")["value"], 1.25)
        self.vbo("tell", "bench.db", 2, "--fail", "broke")
        self.vbo("tell", "bench.db", 2, 7, "--replace", "it did not")
        self.assertEqual(self.json("status", "bench.db")["failed"], 0)
        self.assertIn("does not exist", self.vbo("tell", "bench.db", 99, 1, "--replace", "x", expect=2).stderr)

    def test_what_was_really_set(self):
        self.bench()
        suggested = self.ask()[0]["params"]
        self.vbo("tell", "bench.db", 1, 3, "--actual", "temperature=36.2")
        trial = self.json("trials", "bench.db")[0]
        self.assertEqual(trial["params"], {**suggested, "temperature": 36.2})
        self.assertEqual(trial["suggested"], suggested)
        row = next(csv.DictReader(io.StringIO(self.vbo("trials", "bench.db").stdout)))
        self.assertEqual((row["temperature"], float(row["suggested.temperature"])), ("36.2", suggested["temperature"]))
        self.assertRegex(row["finished_at"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.ask()
        for wrong, why in (("temperature=99", "expected a number from 20 to 80"), ("temprature=30", "temperature"),
                           ("solvent=oil", "water"), ("temperature", "NAME=VALUE")):
            self.assertIn(why, self.vbo("tell", "bench.db", 2, 3, "--actual", wrong, expect=2).stderr)
        self.vbo("tell", "bench.db", 1, 3, "--actual", "temperature=36.4", "--replace", "read again")
        self.assertEqual(self.json("trials", "bench.db")[0]["params"]["temperature"], 36.4)
        text = self.vbo("explain", "bench.db", 1).stdout
        self.assertIn("  temperature = 36.4\n", text)
        self.assertRegex(text, rf"Suggested was\n  temperature = {suggested['temperature']:g}\n")
        self.assertEqual(self.json("explain", "bench.db", 1)["suggested"], suggested)
        self.assertIsNone(self.json("explain", "bench.db", 2)["suggested"])

    def test_a_dropped_suggestion_is_explained(self):
        self.bench()
        params = self.ask(2)[1]["params"]
        self.vbo("drop", "bench.db", 2, "--reason", "no time")
        text = self.vbo("explain", "bench.db", 2).stdout
        self.assertRegex(text, r"^Trial 2, dropped at 20\d\d-\d\d-\d\dT\S+Z: no time\n")
        self.assertIn("Changed afterwards:", text)
        shown = self.json("explain", "bench.db", 2)
        self.assertEqual((shown["state"], shown["params"], shown["history"][0]["kind"]), ("dropped", params, "dropped"))
        self.assertIn("there is no trial 3", self.vbo("explain", "bench.db", 3, expect=2).stderr)

    def test_the_history_of_what_was_changed(self):
        self.bench()
        self.assertEqual(self.vbo("trials", "bench.db", "--history", expect=None).stdout, "")  # no study yet
        self.ask(3)
        self.assertIn("nothing was changed", self.vbo("trials", "bench.db", "--history").stdout)
        self.vbo("tell", "bench.db", 1, 125)
        self.ask(1)
        self.vbo("tell", "bench.db", 1, 12.5, "--replace", "decimal point")
        self.vbo("tell", "bench.db", 1, 1.25, "--actual", "temperature=36.2", "--replace", "and another")
        self.vbo("tell", "bench.db", 2, "--fail", "broke")
        self.vbo("retry", "bench.db", 2)
        dropped = self.json("trials", "bench.db")[2]["params"]
        self.vbo("drop", "bench.db", 3, "--reason", "no time")
        changes = self.json("trials", "bench.db", "--history")
        self.assertEqual([(c["kind"], c["id"], c["reason"]) for c in changes],
                         [("replaced", 1, "decimal point"), ("replaced", 1, "and another"), ("retried", 2, ""),
                          ("dropped", 3, "no time")])
        self.assertEqual([c["before"]["value"] for c in changes], [125, 12.5, None, None])
        self.assertEqual([c["after"] and c["after"]["value"] for c in changes], [12.5, 1.25, None, None])
        self.assertEqual(changes[1]["after"]["params"]["temperature"], 36.2)
        self.assertEqual((changes[3]["after"], changes[3]["before"]["params"]), (None, dropped))
        text = self.vbo("trials", "bench.db", "--history").stdout
        self.assertIn("trial 1 replaced (decimal point): was completed 125, became completed 12.5; ", text)
        self.assertIn("trial 2 retried: was failed: broke; ", text)
        explained = self.vbo("explain", "bench.db", 1).stdout
        self.assertIn("trial 1 replaced (and another): was completed 12.5 at ", explained)
        self.assertNotIn("trial 2", explained)
        self.assertEqual(self.json("explain", "bench.db", 1)["history"], changes[:2])
        self.ask(1)  # from now on the method knows
        self.assertTrue(all(c["event"] for c in self.json("trials", "bench.db", "--history")))

    def test_past_data_off_the_step_and_outside_constraints(self):
        self.bench(method="cmaes", more='[[constraint]]\nrequire = "temperature <= 60 or solvent == \'water\'"\n')
        self.write("past.csv", "temperature,solvent,value\n36.2,water,3\n70,ethanol,4\n40,water,5\n")
        refused = self.vbo("import", "bench.toml", "past.csv", expect=2).stderr
        self.assertIn("in steps of 0.5", refused)
        self.assertIn("does not hold", refused)
        self.assertEqual(self.json("import", "bench.toml", "past.csv", "--actual")["imported"], 3)
        self.assertEqual(self.json("import", "bench.toml", "past.csv", "--actual")["known"], 3)
        measured = [(t["params"]["temperature"], t["params"]["solvent"], t["suggested"]) for t in self.json("trials", "bench.db")]
        self.assertEqual(measured, [(36.2, "water", None), (70, "ethanol", None), (40, "water", None)])
        self.ask(6)
        self.vbo("tell", "bench.db", 1, 2, "--replace", "read again")
        self.ask(2)
        self.vbo("verify", "bench.db")
        self.assertEqual(self.json("trials", "bench.db")[0]["value"], 2)
        # Bounds hold for what is measured as well.
        self.write("hot.csv", "temperature,solvent,value\n81,water,3\n")
        self.assertIn("from 20 to 80", self.vbo("import", "bench.toml", "hot.csv", "--actual", expect=2).stderr)

    def test_what_lies_between_the_steps_takes_no_point_away(self):
        text = ASK_TELL.format(budget=20, method="random").replace("step = 0.5", "step = 20.0")
        self.write("bench.toml", text.replace('choices = ["water", "ethanol"]', 'choices = ["water"]'))
        self.assertEqual(len(self.ask(1)), 1)
        self.vbo("tell", "bench.db", 1, 3, "--actual", "temperature=44")
        self.vbo("tell", "bench.db", "--at", "temperature=80", "--at", "solvent=water", 1)
        first = self.json("trials", "bench.db")[0]["suggested"]["temperature"]
        asked = [t["params"]["temperature"] for t in self.ask(9)]
        self.assertEqual({first, 80, *asked}, {20, 40, 60, 80})
        self.assertEqual(len(asked), len(set(asked)))

    def test_drop_and_retry(self):
        self.bench()
        self.ask(3)
        self.vbo("tell", "bench.db", 1, "--fail", "power was off")
        self.assertEqual(self.json("drop", "bench.db", 2, "--reason", "no material"), {"dropped": [2]})
        self.assertIn("was dropped (no material)", self.vbo("tell", "bench.db", 2, 1, expect=2).stderr)
        self.assertIn("does not exist", self.vbo("drop", "bench.db", 17, expect=2).stderr)
        self.assertIn("already ended", self.vbo("drop", "bench.db", 3, 1, expect=2).stderr)
        self.assertEqual([t["id"] for t in self.json("trials", "bench.db")], [1, 3])
        self.assertIn("expected one that has failed", self.vbo("retry", "bench.db", 3, expect=2).stderr)
        self.assertEqual(self.json("retry", "bench.db", 1), {"waiting": [1]})
        self.assertEqual(self.json("status", "bench.db")["failed"], 0)
        self.vbo("tell", "bench.db", 1, 2.5)
        self.assertEqual(self.json("best", "bench.db")["value"], 2.5)
        self.assertEqual(self.ask()[0]["id"], 4)

    def test_more_than_the_budget_needs_a_word(self):
        self.bench(budget=3, method="random")
        self.ask(2)
        self.assertIn("--over-budget", self.vbo("ask", "bench.db", "-n", 2, expect=2).stderr)
        self.ask(1)
        self.assertIn("has room for 0 more", self.vbo("ask", "bench.db", expect=2).stderr)
        self.assertEqual(len(self.ask(2, "--over-budget")), 2)

    def test_corrected_studies_go_on_alike(self):
        """A copy made in the middle, corrected and asked alike, suggests alike: bit for bit."""
        def play(name, stop_between):
            study = ["tell", name]
            for step in range(6):
                for trial in self.json("ask", name, "-n", 2):
                    value = (trial["params"]["temperature"] - 50) ** 2
                    self.vbo(*study, trial["id"], value)
                if step == 2:
                    self.vbo(*study, 2, 1234, "--replace", "typo")
                if step == 3:
                    self.vbo("drop", name, self.json("ask", name)[0]["id"])
                    self.vbo(*study, 3, 17, "--actual", "temperature=33.3", "--replace", "read again")
                if stop_between:
                    self.vbo("ask", name, "--pending")
            return [trial["params"] for trial in self.json("trials", name)]
        self.bench(budget=100)
        self.write("second.toml", (self.folder / "bench.toml").read_text())
        self.assertEqual(play("bench.toml", False), play("second.toml", True))

    def test_start_points_come_first(self):
        self.bench(more='[[start]]\ntemperature = 60\n\n[[start]]\ntemperature = 20.5\nsolvent = "ethanol"\n')
        first, second, third = self.ask(3)
        self.assertEqual(first["params"]["temperature"], 60)
        self.assertEqual(second["params"], {"temperature": 20.5, "solvent": "ethanol"})
        self.assertEqual(self.json("explain", "bench.db", 1)["source"], "start")
        self.assertNotEqual(self.json("explain", "bench.db", 3)["source"], "start")
        for more, why in (("[[start]]\ntemperature = 60.25\n", "bench.toml:23: start 1.temperature: found 60.25, expected a number from 20 to 80 in steps of 0.5"),
                          ("[[start]]\nsolvant = \"water\"\n", "solvent")):
            self.bench(more=more)
            self.assertIn(why, self.vbo("check", "bench.toml", expect=2).stderr)

    def test_check_accepts_a_study_without_a_program(self):
        self.bench()
        done = self.vbo("check", "bench.toml")
        self.assertIn("the study file is right", done.stdout)
        self.assertIn("vbo ask bench.toml", done.stderr)
        self.assertIsNone(self.json("check", "bench.toml")["command"])


class WhileItRuns(VboTest):
    def test_import_tell_at_drop_retry_and_replace(self):
        self.study(["sh", "-c", "sleep 0.2; test $VBO_TRIAL_ID != 3 && echo {x}"], budget=60, workers=2)
        run = self.start("run", "study.toml")
        self.wait_status(lambda s: s["completed"] >= 3 and s["failed"] == 1, "some results")
        self.write("past.csv", "x,n,kind,value\n1,2,plain,0.25\n2,3,plain,0.5\n")
        done = self.json("import", "parabola.db", "past.csv")
        self.assertEqual((done["imported"], done["known"]), (2, 0))
        done = self.json("import", "parabola.db", "past.csv")
        self.assertEqual((done["imported"], done["known"]), (0, 2))
        told = self.json("tell", "parabola.db", "--at", "x=3", "--at", "n=3", "--at", "kind=plain", 0.75)
        self.assertEqual(told["value"], 0.75)
        self.vbo("tell", "parabola.db", 1, 9, "--replace", "typo")
        self.vbo("retry", "parabola.db", 3)
        suggested = self.json("ask", "parabola.db")[0]["id"]
        self.vbo("drop", "parabola.db", suggested)
        self.finish(run, 0)
        trials = {t["id"]: t for t in self.json("trials", "parabola.db")}
        self.assertNotIn(suggested, trials)
        self.assertEqual(trials[1]["value"], 9)
        self.assertEqual(trials[3]["state"], "failed")  # again, and told again
        self.assertEqual(trials[3]["attempts"], 2)
        status = self.json("status", "parabola.db")
        self.assertEqual(status["completed"] + status["failed"], 60)


class Optuna(VboTest):
    SCRIPT = """
import optuna, sys
optuna.logging.set_verbosity(optuna.logging.ERROR)
def objective(trial):
    x = trial.suggest_float("x", -5, 10); n = trial.suggest_int("n", 0, 20)
    kind = trial.suggest_categorical("kind", ["plain", "with space"])
    if trial.number == 4: raise ValueError("no")
    if trial.number == 6: raise optuna.TrialPruned()
    if trial.number == 7: return float("inf")
    return (x - 1) ** 2 + n / 10
study = optuna.create_study(storage="sqlite:///optuna.db", study_name=sys.argv[1])
study.optimize(objective, n_trials=20, catch=(ValueError,))
import json; print(json.dumps([[t.params, t.value] for t in study.trials if t.state.name == "COMPLETE"]))
"""

    def test_a_real_optuna_storage(self):
        python = pathlib.Path(os.environ.get("VBO_PYTHON_ENV", ROOT / "build/python")) / "bin/python"
        if not python.exists() or subprocess.run([python, "-c", "import optuna"], capture_output=True).returncode:
            self.skipTest("no Optuna: scripts/python-env makes the environment")
        def optuna(name):
            return json.loads(subprocess.run([python, "-c", self.SCRIPT, name], cwd=self.folder, check=True, text=True,
                                             capture_output=True).stdout)
        theirs = optuna("tuning")
        self.study(method="gp-logei", budget=100)
        done = self.json("import", "study.toml", "optuna.db")
        self.assertEqual((done["imported"], done["pruned"], done["skipped"]), (19, 1, 0))
        ours = [[t["params"], t["value"]] for t in self.json("trials", "parabola.db") if t["state"] == "completed"]
        self.assertEqual(ours, [entry for entry in theirs if entry[1] != float("inf")])
        self.assertEqual(self.json("status", "parabola.db")["failed"], 2)
        self.assertEqual(self.json("import", "study.toml", "optuna.db")["imported"], 0)
        optuna("second")
        refused = self.vbo("import", "study.toml", "optuna.db", expect=2).stderr
        self.assertIn('several Optuna studies, expected --study with one of "tuning", "second"', refused)
        self.assertEqual(self.json("import", "study.toml", "optuna.db", "--study", "second")["imported"], 19)
        self.study(name="other.toml", goal="maximize")
        text = (self.folder / "other.toml").read_text()
        self.write("other.toml", text.replace("parabola.db", "other.db"))
        self.assertIn("goal", self.vbo("import", "other.toml", "optuna.db", "--study", "second", expect=2).stderr)


class Ends(VboTest):
    def append(self, text):
        path = self.folder / "study.toml"
        path.write_text(path.read_text() + text)

    def test_stop_value(self):
        self.study(["sh", "-c", "echo $VBO_TRIAL_ID"], budget=1000, workers=1, goal="maximize")
        self.append("[stop]\nvalue = 7\n")
        done = self.json("run", "study.toml")
        self.assertEqual((done["end"], done["completed"]), ("good_enough", 7))
        self.assertEqual(self.json("run", "study.toml")["end"], "good_enough")  # and stays so
        self.assertEqual(self.json("status", "parabola.db")["completed"], 7)

    def test_time_limit_of_a_run_and_of_the_study(self):
        self.study(["sh", "-c", "sleep 0.1; echo 1"], budget=100000, workers=1)
        begin = time.monotonic()
        done = self.json("run", "study.toml", "--time-limit", 1.5)
        self.assertEqual(done["end"], "time_over")
        self.assertGreater(done["completed"], 0)
        self.append("[stop]\nseconds = 3\n")
        self.assertEqual(self.json("run", "study.toml")["end"], "time_over")
        self.assertGreater(time.monotonic() - begin, 3)
        before = self.json("status", "parabola.db")["completed"]
        self.assertEqual(self.json("run", "study.toml")["end"], "time_over")  # there is nothing left
        self.assertLessEqual(self.json("status", "parabola.db")["completed"], before + 1)

    def test_a_program_that_is_not_there_pauses_at_once(self):
        self.study(["sh", "-c", "./nowhere {x}"], budget=1000, workers=1)
        done = self.json("run", "study.toml", expect=3)
        self.assertEqual((done["end"], done["failed"]), ("setup_failure", 1))
        self.assertEqual(self.json("trials", "parabola.db")[0]["cause"], "no_program")

    def test_words_about_a_missing_program_do_not_pause(self):
        # Only the typed cause counts, whatever the message ends with.
        self.study(["sh", "-c", "echo '{\"error\": \"the tool ended with exit code 127\"}'"], budget=2, workers=1)
        done = self.json("run", "study.toml", expect=3)
        self.assertEqual((done["end"], done["failed"]), ("budget_spent", 2))

    def test_the_same_error_in_the_first_five_pauses(self):
        self.study(["false"], budget=1000, workers=1)
        done = self.vbo("run", "study.toml", expect=3)
        self.assertIn("the set-up is probably wrong", done.stdout)
        self.assertEqual(self.json("status", "parabola.db")["failed"], 5)
        # Without a change it pauses again at once.
        self.assertEqual(self.json("run", "study.toml", expect=3)["end"], "setup_failure")

    def test_different_errors_are_no_mistake(self):
        self.study(["sh", "-c", "exit $VBO_TRIAL_ID"], budget=8, workers=1)
        self.assertEqual(self.json("run", "study.toml", expect=3)["end"], "budget_spent")

    def test_a_storage_is_no_study_file(self):
        self.study(budget=2)
        self.vbo("run", "study.toml")
        text = self.vbo("run", "parabola.db", expect=2).stderr
        self.assertIn("expected the study file (.toml)", text)
        self.assertIn("vbo status parabola.db", text)
        os.rename(self.folder / "parabola.db", self.folder / "parabola")
        self.assertIn("expected the study file (.toml)", self.vbo("run", "parabola", expect=2).stderr)


if __name__ == "__main__":
    unittest.main()
