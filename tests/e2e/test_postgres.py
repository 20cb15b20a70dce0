# SPDX-License-Identifier: MIT
"""A study in PostgreSQL: every command as with a file, standby coordinators, and chaos. VBO_CHAOS=SECONDS[:SEED] lets
the chaos go on for longer, with 32 workers."""
import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest

import postgres
from support import VBO, VboTest

CHAOS = os.environ.get("VBO_CHAOS", "")


@unittest.skipIf(postgres.SKIP, "VBO_SKIP_POSTGRES")
class OnServer(VboTest):
    studies = 0  # of all tests, so that each has its own

    @classmethod
    def setUpClass(cls):
        cls.server = postgres.Server()
        cls.addClassCleanup(cls.server.end)

    def setUp(self):
        super().setUp()
        OnServer.studies += 1
        self.url = f"{self.server.url}&study=s{OnServer.studies}"

    def study(self, *arguments, **more):
        name = super().study(*arguments, **more)
        path = self.folder / name
        path.write_text(path.read_text().replace('"parabola.db"', json.dumps(self.url)))
        return name

    def wait_for(self, condition, what):
        def look():
            done = subprocess.run([VBO, "status", self.url, "--json"], text=True, capture_output=True)
            return done.returncode == 0 and condition(json.loads(done.stdout))
        self.wait_until(look, what)

    def rows(self, sql):
        return self.server.sql(sql.replace("STUDY", f"(SELECT id FROM vbo.studies WHERE key = 's{OnServer.studies}')"))


class Commands(OnServer):
    def test_every_command_works_as_with_a_file(self):
        self.study(budget=10)
        asked = self.json("ask", "study.toml", "-n", 2)
        self.vbo("tell", self.url, 1, "-7.5")
        self.vbo("tell", self.url, 2, "--fail", "sample broke")
        done = self.json("run", "study.toml")
        self.assertEqual((done["completed"], done["failed"], done["end"]), (9, 1, "budget_spent"))
        self.assertEqual(self.json("best", self.url)["value"], min(-7.5, done["best"]["value"]))
        self.assertEqual(self.json("status", "study.toml")["storage"], self.url)
        trials = self.json("trials", self.url)
        self.assertEqual([t["params"] for t in trials[:2]], [s["params"] for s in asked])
        self.vbo("explain", self.url, 3)
        self.assertEqual(self.json("workers", self.url), [])
        self.assertIn("budget was spent already", self.vbo("run", "study.toml").stdout)

    def test_a_study_that_is_not_there(self):
        self.assertIn("holds no study", self.vbo("status", self.url, expect=2).stderr)

    def test_a_server_that_is_not_there(self):
        err = self.vbo("status", "postgresql://nobody@127.0.0.1:1/x?study=y", expect=5).stderr
        self.assertIn("PostgreSQL at 127.0.0.1:1, database x cannot be reached", err)

    def test_passwords_are_refused_and_not_repeated(self):
        self.url = "postgresql://me:hush@127.0.0.1/x?study=y"
        self.study()
        for command in (["run", "study.toml"], ["status", self.url]):
            err = self.vbo(*command, expect=2).stderr
            self.assertIn("PGPASSFILE", err)
            self.assertNotIn("hush", err)

    def test_many_hands(self):
        self.study(["sh", "-c", "sleep 0.1; echo 1"], budget=100000, workers=2)
        run = self.start("run", "study.toml", "--quiet")
        self.wait_for(lambda s: s["completed"] > 0, "an evaluation has ended")
        ids = [s["id"] for s in self.json("ask", self.url, "-n", 16)]
        processes = [self.start("tell", self.url, i, i) for i in ids]
        processes += [self.start("ask", self.url) for _ in range(16)]
        for process in processes:
            self.finish(process, 0)
        run.send_signal(signal.SIGINT)
        self.finish(run, 130)
        self.assertEqual(self.rows("SELECT count(*), count(DISTINCT id) FROM vbo.trials WHERE study = STUDY AND "
                                   f"value = id AND id IN ({','.join(map(str, ids))})"), [["16", "16"]])


class Coordinators(OnServer):
    def check_takeover(self, end, budget=200):
        self.study(["sh", "-c", "sleep 0.2; echo $VBO_TRIAL_ID"], budget=budget, workers=2, method="cmaes")
        first = self.start("run", "study.toml", "--workers", 0)
        self.wait_for(lambda s: s["waiting"] > 0, "it coordinates")
        second = self.start("run", "study.toml", "--workers", 0)
        workers = [self.start("work", "study.toml", "--quiet") for _ in range(2)]
        self.wait_for(lambda s: s["completed"] >= 6, "some have ended")
        epoch = self.rows("SELECT epoch FROM vbo.studies WHERE id = STUDY")
        begin = time.monotonic()
        end(first)
        self.wait_until(lambda: self.rows("SELECT epoch FROM vbo.studies WHERE id = STUDY") != epoch,
                        "the second has taken over")
        self.assertLess(time.monotonic() - begin, 10.0)
        return first, second, workers

    def test_a_standby_takes_over_when_the_coordinator_is_killed(self):
        first, second, workers = self.check_takeover(lambda p: p.kill(), budget=40)
        out, err = self.finish(second, 0)
        self.assertIn("standing by", err)
        for worker in workers:
            self.finish(worker, 0)
        self.assertEqual(self.rows("SELECT count(*), count(told_in) FROM vbo.trials WHERE study = STUDY"), [["40", "40"]])

    def test_a_stopped_coordinator_that_wakes_up_writes_nothing(self):
        first, second, workers = self.check_takeover(lambda p: p.send_signal(signal.SIGSTOP), budget=60)
        first.send_signal(signal.SIGCONT)
        self.finish(second, 0)
        # It noticed, stood by, and found the study finished.
        out, err = self.finish(first, 0)
        self.assertIn("has taken over", err)
        for worker in workers:
            self.finish(worker, 0)
        self.assertEqual(self.rows("SELECT count(*), count(told_in) FROM vbo.trials WHERE study = STUDY"), [["60", "60"]])
        asks = self.rows("SELECT count(DISTINCT asked_in) FROM vbo.trials WHERE study = STUDY AND asked_in IN "
                         "(SELECT told_in FROM vbo.trials WHERE study = STUDY)")
        self.assertEqual(asks, [["0"]])  # no number was given twice


class Chaos(OnServer):
    def test_every_trial_is_told_exactly_once_whatever_happens(self):
        seconds, _, seed = CHAOS.partition(":")
        workers, seconds = (32, float(seconds)) if seconds else (6, 15.0)
        seed = int(seed or 1)
        print(f"chaos with seed {seed}: {workers} workers, {seconds:g} s", file=sys.stderr)
        dice = random.Random(seed)
        self.study(["sh", "-c", "sleep 0.$((VBO_TRIAL_ID % 5 + 1)); awk 'BEGIN {printf \"%.17g\\n\", ({x}) ^ 2 + {n}}'"],
                   budget=1000000, workers=1, method="cmaes", batch=8)

        def worker():
            return self.start("work", "study.toml", "--lease", "2", "--quiet")

        def coordinator():
            return self.start("run", "study.toml", "--workers", 0, "--quiet")

        crew = [worker() for _ in range(workers)]
        lead = [coordinator()]
        stopped = []  # (process, when to wake it)
        cut_until = 0.0
        end = time.monotonic() + seconds
        counts = {}
        while time.monotonic() < end:
            time.sleep(dice.uniform(0.1, 0.6))
            for process, moment in list(stopped):
                if time.monotonic() > moment:
                    process.send_signal(signal.SIGCONT)
                    stopped.remove((process, moment))
            what = dice.choice(["kill", "kill", "stop", "stop", "lead", "fast", "immediate", "cut"])
            if what == "kill":
                i = dice.randrange(len(crew))
                crew[i].kill()
                crew[i] = worker()
            elif what == "stop":
                process = dice.choice(crew)
                process.send_signal(signal.SIGSTOP)
                stopped.append((process, time.monotonic() + dice.uniform(0.5, 5.0)))
            elif what == "lead":
                lead[0].kill()
                lead[0] = coordinator()
            elif what in ("fast", "immediate"):
                if dice.random() < 0.7:
                    continue  # rarer than the others
                self.server.stop(what)
                time.sleep(dice.uniform(0.0, 2.0))
                self.server.again()
            elif time.monotonic() > cut_until:
                self.server.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                                "application_name = 'vbo'")
                cut_until = time.monotonic() + 3.0
            counts[what] = counts.get(what, 0) + 1
        print(f"  {counts}", file=sys.stderr)
        for process, _ in stopped:
            process.send_signal(signal.SIGCONT)
        # Calm again: a budget that can be reached, and everybody comes to an end.
        lead[0].kill()
        lead[0].communicate()
        asked = int(self.rows("SELECT coalesce(max(id), 0) FROM vbo.trials WHERE study = STUDY")[0][0])
        budget = asked + 20
        self.server.sql(f"UPDATE vbo.studies SET budget = {budget} WHERE key = 's{OnServer.studies}'")
        path = self.folder / "study.toml"
        path.write_text(path.read_text().replace("budget = 1000000", f"budget = {budget}"))
        out, err = self.finish(self.start("run", "study.toml", "--json"), 0)
        done = json.loads(out)
        self.assertEqual(done["completed"] + done["failed"], budget)
        for process in crew:
            self.finish(process, 0)
        told = self.rows("SELECT count(*), count(told_in), count(DISTINCT params) FROM vbo.trials WHERE study = STUDY")
        self.assertEqual(told, [[str(budget)] * 3])  # each once, none stuck, nothing suggested twice
        wrong = self.rows("SELECT count(*) FROM vbo.trials WHERE study = STUDY AND state = 'completed' AND "
                          "abs(value - ((params::json->>'x')::float8 ^ 2 + (params::json->>'n')::float8)) > 1e-9")
        self.assertEqual(wrong, [["0"]])
        # Replaying everything from the log gives every suggestion again.
        self.server.sql("DELETE FROM vbo.snapshots")
        path.write_text(path.read_text().replace(f"budget = {budget}", f"budget = {budget + 1}"))
        done = self.vbo("run", "study.toml")
        self.assertNotIn("other suggestions", done.stderr)


if __name__ == "__main__":
    unittest.main()
