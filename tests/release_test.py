# SPDX-License-Identifier: MIT
"""The version is the same everywhere, and the changelog has one list of each kind in each release."""
import importlib.util
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SPEC = importlib.util.spec_from_file_location("release_notes", f"{ROOT}/scripts/release_notes.py")
notes = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(notes)


def read(name):
    with open(f"{ROOT}/{name}", encoding="utf-8") as file:
        return file.read()


class Release(unittest.TestCase):
    def test_the_version_is_the_same_everywhere(self):
        version = notes.project_version(read("CMakeLists.txt"))
        self.assertEqual(notes.cited_version(read("CITATION.cff")), version)
        self.assertIn(version, notes.versions(read("CHANGELOG.md")))

    def test_every_release_has_one_list_of_each_kind(self):
        for version, section in notes.versions(read("CHANGELOG.md")).items():
            with self.subTest(version):
                found = notes.kinds(section)
                self.assertEqual(found, [kind for kind in notes.KINDS if kind in found])

    def test_lists_of_the_same_kind_and_unknown_versions_are_found(self):
        text = "# Changelog\n\n## Unreleased\n\n## 1.0.0 - 2030-01-01\n\n### Added\n- a\n\n### Added\n- b\n"
        self.assertEqual(list(notes.versions(text)), ["Unreleased", "1.0.0"])
        self.assertEqual(notes.kinds(notes.versions(text)["1.0.0"]), ["Added", "Added"])
        unknown = subprocess.run([sys.executable, f"{ROOT}/scripts/release_notes.py", "99.0"], capture_output=True, text=True)
        self.assertNotEqual(unknown.returncode, 0)
        self.assertIn("expected one version of CHANGELOG.md", unknown.stderr)

    def test_notes_are_the_section_of_the_version(self):
        version = notes.project_version(read("CMakeLists.txt"))
        printed = subprocess.run([sys.executable, f"{ROOT}/scripts/release_notes.py", version], check=True, capture_output=True, text=True).stdout
        self.assertIn("### Added", printed)
        self.assertNotIn("\n## ", printed)


if __name__ == "__main__":
    unittest.main()
