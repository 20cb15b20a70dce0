# SPDX-License-Identifier: MIT
"""scripts/bootstrap with an apt-get of our own: it waits for another apt, and for nothing else."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Bootstrap(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.program("dpkg-query", "exit 1")
        self.program("id", "echo 0")

    def program(self, name, script):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def run_it(self):
        environment = dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}", VBO_APT_PAUSE="0.01")
        return subprocess.run([ROOT / "scripts/bootstrap", "program"], env=environment, capture_output=True, text=True)

    def calls(self):
        return (self.folder / "calls").read_text().split()

    def test_waits_while_another_apt_has_the_lock(self):
        self.program("apt-get", f'echo "$1" >> {self.folder}/calls; [ "$(wc -l < {self.folder}/calls)" -gt 2 ] && exit 0; '
                                'echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7 (apt-get)" >&2; exit 100')
        done = self.run_it()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.calls(), ["update", "update", "update", "install"])
        self.assertEqual(done.stderr.count("waiting for another apt"), 1)

    def test_other_failures_end_it_and_are_shown(self):
        self.program("apt-get", f'echo "$1" >> {self.folder}/calls; echo "E: Unable to locate package g++" >&2; exit 100')
        done = self.run_it()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Unable to locate package", done.stderr)
        self.assertEqual(self.calls(), ["update"])


class Configure(unittest.TestCase):
    def errors(self, *settings):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *settings], capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            return " ".join(done.stderr.split())

    def test_what_is_missing_is_named_with_its_packages(self):
        text = self.errors("-DCMAKE_DISABLE_FIND_PACKAGE_NLopt=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON")
        self.assertIn("scripts/bootstrap in the source folder", text)
        self.assertIn("sudo apt-get install --no-install-recommends libeigen3-dev libnlopt-dev", text)

    def test_a_wheel_needs_what_the_program_needs(self):
        text = self.errors("-DSKBUILD=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_SQLite3=ON")
        self.assertIn("--no-install-recommends libsqlite3-dev libfmt-dev", text)


if __name__ == "__main__":
    unittest.main()
