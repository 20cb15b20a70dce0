# SPDX-License-Identifier: MIT
"""A Slurm of one node for one test; tests fail when it cannot be had."""
import os
import pathlib
import shutil
import subprocess
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "support" / "slurm"


class Slurm:
    def __init__(self, *lines):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vbo-slurm-"))
        self.folder.chmod(0o711)
        self.environment = {**os.environ, "SLURM_CONF": self._call("start", *lines).strip()}

    def _call(self, action, *words):
        # Its daemons would hold a pipe open for ever, so a file.
        with tempfile.TemporaryFile("w+") as out:
            subprocess.run([SCRIPT, action, self.folder / "slurm", *words], stdout=out, check=True)
            out.seek(0)
            return out.read()

    def __call__(self, *words):
        """Runs one of Slurm's commands; its lines."""
        done = subprocess.run(words, env=self.environment, text=True, capture_output=True, check=True)
        return done.stdout.splitlines()

    def jobs(self, *states):
        """(id, state) of all jobs, or of those in such a state."""
        lines = self("squeue", "--noheader", "--array", "--states=all", "--format=%i|%T")
        jobs = [tuple(line.split("|")) for line in lines]
        return [job for job in jobs if not states or job[1] in states]

    def lose_node(self):
        self._call("lose")

    def start_node(self):
        self._call("node")

    def end(self):
        try:
            self._call("stop")
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
