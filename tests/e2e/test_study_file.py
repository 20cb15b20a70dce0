# SPDX-License-Identifier: MIT
"""Everything that can be wrong in a study file: one clear message, exit code 2, nothing written."""
import os
import unittest

from support import STUDY, PARABOLA, VboTest, toml

GOOD = STUDY.format(command=toml(PARABOLA), budget=3, batch=2, workers=1, goal="minimize",
                    method="random", evaluate="")

TWO = '[[objective]]\nname = "error"\ngoal = "minimize"\n[[objective]]\nname = "speed"\ngoal = "maximize"\n'
GOAL = 'goal = "minimize"\n'

# name: (text to replace, replacement, what the message must contain)
WRONG = {
    "not TOML": ('name = "parabola"', 'name = parabola', ["study.toml:2:", "not valid TOML"]),
    "unknown table": ("[evaluate]", "[evaluat]", ["study.toml", "evaluat: unknown key", 'did you mean "evaluate"?']),
    "unknown key": ("budget = 3", "budgte = 3", ["study.toml:4: study.budgte: unknown key", 'did you mean "budget"?']),
    "unknown key, far from all": ("seed = 1", "seed = 1\ncolour = 1", ["study.toml:7: study.colour: unknown key", "expected one of name goal aim budget"]),
    "unknown key of a parameter": ("low = -5.0", "lowest = -5.0", ['parameter "x".lowest: unknown key']),
    "choices of a float": ("low = -5.0", 'choices = ["a"]', ['parameter "x".choices: unknown key']),
    "no budget": ("budget = 3\n", "", ["study.budget: missing, expected the number of evaluations"]),
    "budget zero": ("budget = 3", "budget = 0", ["study.toml:4: study.budget: found 0, expected a whole number from 1"]),
    "budget negative": ("budget = 3", "budget = -3", ["study.budget: found -3"]),
    "budget as text": ("budget = 3", 'budget = "3"', ["study.budget: found", "expected a whole number"]),
    "budget as float": ("budget = 3", "budget = 3.5", ["study.budget: found 3.5"]),
    "batch zero": ("batch = 2", "batch = 0", ["study.batch: found 0"]),
    "seed negative": ("seed = 1", "seed = -1", ["study.seed: found -1"]),
    "goal": ('goal = "minimize"', 'goal = "minimise"', ["study.toml:3: study.goal: found", '"minimize" or "maximize"']),
    "goal as number": ('goal = "minimize"', "goal = 1", ["study.goal: found 1, expected a text in quotes"]),
    "goal beside objectives": ("[evaluate]", TWO + "[evaluate]", ["study.toml:3: study.goal: found a goal beside [[objective]] tables"]),
    "study is no table": ("[study]", "study = 3\n[other]", ["unknown key"]),
    "unknown method": ('method = "random"', 'method = "randon"', ["study.toml:10: optimizer.method", 'unknown method "randon"', 'did you mean "random"?']),
    "unknown option": ('method = "random"', 'method = "random"\nbeta = 2', ["study.toml:11: optimizer.beta", 'unknown option "beta"']),
    "option of a wrong type": ('method = "random"', 'method = "random"\nbeta = {a = 1}', ["study.toml:11: optimizer.beta: found", "expected true, false, a number"]),
    "no parameters": (GOOD[GOOD.index("[[parameter]]"):GOOD.index("[evaluate]")], "", ["parameter: missing, expected one [[parameter]] table"]),
    "parameter table instead of list": (GOOD[GOOD.index("[[parameter]]"):GOOD.index("[evaluate]")], '[parameter]\nname = "x"\n', ["parameter: found", "[[parameter]]"]),
    "parameter without name": ('name = "x"\n', "", ["parameter[1].name: missing"]),
    "parameter without type": ('type = "int"\n', "", ['parameter "n".type: missing, expected "float", "int", "categorical" or "ordinal"']),
    "parameter type": ('type = "int"', 'type = "integer"', ["study.toml:20", 'parameter "n".type: found', '"float", "int", "categorical" or "ordinal"']),
    "duplicate name": ('name = "n"', 'name = "x"', ["study.toml:19", 'parameter "x".name: found "x" a second time']),
    "no low": ("low = -5.0\n", "", ['parameter "x".low: missing, expected a number']),
    "low as text": ("low = -5.0", 'low = "small"', ['parameter "x".low: found', "expected a finite number"]),
    "low infinite": ("low = -5.0", "low = -inf", ['parameter "x".low: found -inf, expected a finite number']),
    "low above high": ("low = -5.0", "low = 50.0", ['parameter "x": low is 50 and high is 10, expected low <= high']),
    "int bounds not whole": ("high = 20", "high = 20.5", ['parameter "n": bound 20.5', "whole number"]),
    "log of zero": ("low = -5.0", "low = 0.0\nlog = true", ['parameter "x": log = true with low = 0, expected low > 0']),
    "log as text": ("low = -5.0", 'low = 1.0\nlog = "yes"', ['parameter "x".log: found', "true or false"]),
    "empty choices": ('choices = ["plain", "with space"]', "choices = []", ['parameter "kind".choices: found', "at least one text"]),
    "no choices": ('choices = ["plain", "with space"]\n', "", ['parameter "kind".choices: missing']),
    "choices of a wrong type": ('choices = ["plain", "with space"]', "choices = [1, {}]", ['parameter "kind".choices: found {}']),
    "choices that read the same": ('choices = ["plain", "with space"]', 'choices = [1, "1"]', ['parameter "kind": choice "1" is there twice']),
    "step negative": ("low = -5.0", "low = -5.0\nstep = -0.1", ['parameter "x".step: found -0.1, expected a number > 0']),
    "constraint": ("[evaluate]", '[[constraint]]\nrequire = "2 <= y"\n[evaluate]', ["constraint 1, column 6: unknown parameter", 'did you mean "x"?']),
    "constraints that contradict": ("[evaluate]", '[[constraint]]\nrequire = "x > 3"\n[[constraint]]\nrequire = "x < 2"\n[evaluate]',
                                    ['no point of the space satisfies together constraint 1, "x > 3" and constraint 2, "x < 2"']),
    "constraint without require": ("[evaluate]", '[[constraint]]\n[evaluate]', ["constraint 1.require: missing"]),
    "bare key in another alphabet": ("seed = 1", "s\u00e9ed = 1", ["study.toml:6: not a study file: found a character that is not ASCII"]),
    "key of many parts": ("seed = 1", "a" + 40000 * ".a" + " = 1", ["study.toml:6: not a study file: found a key of more than 16 parts"]),
    "table without a name": ("[evaluate]", "[=]\n[evaluate]", ["not a study file: found a table without a name, expected [name] or [[name]]"]),
    "comma without a value": ("seed = 1", "seed = [1,,2]", ["study.toml:6: not a study file: found a comma without a value before it"]),
    "quote inside a word": ("seed = 1", "seed = 1'\u00e9", ["study.toml:6: not a study file: found a quote inside a word"]),
    "choice twice": ('"with space"', '"plain"', ['parameter "kind": choice "plain" is there twice']),
    "no command": ("command = " + toml(PARABOLA) + "\n", "", ["evaluate.command: missing, expected the program"]),
    "start outside": ("[evaluate]", "[[start]]\nx = 99\n[evaluate]", ["start 1.x: found 99, expected a number from -5 to 10"]),
    "start misspelt": ("[evaluate]", "[[start]]\nknd = 'plain'\n[evaluate]", ["kind"]),
    "start no table": ("[study]", "start = 3\n[study]", ["start: found 3, expected one [[start]] table per point"]),
    "stop seconds": ("[evaluate]", "[stop]\nseconds = 0\n[evaluate]", ["stop.seconds: found 0, expected seconds > 0"]),
    "stop value": ("[evaluate]", '[stop]\nvalue = "low"\n[evaluate]', ["stop.value"]),
    "empty command": ("command = " + toml(PARABOLA), "command = []", ["evaluate.command: found", "the program first"]),
    "command as text": ("command = " + toml(PARABOLA), 'command = "awk"', ["evaluate.command: found", "a list of texts"]),
    "command and task": ("workers = 1", 'workers = 1\ntask = "branin"', ["evaluate.task: found both command and task"]),
    "unknown placeholder": ("({x} - 1)", "({y} - 1)", ["evaluate.command: placeholder {y} names no parameter", "{x} {n} {kind}"]),
    "missing program": ('"awk"', '"./no-such-program"', ['evaluate.command: found the program "./no-such-program"', "not an executable file"]),
    "missing program in PATH": ('"awk"', '"no-such-program"', ['"no-such-program"', "PATH"]),
    "workers zero": ("workers = 1", "workers = 0", ["evaluate.workers: found 0"]),
    "timeout zero": ("workers = 1", "timeout = 0", ["evaluate.timeout: found 0, expected seconds > 0"]),
    "retries negative": ("workers = 1", "retries = -1", ["evaluate.retries: found -1"]),
    "containment": ("workers = 1", 'containment = "cgroup"', ["study.toml:", "evaluate.containment: found 'cgroup'", '"tree" or "group"']),
    "mode": ("workers = 1", 'mode = "twice"', ["evaluate.mode: found", '"once" or "serve"']),
    "env of a wrong type": ("workers = 1", "env = {A = 1}", ["evaluate.env.A: found 1, expected a text"]),
    "stop": ("[evaluate]", "[stop]\ninformation = -1\n[evaluate]", ["stop.information: found -1"]),
    "stop rounds": ("[evaluate]", "[stop]\nrounds = 0\n[evaluate]", ["stop.rounds: found 0"]),
    "unknown task": ("command = " + toml(PARABOLA), 'task = "no-such-task"', ["evaluate.task", "no-such-task"]),
    "parameters beside a task": ("command = " + toml(PARABOLA), 'task = "branin"', ["parameter: found parameters beside evaluate.task"]),
}


class StudyFileErrors(VboTest):
    def test_what_has_to_be_evaluated_needs_a_program(self):
        self.write("study.toml", GOOD[:GOOD.index("[evaluate]")])
        self.assertIn("evaluate.command: missing", self.vbo("run", "study.toml", expect=2).stderr)
        self.vbo("check", "study.toml")  # people evaluate it

    def test_each_mistake_has_one_clear_message(self):
        for name, (old, new, expected) in WRONG.items():
            with self.subTest(name):
                self.assertIn(old, GOOD)
                self.write("study.toml", GOOD.replace(old, new, 1))
                for command in ("check", "run"):
                    done = self.vbo(command, "study.toml", expect=2)
                    self.assertEqual(done.stdout, "")
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                    self.assertTrue(done.stderr.startswith("vbo: study.toml"), done.stderr)
                    for text in expected:
                        self.assertIn(text, done.stderr)
                self.assertEqual(os.listdir(self.folder), ["study.toml"])

    def test_missing_file_and_folder(self):
        self.assertIn("no.toml: cannot read the study file: No such file",
                      self.vbo("run", "no.toml", expect=2).stderr)
        os.mkdir(self.path("a.toml"))
        self.assertIn("it is a folder", self.vbo("check", "a.toml", expect=2).stderr)


class StudyFileUse(VboTest):
    def test_storage_in_a_folder_that_does_not_exist(self):
        self.write("study.toml", GOOD.replace('storage = "parabola.db"', 'storage = "no/such/p.db"'))
        for command in ("run", "ask"):
            self.assertIn('study.toml: study.storage: found "no/such/p.db", expected a file in a folder that exists',
                          self.vbo(command, "study.toml", expect=2).stderr)

    def test_storage_of_an_unknown_kind(self):
        self.write("study.toml", GOOD.replace('storage = "parabola.db"', 'storage = "mysql://host/p"'))
        self.assertIn('storage "mysql://', self.vbo("run", "study.toml", expect=2).stderr)

    def test_defaults(self):
        self.write("tiny.toml", '[study]\nbudget = 2\n[optimizer]\nmethod = "random"\n[[parameter]]\nname = "x"\n'
                   'type = "float"\nlow = 0\nhigh = 1\n[evaluate]\ncommand = ["echo", "{x}"]\n')
        self.vbo("run", "tiny.toml")
        status = self.json("status", "tiny.db")
        self.assertEqual((status["study"], status["goal"], status["completed"]), ("tiny", "minimize", 2))

    def test_paths_are_relative_to_the_file(self):
        os.mkdir(self.path("sub"))
        self.write("sub/f.sh", "#!/bin/sh\necho $1\n")
        os.chmod(self.path("sub/f.sh"), 0o755)
        self.study(["./f.sh", "{x}"], name="sub/study.toml", budget=3)
        self.vbo("run", "sub/study.toml")
        self.assertTrue(os.path.exists(self.path("sub/parabola.db")))
        self.assertEqual(self.json("status", "sub/study.toml")["completed"], 3)

    def test_a_task_stands_for_the_program(self):
        self.write("task.toml", '[study]\nbudget = 20\nseed = 3\n[optimizer]\nmethod = "random"\n'
                   '[evaluate]\ntask = "branin"\nworkers = 2\n')
        self.assertIn("task branin", self.vbo("check", "task.toml").stdout)
        self.vbo("run", "task.toml")
        status = self.json("status", "task.db")
        self.assertEqual(status["completed"], 20)
        task = next(t for t in self.json("tasks") if t["name"] == "branin")
        self.assertEqual(status["goal"], task["goal"])

    def test_environment_is_passed_on(self):
        self.study(["sh", "-c", "echo $OFFSET"], evaluate='env = {OFFSET = "42"}', budget=1)
        self.assertEqual(self.json("check", "study.toml")["value"], 42)


if __name__ == "__main__":
    unittest.main()
