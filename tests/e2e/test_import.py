# SPDX-License-Identifier: MIT
"""Data in: past results from tables and other studies, points nobody suggested, metrics."""
import csv
import io
import resource
import subprocess
import unittest

from support import VBO, VboTest


class Import(VboTest):
    def rows(self, name="parabola.db"):
        return list(csv.DictReader(io.StringIO(self.vbo("trials", name).stdout)))

    def test_a_table_becomes_results_the_method_knows(self):
        self.study(method="gp-logei", budget=100)
        self.write("past.csv", "kind,x,n,value,metrics.mass\n" +
                   "".join(f"plain,{x / 10},{x % 20},{(x / 10 - 1) ** 2 + x % 20 / 10},{x}\n" for x in range(-50, 100, 5)))
        done = self.json("import", "study.toml", "past.csv")
        self.assertEqual((done["imported"], done["known"], done["skipped"], done["first_id"]), (30, 0, 0, 1))
        rows = self.rows()
        self.assertEqual(rows[0]["x"], "-5")
        self.assertEqual(rows[0]["metrics.mass"], "-50")
        self.assertEqual(rows[0]["state"], "completed")
        # The best of them is the best of the study, and the next suggestion is not a first one.
        self.assertEqual(self.json("best", "parabola.db")["value"], min(float(row["value"]) for row in rows))
        asked = self.json("ask", "study.toml")
        self.assertEqual(asked[0]["id"], 31)
        self.assertNotEqual(self.json("explain", "parabola.db", 31)["source"], "design")
        # Once is enough.
        again = self.json("import", "study.toml", "past.csv")
        self.assertEqual((again["imported"], again["known"]), (0, 30))

    def test_bad_rows_are_listed_and_nothing_is_imported(self):
        self.study()
        self.write("past.csv", "x,n,kind,value,colour\n1,2,plain,3,red\n99,2,plain,3,red\n1,2.5,plain,3,red\n"
                   "1,2,odd,3,red\n1,2,plain,much,red\n2,3,plain,4,red\n")
        done = self.vbo("import", "study.toml", "past.csv", expect=2)
        for text in ('past.csv:1:16: unknown column "colour"', 'past.csv:3:1: parameter "x": found "99", expected a number from -5 to 10',
                     'past.csv:4:3: parameter "n": found "2.5", expected a whole number from 0 to 20',
                     'past.csv:5:5: parameter "kind": found "odd", expected one of plain with space',
                     'past.csv:6:11: value: found "much", expected a number', "--skip-bad"):
            self.assertIn(text, done.stderr)
        self.assertEqual(self.rows(), [])
        done = self.json("import", "study.toml", "past.csv", "--skip-bad")
        self.assertEqual((done["imported"], done["skipped"]), (2, 5))
        self.write("short.csv", "x,value\n1,2\n")
        self.assertIn('found no column "n"', self.vbo("import", "study.toml", "short.csv", expect=2).stderr)

    def test_endless_files_end_soon_and_pipes_are_read(self):
        self.study()
        limited = lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
        zero = self.vbo("import", "study.toml", "/dev/zero", expect=2, preexec_fn=limited)
        self.assertIn("/dev/zero: found a zero byte at position 0, expected text", zero.stderr)
        with open(self.path("huge.csv"), "w") as huge:
            huge.truncate(1 << 40)
        self.assertIn("huge.csv: found more than 256 MiB", self.vbo("import", "study.toml", "huge.csv", expect=2).stderr)
        pipe = f"{VBO} import study.toml <(yes x,n,kind,value)"
        done = subprocess.run(["bash", "-c", pipe], cwd=self.folder, capture_output=True, text=True, preexec_fn=limited)
        self.assertEqual(done.returncode, 2)
        self.assertIn("found more than 256 MiB", done.stderr)
        pipe = f"{VBO} import study.toml --json <(printf 'x,n,kind,value\\n1,2,plain,3\\n')"
        done = subprocess.run(["bash", "-c", pipe], cwd=self.folder, capture_output=True, text=True)
        self.assertIn('"imported": 1', done.stdout, done.stderr)

    def test_another_study_and_its_own_table(self):
        self.study(budget=8)
        self.vbo("run", "study.toml")
        table = self.vbo("trials", "parabola.db").stdout
        text = (self.folder / "study.toml").read_text()
        self.write("second.toml", text.replace("parabola.db", "second.db"))
        self.assertEqual(self.json("import", "second.toml", "parabola.db")["imported"], 8)
        self.write("table.csv", table)
        self.assertEqual(self.json("import", "second.toml", "table.csv")["known"], 8)
        wanted = [(row["x"], row["n"], row["kind"], row["value"]) for row in self.rows()]
        self.assertEqual([(row["x"], row["n"], row["kind"], row["value"]) for row in self.rows("second.db")], wanted)
        self.write("other.toml", text.replace("parabola.db", "other.db").replace("minimize", "maximize"))
        self.assertIn("its goal is to minimize", self.vbo("import", "other.toml", "parabola.db", expect=2).stderr)

    def test_tell_at_and_metrics(self):
        self.study()
        self.vbo("ask", "study.toml", "-n", 2)
        self.vbo("tell", "parabola.db", 1, 1.25, "--metric", "stress=240", "--metric", "mass=3.5")
        told = self.json("tell", "parabola.db", "--at", "x=1.5", "--at", "n=3", "--at", "kind=with space", 0.55)
        self.assertEqual(told, {"id": 3, "state": "completed", "value": 0.55, "error": None})
        rows = self.rows()
        self.assertEqual((rows[0]["metrics.stress"], rows[0]["metrics.mass"], rows[2]["metrics.mass"]), ("240", "3.5", ""))
        self.assertEqual((rows[2]["x"], rows[2]["kind"]), ("1.5", "with space"))
        for arguments, text in ((["--at", "x=1.5", 1], 'found no value of "n"'), (["--at", "y=1", 1], 'unknown parameter "y"'),
                                (["--at", "x=99", 1], "expected a number from -5 to 10"), ([2, 1, "--metric", "a"], "expected NAME=NUMBER"),
                                ([2, 1, "--at", "x=1"], "found an ID and --at"), (["seven", 1], 'ID: found "seven"')):
            self.assertIn(text, self.vbo("tell", "parabola.db", *arguments, expect=2).stderr)


if __name__ == "__main__":
    unittest.main()
