# SPDX-License-Identifier: MIT
"""vbo run against real evaluators: parallel work, failures, signals, other processes, other files."""
import fcntl
import json
import os
import pathlib
import pty
import re
import resource
import signal
import struct
import subprocess
import termios
import time
import unittest

from support import PATIENCE, VBO, VboTest, is_gone

# Waits until the file "go" exists, then prints the trial's id.
UNTIL_GO = ["sh", "-c", "until test -e go; do sleep 0.02; done; echo $VBO_TRIAL_ID"]


class Running(VboTest):
    def test_ends_with_the_best_point_and_what_to_type_next(self):
        self.study(budget=10)
        done = self.vbo("run", "study.toml")
        best = self.json("best", "parabola.db")
        self.assertIn("parabola: 10 of 10 evaluations", done.stdout)
        self.assertIn(f"(trial {best['id']})", done.stdout)
        self.assertIn(f"x    = {best['params']['x']:.6g}", done.stdout)
        for command in ("vbo best parabola.db", "vbo trials parabola.db", "vbo run study.toml"):
            self.assertIn(command, done.stderr)
        self.assertNotIn("\x1b", done.stdout + done.stderr)

    def test_next_steps_are_ready_for_a_shell(self):
        self.study(budget=20)
        (self.folder / "study.toml").rename(self.folder / "my study.toml")
        done = self.vbo("run", "my study.toml")
        for command in ("vbo serve parabola.db", "vbo report parabola.db", "vbo importance parabola.db",
                        "vbo run 'my study.toml'"):
            self.assertIn(command, done.stderr)

    def test_json_and_quiet(self):
        self.study(budget=6, goal="maximize")
        done = self.vbo("run", "study.toml", "--json", "--quiet")
        self.assertEqual(done.stderr, "")
        result = json.loads(done.stdout)
        self.assertEqual((result["study"], result["end"], result["completed"], result["failed"], result["budget"]),
                         ("parabola", "budget_spent", 6, 0, 6))
        values = [t["value"] for t in self.json("trials", "parabola.db")]
        self.assertEqual(result["best"]["value"], max(values))

    def test_progress_is_plain_lines_elsewhere_than_on_a_terminal(self):
        self.study(budget=4)
        err = self.vbo("run", "study.toml").stderr
        self.assertIn("vbo: parabola: 0/4 evaluated, 0 failed", err)
        self.assertIn("vbo: parabola: 4/4 evaluated, 0 failed, 0 running, best ", err)

    def test_same_seed_same_trials(self):
        for name in ("a", "b"):
            os.mkdir(self.path(name))
            self.study(name=f"{name}/study.toml", budget=9, workers=3)
            self.vbo("run", f"{name}/study.toml")
        a, b = (self.json("trials", f"{name}/parabola.db") for name in "ab")
        self.assertEqual([(t["id"], t["params"], t["value"]) for t in a],
                         [(t["id"], t["params"], t["value"]) for t in b])

    def test_a_finished_study_says_so_and_a_raised_budget_continues_it(self):
        self.study(budget=5)
        self.vbo("run", "study.toml")
        before = self.json("trials", "parabola.db")
        self.assertIn("budget was spent already", self.vbo("run", "study.toml").stdout)
        self.study(budget=9)
        self.vbo("run", "study.toml")
        after = self.json("trials", "parabola.db")
        self.assertEqual(after[:5], before)
        self.assertEqual(len(after), 9)
        self.assertEqual(self.json("status", "parabola.db")["budget"], 9)

    def test_a_contradicting_study_file_is_refused_with_the_difference(self):
        self.study(budget=5)
        self.vbo("run", "study.toml")
        before = self.json("trials", "parabola.db")
        self.study(budget=5, goal="maximize")
        self.assertIn('goal: stored "minimize", given "maximize"', self.vbo("run", "study.toml", expect=2).stderr)
        self.assertEqual(self.json("trials", "parabola.db"), before)

    def test_serve_mode(self):
        self.write("server.py", "import json, sys\nfor line in sys.stdin:\n q = json.loads(line)\n"
                   " print(json.dumps({'id': q['id'], 'value': q['params']['x'] ** 2}), flush=True)\n")
        self.study(["python3", "server.py"], budget=40, workers=2, evaluate='mode = "serve"')
        self.vbo("run", "study.toml")
        trials = self.json("trials", "parabola.db")
        self.assertEqual(len(trials), 40)
        for trial in trials:
            self.assertAlmostEqual(trial["value"], trial["params"]["x"] ** 2, places=9)


class Terminal(VboTest):
    """What a person sees; a pseudo-terminal stands for theirs."""

    def on_terminal(self, columns=80, **environment):
        self.study(["sh", "-c", "sleep 0.05; echo $VBO_TRIAL_ID"], budget=12)
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        variables = {**os.environ, "TERM": "xterm", "LANG": "C.UTF-8", "LC_ALL": "", **environment}
        process = subprocess.Popen([VBO, "run", "study.toml"], cwd=self.folder, stdin=slave, stdout=slave,
                                   stderr=slave, env=variables)
        os.close(slave)
        seen = b""
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            seen += chunk
        os.close(master)
        self.assertEqual(process.wait(timeout=PATIENCE), 0)
        return seen.decode()

    def test_a_live_bar_that_leaves_no_trace(self):
        seen = self.on_terminal()
        self.assertIn("░", seen)
        self.assertIn("\x1b[32m", seen)
        self.assertIn("\x1b[2A", seen)  # drawn in place
        self.assertIn("best 1 (trial 1)", seen)
        self.assertTrue(seen.rindex("\x1b[?25h") > seen.rindex("\x1b[?25l"), "the cursor is back")
        for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen).replace("\r", "\n").split("\n"):
            if "/12" in line:
                self.assertLess(len(line), 80)

    def test_plain_characters_and_no_colour_when_asked(self):
        seen = self.on_terminal(NO_COLOR="1", LANG="C")
        self.assertNotIn("░", seen)
        self.assertIn("---", seen)
        self.assertNotIn("\x1b[32m", seen)

    def test_a_dumb_terminal_gets_plain_lines(self):
        seen = self.on_terminal(TERM="dumb")
        self.assertNotIn("\x1b", seen)
        self.assertIn("vbo: parabola: 12/12 evaluated", seen)


class Parallel(VboTest):
    def test_workers_really_run_at_the_same_time(self):
        # Each of the first four waits for the other three.
        self.study(["sh", "-c", "touch here.$VBO_TRIAL_ID; until test $(ls here.* | wc -l) -ge 4; do sleep 0.02; done; "
                    "echo 1"], budget=8, workers=4, evaluate="timeout = 60")
        self.vbo("run", "study.toml")
        self.assertEqual(self.json("status", "parabola.db")["completed"], 8)

    def test_one_slow_evaluation_holds_nobody_back(self):
        # Trial 1 ends only after the other eleven have.
        self.study(["sh", "-c", "if test $VBO_TRIAL_ID = 1; then until test $(ls done.* | wc -l) -ge 11; do sleep 0.02; "
                    "done; else touch done.$VBO_TRIAL_ID; fi; echo 1"], budget=12, workers=2, evaluate="timeout = 60")
        self.vbo("run", "study.toml")
        self.assertEqual(self.json("status", "parabola.db")["completed"], 12)

    def test_readers_work_while_it_runs(self):
        self.study(UNTIL_GO, workers=3, budget=6)
        process = self.start("run", "study.toml")
        status = self.wait_status(lambda s: s["running"] == 3, "three evaluations run")
        self.assertEqual((status["completed"], status["budget"]), (0, 6))
        self.assertEqual([t["state"] for t in self.json("trials", "parabola.db")][:3], ["running"] * 3)
        self.vbo("explain", "parabola.db", 1)
        self.vbo("best", "parabola.db", expect=3)
        self.write("go", "")
        self.finish(process, 0)

    def test_a_second_run_is_refused(self):
        self.study(UNTIL_GO)
        process = self.start("run", "study.toml")
        self.wait_status(lambda s: s["running"] == 2, "two evaluations run")
        err = self.vbo("run", "study.toml", expect=5).stderr
        self.assertIn("parabola.db", err)
        self.assertIn(f"process {process.pid}", err)
        self.write("go", "")
        self.finish(process, 0)
        self.assertEqual(self.json("status", "parabola.db")["completed"], 12)


class Failures(VboTest):
    def test_failures_never_stop_the_study(self):
        script = ("case $VBO_TRIAL_ID in 1) exit 1;; 2) echo nan;; 3) exit 65;; 4) echo hello;; 5) kill -9 $$;; "
                  "6) sleep 1000;; *) echo 3;; esac")
        self.study(["sh", "-c", script], budget=10, evaluate="retries = 0\ntimeout = 1.0")
        self.vbo("run", "study.toml")
        causes = [t["cause"] for t in self.json("trials", "parabola.db")]
        self.assertEqual(causes[:6], ["crash", "non_finite", "infeasible", "no_value", "crash", "timeout"])
        self.assertEqual(causes[6:], [None] * 4)

    def test_retries(self):
        # Each trial crashes once, then succeeds.
        script = "if test -e tried.$VBO_TRIAL_ID; then echo 1; else touch tried.$VBO_TRIAL_ID; exit 1; fi"
        self.study(["sh", "-c", script], budget=3, evaluate="retries = 1")
        self.vbo("run", "study.toml")
        self.assertEqual([t["attempts"] for t in self.json("trials", "parabola.db")], [2, 2, 2])

    def test_circuit_breaker(self):
        text = pathlib.Path(self.path(self.study(["false"], budget=1000, workers=1)))
        text.write_text(text.read_text() + "[stop]\nfailures_in_a_row = 4\n")
        done = self.vbo("run", "study.toml", expect=3)
        self.assertIn("Paused: 4 evaluations in a row have failed", done.stdout)
        self.assertIn("trial 1 failed: the evaluator ended with exit code 1", done.stderr)
        self.assertIn("vbo run study.toml", done.stderr)
        self.assertEqual(self.json("status", "parabola.db")["failed"], 4)

    def test_breaker_after_successes_is_exit_code_1(self):
        path = pathlib.Path(self.path(self.study(["sh", "-c", "test $VBO_TRIAL_ID = 1 && echo 5"], budget=100)))
        path.write_text(path.read_text() + "[stop]\nfailures_in_a_row = 3\n")
        self.assertIn("Best 5", self.vbo("run", "study.toml", expect=1).stdout)

    def test_no_success_is_exit_code_3(self):
        self.study(["sh", "-c", "exit 65"], budget=3)
        self.assertIn("Every evaluation has failed", self.vbo("run", "study.toml", expect=3).stdout)


class Signals(VboTest):
    def begin(self, command=None, **more):
        self.study(command or UNTIL_GO, **more)
        process = self.start("run", "study.toml", "--grace", "2")
        self.wait_status(lambda s: s["running"] == 2, "two evaluations run")
        return process

    def test_first_interrupt_finishes_what_runs(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                process = self.begin()
                process.send_signal(number)
                self.write("go", "")
                out, err = self.finish(process, 130)
                self.assertIn("Interrupted; nothing is lost", out)
                self.assertIn("vbo run study.toml", err)
                status = self.json("status", "parabola.db")
                self.assertEqual((status["running"], status["completed"]), (0, 2))
                self.vbo("run", "study.toml")
                self.assertEqual(self.json("status", "parabola.db")["completed"], 12)
                os.remove(self.path("go"))
                os.remove(self.path("parabola.db"))

    def slow(self):
        return self.begin(["sh", "-c", "sleep 1000 & echo $! > child.$VBO_TRIAL_ID; wait"])

    def assert_stopped(self, process):
        out, _ = self.finish(process, 130)
        self.assertIn("Interrupted", out)
        status = self.json("status", "parabola.db")
        self.assertEqual((status["running"], status["completed"]), (0, 0))
        self.assertGreaterEqual(status["waiting"], 2)
        for trial in (1, 2):
            pid = int(pathlib.Path(self.path(f"child.{trial}")).read_text())
            self.wait_until(lambda: is_gone(pid), f"the grandchild of trial {trial} is gone")

    def test_second_interrupt_stops_at_once(self):
        process = self.slow()
        self.wait_until(lambda: os.path.exists(self.path("child.2")), "the second evaluation has begun")
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.assert_stopped(process)

    def test_termination_has_a_deadline(self):
        process = self.slow()
        self.wait_until(lambda: os.path.exists(self.path("child.2")), "the second evaluation has begun")
        process.send_signal(signal.SIGTERM)
        self.assert_stopped(process)

    def test_the_terminals_interrupt_does_not_reach_evaluators(self):
        # Ctrl-C goes to the foreground process group; evaluators are in groups of their own.
        self.study(UNTIL_GO)
        process = self.start("run", "study.toml", start_new_session=True)
        self.wait_status(lambda s: s["running"] == 2, "two evaluations run")
        os.killpg(process.pid, signal.SIGINT)
        time.sleep(0.2)
        self.write("go", "")
        self.finish(process, 130)
        self.assertEqual(self.json("status", "parabola.db")["completed"], 2)


class FewOpenFiles(VboTest):
    def run_with(self, files, workers):
        self.study(budget=40, batch=workers, workers=workers)
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        return subprocess.run([VBO, "run", "study.toml"], cwd=self.folder, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE, preexec_fn=limit)

    def test_fewer_run_and_no_point_is_lost(self):
        done = self.run_with(128, 40)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("40 evaluations at a time need 240 open files, and the limit is 128 (ulimit -Hn); running 12", done.stderr)
        self.assertEqual({t["state"] for t in self.json("trials", "parabola.db")}, {"completed"})

    def test_too_few_are_refused(self):
        done = self.run_with(20, 2)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("the limit is 20 (ulimit -Hn); raise the limit", done.stderr)
        self.assertFalse((self.folder / "parabola.db").exists())


class PausedBesideASuccess(VboTest):
    def test_exit_code_1(self):
        self.study(["sh", "-c", "if test $VBO_TRIAL_ID = 1; then sleep 2; echo 1; else echo no licence >&2; exit 7; fi"],
                   budget=40, batch=6, workers=6)
        done = self.vbo("run", "study.toml", expect=1)
        self.assertIn("the set-up is probably wrong", done.stdout)
        self.assertEqual(self.json("best", "parabola.db")["id"], 1)


if __name__ == "__main__":
    unittest.main()
