# SPDX-License-Identifier: MIT
"""A study in PostgreSQL: every command as with a file, standby coordinators, and chaos. VBO_CHAOS=SECONDS[:SEED] lets
the chaos go on for longer, with 32 workers and connections that are cut for up to a minute."""
import glob
import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest

import postgres
import test_changes
import test_objectives
from proxy import Proxy
from support import VBO, VboTest

CHAOS = os.environ.get("VBO_CHAOS", "")
CUT_SECONDS = 60.0 if CHAOS else 6.0
INSTRUMENTED = os.environ.get("VBO_INSTRUMENTED", "") not in ("", "OFF")


def clock_off_by(offset):
    """An environment in which the time of day is wrong, e.g. "+1h"."""
    found = glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
    if not found:
        raise AssertionError("there is no libfaketime on this machine: run scripts/bootstrap test")
    return {**os.environ, "LD_PRELOAD": found[0], "FAKETIME": offset, "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1"}


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

    def through(self, proxy, name):
        """The study file once more, with a storage that is reached through a proxy."""
        text = (self.folder / "study.toml").read_text()
        url = f"postgresql://vbo@127.0.0.1:{proxy.port}/studies?study=s{OnServer.studies}"
        return self.write(name, text.replace(json.dumps(self.url), json.dumps(url)))

    def proxy(self):
        proxy = Proxy(self.server.folder / "server" / ".s.PGSQL.5432")
        self.addCleanup(proxy.end)
        return proxy

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
        listed = {study["storage"]: study for study in self.json("studies", self.server.url)}
        self.assertEqual((listed[self.url]["completed"], listed[self.url]["failed"]), (9, 1))
        self.assertIn("budget was spent already", self.vbo("run", "study.toml").stdout)

    def test_repeats_and_standard_errors(self):
        answer = "echo '{\"value\": '$VBO_SEED', \"sem\": '$VBO_REPEAT'}'"
        self.study(["sh", "-c", answer], budget=9, evaluate="\n[noise]\nrepeats = 3\n")
        self.json("run", "study.toml")
        trials = self.json("trials", self.url)
        self.assertEqual([t.get("repeat_of") for t in trials], [None, 1, 1, None, 4, 4, None, 7, 7])
        self.assertEqual([t.get("repeat", 1) for t in trials], [1, 2, 3] * 3)
        self.assertEqual([t["sem"] for t in trials], [1, 2, 3] * 3)
        self.assertEqual(len({t["value"] for t in trials}), 9)
        self.vbo("verify", self.url)

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
        # It noticed, stood by, and found the study finished. When it was stopped within a transaction the server
        # has closed its connection, and it notices on the new one.
        out, err = self.finish(first, 0)
        self.assertRegex(err, "has taken over|is being run by")
        for worker in workers:
            self.finish(worker, 0)
        self.assertEqual(self.rows("SELECT count(*), count(told_in) FROM vbo.trials WHERE study = STUDY"), [["60", "60"]])
        asks = self.rows("SELECT count(DISTINCT asked_in) FROM vbo.trials WHERE study = STUDY AND asked_in IN "
                         "(SELECT told_in FROM vbo.trials WHERE study = STUDY)")
        self.assertEqual(asks, [["0"]])  # no number was given twice


class Networks(OnServer):
    def test_a_worker_cut_off_says_so_keeps_its_result_and_comes_back(self):
        self.study(["sh", "-c", "sleep 1; echo $VBO_TRIAL_ID"], budget=12, workers=1)
        proxy = self.proxy()
        run = self.start("run", "study.toml", "--workers", 0, "--quiet")
        self.wait_for(lambda s: s["waiting"] > 0, "it coordinates")
        worker = self.start("work", self.through(proxy, "far.toml"), "--lease", 100)
        self.wait_for(lambda s: s["completed"] >= 2 and s["running"] == 1, "one runs")
        accepted = proxy.accepted
        proxy.cut()
        time.sleep(CUT_SECONDS)
        attempts = proxy.accepted - accepted
        proxy.mend()
        self.finish(run, 0)
        out, err = self.finish(worker, 0)
        self.assertIn(f"waiting for the storage: PostgreSQL at 127.0.0.1:{proxy.port}, database studies cannot be "
                      "reached", err)
        self.assertIn("the storage is back", err)
        self.assertEqual(err.count("waiting for the storage"), 1, err)
        # With backoff: 0.05 s, doubling, at most 5 s. Each attempt is a connection or two (with and without TLS).
        self.assertGreater(attempts, 2)
        self.assertLess(attempts, 2 * (8 + CUT_SECONDS / 4))
        # What ran while it was cut off counted: the lease was long enough, so nobody did it again.
        self.assertEqual(self.rows("SELECT count(*), count(told_in), max(attempts), count(*) FILTER (WHERE value = id) "
                                   "FROM vbo.trials WHERE study = STUDY"), [["12", "12", "1", "12"]])

    def test_a_cut_beyond_the_lease_lets_others_go_on(self):
        self.study(["sh", "-c", "sleep 0.5; echo $VBO_TRIAL_ID"], budget=30, workers=1)
        proxy = self.proxy()
        run = self.start("run", "study.toml", "--workers", 0, "--quiet")
        self.wait_for(lambda s: s["waiting"] > 0, "it coordinates")
        # As if on another machine: those here would see that its process lives, or does not.
        far = self.start("work", self.through(proxy, "far.toml"), "--lease", 1)
        self.wait_for(lambda s: s["running"] == 1, "it works")
        proxy.cut()
        near = self.start("work", "study.toml", "--lease", 1, "--quiet")
        self.wait_for(lambda s: s["completed"] >= 8, "others go on")
        proxy.mend()
        for process in (run, near, far):
            self.finish(process, 0)
        self.assertEqual(self.rows("SELECT count(*), count(told_in), count(*) FILTER (WHERE value = id) FROM vbo.trials "
                                   "WHERE study = STUDY"), [["30"] * 3])

    def test_a_coordinator_cut_off_comes_back(self):
        self.study(["sh", "-c", "sleep 0.3; echo $VBO_TRIAL_ID"], budget=30, workers=2, method="cmaes")
        proxy = self.proxy()
        run = self.start("run", self.through(proxy, "far.toml"), "--workers", 0)
        self.wait_for(lambda s: s["waiting"] > 0, "it coordinates")
        worker = self.start("work", "study.toml", "--quiet")
        self.wait_for(lambda s: s["completed"] >= 4, "some have ended")
        proxy.cut()
        time.sleep(CUT_SECONDS)
        proxy.mend()
        out, err = self.finish(run, 0)
        self.finish(worker, 0)
        self.assertIn(f"PostgreSQL at 127.0.0.1:{proxy.port}, database studies cannot be reached", err)
        self.assertEqual(self.rows("SELECT count(*), count(told_in), count(DISTINCT params) FROM vbo.trials "
                                   "WHERE study = STUDY"), [["30"] * 3])

    @unittest.skipIf(INSTRUMENTED, "a sanitizer's runtime has to be loaded first")
    def test_only_the_servers_clock_counts(self):
        # Evaluations take longer than a lease. Were a worker's clock looked at, one that is an hour behind would have
        # leases that are over when they begin, and one that is ahead would end those of all others.
        self.study(["sh", "-c", "sleep 2.5; echo $VBO_TRIAL_ID"], budget=12, workers=1)
        begin = time.time()
        run = self.start("run", "study.toml", "--workers", 0, "--quiet", env=clock_off_by("+1h"))
        crew = [self.start("work", "study.toml", "--lease", 2, "--name", name, "--quiet", env=environment)
                for name, environment in [("behind", clock_off_by("-1h")), ("ahead", clock_off_by("+1h")),
                                          ("right", dict(os.environ))]]
        self.wait_for(lambda s: s["completed"] >= 3, "all have worked")
        self.assertTrue(all(w["alive"] for w in self.json("workers", self.url)))
        for process in (run, *crew):
            self.finish(process, 0)
        self.assertEqual(self.rows("SELECT count(*), max(attempts), max(losses), count(DISTINCT worker) FROM vbo.trials "
                                   "WHERE study = STUDY"), [["12", "1", "0", "3"]])
        first, last = self.rows("SELECT min(asked_at), max(finished_at) FROM vbo.trials WHERE study = STUDY")[0]
        self.assertGreater(float(first), begin - 5.0)
        self.assertLess(float(last), time.time() + 5.0)


class Chaos(OnServer):
    def test_every_trial_is_told_exactly_once_whatever_happens(self):
        seconds, _, seed = CHAOS.partition(":")
        workers, seconds = (32, float(seconds)) if seconds else (6, 15.0)
        seed = int(seed or 1)
        print(f"chaos with seed {seed}: {workers} workers, {seconds:g} s", file=sys.stderr)
        dice = random.Random(seed)
        self.study(["sh", "-c", "sleep 0.$((VBO_TRIAL_ID % 5 + 1)); awk 'BEGIN {printf \"%.17g\\n\", ({x}) ^ 2 + {n}}'"],
                   budget=1000000, workers=1, method="cmaes", batch=8)

        proxy = self.proxy()
        self.through(proxy, "far.toml")
        clocks = ["+1h", "-1h", ""] if not INSTRUMENTED else [""]

        def worker():
            """A third reaches the server through the proxy, two thirds have a wrong clock."""
            clock = dice.choice(clocks)
            return self.start("work", dice.choice(["study.toml", "study.toml", "far.toml"]), "--lease", "2", "--quiet",
                              env=clock_off_by(clock) if clock else None)

        def coordinator():
            return self.start("run", "study.toml", "--workers", 0, "--quiet")

        crew = [worker() for _ in range(workers)]
        lead = [coordinator()]
        stopped = []  # (process, when to wake it)
        cut_until = mend_at = 0.0
        end = time.monotonic() + seconds
        counts = {}
        while time.monotonic() < end:
            time.sleep(dice.uniform(0.1, 0.6))
            for process, moment in list(stopped):
                if time.monotonic() > moment:
                    process.send_signal(signal.SIGCONT)
                    stopped.remove((process, moment))
            if mend_at and time.monotonic() > mend_at:
                proxy.mend()
                mend_at = 0.0
            what = dice.choice(["kill", "kill", "stop", "stop", "lead", "fast", "immediate", "cut", "proxy"])
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
            elif what == "proxy":
                if mend_at:
                    continue
                proxy.cut()
                mend_at = time.monotonic() + dice.uniform(0.5, min(CUT_SECONDS, seconds / 3))
            elif time.monotonic() > cut_until:
                self.server.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                                "application_name = 'vbo'")
                cut_until = time.monotonic() + 3.0
            counts[what] = counts.get(what, 0) + 1
        print(f"  {counts}", file=sys.stderr)
        for process, _ in stopped:
            process.send_signal(signal.SIGCONT)
        proxy.mend()
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


class Changes(OnServer):
    def test_settings_change(self):
        test_changes.change_and_go_on(self, self.url)


class SeveralObjectives(test_objectives.Objectives):
    def test_workers_and_coordinators_are_killed_at_random(self):
        server = postgres.Server()
        self.addCleanup(server.end)
        self.chaos(f"{server.url}&study=tradeoff", "cmaes", 8, 60, 2)


if __name__ == "__main__":
    unittest.main()
