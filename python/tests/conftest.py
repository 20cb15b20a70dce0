# SPDX-License-Identifier: MIT
"""What the tests share. VBO names the program of the same build."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import vbo

ROOT = Path(__file__).resolve().parents[2]
LONG = os.environ.get("VBO_LONG_TESTS") == "1"


@pytest.fixture
def space() -> vbo.Space:
    return vbo.Space(
        x=vbo.Float(-5, 10), rate=vbo.Float(1e-4, 1, log=True), n=vbo.Int(1, 512, log=True), kind=vbo.Choice(["adam", "sgd"])
    )


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., Any]:
    """Runs the program in the test's folder; with --json among the arguments the answer is read."""
    program = os.environ["VBO"]

    def run(*arguments: object) -> Any:
        texts = [str(a) for a in arguments]
        done = subprocess.run([program, *texts], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if "--json" in texts else done.stdout

    return run


def python(code: str, *arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs code in a Python of its own."""
    texts = [str(a) for a in arguments]
    options = {"timeout": 3000 if LONG else 300, **options}
    return subprocess.run([sys.executable, "-c", code, *texts], capture_output=True, text=True, **options)


def bowl(point: dict[str, Any]) -> float:
    """A function with everything in it; smallest at x=1, n=8, kind=sgd."""
    return float((point["x"] - 1) ** 2 + abs(point["n"] - 8) / 8 + (point["kind"] == "adam"))
