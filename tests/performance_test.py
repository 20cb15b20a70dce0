# SPDX-License-Identifier: MIT
"""The table of docs/explanation/performance.md is what was measured, also after measuring again."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = "docs/explanation/performance.md"
# Instead of build/release/loop: rates nobody has measured.
LOOP = """#!/bin/sh
for part in once group serve; do for workers in 1 8; do echo "$part $workers 31415 /s ratio 2.5"; done; done
"""


class Table(unittest.TestCase):
    def check(self, root):
        return subprocess.run([sys.executable, "-B", root / "scripts/performance", "check"], capture_output=True, text=True)

    def test_it_is_what_the_rows_give(self):
        done = self.check(ROOT)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_measuring_again_writes_it_again(self):
        with tempfile.TemporaryDirectory(prefix="vbo-performance-") as folder:
            root = pathlib.Path(folder)
            for name in ("scripts/bench", "scripts/performance", PAGE, "research/bench", "tests/support/postgres"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
                copy(ROOT / name, root / name)
            loop = root / "build/release/loop"
            loop.parent.mkdir(parents=True)
            loop.write_text(LOOP)
            loop.chmod(0o755)
            subprocess.run([root / "scripts/bench", "0"], check=True, capture_output=True)
            self.assertIn("|`serve`|8|31,415&nbsp;(2.50)|", (root / PAGE).read_text())
            done = self.check(root)
            self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
