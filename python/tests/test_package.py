# SPDX-License-Identifier: MIT
"""The package as a whole: docstrings, types, import, references, memory."""

from __future__ import annotations

import doctest
import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import vbo

from conftest import LONG, ROOT, python

MODULES = sorted(path.stem for path in (ROOT / "python/vbo").glob("*.py"))


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str) -> None:
    module = importlib.import_module("vbo" if name == "__init__" else f"vbo.{name}")
    result = doctest.testmod(module, globs={"vbo": vbo, "np": np})
    assert result.failed == 0


def test_the_important_ones_have_examples() -> None:
    for thing in (vbo.Space, vbo.Float, vbo.Study, vbo.Study.tell, vbo.Study.add, vbo.minimize, vbo.optuna.VboSampler):
        assert ">>>" in (thing.__doc__ or ""), thing


def test_what_the_budget_counts_is_said_first() -> None:
    for thing in (vbo.minimize, vbo.maximize, vbo.aminimize, vbo.Study, vbo.Study.run):
        first = " ".join((thing.__doc__ or "").split("\n\n")[0].split())
        assert "`budget`" in first and "in all" in first or "included" in first, thing


def test_types_of_the_package_and_of_all_examples() -> None:
    files = [str(ROOT / "python/vbo"), *map(str, sorted((ROOT / "examples/python").glob("*.py")))]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml", *files],
        capture_output=True, text=True, cwd=ROOT / "build",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_types_are_really_checked(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text('import vbo\nvbo.Study(vbo.Space(x=vbo.Float("0", 1)), goal=3).ask("4")\n')
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml", tmp_path / "wrong.py"],
        capture_output=True, text=True, cwd=ROOT / "build",
    )  # fmt: skip
    assert done.stdout.count("error:") == 3, done.stdout


TYPED = """
import numpy as np
import optuna
import vbo

def stop(study: vbo.Study, trial: vbo.Trial) -> np.bool_:
    return np.bool_(trial.seconds > 1)

def go_on(study: vbo.Study, trial: vbo.Trial) -> None:
    pass

def there_and_back(study: optuna.Study) -> optuna.Study:
    return vbo.to_optuna(vbo.from_optuna(study))

vbo.minimize(lambda point: float(point["x"]), {"x": vbo.Float(0, 1)}, callbacks=[stop, go_on])
"""


def test_types_of_what_people_write(tmp_path: Path) -> None:
    (tmp_path / "typed.py").write_text(TYPED)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", ROOT / "pyproject.toml", tmp_path / "typed.py"],
        capture_output=True, text=True, cwd=ROOT / "build",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


def test_pyright_agrees_about_the_examples(tmp_path: Path) -> None:
    def errors(*files: Path) -> str:
        settings = {"include": [str(file) for file in files], "extraPaths": [str(ROOT / "python")], "pythonVersion": "3.11"}
        (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
        done = subprocess.run(
            [sys.executable, "-m", "pyright", "--project", tmp_path, "--pythonpath", sys.executable],
            capture_output=True, text=True, cwd=tmp_path,
        )  # fmt: skip
        return done.stdout

    found = errors(*sorted((ROOT / "examples/python").glob("*.py")))
    assert found.startswith("0 errors"), found
    (tmp_path / "wrong.py").write_text('import vbo\nvbo.Study({"x": vbo.Float("0", 1)}, goal=3)\n')
    assert "2 errors" in errors(tmp_path / "wrong.py")


def test_the_stub_has_what_the_module_has() -> None:
    stub = (ROOT / "python/vbo/_vbo.pyi").read_text()
    core = importlib.import_module("vbo._vbo")
    for name in ("Space", "Study", "Results"):
        for member in vars(getattr(core, name)):
            if not member.startswith("__"):
                assert f"def {member}(" in stub or f"    {member}:" in stub, f"{name}.{member}"


def test_importing_needs_numpy_alone() -> None:
    code = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("optuna", "pandas", "tqdm", "sklearn", "scipy", "gest_api"):
            raise ImportError(name)
sys.meta_path.insert(0, Block())
import vbo
study = vbo.Study({"x": vbo.Float(0, 1)}, method="random")
study.tell(study.ask(3), [1, 2, 3])
print(vbo.minimize(lambda p: p["x"], {"x": vbo.Float(0, 1)}, budget=3, method="random", progress=True).ended)
"""
    done = python(code)
    assert done.returncode == 0 and done.stdout == "budget_spent\n", done.stderr


USE_EVERYTHING = """
import sys, threading, vbo
study = vbo.Study({"x": vbo.Float(0, 1), "k": vbo.Choice(["a", "b"])}, batch=4, seed=1)
for _ in range(5):
    trials = study.ask(4)
    study.tell(trials, trials["x"], metrics={"mass": trials["x"]})
study.add({"x": 0.5, "k": "a"}, 1.0)
study.tell(study.ask(), error="no")
for bad in (lambda: study.tell(99, 1.0), lambda: study.ask(0), lambda: vbo.Study({"x": vbo.Float(1, 0)})):
    try:
        bad()
    except vbo.Error as error:
        kept = error
study.trials(), study.columns(), study.best, study.log(), study._repr_html_()
vbo.minimize(lambda p: p["x"], {"x": vbo.Float(0, 1)}, budget=9, workers=3, method="random", progress=False)
if len(sys.argv) > 1:
    import ctypes
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(study._core))
"""


def test_nothing_is_leaked() -> None:
    done = python(USE_EVERYTHING)
    assert done.returncode == 0 and "leak" not in done.stderr, done.stderr
    assert "leak" in python(USE_EVERYTHING, "leak").stderr  # the checker sees one that is made on purpose


MEMORY = """
import resource, sys, vbo
import numpy as np
study = vbo.Study({f"x{i}": vbo.Float(0, 1) for i in range(20)} | {"k": vbo.Choice(["a", "b"])},
                  method="random", storage=sys.argv[1])
def megabytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6
for i in range(int(sys.argv[2])):
    if i == 1000:
        before = megabytes()
    trials = study.ask(1)
    study.tell(trials.ids, trials["x0"], metrics={"mass": trials["x1"]})
print(megabytes() - before)
"""


def test_memory_of_many_asks_is_flat(tmp_path: Path) -> None:
    """A study in a file keeps open trials in memory, and nothing of those that have ended."""
    done = python(MEMORY, tmp_path / "study.db", 10_000 if LONG else 3000)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 4.0  # MB; a kilobyte per trial would be 2 (9 in the long run)


def test_the_module_is_the_command(tmp_path: Path) -> None:
    """As an installed wheel has it: the program beside the package's sources."""
    package = tmp_path / "vbo"
    package.mkdir()
    for file in Path(vbo.__file__).parent.iterdir():
        if file.is_file():
            shutil.copy(file, package / file.name)
    command = [sys.executable, "-m", "vbo", "methods", "--json"]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 1 and "came without the program" in done.stderr
    (package / "bin").mkdir()
    (package / "bin/vbo").symlink_to(os.environ["VBO"])
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout)[0]["name"] == "auto", done.stderr


def test_an_old_processor_is_told_so() -> None:
    from vbo import _baseline

    new = "processor : 0\nflags\t\t: fpu sse2 avx avx2 bmi1 bmi2 fma\n"
    assert _baseline.missing(new) == []
    assert _baseline.missing(new.replace("avx2 ", "").replace(" fma", "")) == ["avx2", "fma"]


def test_the_reference_is_made_from_docstrings(tmp_path: Path) -> None:
    page = tmp_path / "python.html"
    subprocess.run([sys.executable, ROOT / "scripts" / "python-api", page], check=True)
    text = page.read_text()
    for name in vbo.__all__:
        assert f'id="vbo.{name}"' in text
    for name in ("Study.ask", "Study.best", "Study.trials", "Space.require", "Result.front", "Trials.to_pandas"):
        assert f'id="vbo.{name}"' in text, name
    assert "vbo.plot.contour" in text and "VboSampler" in text and "evaluations: those of earlier calls" in text
