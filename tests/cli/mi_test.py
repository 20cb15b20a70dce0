# SPDX-License-Identifier: MIT
"""`vbo mi` from outside: tables whose mutual information is known, and tables that are wrong."""
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

VBO = os.environ.get("VBO", "vbo")


class Mi(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="vbo-mi-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.random = random.Random(1)

    def table(self, header, rows):
        path = self.folder / "samples.csv"
        path.write_text("\n".join([header] + [",".join(map(str, row)) for row in rows]) + "\n")
        return path

    def run_vbo(self, *arguments, stdin=None):
        return subprocess.run([VBO, "mi", *map(str, arguments)], capture_output=True, text=True,
                              input=stdin, timeout=280)

    def estimate(self, *arguments):
        run = self.run_vbo(*arguments, "--json")
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def gaussian(self, rho, n):
        for _ in range(n):
            a, b = self.random.gauss(0, 1), self.random.gauss(0, 1)
            # Marginals do not matter: stretch one side, cube the other.
            yield 1000 + 50 * a, (rho * a + math.sqrt(1 - rho * rho) * b) ** 3

    def test_gaussian_copula(self):
        path = self.table("a,b", self.gaussian(0.8, 1000))
        mi = self.estimate("--samples", path, "--x", "a", "--y", "b", "--steps", 150)
        truth = -0.5 * math.log(1 - 0.8 ** 2)
        self.assertAlmostEqual(mi["mi"], truth, delta=0.02 + 4 * 0.8 / math.sqrt(1000))
        self.assertLessEqual(mi["low"], mi["mi"])
        self.assertGreaterEqual(mi["high"], mi["mi"])
        self.assertAlmostEqual(mi["ceiling"], math.log(200), places=6)
        self.assertEqual(mi["estimator"], "self-normalized")
        self.assertEqual(mi["samples"], 1000)
        self.assertEqual(len(mi["folds"]), 5)

    def test_discrete_channel(self):
        # A symmetric channel over four labels that errs with probability 0.2:
        # I = ln 4 - H(0.2) - 0.2 ln 3.
        letters = "acgt"
        rows = []
        for _ in range(1500):
            x = self.random.randrange(4)
            wrong = self.random.random() < 0.2
            rows.append((letters[x], (x + (self.random.randrange(1, 4) if wrong else 0)) % 4))
        path = self.table("sent,received", rows)
        entropy = -0.2 * math.log(0.2) - 0.8 * math.log(0.8)
        truth = math.log(4) - entropy - 0.2 * math.log(3)
        mi = self.estimate("--samples", path, "--x", "sent", "--y", "received", "--folds", 3,
                           "--steps", 300)
        self.assertAlmostEqual(mi["mi"], truth, delta=0.08)

    def test_independent_columns_tell_nothing_and_estimators_agree(self):
        rows = [(self.random.random(), self.random.random()) for _ in range(600)]
        path = self.table("a,b", rows)
        for estimator in ["self-normalized", "dv", "dv-offdiag", "mine", "nwj", "infonce", "smile"]:
            mi = self.estimate("--samples", path, "--x", "a", "--y", "b", "--folds", 2,
                               "--steps", 50, "--estimator", estimator)
            self.assertLess(mi["mi"], 0.04, estimator)
            self.assertEqual(mi["low"], 0.0, estimator)
            capped = estimator in ("self-normalized", "dv", "infonce")
            self.assertEqual(mi["ceiling"] is not None, capped, estimator)

    def test_text_output_stdin_and_repeatability(self):
        text = "a,b,c\n" + "\n".join(f"{a},{b},7" for a, b in self.gaussian(0.5, 200))
        runs = [self.run_vbo("--samples", "-", "--x", "a,c", "--y", "b", "--folds", 2, "--steps", 20,
                             "--threads", threads, stdin=text) for threads in (1, 2)]
        for run in runs:
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn("nats between a, c and b", run.stdout)
            self.assertIn('"c" never changes', run.stderr)
        self.assertEqual(runs[0].stdout, runs[1].stdout)

    def test_constant_side_is_zero(self):
        path = self.table("a,b", [(i, 3) for i in range(100)])
        mi = self.estimate("--samples", path, "--x", "a", "--y", "b")
        self.assertEqual((mi["mi"], mi["low"], mi["high"]), (0.0, 0.0, 0.0))

    def test_wrong_input_is_refused_with_its_place(self):
        path = self.table("a,b", [(1, 2), (3, "x")] + [(i, i) for i in range(100)])
        for arguments, expected in [
                (["--samples", path, "--x", "a", "--y", "b"], f"{path}:3:3: "),
                (["--samples", path, "--x", "a", "--y", "z"], 'no column "z"'),
                (["--samples", path, "--x", "a", "--y", "a"], "both --x and --y"),
                (["--samples", self.folder / "none.csv", "--x", "a", "--y", "b"], "none.csv"),
                (["--samples", path, "--x", "a"], "--y"),
                (["--samples", path, "--x", "a", "--y", "b", "--estimator", "best"], "best")]:
            run = self.run_vbo(*arguments)
            self.assertIn(expected, run.stderr)
            self.assertNotEqual(run.returncode, 0)
            self.assertEqual(run.stdout, "")
        few = self.table("a,b", [(i, i) for i in range(12)])
        run = self.run_vbo("--samples", few, "--x", "a", "--y", "b")
        self.assertEqual(run.returncode, 2)
        self.assertIn("12 samples", run.stderr)

    def test_close_to_the_ceiling_is_said(self):
        path = self.table("a,b", [(i, i) for i in range(150)])
        run = self.run_vbo("--samples", path, "--x", "a", "--y", "b", "--steps", 100)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("close to its ceiling", run.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
