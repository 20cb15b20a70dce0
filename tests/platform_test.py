# SPDX-License-Identifier: MIT
"""Machines whose bytes would be misread are refused when vbo is compiled: platform_test.py COMPILER"""
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def compiled(*flags):
    command = [COMPILER, "-std=c++20", "-fsyntax-only", "-w", *flags, "-x", "c++", f"{ROOT}/src/numerics/platform.hpp"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Platform(unittest.TestCase):
    def test_this_machine_is_supported(self):
        self.assertEqual(compiled().returncode, 0)

    def test_a_big_endian_machine_is_refused_with_a_message(self):
        refused = compiled("-U__BYTE_ORDER__", "-D__BYTE_ORDER__=__ORDER_BIG_ENDIAN__")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("big-endian machines are unsupported", refused.stderr)

    def test_who_stores_bytes_looks_at_the_machine(self):
        for path in ("src/optim/state_bytes.hpp", "src/nn/snapshot.cpp"):
            with open(f"{ROOT}/{path}", encoding="utf-8") as file:
                self.assertIn('#include "numerics/platform.hpp"\n', file.read(), path)


if __name__ == "__main__":
    COMPILER = sys.argv.pop()
    unittest.main()
