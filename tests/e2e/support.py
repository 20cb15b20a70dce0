# SPDX-License-Identifier: MIT
"""What the end-to-end tests share: a scratch folder each, and the real program."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

VBO = os.environ.get("VBO", "vbo")
LONG = os.environ.get("VBO_LONG_TESTS") == "1"
ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 120.0  # seconds until something that should happen counts as not happening

STUDY = """[study]
name = "parabola"
goal = "{goal}"
budget = {budget}
batch = {batch}
seed = 1
storage = "parabola.db"

[optimizer]
method = "{method}"

[[parameter]]
name = "x"
type = "float"
low = -5.0
high = 10.0

[[parameter]]
name = "n"
type = "int"
low = 0
high = 20

[[parameter]]
name = "kind"
type = "categorical"
choices = ["plain", "with space"]

[evaluate]
command = {command}
workers = {workers}
{evaluate}
"""

# (x - 1)^2 + n / 10, with all digits; awk starts in a millisecond.
PARABOLA = ["awk", "BEGIN {printf \"%.17g\\n\", ({x} - 1) ^ 2 + {n} / 10}"]


def toml(value):
    """JSON texts, lists and numbers are TOML as well."""
    return json.dumps(value)


class VboTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vbo-e2e-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return str(self.folder / name)

    @property
    def apart(self):
        """Where a process that may not write leaves the counters of a coverage build: half of them, with which nobody
        else's could be merged any more."""
        return {"GCOV_PREFIX": self.path("counters")}

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def study(self, command=None, *, name="study.toml", budget=12, batch=4, workers=2, goal="minimize",
              method="random", evaluate="retries = 0"):
        return self.write(name, STUDY.format(command=toml(command or PARABOLA), budget=budget, batch=batch,
                                             workers=workers, goal=goal, method=method, evaluate=evaluate))

    def start(self, *arguments, **more):
        """Starts vbo in the scratch folder; killed when the test ends."""
        process = subprocess.Popen([VBO, *map(str, arguments)], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   stdin=subprocess.DEVNULL, **more)
        self.addCleanup(self._end, process)
        return process

    @staticmethod
    def _end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def vbo(self, *arguments, expect=0, **more):
        """Runs vbo to its end and checks the exit code; None: any."""
        done = subprocess.run([VBO, *map(str, arguments)], cwd=self.folder, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=PATIENCE, **more)
        self.assertIn(done.returncode, [done.returncode if expect is None else expect],
                      f"vbo {arguments}\nstdout: {done.stdout}\nstderr: {done.stderr}")
        return done

    def json(self, *arguments, **more):
        return json.loads(self.vbo(*arguments, "--json", **more).stdout)

    def wait_until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.02)
        self.fail(f"waited in vain until {what}")

    def wait_status(self, condition, what, db="parabola.db"):
        """Waits for a state of the study that `vbo status` shows; returns that status."""
        def look():
            if not (self.folder / db).exists():
                return None
            done = subprocess.run([VBO, "status", db, "--json"], cwd=self.folder, text=True,
                                  capture_output=True, timeout=PATIENCE)
            if done.returncode != 0:
                return None  # not created yet
            status = json.loads(done.stdout)
            return status if condition(status) else None
        return self.wait_until(look, what)

    def finish(self, process, expect):
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, expect, f"stdout: {out}\nstderr: {err}")
        return out, err


def is_gone(pid):
    try:
        stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True
    return stat.rpartition(")")[2].split()[0] in "ZX"


if __name__ == "__main__":
    sys.exit("run the test_*.py files")
