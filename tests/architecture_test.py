# SPDX-License-Identifier: MIT
"""The folders include each other only as src/layers.txt says, and the check notices when not."""
import importlib.machinery
import importlib.util
import os
import re
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LOADER = importlib.machinery.SourceFileLoader("architecture", f"{ROOT}/scripts/architecture")
architecture = importlib.util.module_from_spec(importlib.util.spec_from_loader("architecture", LOADER))
LOADER.exec_module(architecture)


def tree(files):
    folder = tempfile.TemporaryDirectory()
    for path, text in files.items():
        full = os.path.join(folder.name, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as out:
            out.write(text)
    return folder


class Architecture(unittest.TestCase):
    def test_this_tree_is_as_designed(self):
        self.assertEqual(architecture.differences(), [])

    def test_the_picture_is_the_present_one(self):
        with open(f"{ROOT}/docs/images/architecture.svg", encoding="utf-8") as picture:
            self.assertEqual(picture.read(), architecture.draw(),
                             "run: scripts/architecture draw docs/images/architecture.svg")

    def test_an_include_against_the_layering_is_found(self):
        with tree({"src/layers.txt": "src/low:\nsrc/high: src/low\n",
                   "src/low/a.hpp": '#include "high/b.hpp"\n',
                   "src/high/b.hpp": '#include "low/a.hpp"\n'}) as root:
            self.assertEqual(architecture.differences(root),
                             ["src/low may not include src/high: src/low/a.hpp includes high/b.hpp"])

    def test_parts_of_a_folder_do_not_know_their_users(self):
        files = {"src/layers.txt": "src/m:\nsrc/m/base: src/m\nsrc/m/user: src/m/base\n",
                 "src/m/common.hpp": "", "src/m/base/a.hpp": '#include "m/common.hpp"\n',
                 "src/m/user/b.hpp": '#include "m/base/a.hpp"\n'}
        with tree(files) as root:
            self.assertEqual(architecture.differences(root), [])
        files["src/m/base/a.hpp"] += '#include "m/user/b.hpp"\n'
        with tree(files) as root:
            self.assertEqual(len(architecture.differences(root)), 1)

    def test_core_does_not_reach_higher_layers_through_public_headers(self):
        files = {"src/layers.txt": "public/low = trial\npublic/high = study\npublic/low:\npublic/high: public/low\n"
                                   "src/core: public/low\nsrc/study: public/high\n",
                 "include/vbo/trial.hpp": "", "include/vbo/study.hpp": '#include "vbo/trial.hpp"\n',
                 "src/core/a.hpp": '#include "vbo/trial.hpp"\n', "src/study/b.hpp": '#include "vbo/study.hpp"\n'}
        with tree(files) as root:
            self.assertEqual(architecture.differences(root), [])
        with tree(files | {"src/core/a.hpp": '#include "vbo/trial.hpp"\n#include "vbo/study.hpp"\n'}) as root:
            self.assertEqual(architecture.differences(root),
                             ["src/core may not include public/high: src/core/a.hpp includes vbo/study.hpp"])
        with tree(files | {"include/vbo/trial.hpp": '#include "vbo/study.hpp"\n'}) as root:
            self.assertEqual(architecture.differences(root),
                             ["public/low may not include public/high: include/vbo/trial.hpp includes vbo/study.hpp"])
        with tree(files | {"include/vbo/new.hpp": ""}) as root:
            self.assertEqual(architecture.differences(root),
                             ["include/vbo/new.hpp is in a folder that src/layers.txt does not list"])

    def test_no_private_type_joins_those_directly_in_vbo(self):
        self.assertEqual(architecture.misplaced_types(), [])

    def test_a_private_type_directly_in_vbo_is_found(self):
        files = {"include/vbo/a.hpp": "namespace vbo {\nstruct Public {\n};\n}  // namespace vbo\n",
                 "src/core/b.hpp": "namespace vbo {\nstruct Old {\n};\nnamespace core {\nclass Fine {\n};\n"
                                   "}  // namespace core\n}  // namespace vbo\n",
                 "src/private_types.txt": "# list\nvbo::Old\n"}
        with tree(files) as root:
            self.assertEqual(architecture.misplaced_types(root), [])
        with tree(files | {"src/core/c.hpp": "namespace vbo {\nclass New {\n};\n}  // namespace vbo\n",
                           "src/private_types.txt": "vbo::Gone\nvbo::Old\n"}) as root:
            found = architecture.misplaced_types(root)
            self.assertEqual(len(found), 2)
            self.assertIn("vbo::New is in no public header", found[0])
            self.assertIn("vbo::Gone is not there any more", found[1])

    def test_each_public_header_states_its_stability_and_its_threads(self):
        for name in sorted(os.listdir(f"{ROOT}/include/vbo")):
            with open(f"{ROOT}/include/vbo/{name}", encoding="utf-8") as file:
                opening = file.read().partition("#pragma once")[0]
            if name.endswith(".hpp"):
                self.assertRegex(opening, r"\n// Stability: \w.*\n// Threads: \w", name)

    def test_the_reference_has_each_public_header(self):
        with open(f"{ROOT}/docs/reference/cpp-api.md", encoding="utf-8") as file:
            rows = "\n".join(line for line in file if line.startswith("|"))
        for name in sorted(os.listdir(f"{ROOT}/include/vbo")):
            self.assertIn(f"`vbo/{name.removesuffix('.in')}`", rows)

    def test_permissions_nobody_uses_and_unlisted_folders_are_found(self):
        with tree({"src/layers.txt": "src/low:\nsrc/high: src/low\n", "src/low/a.hpp": "",
                   "src/high/b.hpp": "", "src/other/c.hpp": ""}) as root:
            found = architecture.differences(root)
            self.assertIn("src/layers.txt: src/high does not include src/low; take it out of the list",
                          found)
            self.assertIn("src/other/c.hpp is in a folder that src/layers.txt does not list", found)

    def test_no_type_is_defined_twice(self):
        self.assertEqual(architecture.duplicate_types(), [])

    def test_a_type_that_is_defined_twice_is_found(self):
        files = {"include/n/a.hpp": "namespace n {\n\nstruct Twice {\n  int x;\n};\n}  // namespace n\n",
                 "src/b.cpp": "namespace n {\nnamespace {\nclass Twice final : Base {\n};\n}  // namespace\n"
                              "class Once;\n}  // namespace n\n",
                 "src/c.hpp": "namespace n::inner {\nenum class Twice { a };\n}  // namespace n::inner\n"}
        with tree(files) as root:
            self.assertEqual(architecture.duplicate_types(root), [])
        files["src/d.cpp"] = "namespace n {\nclass Twice : public Base {\n};\n}  // namespace n\n"
        with tree(files) as root:
            self.assertEqual(architecture.duplicate_types(root),
                             ["n::Twice is defined in include/n/a.hpp and in src/d.cpp"])

    def test_wheels_look_up_every_function_of_libpq_that_is_called(self):
        folder, shim, calls = f"{ROOT}/src/storage/postgres", "libpq_at_run_time.cpp", set()
        for name in sorted(os.listdir(folder)):
            with open(f"{folder}/{name}", encoding="utf-8") as file:
                text = file.read()
            if name == shim:
                forwarded = set(re.findall(r"VBO_FORWARD\([^,]*,\s*(PQ\w+)", text))
            else:
                calls |= set(re.findall(r"\b(PQ[a-z]\w*)\b(?!\s*[*&]?\s*\w+\s*[;=])", text))
        types = {"PQconninfoOption", "PQnoticeProcessor"}
        self.assertEqual(calls - types - forwarded, set(), f"add VBO_FORWARD to {folder}/{shim}")


if __name__ == "__main__":
    unittest.main()
