#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Changing one's mind: settings that change while a study lives, recorded in the log and replayed exactly."""
import unittest

from support import VboTest

UNTIL_GO = ["sh", "-c", 'test "$VBO_TRIAL_ID" -le 15 || until test -e go; do sleep 0.02; done; '
                        'awk "BEGIN {print ({x} - 1) ^ 2 + {n} / 10}"']


def change(test, *replacements, **more):
    """Writes the study file with other settings."""
    path = test.folder / test.study(UNTIL_GO, workers=2, **more)
    text = path.read_text()
    for old, new in replacements:
        test.assertIn(old, text)
        text = text.replace(old, new)
    path.write_text(text)


def change_and_go_on(test, storage):
    """Method, batch, bounds and choices change; killed in the middle, and resumed."""
    def points():
        return [t["params"] for t in test.json("trials", storage)]

    wider = ("low = -5.0", "low = -50.0")
    more = ('choices = ["plain", "with space"]', 'choices = ["fancy", "plain", "with space"]')
    change(test, budget=8, batch=2, method="gp-logei")
    test.vbo("run", "study.toml", "--workers", 1)
    before = points()
    change(test, wider, more, budget=40, batch=4, method="cmaes")
    process = test.start("run", "study.toml")

    def is_in_the_middle():
        status = test.json("status", storage)
        return status["completed"] >= 14 and status["running"] > 0

    test.wait_until(is_in_the_middle, "it is in the middle")
    process.kill()
    _, err = process.communicate()
    test.assertIn("the study goes on with other settings: method: stored \"gp-logei\", given \"cmaes\"; "
                  "batch: stored 2, given 4; parameter x low: stored -5.0, given -50.0; parameter kind choices", err)
    test.write("go", "")
    done = test.vbo("run", "study.toml")
    test.assertNotIn("other settings", done.stderr)
    test.assertNotIn("This build makes other suggestions", done.stderr)
    test.assertEqual(points()[:8], before)
    test.assertEqual(len(points()), 40)
    test.assertTrue(any(p["kind"] == "fancy" for p in points()[8:]))
    status = test.json("status", storage)
    test.assertEqual((status["method"], status["batch"], status["completed"]), ("cmaes", 4, 40))
    test.assertIn('until then method gp-logei, batch 2, parameter x low -5.0 (then -50.0), parameter kind choices '
                  '["plain","with space"] (then ["fancy","plain","with space"])\n',
                  test.vbo("trials", storage, "--history").stdout)
    # Back to a method with a model, which knows all results.
    change(test, wider, more, budget=44, batch=2, method="gp-logei")
    test.vbo("run", "study.toml")
    verified = test.vbo("verify", storage)
    test.assertNotIn("other suggestions", verified.stdout + verified.stderr)
    test.assertNotIn(test.json("explain", storage, 44)["source"], ("cmaes", "design"))
    test.assertIn('"cmaes"', test.vbo("explain", storage, 30, "--terms").stdout)
    test.assertIn('"gp-logei"', test.vbo("explain", storage, 3, "--terms").stdout)


class Changes(VboTest):
    def test_everything_that_may_change(self):
        change_and_go_on(self, "parabola.db")


class Refusals(VboTest):
    def test_what_cannot_change_says_how_to_keep_the_results(self):
        self.write("go", "")
        change(self, budget=6, method="random")
        self.vbo("run", "study.toml")
        change(self, ("seed = 1", "seed = 2"), budget=6, method="random")
        err = self.vbo("run", "study.toml", expect=2).stderr
        self.assertIn("seed: stored 1, given 2", err)
        self.assertTrue(err.endswith("vbo import study.toml parabola.db\n"), err)
        change(self, ("high = 10.0", "high = 5.0"), budget=6, method="random")
        err = self.vbo("run", "study.toml", expect=2).stderr
        self.assertTrue(err.endswith("vbo import study.toml parabola.db --actual --skip-bad\n"), err)
        # The command does what it says.
        change(self, ("seed = 1", "seed = 2"), ("parabola.db", "second.db"), budget=6, method="random")
        self.assertEqual(self.json("import", "study.toml", "parabola.db")["imported"], 6)
        # Results of another problem are no results of this one.
        change(self, budget=6, method="random", goal="maximize")
        self.assertNotIn("vbo import", self.vbo("run", "study.toml", expect=2).stderr)

    def test_options_that_the_new_method_does_not_have_change_nothing(self):
        self.write("go", "")
        change(self, budget=6, method="random")
        self.vbo("run", "study.toml")
        change(self, ('method = "random"', 'method = "turbo"\nnonsense = 3'), budget=8)
        self.assertIn("nonsense", self.vbo("run", "study.toml", expect=2).stderr)
        self.assertEqual(self.json("status", "parabola.db")["method"], "random")


if __name__ == "__main__":
    unittest.main()
