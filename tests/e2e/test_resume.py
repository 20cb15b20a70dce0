# SPDX-License-Identifier: MIT
"""kill -9 of `vbo run` at random moments: nothing told is lost, nothing is stuck, and the study goes on
as if it had never been killed. VBO_LONG_TESTS=1 kills more often."""
import json
import os
import random
import subprocess
import time
import unittest

from support import LONG, PARABOLA, VBO, VboTest

KILLS = 60 if LONG else 6
# An evaluation long enough for kills to fall into it.
SLOW_PARABOLA = ["sh", "-c", "sleep 0.0$(($VBO_TRIAL_ID % 4)); awk 'BEGIN {printf \"%.17g\\n\", ({x} - 1) ^ 2 + {n} / 10}'"]


class Killed(VboTest):
    def run_and_kill(self, moments):
        """Starts, kills, and looks, once per moment; returns how many kills hit a running study."""
        told = {}
        hits = 0
        for moment in moments:
            process = self.start("run", "study.toml", "--quiet")
            time.sleep(moment)
            alive = process.poll() is None
            process.kill()
            process.communicate()
            hits += alive
            if not os.path.exists(self.path("parabola.db")):
                continue
            now = {t["id"]: (t["state"], t["params"], t["value"]) for t in self.trials()}
            for trial, outcome in told.items():
                self.assertEqual(now[trial], outcome, f"the result of trial {trial} changed or got lost")
            told = {k: v for k, v in now.items() if v[0] in ("completed", "failed")}
            self.assertEqual(sorted(now), list(range(1, len(now) + 1)))
        return hits

    def trials(self):
        done = subprocess.run([VBO, "trials", "parabola.db", "--json"], cwd=self.folder, text=True, capture_output=True)
        if done.returncode == 2:
            return []  # killed before the study was created
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def check(self, method, workers, seed):
        generator = random.Random(seed)
        budget = 12 * KILLS * workers  # enough that the study still runs at the last kill
        self.study(SLOW_PARABOLA, budget=budget, workers=workers, method=method, batch=4)
        hits = self.run_and_kill(generator.uniform(0.0, 0.35) for _ in range(KILLS))
        self.assertGreater(hits, KILLS // 2, "the kills came too late to mean anything")
        self.vbo("run", "study.toml", "--quiet")
        status = self.json("status", "parabola.db")
        self.assertEqual((status["completed"], status["running"], status["waiting"]), (budget, 0, 0))
        return [(t["id"], t["params"], t["value"]) for t in self.trials()]

    def compare_with_uninterrupted(self, method):
        killed = self.check(method, workers=1, seed=11)
        os.rename(self.path("parabola.db"), self.path("killed.db"))
        for leftover in ("parabola.db-wal", "parabola.db-shm"):
            if os.path.exists(self.path(leftover)):
                os.remove(self.path(leftover))
        # The same order of tells: one worker, so one evaluation after the other.
        self.study(PARABOLA, budget=12 * KILLS, workers=1, method=method, batch=4)
        self.vbo("run", "study.toml", "--quiet")
        self.assertEqual(killed, [(t["id"], t["params"], t["value"]) for t in self.trials()])

    def test_same_suggestions_as_an_uninterrupted_run_without_a_model(self):
        self.compare_with_uninterrupted("cmaes")

    def test_same_suggestions_as_an_uninterrupted_run_with_the_flagship(self):
        self.compare_with_uninterrupted("vbo")

    def test_nothing_is_lost_with_several_workers(self):
        self.check("random", workers=3, seed=12)


if __name__ == "__main__":
    unittest.main()
