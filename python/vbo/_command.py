# SPDX-License-Identifier: MIT
"""The `vbo` command of a wheel: the same program as everywhere, which takes this process's place."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def program() -> Path:
    """The program that came with the package."""
    return Path(__file__).resolve().parent / "bin" / "vbo"


def main() -> None:
    path = program()
    if not path.exists():
        sys.exit("vbo: this installation of the Python package came without the program")
    os.execv(path, ["vbo", *sys.argv[1:]])
