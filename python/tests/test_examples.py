# SPDX-License-Identifier: MIT
"""Every example runs as it stands and says what it should."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT

FOLDER = ROOT / "examples/python"


def run(name: str, folder: Path) -> str:
    done = subprocess.run([sys.executable, FOLDER / name], cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return done.stdout


def number(pattern: str, text: str) -> float:
    found = re.search(pattern, text)
    assert found, text
    return float(found.group(1))


def test_ask_tell(tmp_path: Path) -> None:
    out = run("ask_tell.py", tmp_path)
    assert number(r"round 10: best ([\d.]+)", out) < 0.41


def test_minimize_and_again(tmp_path: Path) -> None:
    out = run("minimize.py", tmp_path)
    assert "budget_spent" in out and number(r"best ([\d.]+)", out) < 2
    assert run("minimize.py", tmp_path) == out  # nothing left to do, and nothing forgotten


def test_optuna(tmp_path: Path) -> None:
    assert number(r"best ([\d.]+)", run("optuna_study.py", tmp_path)) < 0.6


def test_robot(tmp_path: Path) -> None:
    out = run("robot.py", tmp_path)
    assert number(r"yield ([\d.]+)%", out) > 85 and "ethanol" in out
    assert run("robot.py", tmp_path) == out


def test_simulation(tmp_path: Path) -> None:
    assert number(r"best ([\d.]+)", run("simulation.py", tmp_path)) < 0.3


def code_cells(page: str) -> list[str]:
    return re.findall(r'<pre class="code">(.*?)</pre>', page, re.DOTALL)


def test_the_notebook_and_its_page(tmp_path: Path) -> None:
    made = tmp_path / "page.html"
    subprocess.run(
        [sys.executable, ROOT / "scripts/render-cells", FOLDER / "tune_classifier.py", "-o", made], check=True, timeout=600
    )
    page, committed = made.read_text(), (FOLDER / "tune_classifier.html").read_text()
    assert code_cells(page) == code_cells(committed), "run scripts/render-cells examples/python/tune_classifier.py"
    for text in (page, committed):
        assert "<svg" in text and "48 completed" in text and "metrics.spread" in text
        assert number(r"(0\.\d+) with", text) > 0.85


def outputs(notebook: Any, kind: str) -> list[str]:
    return [
        "".join(output["data"][kind])
        for cell in notebook["cells"] if cell["cell_type"] == "code"
        for output in cell["outputs"] if kind in output.get("data", {})
    ]  # fmt: skip


def test_the_notebook_that_was_run(tmp_path: Path) -> None:
    made = tmp_path / "notebook.ipynb"
    done = subprocess.run([sys.executable, ROOT / "scripts/run-notebook", FOLDER / "notebook.ipynb", "-o", made],
                          capture_output=True, text=True, timeout=600)  # fmt: skip
    assert done.returncode == 0, done.stderr
    again, committed = json.loads(made.read_text()), json.loads((FOLDER / "notebook.ipynb").read_text())
    assert [cell["source"] for cell in again["cells"]] == [cell["source"] for cell in committed["cells"]]
    for notebook in (again, committed):
        pages = outputs(notebook, "text/html")
        assert "60 completed" in pages[0] or "of 60" in pages[0]  # what the live progress ended with
        assert "importance of the parameters" in pages[0] and "user_attrs.ratio" in pages[1]
        assert len(outputs(notebook, "image/png")) == 5
        assert not any(output["output_type"] == "error" for cell in notebook["cells"] for output in cell.get("outputs", []))


def test_every_example_is_listed_and_tested() -> None:
    listed = (ROOT / "examples/README.md").read_text()
    tested = Path(__file__).read_text()
    for path in [*FOLDER.glob("*.py"), *FOLDER.glob("*.ipynb")]:
        assert f"python/{path.name}" in listed and path.name in tested
