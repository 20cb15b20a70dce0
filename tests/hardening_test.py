# SPDX-License-Identifier: MIT
"""What cmake/VboHarden.cmake promises, as the files themselves have it.

  hardening_test.py FILE...   programs and shared libraries
"""
import pathlib
import re
import subprocess
import sys
import unittest

FILES = [pathlib.Path(name) for name in sys.argv[1:]]


def readelf(*words):
    return subprocess.run(["readelf", "--wide", *map(str, words)], capture_output=True, text=True, check=True).stdout


class Hardening(unittest.TestCase):
    def each(self, what, has):
        """Every file has what it should have, and there are files."""
        self.assertTrue(FILES, "no files were given")
        self.assertEqual([str(path) for path in FILES if not has(path)], [], what)

    def test_it_may_lie_anywhere(self):
        self.each("DYN", lambda path: re.search(r"Type:\s+DYN ", readelf("--file-header", path)))

    def test_tables_of_the_linker_are_read_only(self):
        self.each("GNU_RELRO", lambda path: "GNU_RELRO" in readelf("--program-headers", path))
        self.each("NOW", lambda path: re.search(r"BIND_NOW|Flags:.*\bNOW\b", readelf("--dynamic", path)))

    def test_no_memory_is_both_written_and_executed(self):
        self.each("GNU_STACK", lambda path: re.search(r"GNU_STACK(\s+0x\w+){5}\s+RW\s", readelf("--program-headers", path)))
        self.each("RWE", lambda path: not re.search(r"\bRWE\b", readelf("--program-headers", path)))

    def test_frames_buffers_and_indexes_are_checked(self):
        for symbol in ("__stack_chk_fail", r"\b__\w+_chk\b", "glibcxx_assert"):
            # Where the code is in a library, that is one of the files too.
            self.each(symbol, lambda path: re.search(symbol, readelf("--dyn-syms", path)) or
                      "[libvbo_engine" in readelf("--dynamic", path))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
