# SPDX-License-Identifier: MIT
"""Code that documents show side by side with that of other libraries."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from conftest import ROOT

SNIPPETS = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs/how-to/moving.md").read_text(), re.DOTALL | re.MULTILINE)


def train(rate: float, solver: str) -> float:
    return (rate - 0.01) ** 2 + (solver == "adam")


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_the_snippet_runs(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"train": train}
    snippet = SNIPPETS[number]
    if "import vbo" not in snippet:  # the other side: libraries that are not ours to test
        compile(snippet, "moving.md", "exec")
        return
    exec(snippet, names)
    assert len(names["study"].trials()) == 20
    assert "rate" in capsys.readouterr().out


def test_both_sides_are_there() -> None:
    assert [("import vbo" in snippet) for snippet in SNIPPETS] == [False, True, False, True]
