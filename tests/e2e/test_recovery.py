# SPDX-License-Identifier: MIT
"""Recovery from accidents with studies: the commands of docs/how-to/recovery.md, as they stand there."""
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import unittest
import unittest.mock

import postgres
from support import PARABOLA, PATIENCE, ROOT, VBO, VboTest

PAGE = ROOT / "docs/how-to/recovery.md"
SLOW = ["sh", "-c", "sleep 0.02; echo $VBO_TRIAL_ID"]
# The third fails; what came of the others has all digits and metrics.
MEASURED = ["sh", "-c", "test $VBO_TRIAL_ID != 3 || exit 1; awk 'BEGIN {printf \"{\\\"value\\\": %.17g, \\\"sem\\\": 0.25, "
                        "\\\"metrics\\\": {\\\"mass\\\": %.17g}}\\n\", ({x} - 1) ^ 2 + {n} / 10, {x} / 3}'"]
RESULT = ("id", "state", "params", "value", "sem", "metrics", "error", "cause", "seconds")
FIRST_SCHEMA = 4
PAGE_SIZE = 4096


def sections():
    """The commands of each section of the page, block by block."""
    _, *parts = re.split(r"^## ", PAGE.read_text(), flags=re.M)
    return {part.splitlines()[0]: re.findall(r"^```sh\n(.*?)^```$", part, re.S | re.M) for part in parts}


class Drill(VboTest):
    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "vbo").symlink_to(pathlib.Path(shutil.which(VBO)).resolve())
        self.environment = {**os.environ, "PATH": f"{self.path('bin')}:{os.environ['PATH']}"}

    def follow(self, commands, expect=0):
        """Runs a block of the page as a user would."""
        done = subprocess.run(["bash", "-e", "-c", commands], cwd=self.folder, env=self.environment, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
        self.assertEqual(done.returncode, expect, f"{commands}\nstdout: {done.stdout}\nstderr: {done.stderr}")
        return done

    def study(self, command=None, *, storage="study.db", **more):
        name = super().study(command, **{"workers": 1, "method": "cmaes", **more})
        path = self.folder / name
        path.write_text(path.read_text().replace('"parabola.db"', json.dumps(storage)))
        return name

    def results(self, storage):
        return [{key: trial.get(key) for key in RESULT} for trial in self.json("trials", storage)
                if trial["state"] in ("completed", "failed")]

    def values(self, storage):
        return {trial["id"]: (trial["params"], trial["value"]) for trial in self.results(storage)}

    def running(self, storage, results=20):
        """A study that runs, and has some results already."""
        self.study(SLOW, storage=storage, budget=100000, workers=2)
        process = self.start("run", "study.toml", "--quiet", env=self.environment)

        def look():
            done = self.vbo("status", storage, "--json", expect=None, env=self.environment)
            return done.returncode == 0 and json.loads(done.stdout)["completed"] >= results
        self.wait_until(look, "some evaluations have ended")
        return process

    def kill(self, process):
        process.kill()
        process.communicate()

    def bytes(self, name="study.db"):
        return (self.folder / name).read_bytes()


class Page(Drill):
    def test_every_section_has_a_test(self):
        self.assertEqual({title: len(blocks) for title, blocks in sections().items()},
                         {"Copies": 3, "PostgreSQL": 2, "Damage": 3, "Another storage": 1, "Versions": 1})


class Copies(Drill):
    def test_a_copy_of_a_study_at_rest_goes_on_as_the_study_would_have(self):
        copy, _, restore = sections()["Copies"]
        self.study(budget=12)
        self.vbo("run", "study.toml")
        self.follow(copy)
        self.study(budget=24)
        self.vbo("run", "study.toml")
        wanted = self.values("study.db")
        self.assertEqual(len(wanted), 24)
        os.remove(self.path("study.db"))
        self.follow(restore)
        self.assertEqual(self.values("study.db"), wanted)
        self.vbo("verify", "study.db")

    def test_a_copy_of_a_running_study(self):
        _, copy, restore = sections()["Copies"]
        process = self.running("study.db")
        before = self.values("study.db")
        shutil.copy(self.path("study.db"), self.path("plain.db"))
        self.follow(copy)
        self.wait_until(lambda: len(self.values("study.db")) > len(before) + 10, "more evaluations have ended")
        self.assertIsNone(process.poll())
        self.kill(process)
        self.assertIn("plain.db", self.vbo("status", "plain.db", expect=5).stderr)
        copied = self.values("copy.db")
        self.assertLessEqual(before.items(), copied.items())
        self.assertTrue(os.path.exists(self.path("study.db-wal")))
        budget = len(copied) + 8
        self.study(SLOW, budget=budget)
        self.follow(restore)
        restored = self.values("study.db")
        self.assertEqual(len(restored), budget)
        self.assertLessEqual(copied.items(), restored.items())
        self.vbo("verify", "study.db")


class Server(Drill):
    @classmethod
    def setUpClass(cls):
        cls.server = postgres.Server()
        cls.addClassCleanup(cls.server.end)

    def setUp(self):
        super().setUp()
        self.server.sql("SET client_min_messages = warning; DROP SCHEMA IF EXISTS vbo CASCADE")
        where = {"PGHOST": str(self.server.folder / "server"), "PGUSER": "vbo"}
        self.environment.update(where)
        known = unittest.mock.patch.dict(os.environ, where)
        known.start()
        self.addCleanup(known.stop)

    def test_a_dump_in_a_new_database_goes_on(self):
        dump, restore = sections()["PostgreSQL"]
        process = self.running("postgresql:///studies?study=wing")
        before = self.values("study.toml")
        self.follow(dump)
        self.assertIsNone(process.poll())
        self.kill(process)
        budget = len(self.values("study.toml")) + 8
        self.study(SLOW, storage="postgresql:///restored?study=wing", budget=budget)
        self.follow(restore)
        restored = self.values("study.toml")
        self.assertEqual(len(restored), budget)
        self.assertLessEqual(before.items(), restored.items())
        self.vbo("verify", "study.toml")

    def test_all_results_move_to_postgresql_and_back(self):
        move, = sections()["Another storage"]
        self.study(MEASURED, budget=16, evaluate="retries = 0")
        self.vbo("run", "study.toml")
        self.vbo("tell", "study.db", 2, "0.125", "--replace", "misread")
        wanted = self.results("study.db")
        self.assertEqual([trial["state"] for trial in wanted], ["completed"] * 2 + ["failed"] + ["completed"] * 13)
        self.assertEqual(wanted[1]["value"], 0.125)
        self.assertTrue(wanted[0]["metrics"]["mass"])
        self.assertEqual(wanted[0]["sem"], 0.25)
        server = "postgresql:///studies?study=wing"
        for name, storage in (("server.toml", server), ("back.toml", "back.db")):
            self.study(MEASURED, name=name, storage=storage, budget=20, evaluate="retries = 0")
        self.follow(move)
        for name, storage in (("server.toml", server), ("back.toml", "back.db")):
            self.assertEqual(self.results(storage), wanted)
            self.assertEqual(self.json("best", storage)["params"], self.json("best", "study.db")["params"])
            self.vbo("run", name)
            self.assertEqual(self.results(storage)[:16], wanted)
            self.assertEqual(self.json("status", storage)["completed"], 19)
            self.vbo("verify", storage)

    def test_nothing_is_written_to_tables_of_a_newer_version(self):
        storage = "postgresql:///studies?study=wing"
        self.study(storage=storage, budget=8)
        self.vbo("run", "study.toml")
        self.server.sql("UPDATE vbo.version SET version = version + 1")
        everything = "SELECT * FROM vbo.trials; SELECT * FROM vbo.studies; SELECT * FROM vbo.version"
        rows = self.server.sql(everything)
        self.study(storage=storage, budget=16)
        for command in (["run", "study.toml"], ["ask", storage], ["tell", storage, 1, 2], ["upgrade", storage]):
            self.assertRegex(self.vbo(*command, expect=5).stderr, "has tables of version [0-9]+, this build knows 4 to")
        self.assertEqual(self.server.sql(everything), rows)


class Damage(Drill):
    def refused(self, *commands):
        """Each names the file and leaves it as it is."""
        before = self.bytes()
        for command in commands:
            err = self.vbo(*command, expect=5).stderr
            self.assertIn("study.db", err)
        self.assertEqual(self.bytes(), before)

    def take_out(self):
        """What the page's commands take out of study.db into new.db."""
        for name in ("rows.db", "new.db"):
            (self.folder / name).unlink(missing_ok=True)
        before = self.bytes()
        self.follow(sections()["Damage"][2])
        self.assertEqual(self.bytes(), before)
        self.vbo("verify", "new.db")
        return [(trial["params"], trial["value"]) for trial in self.results("new.db")]

    def test_a_truncated_file(self):
        self.study(["sh", "-c", "echo $VBO_TRIAL_ID"], budget=200, batch=50, method="random")
        self.study(budget=200, batch=50, method="random", name="new.toml", storage="new.db")
        self.vbo("run", "study.toml")
        wanted = list(self.values("study.db").values())
        size = len(self.bytes())  # the newest results are at its end
        os.truncate(self.path("study.db"), size * 3 // 4 // PAGE_SIZE * PAGE_SIZE)
        self.refused(["status", "study.db"], ["trials", "study.db"], ["export", "study.db", "--csv", "out.csv"],
                     ["verify", "study.db"], ["run", "study.toml"], ["tell", "study.db", 1, 2],
                     ["import", "new.toml", "study.db"])
        self.assertFalse(os.path.exists(self.path("out.csv")))
        left = self.take_out()
        self.assertGreater(len(left), 20)
        self.assertLess(len(left), 200)
        self.assertTrue(all(trial in wanted for trial in left))
        # The method knows them, and the rest of the budget is evaluated anew.
        self.vbo("run", "new.toml")
        self.assertEqual(self.json("status", "new.db")["completed"], 200)

    def test_a_zeroed_page_whichever_it_is(self):
        _, direct, _ = sections()["Damage"]
        self.study(budget=24)
        self.study(budget=24, name="new.toml", storage="new.db")
        self.vbo("run", "study.toml")
        whole = self.bytes()
        wanted = self.values("study.db")
        trials = self.vbo("trials", "study.db").stdout
        best = self.json("best", "study.db")
        with sqlite3.connect(self.path("study.db")) as db:
            self.assertEqual(db.execute("PRAGMA freelist_count").fetchone(), (0,))
            self.assertEqual(db.execute("PRAGMA page_size").fetchone(), (PAGE_SIZE,))
            index, = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'trials_by_value'").fetchone()
        db.close()
        without = lambda page: whole[:(page - 1) * PAGE_SIZE] + bytes(PAGE_SIZE) + whole[page * PAGE_SIZE:]
        unreadable = []
        for page in range(1, len(whole) // PAGE_SIZE + 1):
            with self.subTest(page=page):
                zeroed = without(page)
                (self.folder / "study.db").write_bytes(zeroed)
                self.refused(["verify", "study.db"], ["run", "study.toml"])
                shown = self.vbo("trials", "study.db", expect=None)
                self.assertIn(shown.returncode, (0, 5))
                if shown.returncode == 0:
                    self.assertEqual(shown.stdout, trials)
                else:
                    self.assertIn("study.db", shown.stderr)
                    unreadable.append(page)
                shown = self.vbo("best", "study.db", "--json", expect=None)
                self.assertIn(shown.returncode, (0, 5))
                if shown.returncode == 0:
                    self.assertEqual(json.loads(shown.stdout), best)
                self.assertEqual(self.bytes(), zeroed)
        # An index is not needed; the last page that is has trials.
        (self.folder / "study.db").write_bytes(without(index))
        self.follow(direct)
        self.assertEqual(self.values("new.db"), wanted)
        (self.folder / "study.db").write_bytes(without(unreadable[-1]))
        self.follow(direct, expect=5)
        left = self.take_out()
        self.assertGreater(len(left), 5)
        self.assertLess(len(left), 24)
        self.assertTrue(all(trial in wanted.values() for trial in left))

    def test_a_lost_log(self):
        accept, *_ = sections()["Damage"]
        process = self.running("study.db")
        self.kill(process)
        before = self.values("study.db")
        for name in ("study.db-wal", "study.db-shm"):
            os.remove(self.path(name))
        self.refused(["status", "study.db"], ["trials", "study.db"], ["verify", "study.db"], ["run", "study.toml"])
        self.assertIn(accept.splitlines()[0].replace("study.db", self.path("study.db")),
                      self.vbo("run", "study.toml", expect=5).stderr)
        self.follow(accept)
        left = self.values("study.db")
        self.assertLessEqual(left.items(), before.items())
        self.study(SLOW, budget=len(left) + 4)
        self.vbo("run", "study.toml")
        self.vbo("verify", "study.db")


class Versions(Drill):
    def older(self):
        """study.db as the first schema had it."""
        self.study(budget=8)
        self.vbo("run", "study.toml")
        self.newest = self.schema()
        db = sqlite3.connect(self.path("study.db"))
        db.execute("ALTER TABLE study DROP COLUMN changes")
        db.execute(f"PRAGMA user_version = {FIRST_SCHEMA}")
        db.close()

    def schema(self, name="study.db"):
        db = sqlite3.connect(self.path(name))
        version, = db.execute("PRAGMA user_version").fetchone()
        db.close()
        return version

    def test_an_older_file_is_upgraded_by_the_first_that_writes(self):
        upgrade, = sections()["Versions"]
        self.study(budget=8)
        self.vbo("run", "study.toml")
        wanted = self.values("study.db")
        for command, budget in ((["run", "study.toml"], 16), (["tell", "study.db", "--at", "x=1", "--at", "n=3", "--at",
                                                              "kind=plain", "0.3"], 8), (None, 8)):
            with self.subTest(command):
                os.remove(self.path("study.db"))
                self.older()
                before = self.bytes()
                for reader in ("status", "trials", "verify"):
                    self.assertIn("vbo upgrade", self.vbo(reader, "study.db", expect=2).stderr)
                self.assertEqual(self.bytes(), before)
                self.study(budget=budget)
                if command:
                    self.vbo(*command)
                else:
                    self.follow(upgrade)
                    self.assertEqual(self.bytes("older.db"), before)
                    self.assertEqual(self.schema("older.db"), FIRST_SCHEMA)
                self.assertEqual(self.schema(), self.newest)
                self.assertLessEqual(wanted.items(), self.values("study.db").items())
                self.vbo("verify", "study.db")

    def test_a_newer_file_is_refused_and_left_as_it_is(self):
        self.study(budget=8)
        self.vbo("run", "study.toml")
        newer = self.schema() + 1
        db = sqlite3.connect(self.path("study.db"))
        db.execute(f"PRAGMA user_version = {newer}")
        db.close()
        self.study(budget=16)
        before = self.bytes()
        for command in (["status", "study.db"], ["best", "study.db"], ["trials", "study.db"], ["verify", "study.db"],
                        ["export", "study.db", "--csv", "out.csv"], ["run", "study.toml"], ["ask", "study.db"],
                        ["tell", "study.db", 1, 2], ["work", "study.toml", "--idle", 1], ["upgrade", "study.db"]):
            with self.subTest(command):
                err = self.vbo(*command, expect=5).stderr
                self.assertIn(f'study.db" has schema {newer}, this build knows {FIRST_SCHEMA} to {newer - 1}', err)
                self.assertIn("Use the vbo that wrote it, or a newer one", err)
                self.assertEqual(self.bytes(), before)
        for name in ("study.db-wal", "study.db-journal"):
            self.assertFalse(os.path.exists(self.path(name)))


if __name__ == "__main__":
    unittest.main()
