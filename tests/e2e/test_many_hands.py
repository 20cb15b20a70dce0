# SPDX-License-Identifier: MIT
"""Many processes at one study file: telling, asking, working, copying, deleting, all at once."""
import contextlib
import json
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import threading
import time
import unittest

from support import PATIENCE, VBO, VboTest, is_gone

# A hundred instrumented processes, half a gigabyte each, do not fit into a small machine.
HANDS = 8 if os.environ.get("VBO_INSTRUMENTED") else 64
UNTIL_GO = ["sh", "-c", "until test -e go; do sleep 0.02; done; echo $VBO_TRIAL_ID"]


class ManyHands(VboTest):
    def all_at_once(self, commands):
        """Starts all, waits for all; what each printed, in order. Every one has to succeed."""
        processes = [self.start(*command, "--wait", 100, "--json") for command in commands]  # a busy machine is slow
        return [json.loads(self.finish(process, 0)[0]) for process in processes]

    def check_tells(self, extra):
        asked = self.json("ask", "parabola.db", "-n", HANDS)
        ids = [s["id"] for s in asked]
        self.all_at_once([["tell", "parabola.db", i, i / 10] for i in ids] + extra)
        values = {t["id"]: t["value"] for t in self.json("trials", "parabola.db")}
        for i in ids:
            self.assertEqual(values[i], i / 10)
        return ids

    def test_64_tell_at_once(self):
        self.study(budget=1000)
        self.json("ask", "study.toml", "-n", 1)
        self.check_tells([])
        self.assertEqual(self.json("status", "parabola.db")["completed"], HANDS)
        # The method hears of all of them, in an order that stays.
        self.json("ask", "parabola.db")
        told = self.rows("SELECT count(DISTINCT id), count(*) FROM trials WHERE told_in IS NOT NULL")
        self.assertEqual(told, [(HANDS, HANDS)])

    def test_64_ask_at_once_also_when_there_is_no_study_yet(self):
        self.study(budget=1000, method="cmaes")
        answers = self.all_at_once([["ask", "study.toml", "-n", 2]] * HANDS)
        ids = sorted(s["id"] for answer in answers for s in answer)
        self.assertEqual(ids, list(range(1, 2 * HANDS + 1)))
        self.assertEqual(self.json("status", "parabola.db")["waiting"], 2 * HANDS)

    def test_asking_and_telling_while_it_runs(self):
        self.study(["sh", "-c", "sleep 0.1; echo 1"], budget=100000, workers=2)
        process = self.start("run", "study.toml", "--quiet")
        self.wait_status(lambda s: s["completed"] > 0, "an evaluation has ended")
        ids = self.check_tells([["ask", "parabola.db"]] * HANDS)
        trials = {t["id"]: t for t in self.json("trials", "parabola.db")}
        self.assertEqual(sorted(trials), list(range(1, len(trials) + 1)))
        for i in ids:  # ours, and nobody else evaluated them
            self.assertEqual(trials[i]["attempts"], 0)
        process.send_signal(signal.SIGINT)
        self.finish(process, 130)
        untold = self.rows("SELECT count(*) FROM trials WHERE state = 'completed' AND told_in IS NULL")
        self.assertEqual(untold, [(0,)])

    def rows(self, sql):
        with sqlite3.connect(self.path("parabola.db")) as db:
            return db.execute(sql).fetchall()

    def test_telling_the_same_again_changes_nothing(self):
        self.study()
        self.vbo("ask", "study.toml")
        self.vbo("tell", "parabola.db", 1, 5)
        self.vbo("tell", "parabola.db", 1, "5.0")
        self.assertIn("already ended: completed, value 5", self.vbo("tell", "parabola.db", 1, 6, expect=2).stderr)


class Workers(VboTest):
    def test_workers_elsewhere_evaluate_what_a_coordinator_suggests(self):
        self.study(budget=40, workers=2)
        workers = [self.start("work", "study.toml", "--json") for _ in range(3)]  # before there is a study
        self.vbo("run", "study.toml", "--workers", 0)
        done = [json.loads(self.finish(worker, 0)[0]) for worker in workers]
        self.assertEqual(sum(d["completed"] for d in done), 40)
        self.assertEqual([d["end"] for d in done], ["study_ended"] * 3)
        told = self.rows_of("SELECT count(*), count(told_in), max(attempts) FROM trials")
        self.assertEqual(told, [(40, 40, 1)])

    def rows_of(self, sql):
        with sqlite3.connect(self.path("parabola.db")) as db:
            return db.execute(sql).fetchall()

    def test_a_killed_workers_trial_goes_to_another(self):
        self.study(UNTIL_GO, budget=4, workers=1)
        coordinator = self.start("run", "study.toml", "--workers", 0, "--quiet")
        doomed = self.start("work", "study.toml", "--name", "doomed")
        self.wait_status(lambda s: s["running"] == 1, "it evaluates")
        listed = self.json("workers", "parabola.db")
        self.assertEqual([(w["name"], w["alive"], w["running"]) for w in listed], [("doomed", True, [1])])
        doomed.kill()
        self.wait_status(lambda s: s["running"] == 0 and s["waiting"] > 0, "its trial waits again")
        self.write("go", "")
        self.vbo("work", "study.toml", "--name", "heir")
        self.finish(coordinator, 0)
        self.assertEqual([t["value"] for t in self.json("trials", "parabola.db")], [1, 2, 3, 4])
        self.assertEqual(self.json("trials", "parabola.db")[0]["attempts"], 2)

    def test_sigterm_gives_the_trial_back_without_counting_it(self):
        self.study(["sh", "-c", "if test -e go; then echo 1; else sleep 1000; fi"], budget=2, workers=1)
        coordinator = self.start("run", "study.toml", "--workers", 0, "--quiet")
        worker = self.start("work", "study.toml", "--grace", "1")
        self.wait_status(lambda s: s["running"] == 1, "it evaluates")
        worker.send_signal(signal.SIGTERM)
        self.assertIn("interrupted", self.finish(worker, 130)[0])
        status = self.json("status", "parabola.db")
        self.assertEqual((status["running"], status["failed"]), (0, 0))
        self.write("go", "")
        self.vbo("work", "study.toml")
        self.finish(coordinator, 0)
        self.assertEqual([t["attempts"] for t in self.json("trials", "parabola.db")], [1, 1])

    def test_idle_workers_go_home(self):
        self.study(budget=10)
        self.vbo("ask", "study.toml")
        done = self.json("work", "study.toml", "--idle", "0.3")
        self.assertEqual((done["end"], done["completed"]), ("idle", 0))  # the suggestion is a person's
        self.assertEqual(self.json("workers", "parabola.db"), [])


class Files(VboTest):
    """What people do to files."""

    def killed_study(self):
        """A study whose process was killed in the middle of a round; returns what was stored."""
        self.study(["sh", "-c", "sleep 0.02; echo $VBO_TRIAL_ID"], budget=100000, workers=2)
        process = self.start("run", "study.toml", "--quiet")
        self.wait_status(lambda s: s["completed"] >= 10, "ten evaluations have ended")
        process.kill()
        process.communicate()
        return self.json("status", "parabola.db")["completed"]

    def test_a_copy_without_its_log_is_never_a_fresh_start(self):
        completed = self.killed_study()
        self.assertTrue(os.path.exists(self.path("parabola.db-wal")))
        os.mkdir(self.path("copy"))
        shutil.copy(self.path("parabola.db"), self.path("copy/parabola.db"))
        for command in (["status", "copy/parabola.db"], ["tell", "copy/parabola.db", "1", "2"],
                        ["ask", "copy/parabola.db"]):
            err = self.vbo(*command, expect=5).stderr
            self.assertIn("once held more than it shows", err)
            self.assertIn("copy/parabola.db-wal", err)
        shutil.copy(self.path("parabola.db-wal"), self.path("copy/parabola.db-wal"))
        self.assertEqual(self.json("status", "copy/parabola.db")["completed"], completed)

    def test_at_rest_the_file_is_complete(self):
        self.killed_study()
        self.vbo("tell", "parabola.db", max(t["id"] for t in self.json("trials", "parabola.db")), "7",
                 expect=None)
        completed = self.json("status", "parabola.db")["completed"]
        os.mkdir(self.path("copy"))
        shutil.copy(self.path("parabola.db"), self.path("copy/parabola.db"))
        self.assertEqual(self.json("status", "copy/parabola.db")["completed"], completed)

    def test_a_backup_of_a_running_study_is_a_study(self):
        self.study(["sh", "-c", "sleep 0.02; echo 1"], budget=100000, workers=2)
        self.start("run", "study.toml", "--quiet")
        self.wait_status(lambda s: s["completed"] >= 10, "ten evaluations have ended")
        subprocess.run(["sqlite3", self.path("parabola.db"), f".backup {self.path('copy.db')}"], check=True)
        self.assertGreaterEqual(self.json("status", "copy.db")["completed"], 10)

    def test_a_storage_that_is_removed_or_replaced_is_noticed_and_kept(self):
        for replace in (False, True):
            with self.subTest(replace=replace):
                self.study(["sh", "-c", "sleep 0.02; echo 1"], budget=100000, workers=2)
                process = self.start("run", "study.toml", "--quiet")
                self.wait_status(lambda s: s["completed"] >= 10, "ten evaluations have ended")
                os.remove(self.path("parabola.db"))
                if replace:
                    self.write("parabola.db", "")
                _, err = self.finish(process, 5)
                self.assertIn("was removed or replaced", err)
                self.assertIn("parabola.db.rescued", err)
                self.assertGreaterEqual(self.json("status", "parabola.db.rescued")["completed"], 10)
                for name in os.listdir(self.folder):
                    if name.startswith("parabola.db"):
                        os.remove(self.path(name))

    def test_an_old_copy_over_a_running_study_is_noticed(self):
        # A copy from before this run, one made while it runs, and a run whose workers are elsewhere.
        for of_this_run, workers in ((False, 2), (True, 2), (False, 0)):
            with self.subTest(of_this_run=of_this_run, workers=workers):
                self.study(budget=6)
                self.vbo("run", "study.toml")
                self.study(["sh", "-c", "sleep 0.02; echo 1"], budget=100000, workers=2)
                shutil.copy(self.path("parabola.db"), self.path("old"))
                run = self.start("run", "study.toml", "--quiet", "--workers", workers)
                self.wait_status(lambda s: s["running"] + s["waiting"] > 0, "there is something to do")
                work = None if workers else self.start("work", "study.toml", "--workers", 2, "--quiet")
                self.wait_status(lambda s: s["completed"] >= 10, "some evaluations have ended")
                if of_this_run:
                    shutil.copy(self.path("parabola.db"), self.path("old"))
                    self.wait_status(lambda s: s["completed"] >= 15, "more evaluations have ended")
                shutil.copy(self.path("old"), self.path("parabola.db"))
                for process in filter(None, (run, work)):
                    _, err = self.finish(process, 5)
                    self.assertIn("was overwritten by another program while it was in use", err)
                self.assertTrue(os.path.exists(self.path("parabola.db-wal")))
                for name in ("parabola.db-wal", "parabola.db-shm"):  # as the message says
                    os.remove(self.path(name))
                shutil.copy(self.path("old"), self.path("parabola.db"))
                if not of_this_run:
                    self.assertEqual(self.json("status", "parabola.db")["completed"], 6)
                os.remove(self.path("parabola.db"))

    def test_a_flipped_value_is_found(self):
        self.study(budget=5)
        self.vbo("run", "study.toml")
        other = ("CASE WHEN params LIKE '%plain%' THEN replace(params, 'plain', 'with space') "
                 "ELSE replace(params, 'with space', 'plain') END")
        for column, value in (("value", "value + 1"), ("params", other), ("told_in", "told_in + 1"),
                              ("seconds", "seconds * 2 + 1")):
            with self.subTest(column):
                shutil.copy(self.path("parabola.db"), self.path("flipped.db"))
                with sqlite3.connect(self.path("flipped.db")) as db:
                    changed = db.execute(f"UPDATE trials SET {column} = {value} WHERE id = 1")
                    self.assertEqual(changed.rowcount, 1)
                self.assertIn("the checksum differs", self.vbo("trials", "flipped.db", expect=5).stderr)

    @unittest.skipUnless(os.geteuid() == 0, "needs a second user")
    def test_a_reader_of_another_user_leaves_nothing_behind(self):
        self.study(budget=5)
        self.vbo("run", "study.toml")
        os.chmod(self.folder, 0o777)
        os.chmod(self.path("parabola.db"), 0o666)
        before = sorted(os.listdir(self.folder))
        shutil.copy(VBO, self.path("vbo-copy"))
        os.chmod(self.path("vbo-copy"), 0o755)
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", self.path("vbo-copy")]
        subprocess.run([*nobody, "status", "parabola.db"], cwd=self.folder, check=True, capture_output=True)
        os.remove(self.path("vbo-copy"))
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_upgrading_what_is_up_to_date_does_nothing_and_older_files_are_refused(self):
        self.study(budget=5)
        self.vbo("run", "study.toml")
        for process in [self.start("upgrade", "parabola.db") for _ in range(4)]:
            out, err = process.communicate(timeout=PATIENCE)
            self.assertEqual((process.returncode, out, err), (0, "parabola.db is up to date\n", ""))
        self.assertEqual(self.json("status", "parabola.db")["completed"], 5)
        db = sqlite3.connect(self.path("parabola.db"))
        db.execute("PRAGMA user_version = 3")  # of a version that was never released
        db.close()
        before = (self.folder / "parabola.db").read_bytes()
        for command in ("status", "best", "upgrade"):
            self.assertIn("has schema 3, this build knows 4", self.vbo(command, "parabola.db", expect=5).stderr)
        self.assertEqual((self.folder / "parabola.db").read_bytes(), before)

    def test_readers_of_a_study_that_is_being_upgraded_see_the_old_or_the_new(self):
        self.study(budget=2)
        self.vbo("run", "study.toml")
        with contextlib.closing(sqlite3.connect(self.path("parabola.db"))) as db, db:
            db.execute("ALTER TABLE study DROP COLUMN changes")  # as schema 4 was
            db.execute("PRAGMA user_version = 4")
        for _ in range(3):
            shutil.copy(self.path("parabola.db"), self.path("old.db"))
            wrong = []

            def read():
                while not wrong:
                    done = self.vbo("status", "old.db", "--json", expect=None)
                    if done.returncode == 0:
                        return
                    if done.returncode != 2 or "bring it up to date with: vbo upgrade" not in done.stderr:
                        wrong.append((done.returncode, done.stderr))

            readers = [threading.Thread(target=read) for _ in range(6)]
            for reader in readers:
                reader.start()
            self.vbo("upgrade", "old.db")
            for reader in readers:
                reader.join()
            self.assertEqual(wrong, [])
            self.assertEqual(self.json("status", "old.db")["completed"], 2)
            os.remove(self.path("old.db"))


if __name__ == "__main__":
    unittest.main()
