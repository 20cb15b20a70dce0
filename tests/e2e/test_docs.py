# SPDX-License-Identifier: MIT
"""Every snippet of README.md and docs/ is tried, or is known to be no input: a new one needs a test here."""
import ast
import pathlib
import re
import shlex
import unittest

from support import ROOT, VboTest

# By need; decisions are for contributors, and research/ is read by nobody who only uses vbo.
DOCS = [*sorted((ROOT / "docs").glob("*.md")),
        *(page for folder in ("how-to", "reference", "explanation") for page in sorted((ROOT / "docs" / folder).glob("*.md")))]
PAGES = [ROOT / "README.md", *DOCS]
WORDS = 25_000
# Made by the program; its examples are tried by tests/cli/help_test.cpp.
LEFT_OUT = {"command-line.md"}

HEAD = """[study]
budget = 8
storage = "snippet.db"
"""
PARAMETERS = {
    "start": """[[parameter]]
name = "temperature"
type = "float"
low = 20.0
high = 80.0
step = 0.1
[[parameter]]
name = "width"
type = "ordinal"
values = [16, 32, 64, 128]
""",
    "noise": '[[parameter]]\nname = "width"\ntype = "float"\nlow = 0.0\nhigh = 1.0\n',
    "objective": '[[parameter]]\nname = "width"\ntype = "float"\nlow = 0.0\nhigh = 1.0\n',
    "noise": '[[parameter]]\nname = "width"\ntype = "float"\nlow = 0.0\nhigh = 1.0\n',
    "constraint": """[[parameter]]
name = "width"
type = "int"
low = 1
high = 512
[[parameter]]
name = "layers"
type = "int"
low = 1
high = 9
[[parameter]]
name = "optimizer"
type = "categorical"
choices = ["adam", "sgd"]
""" + "".join(f'[[parameter]]\nname = "{name}"\ntype = "float"\nlow = 0.0\nhigh = 1.0\n' for name in ("a", "b", "c", "rate")),
}


def snippets(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.S | re.M)


class Snippets(VboTest):
    def test_every_language_is_known(self):
        known = {"README.md": {"sh", "toml", "python"}, "study-file.md": {"toml"}, "evaluators.md": {"python"},
                 "python.md": {"python", "sh"}, "http.md": {"sh"}, "cluster.md": {"sh", "toml", "yaml"},
                 "constraints.md": {"toml"}, "noise.md": {"toml"}, "getting-started.md": {"sh"}, "robot-and-http.md": {"sh"},
                 "optuna.md": {"python"}, "moving.md": {"python"}, "several-objectives.md": {"toml", "sh"}, "programs-with-files.md": {"toml", "sh"}, "embed-in-cpp.md": {"cpp", "cmake"}, "compare-studies.md": {"sh"},
                 "recovery.md": {"sh"}}
        for page in PAGES:
            if page.name in LEFT_OUT:
                continue
            found = set(re.findall(r"^```(\w+)$", page.read_text(), re.M))
            self.assertEqual(found - known.get(page.name, set()), set(), f"{page.name}: a snippet nobody tries")

    def test_readme_study_runs(self):
        self.vbo("init", "branin.toml")
        text, = snippets(ROOT / "README.md", "toml")
        self.write("branin.toml", text.replace("budget = 640", "budget = 16").replace("batch = 64", "batch = 8"))
        self.assertGreaterEqual(self.try_commands(ROOT / "README.md"), 3)
        self.assertEqual(self.json("status", "branin.db")["completed"], 16)

    def test_getting_started(self):
        """Every command, in the order of the page; its budget is cut to what a test can wait for."""
        page = ROOT / "docs/getting-started.md"
        self.assertGreaterEqual(self.try_commands(page, lambda: self.cut_budget("branin.toml")), 9)
        self.assertTrue((self.folder / "report.html").exists())
        self.assertEqual(self.json("status", "branin.db")["completed"], 104)

    def cut_budget(self, name):
        path = self.folder / name
        path.write_text(re.sub(r"(?m)^budget = \d+", "budget = 104", path.read_text()))

    def try_commands(self, page, after_the_first=lambda: None):
        """Runs the page's commands of vbo; how many there are."""
        commands = [line.split("#")[0].strip() for block in snippets(page, "sh")
                    for line in block.splitlines() if line.startswith("vbo")]
        for place, command in enumerate(commands):
            words = shlex.split(command)
            if words[1] == "serve":
                server = self.start(*words[1:], "--port", "0")
                self.assertIn("http://127.0.0.1:", server.stdout.readline())
            else:
                self.vbo(*words[1:])
            if place == 0:
                after_the_first()
        return len(commands)

    def test_every_page_says_first_who_it_is_for(self):
        for page in DOCS:
            if page.name == "command-line.md":
                continue  # made by the program
            first = re.split(r"\n\n", page.read_text(), maxsplit=2)[1]
            self.assertRegex(first, r"^For \w+", f"{page}: begins with who it is for")

    def test_the_documents_are_short_enough_to_be_read(self):
        words = sum(len(page.read_text().split()) for page in DOCS)
        self.assertLessEqual(words, WORDS, "shorten, or move what is measured to research/")

    def test_documents_stand_without_research(self):
        """What was measured, tried or reproduced is linked, never needed: no picture or file of it is part of a page."""
        for page in DOCS:
            self.assertNotRegex(page.read_text(), r"!\[[^\]]*\]\([^)]*research/", page)

    def test_program_in_the_documents_is_the_example_that_is_built(self):
        text, = snippets(ROOT / "docs/how-to/embed-in-cpp.md", "cpp")
        self.assertEqual(text, (ROOT / "examples/ask_tell.cpp").read_text())

    def test_readme_targets_exist(self):
        makefile = (ROOT / "Makefile").read_text()
        for block in snippets(ROOT / "README.md", "sh"):
            for target in re.findall(r"^make (\w+)", block, re.M):
                self.assertRegex(makefile, rf"(?m)^{target}:")

    def test_study_files(self):
        found = snippets(ROOT / "docs/reference/study-file.md", "toml")
        self.assertGreaterEqual(len(found), 4)
        found += snippets(ROOT / "docs/how-to/constraints.md", "toml")
        found += snippets(ROOT / "docs/how-to/noise.md", "toml")
        found += snippets(ROOT / "docs/how-to/several-objectives.md", "toml")
        self.write("branin.py", "print(1.0)\n")
        for text in found:
            if "[study]" not in text:
                kind = re.search(r"\[\[?(\w+)\]", text)[1]
                text = HEAD + PARAMETERS.get(kind, "") + text
            self.write("snippet.toml", text)
            self.assertIn("the study file is right", self.vbo("check", "snippet.toml").stdout, text)

    def test_cluster_file(self):
        text, = snippets(ROOT / "docs/how-to/cluster.md", "toml")
        text = text.replace("[study]", '[study]\nname = "wing"\ngoal = "minimize"\nbudget = 8')
        for name in ("x", "y"):
            text += f'[[parameter]]\nname = "{name}"\ntype = "float"\nlow = 0.0\nhigh = 1.0\n'
        self.write("simulate", "#!/bin/sh\necho 1.0\n")
        (self.folder / "simulate").chmod(0o755)
        self.write("snippet.toml", text)
        self.assertIn("the study file is right", self.vbo("check", "snippet.toml").stdout)

    def test_evaluators(self):
        once, serve = snippets(ROOT / "docs/reference/evaluators.md", "python")
        self.write("once.py", "simulate = lambda **p: p['x']\n" + once)
        self.write("serve.py", "load_once = lambda: lambda **p: p['x']\n" + serve)
        for program, mode in (("once.py", "once"), ("serve.py", "serve")):
            self.study(["python3", program], evaluate=f'mode = "{mode}"')
            checked = self.json("check", "study.toml")
            self.assertEqual(checked["value"], checked["params"]["x"])

    def test_python_is_python(self):
        """Whether it works is for the tests of the package; here it has at least to be Python."""
        for page in PAGES:
            for text in snippets(page, "python"):
                ast.parse(text)

    def test_commands_name_options_that_exist(self):
        for page in PAGES:
            for block in snippets(page, "sh"):
                for command in re.findall(r"\bvbo ([a-z]+ [^\n\"'#&|>]*)", block):
                    words = shlex.split(command)
                    help_text = self.vbo(words[0], "--help").stdout
                    for option in (word for word in words if word.startswith("--")):
                        self.assertIn(option, help_text, f"{page.name}: vbo {command}")


if __name__ == "__main__":
    unittest.main()
