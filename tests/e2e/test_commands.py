# SPDX-License-Identifier: MIT
"""Every command, its JSON, its help and its exit codes."""
import contextlib
import csv
import io
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import unittest

from support import ROOT, VBO, VboTest

COMMANDS = ["init", "check", "run", "ask", "tell", "import", "drop", "retry", "work", "workers", "status", "studies", "best", "verify", "upgrade", "trials", "explain", "importance", "plot",
            "report", "serve", "methods", "tasks", "mi", "bench", "completion"]


class Help(VboTest):
    def test_each_command_has_help_that_begins_with_an_example(self):
        overview = self.vbo("--help").stdout
        for command in COMMANDS:
            self.assertRegex(overview, rf"(?m)^  {command} ")
            text = self.vbo(command, "--help").stdout
            self.assertRegex(text, rf"\AExamples?:\n  vbo {command}")
            self.assertIn(f"Usage: vbo {command}", text)

    def test_help_fits_eighty_columns(self):
        for command in COMMANDS:
            for line in self.vbo(command, "--help").stdout.splitlines():
                if not line.startswith("  vbo "):  # an example is not broken
                    self.assertLessEqual(len(line), 80, line)

    def test_version(self):
        self.assertRegex(self.vbo("--version").stdout, r"^vbo \d+\.\d+\.\d+\n$")

    def test_wrong_usage_is_exit_code_2_with_a_hint(self):
        self.assertIn('unknown command "stats", did you mean "status"?', self.vbo("stats", expect=2).stderr)
        self.assertIn("expected one of init", self.vbo("frobnicate", expect=2).stderr)
        self.assertIn("Usage: vbo", self.vbo(expect=2).stderr)
        self.assertIn("STUDY is required", self.vbo("status", expect=2).stderr)
        self.assertIn("vbo run --help", self.vbo("run", "a.toml", "--nonsense", expect=2).stderr)
        self.assertIn("--count", self.vbo("ask", "a.toml", "-n", "0", expect=2).stderr)

    def test_the_reference_in_docs_is_current(self):
        self.assertEqual((ROOT / "docs/reference/command-line.md").read_text(), self.vbo("reference").stdout,
                         "docs/reference/command-line.md is out of date: vbo reference > docs/reference/command-line.md")


class Studies(VboTest):
    def test_a_folder_is_listed(self):
        self.assertEqual(self.json("studies"), [])
        self.assertIn("no studies", self.vbo("studies").stdout)
        self.vbo("run", self.study(budget=4), "-q")
        self.write("notes.db", "no study")
        notes, study = self.json("studies")
        self.assertEqual((study["study"], study["completed"], study["budget"]), ("parabola", 4, 4))
        self.assertEqual(self.json("status", study["storage"])["completed"], 4)
        self.assertIn("notes.db", notes["storage"])
        self.assertTrue(notes["error"])
        text = self.vbo("studies", ".").stdout
        self.assertIn("4/4", text)
        self.assertEqual(self.json("studies", "parabola.db"), [{**study, "storage": "parabola.db"}])

    def test_what_is_not_there(self):
        self.assertIn('cannot list "nowhere"', self.vbo("studies", "nowhere", expect=2).stderr)


class Completion(VboTest):
    def test_bash_completes_commands_options_and_files(self):
        script = self.vbo("completion", "bash").stdout
        self.write("vbo.bash", script)
        self.study()

        def complete(line):
            words = line.split(" ")
            array = " ".join(f"'{word}'" for word in words)
            driver = (f"source ./vbo.bash; COMP_WORDS=({array}); COMP_CWORD={len(words) - 1}; _vbo; "
                      'printf "%s\\n" "${COMPREPLY[@]}"')
            return subprocess.run(["bash", "--norc", "+O", "extglob", "-c", driver], cwd=self.folder, text=True,
                                  capture_output=True, check=True,
                                  env={**os.environ, "PATH": f"{pathlib.Path(VBO).parent}:{os.environ['PATH']}"}
                                  ).stdout.split()

        self.assertEqual(complete("vbo sta"), ["status"])
        self.assertEqual(set(complete("vbo ")) & set(COMMANDS), set(COMMANDS))
        self.assertIn("--pending", complete("vbo ask --p"))
        self.assertEqual(complete("vbo run st"), ["study.toml"])
        self.assertEqual(complete("vbo trials --state f"), ["failed"])
        self.assertIn("table", complete("vbo bench ta"))
        self.assertIn("--task", complete("vbo bench run --ta"))
        self.assertEqual(complete("vbo completion z"), ["zsh"])
        self.assertIn("random", complete("vbo methods ran"))

    def test_zsh_and_fish_scripts_name_every_command(self):
        for shell in ("zsh", "fish"):
            script = self.vbo("completion", shell).stdout
            for command in COMMANDS:
                self.assertIn(command, script, shell)
            self.assertIn("over-budget", script, shell)

    # What each line becomes or is offered, in both shells.
    LINES = {"vbo tri": "trials", "vbo bench t": "table", "vbo trials --st": "--state", "vbo trials --state f": "failed",
             "vbo bench run --ro": "--rounds", "vbo ask --over": "--over-budget", "vbo completion z": "zsh",
             "vbo methods rando": "random", "vbo --color al": "always", "vbo --color never tri": "trials", "vbo --vers": "--version", "vbo status sp": "special.toml"}

    def in_a_shell(self, command):
        path = f"{pathlib.Path(VBO).parent}:{os.environ['PATH']}"
        return subprocess.run(command, cwd=self.folder, text=True, capture_output=True, timeout=120,
                              env={**os.environ, "PATH": path, "HOME": self.folder, "TERM": "dumb"}, check=True).stdout

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_completes(self):
        self.write("vbo.fish", self.vbo("completion", "fish").stdout)
        self.write("special.toml", "")
        for line, word in self.LINES.items():
            offered = self.in_a_shell(["fish", "--no-config", "-c", f"source vbo.fish; complete -C '{line}'"])
            self.assertEqual([entry.split("\t")[0] for entry in offered.splitlines()], [word], line)

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_completes(self):
        os.mkdir(self.path("functions"))
        self.write("functions/_vbo", self.vbo("completion", "zsh").stdout)
        self.write("special.toml", "")
        # A real line editor in a terminal of its own; its buffer after a tab is written to a file.
        driver = ["zmodload zsh/zpty", "zpty z zsh -f -i",
                  "zpty -w z 'fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -D; unsetopt beep; "
                  "show() { print -r -- \"$BUFFER\" >> lines; BUFFER=; }; zle -N show; bindkey \"^X\" show; "
                  "print LO''ADED'", "zpty -r z out '*LOADED*'"]
        for number, line in enumerate(self.LINES, 1):
            driver += [f"zpty -w -n z '{line}'$'\\t\\x18'",
                       f"repeat 200; do [[ -f lines && $(wc -l < lines) -ge {number} ]] && break; sleep 0.05; "
                       "zpty -r -t z out; done"]
        self.write("drive.zsh", "\n".join(driver) + "\n")
        self.in_a_shell(["zsh", "-f", "drive.zsh"])
        for (line, word), made in zip(self.LINES.items(), pathlib.Path(self.path("lines")).read_text().splitlines(), strict=True):
            self.assertEqual(made.rstrip(), line[:line.rindex(" ") + 1] + word, line)

    def test_the_manual_page_has_every_command_and_exit_code(self):
        page = self.vbo("man").stdout
        for command in COMMANDS:
            self.assertIn("vbo " + command, page.replace("\\-", "-"))
        self.assertIn(".SH EXIT STATUS", page)
        self.assertNotIn("\n'", page)  # nothing troff would take for a request
        if shutil.which("groff"):
            done = subprocess.run(["groff", "-man", "-Tutf8", "-ww"], input=page, text=True, capture_output=True)
            self.assertEqual(done.stderr, "")


class InitAndCheck(VboTest):
    def test_the_template_is_accepted_and_runs(self):
        done = self.vbo("init", "branin.toml")
        self.assertIn("wrote branin.toml", done.stdout)
        self.assertIn("vbo check branin.toml", done.stderr)
        checked = self.vbo("check", "branin.toml")
        self.assertIn("ran    python3 branin.py ", checked.stdout)
        self.assertRegex(checked.stdout, r"value  [0-9.]+  in ")
        self.assertEqual(sorted(os.listdir(self.folder)), ["branin.py", "branin.toml"])

    def test_nothing_is_overwritten(self):
        self.write("branin.py", "print(7)\n")
        self.assertIn("branin.py exists already", self.vbo("init", "branin.toml").stdout)
        self.assertEqual(self.json("check", "branin.toml")["value"], 7)
        before = pathlib.Path(self.path("branin.toml")).read_text()
        self.assertIn("exists already", self.vbo("init", "branin.toml", expect=2).stderr)
        self.assertEqual(pathlib.Path(self.path("branin.toml")).read_text(), before)

    def test_init_elsewhere(self):
        self.assertIn("No such file", self.vbo("init", "no/such/folder.toml", expect=2).stderr)
        self.assertIn(".toml", self.vbo("init", "study", expect=2).stderr)
        os.mkdir(self.path("sub"))
        self.vbo("init", "sub/deep.toml")
        self.vbo("check", "sub/deep.toml")

    def test_check_shows_a_failure_and_its_standard_error(self):
        self.study(["sh", "-c", "echo broken >&2; exit 4"])
        done = self.vbo("check", "study.toml", expect=1)
        self.assertIn("exit code 4", done.stdout)
        self.assertIn("broken", done.stdout)
        shown = json.loads(self.vbo("check", "study.toml", "--json", expect=1).stdout)
        self.assertIsNone(shown["value"])
        self.assertIn("exit code 4", shown["error"])
        self.assertEqual(shown["stderr"], "broken\n")

    def test_check_evaluates_inside_the_space(self):
        self.study()
        shown = self.json("check", "study.toml")
        self.assertEqual(list(shown["params"]), ["x", "n", "kind"])
        self.assertTrue(-5 <= shown["params"]["x"] <= 10)
        self.assertIn(shown["params"]["n"], range(21))
        self.assertIn(shown["params"]["kind"], ["plain", "with space"])
        expected = (shown["params"]["x"] - 1) ** 2 + shown["params"]["n"] / 10
        self.assertAlmostEqual(shown["value"], expected, places=9)


class Reading(VboTest):
    """Commands that look at a finished study."""

    def setUp(self):
        super().setUp()
        # Trial 3 fails, with something awkward to print.
        self.study(["sh", "-c", "if test $VBO_TRIAL_ID = 3; then echo 'a \"quoted\", line' >&2; exit 9; fi; "
                    "awk 'BEGIN {printf \"%.17g\\n\", ({x} - 1) ^ 2 + {n} / 10}'"], budget=8)
        self.vbo("run", "study.toml")

    def test_verify(self):
        found = self.json("verify", "parabola.db")
        self.assertEqual((found["problems"], found["notes"], found["replayed"]), ([], [], True))
        self.assertEqual(found["trials"], len(self.json("trials", "parabola.db")))
        self.assertIn("rows and indexes agree, and so does a replay", self.vbo("verify", "parabola.db").stdout)
        self.assertNotIn("replay", self.vbo("verify", "parabola.db", "--no-replay").stdout)
        with sqlite3.connect(self.path("parabola.db")) as db:
            db.execute("PRAGMA ignore_check_constraints = ON")
            db.execute("UPDATE trials SET value = value - 1 WHERE id = 2 AND state = 'completed'")
            db.execute("UPDATE study SET told_completed = told_completed + 1")
        wrong = self.vbo("verify", "parabola.db", expect=5).stderr
        self.assertIn("trial 2 is damaged", wrong)
        self.assertIn("the number of results", wrong)

    def test_a_new_storage_is_for_its_owner_alone(self):
        self.assertEqual(os.stat(self.path("parabola.db")).st_mode & 0o777, 0o600)

    def test_a_report_is_not_written_through_a_link(self):
        precious = self.folder / "precious"
        precious.write_text("mine")
        for name in ("report.html", "report.html.new"):
            os.symlink(precious, self.folder / name)
        self.vbo("report", "parabola.db", "-o", "report.html")
        self.assertEqual(precious.read_text(), "mine")
        self.assertFalse((self.folder / "report.html").is_symlink())
        self.assertIn("<html", (self.folder / "report.html").read_text())
        self.assertEqual(sorted(p.name for p in self.folder.glob("report.html*")), ["report.html", "report.html.new"])

    def test_names_from_a_stranger_are_shown_and_not_obeyed(self):
        self.study(name="evil.toml", batch=1)
        text = (self.folder / "evil.toml").read_text().replace("parabola.db", "evil.db")
        text = text.replace('name = "parabola"', 'name = "a\\u001b[2Jb"', 1)
        text += '\n[[parameter]]\nname = "c"\ntype = "categorical"\nchoices = ["\\u001b[31m\\nbest 0", "=1+1"]\n'
        (self.folder / "evil.toml").write_text(text)
        ids = [s["id"] for s in self.json("ask", "evil.toml", "-n", "6")]
        for i in ids:
            self.vbo("tell", "evil.db", i, 1.5, "--metric", "m\x1b[2J=2")
        for command in (["status"], ["best"], ["ask", "--pending"], ["plot"], ["workers"], ["explain"]):
            command = [command[0], "evil.db", *command[1:], *(["1"] if command[0] == "explain" else [])]
            done = self.vbo(*command, expect=None)
            self.assertNotIn("\x1b", done.stdout + done.stderr, command)
            self.assertNotIn("\nbest 0", done.stdout, command)
        # A spreadsheet would take it for a formula; importing takes the mark off again.
        table = self.vbo("trials", "evil.db").stdout
        if "=1+1" in table:
            self.assertIn(",'=1+1,", table)
            self.assertNotIn(",=1+1", table)
        (self.folder / "all.csv").write_text(table)
        again = (self.folder / "evil.toml").read_text().replace("evil.db", "again.db")
        (self.folder / "again.toml").write_text(again)
        self.vbo("import", "again.toml", "all.csv")
        self.assertEqual({t["params"]["c"] for t in self.json("trials", "again.db")},
                         {t["params"]["c"] for t in self.json("trials", "evil.db")})

    def test_everything_a_storage_names_is_shown_and_not_obeyed(self):
        two = '[[objective]]\nname = "e"\ngoal = "minimize"\n\n' \
              '[[objective]]\nname = "f"\ngoal = "minimize"\n\n[optimizer]'
        for objectives, name in ((None, "one"), (two, "two")):
            self.study(["true"], name=f"{name}.toml", batch=1, budget=30)
            text = (self.folder / f"{name}.toml").read_text().replace("parabola.db", f"{name}\x1b[2J.db")
            text = text.replace("\x1b", "\\u001b").replace('name = "x"', 'name = "x\\u001b[2J"')
            if objectives:
                text = text.replace('goal = "minimize"\n', "", 1).replace("[optimizer]", objectives)
            (self.folder / f"{name}.toml").write_text(text)
            db = f"{name}\x1b[2J.db"
            for s in self.json("ask", f"{name}.toml", "-n", "20"):
                x, n = s["params"]["x\x1b[2J"], s["params"]["n"]
                values = ["--value", f"e={x}", "--value", f"f={n - x}"] if objectives else [x]
                self.vbo("tell", db, s["id"], *values)
            with contextlib.closing(sqlite3.connect(self.folder / db)) as connection, connection:
                connection.execute("UPDATE study SET optimizer = replace(optimizer, 'random', 'r\\u001b[2J')")
                connection.execute("UPDATE trials SET ask_check = NULL, rationale = replace(rationale, '\"source\":\"',"
                                   " '\"source\":\"\\u001b[2J')")
                connection.execute("INSERT INTO workers VALUES ('p', 'w\x1b[2J', 'h\x1b[2J', 1, 0, 1, 1)")
            alone = 0 if not objectives else 2
            for expect, *command in ((0, "status", db), (0, "workers", db), (0, "plot", db), (0, "studies", "."),
                                     (0, "importance", db), (alone, "best", db), (2, "tell", db, 999, 1),
                                     (0, "explain", db, 1, "--terms"), (0, "front", db),
                                     (5, "verify", db), (0, "report", db, "-o", f"{name}\x1b[2J.html")):
                done = self.vbo(*command, expect=None)
                self.assertNotIn("\x1b", done.stdout + done.stderr, command)
                self.assertEqual(done.returncode, expect, (command, done.stdout, done.stderr))

    def test_status(self):
        status = self.json("status", "parabola.db")
        expected = {"study": "parabola", "method": "random", "goal": "minimize", "completed": 7, "failed": 1,
                    "running": 0, "waiting": 0, "budget": 8, "seed": 1, "batch": 4}
        self.assertEqual({key: status[key] for key in expected}, expected)
        self.assertEqual(set(status["best"]), {"id", "params", "value", "limits", "at_bounds"})
        text = self.vbo("status", "study.toml").stdout
        self.assertIn("8 of 8 (100 %), 1 of them failed", text)
        self.assertIn(f"trial {status['best']['id']}", text)

    def test_best(self):
        best = self.json("best", "parabola.db")
        self.assertEqual(list(best), ["id", "params", "value", "estimate", "noise", "limits", "at_bounds"])
        values = [t["value"] for t in self.json("trials", "parabola.db") if t["state"] == "completed"]
        self.assertEqual(best["value"], min(values))
        text = self.vbo("best", "parabola.db").stdout
        self.assertIn(f"x    = {best['params']['x']:.6g}\n", text)  # for people; JSON has every digit
        self.assertEqual(self.json("best", "study.toml"), best)

    def test_trials(self):
        trials = self.json("trials", "parabola.db")
        self.assertEqual([t["id"] for t in trials], list(range(1, 9)))
        for trial in trials:
            self.assertLessEqual({"id", "state", "params", "value", "seconds", "error"}, set(trial))
            if trial["id"] == 3:
                self.assertEqual((trial["state"], trial["value"]), ("failed", None))
                self.assertIn("exit code 9", trial["error"])
                self.assertEqual(trial["cause"], "crash")
                self.assertEqual(trial["stderr"], 'a "quoted", line\n')
            else:
                self.assertEqual((trial["state"], trial["error"]), ("completed", None))
                p = trial["params"]
                self.assertAlmostEqual(trial["value"], (p["x"] - 1) ** 2 + p["n"] / 10, places=9)
                self.assertGreater(trial["seconds"], 0)
        failed = self.json("trials", "parabola.db", "--state", "failed")
        self.assertEqual([t["id"] for t in failed], [3])
        self.assertEqual(self.json("trials", "parabola.db", "--state", "waiting"), [])

    def test_csv(self):
        text = self.vbo("trials", "parabola.db").stdout
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual(list(rows[0]), ["id", "state", "value", "x", "n", "kind", "seconds", "attempts", "error",
                                         "stderr", "asked_at", "started_at", "finished_at", "worker"])
        for row, trial in zip(rows, self.json("trials", "parabola.db"), strict=True):
            self.assertEqual(int(row["id"]), trial["id"])
            self.assertEqual(float(row["x"]), trial["params"]["x"])
            self.assertEqual(row["kind"], trial["params"]["kind"])
            self.assertEqual(row["value"], "" if trial["value"] is None else repr(trial["value"]).removesuffix(".0"))

    def test_export_of_the_table(self):
        done = self.vbo("export", "parabola.db", "--csv", "all.csv")
        self.assertNotIn("MLFLOW", done.stdout + done.stderr)
        self.assertEqual((self.folder / "all.csv").read_bytes().decode(),
                         subprocess.run([VBO, "trials", "parabola.db"], cwd=self.folder, check=True,
                                        capture_output=True).stdout.decode())
        self.assertIn("quoted", (self.folder / "all.csv").read_text())  # standard error

    def test_export_for_mlflow_says_how_it_is_read(self):
        done = self.vbo("export", "parabola.db", "--mlflow", "ml runs")
        self.assertIn("MLFLOW_ALLOW_FILE_STORE=true mlflow ui --backend-store-uri 'ml runs'\n", done.stderr)
        self.assertEqual(self.vbo("export", "parabola.db", "--mlflow", "quiet", "-q").stderr, "")
        self.assertIn("MLFLOW_ALLOW_FILE_STORE=true", self.vbo("export", "--help").stdout)

    def test_explain(self):
        text = self.vbo("explain", "parabola.db", 2).stdout
        self.assertIn("Trial 2, completed", text)
        self.assertIn('It came from "random"', text)
        shown = self.json("explain", "parabola.db", 2)
        self.assertLessEqual({"id", "params", "source", "acquisition", "terms", "sum"}, set(shown))
        self.assertIn("no trial 99", self.vbo("explain", "parabola.db", 99, expect=2).stderr)

    def test_status_has_the_whole_report(self):
        status = self.json("status", "parabola.db")
        values = {t["id"]: t["value"] for t in self.json("trials", "parabola.db")}
        self.assertEqual(status["curve"][-1]["value"], status["best"]["value"])
        self.assertEqual([step["value"] for step in status["curve"]],
                         [values[step["id"]] for step in status["curve"]])
        self.assertEqual(sum(source["suggested"] for source in status["sources"]), 8)
        self.assertEqual([(g["cause"], g["count"], g["examples"]) for g in status["failures"]], [("crash", 1, [3])])
        self.assertEqual(set(status["as_good"]["ranges"]), {"x", "n", "kind"})
        self.assertEqual(status["metrics"], [])

    def test_importance_with_too_few_results(self):
        done = self.vbo("importance", "parabola.db")
        self.assertEqual(done.stdout, "")
        self.assertIn("too few results to say what matters: 7 completed, at least 20 are needed", done.stderr)
        self.assertEqual(self.json("importance", "parabola.db"), [])

    def test_a_full_disk_behind_standard_output_is_noticed(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([VBO, "trials", "parabola.db"], cwd=self.folder, stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write to standard output", done.stderr)

    def test_colours_only_when_asked_or_seen(self):
        self.assertNotIn("\x1b", self.vbo("status", "parabola.db").stdout)
        self.assertIn("\x1b[1m", self.vbo("status", "parabola.db", "--color", "always").stdout)
        self.assertIn("\x1b[1m", self.vbo("--color=always", "status", "parabola.db").stdout)

    def test_the_program_works_when_moved(self):
        shutil.copy(VBO, self.path("moved"))
        done = subprocess.run(["./moved", "best", "parabola.db", "--json"], cwd=self.folder,
                              capture_output=True, text=True, check=True)
        self.assertEqual(json.loads(done.stdout), self.json("best", "parabola.db"))
        if not os.environ.get("VBO_INSTRUMENTED"):  # with the sanitizers' code and its symbols it is 30 times as large
            self.assertLess(os.path.getsize(VBO), 20_000_000)


class ImportanceOfParameters(VboTest):
    def test_nats_per_parameter(self):
        self.study(budget=120, workers=4, batch=40)
        self.vbo("run", "study.toml")
        entries = self.json("importance", "parabola.db")
        self.assertEqual([e["parameter"] for e in entries], ["x", "n", "kind"])
        for entry in entries:
            self.assertLessEqual({"parameter", "nats", "low", "high"}, set(entry))
            self.assertLessEqual(entry["low"], entry["nats"])
            self.assertLessEqual(entry["nats"], entry["high"])
        x, n, kind = entries
        self.assertGreater(x["low"], 0.5)   # (x - 1)^2 is nearly all there is
        self.assertEqual(kind["low"], 0.0)  # not used at all
        self.assertEqual({p["with"] for p in x["together"]}, {"n", "kind"})
        text = self.vbo("importance", "study.toml").stdout.splitlines()
        self.assertRegex(text[0], r"^parameter +nats +95% interval$")
        self.assertTrue(text[1].startswith("x "), text)
        self.assertEqual(text[-1], "From 120 of 120 results.")


class NoStudy(VboTest):
    def test_missing_storage(self):
        for command in (["status"], ["best"], ["trials"], ["importance"], ["explain", "x.db", "1"], ["ask"], ["tell", "x.db", "1", "2"]):
            arguments = command if len(command) > 1 else [*command, "x.db"]
            self.assertIn("x.db: no such file", self.vbo(*arguments, expect=2).stderr)
        self.assertEqual(os.listdir(self.folder), [])

    def test_study_that_has_not_begun(self):
        self.study()
        self.assertIn("Start it with: vbo run study.toml", self.vbo("status", "study.toml", expect=2).stderr)

    def test_nothing_succeeded_yet(self):
        self.study()
        self.vbo("ask", "study.toml")
        self.assertIn("has succeeded yet", self.vbo("best", "parabola.db", expect=3).stderr)
        self.assertIsNone(self.json("status", "parabola.db")["best"])

    def test_foreign_and_damaged_files_are_reported_and_left_alone(self):
        self.study()
        for content in (b"This is not a database.\n" * 50, b"SQLite format 3\x00" + b"\xff" * 5000):
            pathlib.Path(self.path("parabola.db")).write_bytes(content)
            for command in (["run", "study.toml"], ["status", "parabola.db"], ["ask", "study.toml"]):
                self.assertIn("parabola.db", self.vbo(*command, expect=5).stderr)
            self.assertEqual(pathlib.Path(self.path("parabola.db")).read_bytes(), content)


class Lists(VboTest):
    def test_methods(self):
        methods = self.json("methods")
        self.assertIn("random", [m["name"] for m in methods])
        for method in methods:
            self.assertLessEqual({"name", "summary"}, set(method))
            self.assertTrue(method["summary"])
            self.assertIn(method["name"], self.vbo("methods", method["name"]).stdout)
        self.assertIn('did you mean "random"?', self.vbo("methods", "randon", expect=2).stderr)

    def test_tasks(self):
        tasks = self.json("tasks")
        self.assertIn("branin", [t["name"] for t in tasks])
        for task in tasks:
            self.assertLessEqual({"name", "summary"}, set(task))


class Documents(VboTest):
    def test_study_files_in_the_documents_are_right(self):
        self.write("branin.py", "print(1.0)\n")
        found = 0
        for page in ("README.md", "docs/reference/study-file.md"):
            for block in re.findall(r"```toml\n(.*?)```", (ROOT / page).read_text(), re.S):
                if "[study]" not in block:
                    continue
                found += 1
                self.write("branin.toml", block)
                with self.subTest(page=page):
                    self.vbo("check", "branin.toml")
        self.assertGreaterEqual(found, 2)

    def test_links_between_pages_lead_somewhere(self):
        for page in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "research").rglob("*.md")]:
            for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
                if "://" not in target:
                    self.assertTrue((page.parent / target).exists(), f"{page}: {target}")


if __name__ == "__main__":
    unittest.main()
