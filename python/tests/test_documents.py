# SPDX-License-Identifier: MIT
"""Code that documents show: side by side with that of other libraries, and page by page in the order in which it is read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import vbo

from conftest import ROOT

optuna.logging.set_verbosity(optuna.logging.ERROR)


def snippets(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)


SNIPPETS = snippets("docs/how-to/moving.md")


def train(rate: float, solver: str) -> float:
    return (rate - 0.01) ** 2 + (solver == "adam")


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_the_snippet_runs(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"train": train}
    snippet = SNIPPETS[number]
    if "import ax" in snippet or "from ax" in snippet:  # the only one that is not installed here
        compile(snippet, "moving.md", "exec")
        return
    exec(snippet, names)
    study = names["study"]
    if isinstance(study, optuna.Study):
        assert len(study.trials) in (19, 20)  # two of its threads may take the queued trial at the same moment
    else:
        assert len(study.trials()) == 20
    assert "rate" in capsys.readouterr().out


def test_both_sides_are_there() -> None:
    assert [("import vbo" in snippet) for snippet in SNIPPETS] == [False, True, False, True]


def objective(trial: optuna.Trial) -> float:
    return trial.suggest_float("x", -5, 5) ** 2


def two_objectives(point: dict[str, Any]) -> dict[str, float]:
    return {"error": point["rate"], "latency_ms": float(point["layers"])}


# What a page takes for granted: imports, and what the reader has.
PAGES: dict[str, dict[str, Any]] = {
    "docs/how-to/python.md": {"values": np.arange(64.0)},
    "docs/how-to/optuna.md": {"optuna": optuna, "vbo": vbo, "objective": objective},
    "docs/reference/python.md": {"vbo": vbo, "values": np.arange(62.0), "f": two_objectives},
}


@pytest.mark.parametrize("page", PAGES)
def test_the_snippets_of_a_page_run_in_order(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = dict(PAGES[page])
    found = snippets(page)
    assert found
    for snippet in found:
        exec(snippet, names)
    made = names["study"]
    assert len(made.trials if isinstance(made, optuna.Study) else made.trials()) >= 64


def test_the_reference_has_every_public_name_of_a_study() -> None:
    text = (ROOT / "docs/reference/python.md").read_text()
    names = [*dir(vbo.Study), *dir(vbo.Space)]
    mapping = {"get", "items", "keys", "values"}  # a space is one
    defined = {"space", "name", "goal", "method", "batch", "seed", "budget", "storage", "constraints", "limits"}  # as they were given
    missing = [name for name in names if not name.startswith("_") and name not in mapping | defined and name not in text]
    assert missing == []
    assert "`repeats`" in text
