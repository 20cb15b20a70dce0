# SPDX-License-Identifier: MIT
"""`vbo run --on slurm` on a real Slurm of one node, with a real PostgreSQL: whatever happens to jobs, every trial is told
exactly once."""
import json
import os
import signal
import subprocess
import time
import unittest

import postgres
import slurm
from support import VBO, VboTest

CLUSTER = """
[cluster]
launcher = "slurm"
jobs = {jobs}
options = {options}
"""


class OnSlurm(VboTest):
    studies = 0

    @classmethod
    def setUpClass(cls):
        cls.server = postgres.Server()
        cls.addClassCleanup(cls.server.end)
        cls.slurm = slurm.Slurm("MaxArraySize=3")
        cls.addClassCleanup(cls.slurm.end)

    def setUp(self):
        super().setUp()
        self.folder.chmod(0o755)
        OnSlurm.studies += 1
        self.url = f"{self.server.url}&study=slurm{OnSlurm.studies}"
        self.known = {job for job, _ in self.slurm.jobs()}
        self.addCleanup(self.slurm, "scancel", "--full", "--user", str(os.getuid()))

    def study(self, command, *, jobs=4, options=(), **more):
        name = super().study(command, **more)
        path = self.folder / name
        text = path.read_text().replace('"parabola.db"', json.dumps(self.url))
        path.write_text(text + CLUSTER.format(jobs=jobs, options=json.dumps(list(options))))
        return name

    def sleeping(self, seconds, **more):
        """A study whose evaluations take a while and give the trial's number; they write down that they ran."""
        return self.study(["sh", "-c", f"sleep {seconds}; echo $VBO_TRIAL_ID >> evaluated; echo $VBO_TRIAL_ID"],
                          workers=1, **more)

    def run_on_slurm(self, *more):
        return self.start("run", "study.toml", "--on", "slurm", *more, env=self.slurm.environment)

    def jobs(self, *states):
        return [job for job, state in self.slurm.jobs(*states) if job not in self.known]

    def rows(self, sql):
        study = f"(SELECT id FROM vbo.studies WHERE key = 'slurm{OnSlurm.studies}')"
        return self.server.sql(sql.replace("STUDY", study))

    def completed(self):
        done = subprocess.run([VBO, "status", self.url, "--json"], text=True, capture_output=True)
        return json.loads(done.stdout)["completed"] if done.returncode == 0 else 0

    def wait_completed(self, count):
        self.wait_until(lambda: self.completed() >= count, f"{count} evaluations have ended")

    def check_told_once(self, budget, failed=0):
        """Every trial ended, was told, in one event each with its own number, and has its own value."""
        told = self.rows("SELECT count(*), count(told_in), count(DISTINCT params), count(*) FILTER (WHERE value = id), "
                         "count(*) FILTER (WHERE state = 'failed') FROM vbo.trials WHERE study = STUDY")
        self.assertEqual(told, [[str(n) for n in (budget, budget, budget, budget - failed, failed)]])

    def check_no_job_is_left(self):
        self.wait_until(lambda: not self.jobs("PENDING", "RUNNING", "COMPLETING"), "all jobs have ended")

    def test_runs_to_the_end_in_arrays_the_site_allows(self):
        self.sleeping(0.2, jobs=4, budget=30)
        run = self.run_on_slurm("--json")
        self.wait_completed(4)
        workers = self.json("workers", self.url)
        self.assertTrue(all(w["name"].startswith("slurm-") for w in workers), workers)
        out, err = self.finish(run, 0)
        done = json.loads(out)
        self.assertEqual((done["end"], done["completed"], done["failed"]), ("budget_spent", 30, 0))
        self.check_told_once(30)
        self.check_no_job_is_left()
        # MaxArraySize=3: two arrays.
        jobs = self.jobs()
        self.assertEqual(len(jobs), 4, jobs)
        self.assertEqual(len({job.split("_")[0] for job in jobs}), 2, jobs)
        self.assertEqual(sorted(map(int, (self.folder / "evaluated").read_text().split())), list(range(1, 31)))

    def test_no_more_jobs_than_the_study_can_use(self):
        self.sleeping(1, jobs=50, budget=2)
        self.finish(self.run_on_slurm("--quiet"), 0)
        self.assertEqual(len(self.jobs()), 2)

    def test_cancelled_jobs_are_replaced(self):
        self.sleeping(0.5, jobs=3, budget=40)
        run = self.run_on_slurm()
        self.wait_completed(4)
        first = self.jobs("RUNNING")
        self.slurm("scancel", first[0], first[1])
        out, err = self.finish(run, 0)
        self.assertIn("ended before the study did (CANCELLED)", err)
        self.assertGreaterEqual(len(self.jobs()), 5)
        self.check_told_once(40)
        self.check_no_job_is_left()

    def test_a_node_that_dies_and_comes_back(self):
        self.sleeping(1, jobs=3, budget=30)
        run = self.run_on_slurm()
        self.wait_completed(4)
        self.slurm.lose_node()  # SlurmdTimeout is 10 s
        self.wait_until(lambda: len(self.jobs("NODE_FAIL")) == 3, "Slurm has noticed")
        self.wait_until(lambda: len(self.jobs("PENDING")) == 3, "vbo has asked for new jobs")
        self.slurm.start_node()
        out, err = self.finish(run, 0)
        self.assertIn("NODE_FAIL", err)
        self.check_told_once(30)
        self.check_no_job_is_left()

    def test_the_time_limit_of_jobs(self):
        # Slurm counts in minutes and looks every half minute. Evaluations that end within the grace are stored, the others given back.
        self.sleeping(2, jobs=2, budget=100, options=["--time=1"])
        begin = time.monotonic()
        run = self.run_on_slurm("--grace", 5)
        out, err = self.finish(run, 0)
        self.assertGreater(time.monotonic() - begin, 60.0)
        self.assertTrue(self.jobs("TIMEOUT"), self.slurm.jobs())
        self.assertIn("(TIMEOUT)", err)
        self.check_told_once(100)
        # Given back in time: nobody had to wait for a lease.
        self.assertEqual(self.rows("SELECT max(losses) FROM vbo.trials WHERE study = STUDY"), [["0"]])
        self.check_no_job_is_left()

    def test_ctrl_c_cancels_and_the_next_run_goes_on(self):
        self.sleeping(0.5, jobs=3, budget=24)
        run = self.run_on_slurm("--grace", 5)
        self.wait_completed(3)
        run.send_signal(signal.SIGINT)
        out, err = self.finish(run, 130)
        self.assertEqual(self.jobs("PENDING", "RUNNING"), [])
        self.assertLess(self.completed(), 24)
        self.assertEqual(self.rows("SELECT count(*) FROM vbo.trials WHERE study = STUDY AND state = 'running'"), [["0"]])
        self.finish(self.run_on_slurm("--quiet"), 0)
        self.check_told_once(24)
        self.check_no_job_is_left()

    def test_a_killed_coordinator_leaves_its_jobs_to_the_next(self):
        self.sleeping(0.5, jobs=3, budget=40)
        run = self.run_on_slurm()
        self.wait_completed(4)
        before = self.jobs("RUNNING", "PENDING")
        run.kill()
        out, err = self.finish(self.run_on_slurm(), 0)
        self.assertEqual(sorted(self.jobs()), sorted(before))  # it found them, and asked for no more
        self.check_told_once(40)
        self.check_no_job_is_left()

    def test_what_slurm_refuses_is_said_in_one_line(self):
        self.sleeping(1, options=["--partition=nowhere"])
        err = self.finish(self.run_on_slurm("--quiet"), 2)[1]
        self.assertIn("Slurm refuses (sbatch): invalid partition specified: nowhere; Batch job submission failed: "
                      "Invalid partition name specified", err)
        self.assertEqual(len([line for line in err.splitlines() if "Slurm" in line or "sbatch" in line]), 1, err)

    def test_what_keeps_jobs_waiting_is_said(self):
        self.sleeping(1, options=["--time=10:00:00"])
        run = self.run_on_slurm()
        self.wait_until(lambda: self.jobs("PENDING"), "they wait")
        time.sleep(4)
        run.send_signal(signal.SIGINT)
        out, err = self.finish(run, 130)
        self.assertEqual(err.count("the reason given is: PartitionTimeLimit"), 1, err)
        self.check_no_job_is_left()

    def test_jobs_that_cannot_work_end_the_run_with_their_own_words(self):
        self.study(["./not-there", "{x}"], jobs=3)
        path = self.folder / "study.toml"
        path.write_text(path.read_text() + "\n[stop]\nfailures_in_a_row = 3\n")
        err = self.vbo("run", "study.toml", "--on", "slurm", expect=2, env=self.slurm.environment).stderr
        self.assertIn("jobs failed one after another without a result; the last one said: ", err)
        self.assertIn("not-there", err)
        self.check_no_job_is_left()


class WithoutSlurm(VboTest):
    def test_what_the_file_lacks(self):
        self.study()
        self.assertIn("study.toml: cluster: missing", self.vbo("run", "study.toml", "--on", "slurm", expect=2).stderr)
        path = self.folder / "study.toml"
        path.write_text(path.read_text() + CLUSTER.format(jobs=2, options="[]"))
        err = self.vbo("run", "study.toml", "--on", "slurm", expect=2).stderr
        self.assertIn("study.storage: found \"parabola.db\", expected \"postgresql://...\"", err)
        self.vbo("run", "study.toml", "--on", "pbs", expect=2)
        self.vbo("run", "study.toml", "--on", "slurm", "--workers", 0, expect=2)

    def test_what_a_cluster_may_say(self):
        self.study()
        path = self.folder / "study.toml"
        text = path.read_text()
        for table, expected in [("launcher = \"pbs\"", "cluster.launcher: found 'pbs', expected \"slurm\""),
                                ("jobs = 2", "cluster.launcher: missing"),
                                ("launcher = \"slurm\"\njobs = 0", "cluster.jobs"),
                                ("launcher = \"slurm\"\nnodes = 3", "cluster.nodes"),
                                ("launcher = \"slurm\"\noptions = [\"-p\", \"cpu\"]", "found \"-p\""),
                                ("launcher = \"slurm\"\noptions = [\"--array=0-9\"]", "which vbo sets itself"),
                                # What sbatch takes for them too.
                                ("launcher = \"slurm\"\noptions = [\"--arr=0-9\"]", "which vbo sets itself"),
                                ("launcher = \"slurm\"\noptions = [\"--wra=sh\"]", "which vbo sets itself")]:
            path.write_text(f"{text}\n[cluster]\n{table}\n")
            self.assertIn(expected, self.vbo("check", "study.toml", expect=2).stderr)


if __name__ == "__main__":
    unittest.main()
