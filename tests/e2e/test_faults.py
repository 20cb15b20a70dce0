# SPDX-License-Identifier: MIT
"""A hostile day: odd bytes in every text, limits of the machine, processes that do not want to end."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time
import unittest

from support import PATIENCE, VBO, VboTest

SMALL = """[study]
budget = {budget}
{study}
[[parameter]]
name = "{name}"
type = "{type}"
{range}
[evaluate]
command = {command}
workers = {workers}
{evaluate}
[optimizer]
method = "{method}"
"""


def small(**given):
    fields = dict(budget=6, study="", name="x", type="categorical", range='choices = ["a", "b"]',
                  command='["sh", "-c", "echo 1"]', workers=2, evaluate="", method="random")
    return SMALL.format(**{**fields, **given})


FLOAT = dict(type="float", range="low = 0.0\nhigh = 1.0")


class Messages(VboTest):
    """One line whatever is in the input, and not as long as the input."""

    def problem(self, text, command="check"):
        self.write("study.toml", text)
        done = subprocess.run([VBO, command, "study.toml"], cwd=self.folder, capture_output=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 2, done.stderr[:500])
        line = done.stderr
        self.assertEqual(line.count(b"\n"), 1, line[:500])
        self.assertTrue(line.startswith(b"vbo: ") and line.endswith(b"\n"), line[:500])
        self.assertLess(len(line), 4100)
        self.assertFalse([c for c in line[:-1] if c < 32 or c == 127], line[:500])
        return line.decode()

    def test_line_breaks_escapes_and_lengths(self):
        long = "q" * 100000
        for odd in (r"a\nb", r"a\u001b[31mb", r"a\u2028b", long):
            with self.subTest(odd[:20]):
                self.problem(small(name=odd, range='choices = ["a", "a"]'))
                self.problem(small(range=f'choices = ["{odd}", "{odd}"]'))
                self.problem(small(method=odd))
                self.problem(small(type=odd))
                self.problem(small(study=f'goal = "{odd}"'))
                self.problem(small(command=f'["{odd}"]'))
                self.problem(small(command='["sh", "{' + odd.replace("\\", "") + '}"]')
                             if odd == long else small(command='["sh", "{nobody}' + odd + '"]'))
                self.problem(small(study=f'storage = "none/{odd}/x.db"'), "status")
                self.problem(small(evaluate=f'"{odd}" = 1'))
                self.problem(small(evaluate=f'env = {{"{odd}=" = "1"}}'))
                self.problem('[study]\nbudget = 1\n[evaluate]\ntask = "' + odd + '"\n')

    def test_many_names_are_not_all_listed(self):
        names = "".join(f'[[parameter]]\nname = "parameter{i}"\ntype = "int"\nlow = 1\nhigh = 2\n' for i in range(2000))
        line = self.problem(small(command='["sh", "{nobody}"]') + names)
        self.assertIn("placeholder {nobody}", line)

    def test_a_failure_is_shown_on_one_line(self):
        report = r"""printf '{"error": "first\\nsecond %0100000d"}\n' 1"""
        self.write("study.toml", small(budget=1, command='["sh", "-c", \'\'\'' + report + "''']", evaluate="retries = 0"))
        done = subprocess.run([VBO, "run", "study.toml"], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
        self.assertEqual(done.returncode, 3, done.stderr[:500])
        said = [line for line in done.stderr.splitlines() if "trial 1 failed" in line]
        self.assertEqual(len(said), 1)
        self.assertIn("first second", said[0])
        self.assertLess(len(said[0]), 4200)

    def test_nul_and_vbos_own_variables_are_refused(self):
        self.assertIn("NUL", self.problem(small(range=r'choices = ["a\u0000b", "c"]')))
        self.assertIn("NUL", self.problem(small(name=r"a\u0000b")))
        self.assertIn("NUL", self.problem(small(evaluate=r'env = {A = "x\u0000y"}')))
        self.assertIn("NUL", self.problem(small(command=r'["sh", "-c", "\u0000"]')))
        self.assertIn("study.toml:11: evaluate.env.VBO_PARAMS", self.problem(small(evaluate='env = {VBO_PARAMS = "x"}')))
        self.assertIn("evaluate.env.VBO_TRIAL_ID", self.problem(small(evaluate='env = {VBO_TRIAL_ID = "x"}')))


class Limits(VboTest):
    def limited(self, limits, *arguments):
        def prepare():
            for which, value in limits.items():
                resource.setrlimit(which, (value, value))
            if resource.RLIMIT_NPROC in limits and os.geteuid() == 0:
                os.setgroups([])
                os.setgid(12345)
                os.setuid(12345)  # the limit does not bind the superuser
        os.chmod(self.folder, 0o777)
        # The search for leaks is a process of its own, which the limit forbids.
        environment = {**os.environ, **self.apart, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
        return subprocess.run([VBO, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE,
                              preexec_fn=prepare, env=environment)

    def no_abort(self, done):
        self.assertIn(done.returncode, (0, 1, 3, 5), done.stderr[-500:])
        last = done.stderr.splitlines()[-1]
        if done.returncode == 1:
            self.assertIn("ulimit", last)
        if done.returncode == 5:
            self.assertIn("out of memory", last)

    def test_few_processes_and_threads(self):
        self.write("study.toml", small(budget=12, workers=8, **FLOAT))
        self.write("task.toml", '[study]\nbudget = 12\n[evaluate]\ntask = "branin"\nworkers = 8\n[optimizer]\nmethod = "random"\n')
        for most in (0, 1, 2, 3, 4, 6, 10):
            for name in ("study", "task"):
                with self.subTest(most=most, name=name):
                    self.no_abort(self.limited({resource.RLIMIT_NPROC: most}, "run", name + ".toml"))
        # Without the limit the study goes on.
        for name in ("study", "task"):
            path = pathlib.Path(self.path(name + ".toml"))
            path.write_text(path.read_text().replace("budget = 12", "budget = 24"))
            done = self.limited({}, "run", name + ".toml")
            self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipIf(os.environ.get("VBO_INSTRUMENTED"), "sanitizers need terabytes of addresses")
    def test_little_memory(self):
        for method in ("random", "vbo"):
            self.write("study.toml", small(budget=40, workers=8, method=method, **FLOAT))
            # Where memory ends differs from build to build; a band of two megabytes once aborted.
            for megabytes in range(34, 64):
                with self.subTest(method=method, megabytes=megabytes):
                    done = self.limited({resource.RLIMIT_AS: megabytes << 20}, "run", "study.toml")
                    if "error while loading shared libraries" not in done.stderr:
                        self.no_abort(done)
            done = self.limited({}, "run", "study.toml")
            self.assertEqual(done.returncode, 0, done.stderr)
            pathlib.Path(self.path("study.db")).unlink()

    def test_many_choices_and_parameters_are_quick_or_refused(self):
        choices = lambda n: "choices = [" + ",".join(f'"c{i}"' for i in range(n)) + "]"
        parameters = lambda n: "".join(f'[[parameter]]\nname="p{i}"\ntype="float"\nlow=0.0\nhigh=1.0\n' for i in range(n))
        cases = {"100000 choices": (small(range=choices(100000)), "expected at most 10000"),
                 "10000 choices": (small(range=choices(10000)), None),
                 "10000 choices, vbo": (small(range=choices(10000), method="vbo"), "at most 2000 coordinates"),
                 "100000 parameters": (small() + parameters(100000), "found 100001 parameters, expected at most 10000"),
                 "9999 parameters": (small(command='["python3", "serve.py"]', evaluate='mode = "serve"') + parameters(9999), None)}
        self.write("serve.py", "import json, sys\n"
                               "for line in sys.stdin: print(json.dumps({'id': json.loads(line)['id'], 'value': 1}), flush=True)\n")
        for name, (text, refusal) in cases.items():
            with self.subTest(name):
                begin = time.monotonic()
                self.write("study.toml", text)
                done = subprocess.run([VBO, "run", "study.toml"], cwd=self.folder, capture_output=True, text=True, timeout=PATIENCE)
                self.assertEqual(done.returncode, 2 if refusal else 0, done.stderr[-500:])
                if refusal:
                    self.assertIn(refusal, done.stderr)
                self.assertLess(time.monotonic() - begin, 110)  # seconds, on a busy machine
                pathlib.Path(self.path("study.db")).unlink(missing_ok=True)


class FullDisk(VboTest):
    """Files that cannot grow, and a standard output that takes nothing."""

    def run_limited(self, blocks, *arguments, stdout=subprocess.PIPE):
        def prepare():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # then writing fails instead, as on a full disk
            if blocks is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (blocks * 1024, blocks * 1024))
        return subprocess.run([VBO, *arguments], cwd=self.folder, stdout=stdout, stderr=subprocess.PIPE, text=True,
                              timeout=PATIENCE, preexec_fn=prepare, restore_signals=False,
                              env={**os.environ, **self.apart})

    def test_exports_are_whole_or_not_there(self):
        self.write("study.toml", small(budget=6))
        self.assertEqual(self.run_limited(None, "run", "-q", "study.toml").returncode, 0)
        with open("/dev/full", "w") as full:
            for command in ("trials", "best", "status"):
                done = self.run_limited(None, command, "study.db", stdout=full)
                self.assertEqual(done.returncode, 1, command)
                self.assertIn("cannot write to standard output", done.stderr)
        done = self.run_limited(20, "report", "study.db", "-o", "report.html")
        if "no page" not in done.stderr:
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn("cannot write report.html", done.stderr)
            self.assertEqual([path.name for path in self.folder.glob("report*")], [])
            self.write("report.html", "before")
            self.assertEqual(self.run_limited(20, "report", "study.db", "-o", "report.html").returncode, 5)
            self.assertEqual(pathlib.Path(self.path("report.html")).read_text(), "before")
        self.assertEqual(self.run_limited(1, "init", "new.toml").returncode, 2)
        self.assertFalse(pathlib.Path(self.path("new.toml")).exists())

    def test_a_study_that_cannot_grow_stops_and_goes_on(self):
        self.write("study.toml", small(budget=60, **FLOAT))
        known = {}
        for blocks in (40, 90, 120, 150, 200, 400):
            done = self.run_limited(blocks, "run", "-q", "study.toml")
            self.assertIn(done.returncode, (0, 5), done.stderr)
            trials = self.run_limited(None, "trials", "study.db", "--json")
            if trials.returncode != 0:
                self.assertEqual(known, {})
                continue
            found = {t["id"]: t["value"] for t in json.loads(trials.stdout) if t["state"] == "completed"}
            self.assertEqual({i: found.get(i) for i in known}, known)
            known = found
        self.assertEqual(self.run_limited(None, "run", "-q", "study.toml").returncode, 0)


class Workers(VboTest):
    def test_may_change_when_batch_is_defaulted(self):
        self.write("study.toml", small(budget=4, workers=2, **FLOAT))
        self.assertEqual(subprocess.run([VBO, "run", "-q", "study.toml"], cwd=self.folder, stdout=subprocess.DEVNULL).returncode, 0)
        self.write("study.toml", small(budget=8, workers=5, **FLOAT))
        done = subprocess.run([VBO, "run", "-q", "study.toml"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("8 of 8", done.stdout)
        self.write("study.toml", small(budget=8, workers=5, study="batch = 5", **FLOAT))
        done = subprocess.run([VBO, "run", "study.toml"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0)
        self.assertIn("batch: stored 2, given 5", done.stderr)


def alive(pid):
    try:
        text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] != "Z"


class Orphans(VboTest):
    # A child, a session of its own, and a daemon that ignores SIGTERM.
    COMMAND = ("sleep 1000 & echo $! >> pids; setsid sleep 1000 & echo $! >> pids; "
               "(setsid sh -c 'trap \"\" TERM; echo $$ >> pids; sleep 1000; sleep 1000' >/dev/null 2>&1 &); ")

    def start(self, command, evaluate, **environment):
        self.write("run.sh", command)
        self.write("study.toml", small(budget=1, workers=1, command='["sh", "run.sh"]', evaluate="retries = 0\n" + evaluate))
        return subprocess.Popen([VBO, "run", "-q", "study.toml"], cwd=self.folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, env={**os.environ, **environment})

    def pids(self, count):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                found = [int(line) for line in pathlib.Path(self.path("pids")).read_text().split()]
            except OSError:
                found = []
            if len(found) >= count:
                return found
            time.sleep(0.02)
        self.fail("the evaluator did not start")

    def expect_gone(self, pids):
        end = time.monotonic() + PATIENCE
        while [pid for pid in pids if alive(pid)]:
            self.assertLess(time.monotonic(), end, "left behind")
            time.sleep(0.02)

    def test_timeouts_and_kills_leave_nothing(self):
        for mode in ("off", "on"):
            with self.subTest(timeout=mode):
                vbo = self.start(self.COMMAND + "wait; sleep 1000", "timeout = 1.0", VBO_CGROUP=mode)
                pids = self.pids(3)
                vbo.wait(PATIENCE)
                self.assertFalse([pid for pid in pids if alive(pid)], "already when vbo has ended")
                for name in ("pids", "study.db"):
                    pathlib.Path(self.path(name)).unlink()
            with self.subTest(kill=mode):
                vbo = self.start(self.COMMAND + "wait; sleep 1000", "", VBO_CGROUP=mode)
                pids = self.pids(3)
                vbo.send_signal(signal.SIGKILL)
                vbo.wait()
                self.expect_gone(pids)
                for path in self.folder.glob("study.db*"):
                    path.unlink()
                pathlib.Path(self.path("pids")).unlink()


if __name__ == "__main__":
    unittest.main()
