#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a new user meets in the first hour: the default method, a wrong set-up, checks, explanations."""
import csv
import io
import json
import re
import signal
import time
import unittest
import urllib.request

from support import VboTest

# Fails with a reason on standard error, as a simulator does.
BROKEN = ["sh", "-c", "echo reading deck >&2; echo 'no license for ngspice' >&2; exit 1"]


class Defaults(VboTest):
    def without_method(self, **more):
        text = (self.folder / self.study(**more)).read_text()
        self.write("study.toml", text.replace('[optimizer]\nmethod = "random"\n', ""))

    def test_auto_is_the_default_and_says_why(self):
        self.without_method(budget=6)
        err = self.vbo("run", "study.toml").stderr
        self.assertIn("vbo: auto chose gp-logei: with a budget of 6", err)
        self.assertEqual(self.json("status", "parabola.db")["method"], "auto")
        self.assertIn("method auto chose gp-logei", self.vbo("check", "study.toml").stdout)

    def test_a_stored_study_keeps_its_method(self):
        self.study(budget=4, method="sobol")
        self.vbo("run", "study.toml")
        self.without_method(budget=6)
        self.vbo("run", "study.toml")
        status = self.json("status", "parabola.db")
        self.assertEqual((status["method"], status["completed"]), ("sobol", 6))

    def test_init_writes_auto(self):
        self.vbo("init", "new.toml")
        self.assertIn('method = "auto"', (self.folder / "new.toml").read_text())


class Failures(VboTest):
    def test_a_wrong_set_up_says_why_and_how_to_go_on(self):
        self.study(BROKEN, budget=40, workers=1)
        done = self.vbo("run", "study.toml", expect=3)
        self.assertIn("the set-up is probably wrong", done.stdout)
        self.assertIn("Reason (5 of 5 failures): ", done.stdout)
        self.assertIn("Last line of its standard error: no license for ngspice", done.stdout)
        steps = done.stderr[done.stderr.index("Next:"):].splitlines()
        self.assertIn("vbo check study.toml", steps[1])
        self.assertIn("vbo retry study.toml --failed", steps[2])
        # Without a change it pauses again at once, after the same evaluations.
        again = self.vbo("run", "study.toml", expect=3)
        self.assertIn("failed, all in the same way; evaluating them again", again.stderr)
        self.assertIn("the set-up is probably wrong", again.stdout)
        self.assertEqual(self.json("status", "parabola.db")["failed"], 5)
        # Repaired, none of the budget is gone.
        self.study(budget=40, workers=1)
        self.vbo("run", "study.toml")
        status = self.json("status", "parabola.db")
        self.assertEqual((status["completed"], status["failed"]), (40, 0))

    def test_when_everything_fails_that_is_the_headline(self):
        self.study(["sh", "-c", 'echo "cannot solve $VBO_TRIAL_ID" >&2; exit $VBO_TRIAL_ID'], budget=6, workers=1)
        done = self.vbo("run", "study.toml", expect=3)
        self.assertIn("Every evaluation has failed.", done.stdout)
        self.assertRegex(done.stdout, r"eason \(\d of 6 failures\): ")
        code = re.search(r"exit code (\d)\n", done.stdout)[1]  # the reason and the line are of one trial
        self.assertIn(f"(1 of 6 failures): the evaluator ended with exit code {code}\n", done.stdout)
        self.assertIn(f"Last line of its standard error: cannot solve {code}\n", done.stdout)
        self.assertNotIn("budget is spent", done.stdout)
        steps = done.stderr[done.stderr.index("Next:"):].splitlines()[1:]
        self.assertEqual([" ".join(step.split()[:3]) for step in steps],
                         ["vbo trials parabola.db", "vbo retry study.toml", "vbo run study.toml"])
        self.assertIn("--state failed", steps[0])
        self.assertIn("--failed", steps[1])
        status = self.vbo("status", "parabola.db").stdout
        self.assertIn("evaluated    6 of 6, all failed\n", status)
        self.assertNotIn("100 %", status)
        self.assertRegex(status, r"(reason|most often) +\S.* \(\d of 6\)\n +standard error ends: cannot solve \d")
        self.assertIn("cannot solve", self.json("status", "parabola.db")["failures"][0]["last_line"])
        rows = list(csv.DictReader(io.StringIO(self.vbo("trials", "parabola.db").stdout)))
        self.assertEqual([row["stderr"] for row in rows], [f"cannot solve {i}" for i in range(1, 7)])

    def test_all_that_failed_is_evaluated_again(self):
        self.study(["sh", "-c", 'test -e repaired || { test $VBO_TRIAL_ID -le 2 || exit $VBO_TRIAL_ID; }; echo 1'],
                   budget=6, workers=1)
        self.vbo("run", "study.toml")
        self.assertEqual(self.json("status", "parabola.db")["failed"], 4)
        self.assertIn("expected one of them", self.vbo("retry", "parabola.db", 3, "--failed", expect=2).stderr)
        self.assertIn("ID is missing", self.vbo("retry", "parabola.db", expect=2).stderr)
        self.write("repaired", "")
        self.assertIn("4 trials are waiting", self.vbo("retry", "study.toml", "--failed").stdout)
        self.vbo("run", "study.toml")
        self.assertEqual(self.json("status", "parabola.db")["completed"], 6)
        self.assertIn("no evaluation has failed", self.vbo("retry", "study.toml", "--failed").stdout)
        self.assertEqual(self.json("retry", "study.toml", "--failed"), {"waiting": []})


class Check(VboTest):
    def test_it_refuses_what_run_refuses(self):
        self.study(budget=4)
        self.assertNotIn("other settings", self.vbo("check", "study.toml").stderr)
        self.assertFalse((self.folder / "parabola.db").exists())
        self.vbo("run", "study.toml")
        before = self.vbo("trials", "parabola.db").stdout
        self.assertNotIn("other settings", self.vbo("check", "study.toml").stderr)
        self.study(budget=8, batch=2, method="sobol")
        self.assertIn('the study goes on with other settings: method: stored "random", given "sobol"; '
                      "batch: stored 4, given 2\n", self.vbo("check", "study.toml").stderr)
        self.assertEqual(self.json("status", "parabola.db")["method"], "random")  # nothing is changed
        for change in (dict(goal="maximize"), dict(name="other.toml")):
            name = change.get("name", "study.toml")
            path = self.folder / self.study(budget=4, **change)
            path.write_text(path.read_text().replace("seed = 1", "seed = 2"))
            refused = self.vbo("check", name, expect=2)
            self.assertEqual(refused.stdout, "")
            self.assertIn("is another one: ", refused.stderr)
            self.assertEqual(refused.stderr, self.vbo("run", name, expect=2).stderr)
        self.assertEqual(self.vbo("trials", "parabola.db").stdout, before)

    def test_a_storage_in_a_folder_that_is_not_there(self):
        path = self.folder / self.study(budget=4)
        path.write_text(path.read_text().replace("parabola.db", "results/parabola.db"))
        refused = self.vbo("check", "study.toml", expect=2).stderr
        self.assertIn("expected a file in a folder that exists", refused)
        self.assertEqual(refused, self.vbo("run", "study.toml", expect=2).stderr)

    def test_it_shows_what_was_read_and_how_long_it_will_take(self):
        self.study(["sh", "-c", "echo starting; sleep 0.2; echo 3.5; echo done"], budget=100, workers=2)
        out = self.vbo("check", "study.toml").stdout
        self.assertIn("line   3.5\n", out)
        self.assertRegex(out, r"study  100 evaluations, 2 at a time: about 1\d s if each takes as long")
        self.assertEqual(self.json("check", "study.toml")["line"], "3.5")

    def test_a_point_may_be_chosen(self):
        self.study()
        shown = self.json("check", "study.toml", "--at", "x=2.5", "--at", "n=3")
        self.assertEqual((shown["params"]["x"], shown["params"]["n"], shown["value"]), (2.5, 3, 2.55))
        self.assertIn('did you mean "kind"', self.vbo("check", "study.toml", "--at", "kin=plain", expect=2).stderr)
        self.assertIn("99", self.vbo("check", "study.toml", "--at", "x=99", expect=2).stderr)

    def test_what_run_would_refuse_fails(self):
        limit = '[[constraint]]\nmetric = "stress"\nat_most = 5.0\n'
        self.write("study.toml", (self.folder / self.study()).read_text() + limit)
        done = self.vbo("check", "study.toml", expect=1)
        self.assertIn("stress", done.stdout)
        self.assertEqual(self.json("check", "study.toml", expect=1)["value"], None)


class Explain(VboTest):
    def test_sentences_come_first(self):
        self.study(budget=16, batch=2, workers=1, method="gp-logei")
        self.vbo("run", "study.toml")
        text = self.vbo("explain", "parabola.db", 16).stdout
        self.assertRegex(text, r"Tried because the surrogate predicted \S+ \+- \S+ \(best so far \S+\), \d+% likely better")
        self.assertIn("It gave ", text)
        self.assertNotIn("log_improvement", text)
        self.assertIn("log_improvement", self.vbo("explain", "parabola.db", 16, "--terms").stdout)
        shown = self.json("explain", "parabola.db", 16)
        self.assertIn(shown["why"], text)
        self.assertTrue(0 <= shown["chance_of_improvement"] <= 1 and shown["deviation"] > 0)
        trials = {t["id"]: t["value"] for t in self.json("trials", "parabola.db")}
        self.assertEqual(shown["best_before"], min(trials[i] for i in range(1, 16 if 16 % 2 else 15)))

    def test_a_method_that_predicts_a_distribution(self):
        self.study(budget=40, batch=8, workers=4, method="vbo")
        self.vbo("run", "study.toml")
        text = self.vbo("explain", "parabola.db", 40, "--terms").stdout
        found = re.search(r"predicted (\S+), with 80% probability between (\S+) and (\S+) \(best so far", text)
        self.assertTrue(found, text)
        middle, low, high = map(float, found.groups())
        self.assertTrue(low <= middle <= high)
        self.assertNotRegex(text, r"sqrt_beta +0 |information_model +0 ")

    def test_start_points_and_imports_say_so(self):
        self.write("study.toml", (self.folder / self.study(budget=3)).read_text() + "[[start]]\nx = 2.5\n")
        self.vbo("run", "study.toml")
        self.assertIn("A start point", self.vbo("explain", "parabola.db", 1).stdout)
        self.vbo("tell", "parabola.db", "--at", "x=1", "--at", "n=2", "--at", "kind=plain", 7)
        self.assertIn("A result from outside", self.vbo("explain", "parabola.db", 4).stdout)


    def test_results_that_are_all_infeasible_are_results(self):
        limit = '[[constraint]]\nmetric = "stress"\nat_most = 5.0\n'
        print_both = ["sh", "-c", """echo '{"value": 1, "metrics": {"stress": 7}}'"""]
        self.write("study.toml", (self.folder / self.study(print_both, budget=12, batch=2, workers=1,
                                                           method="gp-logei")).read_text() + limit)
        self.vbo("run", "study.toml", expect=3)
        self.assertIn("before there was any result", self.vbo("explain", "parabola.db", 1).stdout)
        self.assertRegex(self.vbo("explain", "parabola.db", 12).stdout,
                         r"\(nothing feasible so far\)|none of the 1[01] results so far was feasible")


class Counts(VboTest):
    """Numbers that a person compares: of the coordinator, of the workers, of the study."""

    def test_a_killed_coordinator_does_not_count_twice(self):
        self.study(["sh", "-c", "until test -e go; do sleep 0.02; done; echo $VBO_TRIAL_ID"], budget=12, batch=6)
        first = self.start("run", "study.toml", "--workers", 0)
        worker = self.start("work", "study.toml", "--workers", 3)
        self.wait_status(lambda s: s["running"] == 3, "three are being evaluated")
        first.kill()
        first.wait()
        self.write("go", "")
        self.wait_status(lambda s: s["completed"] >= 6, "what was suggested is evaluated")
        # The workers know their own results at once.
        self.assertEqual(sum(w["completed"] for w in self.json("workers", "parabola.db")),
                         self.json("status", "parabola.db")["completed"])
        err = self.vbo("run", "study.toml", "--workers", 0).stderr
        shown = [int(n) for n in re.findall(r"(\d+)/12 evaluated", err)]
        self.assertEqual((shown[-1], max(shown)), (12, 12), err)
        self.finish(worker, 0)

    def test_no_more_run_at_a_time_than_there_are_workers(self):
        self.study(budget=40, workers=2)
        self.vbo("run", "study.toml")
        trials = self.json("trials", "parabola.db")
        for trial in trials:
            at_once = sum(t["started_at"] <= trial["started_at"] < t["finished_at"] for t in trials)
            self.assertLessEqual(at_once, 2, trial)

    def test_names_with_blanks_are_quoted_in_hints(self):
        text = (self.folder / self.study(budget=1)).read_text().replace("parabola.db", "my study.db")
        self.write("my study.toml", text)
        self.assertIn("vbo run 'my study.toml'", self.vbo("status", "my study.toml", expect=2).stderr)
        self.vbo("run", "my study.toml")
        for arguments, hint in ((("explain", "my study.db", 9), "vbo trials 'my study.db'"),
                                (("tell", "my study.db", 9, 1), "vbo ask 'my study.db' --pending"),
                                (("tell", "my study.db", 1, 1), "vbo tell 'my study.db' 1 1 --replace"),
                                (("run", "my study.db"), "vbo status 'my study.db'")):
            with self.subTest(arguments):
                self.assertIn(hint, self.vbo(*arguments, expect=None).stderr)


class Serve(VboTest):
    def test_a_study_without_a_program_begins_with_its_server(self):
        text = (self.folder / self.study(budget=8)).read_text()
        self.write("study.toml", text[: text.index("[evaluate]")])
        self.assertIn("has not been started", self.vbo("serve", "study.toml", expect=2).stderr)
        server = self.start("serve", "study.toml", "--port", 0, "--allow-tell")
        url = server.stdout.readline().strip()

        def post(path, body):
            request = urllib.request.Request(url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)

        asked = post("api/ask", {"count": 2})
        self.assertEqual(len(asked["trials"] if isinstance(asked, dict) else asked), 2)
        server.send_signal(signal.SIGINT)
        self.finish(server, 0)


class Slips(VboTest):
    def test_messages(self):
        for arguments, words in ((("run", "study.toml", "--worker", "2"), 'unknown option --worker, did you mean "--workers"?'),
                                 (("stop",), "Ctrl-C"),
                                 (("explain", "study.db"), "ID is required. Try")):
            with self.subTest(arguments):
                self.assertIn(words, self.vbo(*arguments, expect=2).stderr)
        self.assertNotIn("drop", self.vbo("stop", expect=2).stderr)


if __name__ == "__main__":
    unittest.main()
