# SPDX-License-Identifier: MIT
"""A PostgreSQL server for one test; tests fail when it cannot be had."""
import pathlib
import shutil
import subprocess
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[1] / "support" / "postgres"


class Server:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="vbo-postgres-"))
        self.url = self._call("start").strip()

    def _call(self, action, *mode):
        done = subprocess.run([SCRIPT, action, self.folder / "server", *mode], text=True, stdout=subprocess.PIPE,
                              check=True)
        return done.stdout

    def stop(self, mode="fast"):
        self._call("stop", mode)

    def again(self):
        self._call("again")

    def sql(self, text):
        done = subprocess.run(["psql", "-h", self.folder / "server", "-U", "vbo", "-qAt", "-F", "\t", "studies"],
                              input=text, text=True, capture_output=True, check=True)
        return [line.split("\t") for line in done.stdout.splitlines()]

    def end(self):
        try:
            self.stop("immediate")
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
