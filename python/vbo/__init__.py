# SPDX-License-Identifier: MIT
"""High-throughput Bayesian optimization.

    >>> import vbo
    >>> space = vbo.Space(x=vbo.Float(-5, 10), n=vbo.Int(1, 512, log=True), solver=vbo.Choice(["adam", "sgd"]))
    >>> best = vbo.minimize(lambda p: p["x"] ** 2 + p["n"], space, budget=20, progress=False)
    >>> best.value >= 1
    True

`minimize` and `maximize` evaluate a function; `Study` is asked and told; `vbo.optuna.VboSampler` suggests
inside Optuna. A study's file is shared with the ``vbo`` command.
"""

from __future__ import annotations

import json as _json
from typing import TYPE_CHECKING, Any

from . import _baseline as _baseline
from ._answers import Counts, Importance, Recommended
from ._errors import (
    Busy,
    Conflict,
    Damaged,
    Error,
    Infeasible,
    InvalidInput,
    NotFound,
    StorageError,
    Unsupported,
)
from ._evaluate import Evaluation
from ._minimize import aminimize, maximize, minimize
from ._objectives import Front, TradeOff
from ._run import ObjectiveFailed, Result
from ._space import Choice, Float, Int, Ordinal, Space
from ._study import Study, load
from ._study import open_study as open
from ._trials import Trial, Trials
from . import _vbo

if TYPE_CHECKING:
    from . import optuna as optuna
    from . import plot as plot
    from .optuna import from_optuna as from_optuna, to_optuna as to_optuna

__version__: str = _vbo.version

__all__ = [
    "Busy", "Choice", "Conflict", "Counts", "Damaged", "Error", "Evaluation", "Float", "Front", "Importance", "Infeasible", "Int", "InvalidInput",
    "NotFound", "ObjectiveFailed", "Ordinal", "Recommended", "Result", "Space", "StorageError", "Study", "TradeOff", "Trial", "Trials",
    "Unsupported", "aminimize", "load", "maximize", "methods", "minimize", "open",
]  # fmt: skip


def methods() -> dict[str, dict[str, Any]]:
    """Every method with its summary and its options.

    >>> vbo.methods()["random"]["summary"]
    'Uniform random search, the baseline to beat'
    """
    return {method.pop("name"): method for method in _json.loads(_vbo.methods_json())}


def __getattr__(name: str) -> Any:
    """vbo.plot and vbo.optuna, and what Optuna has to be there for, are imported only when they are used."""
    if name == "plot":
        import importlib

        return importlib.import_module("vbo.plot")
    if name in ("optuna", "from_optuna", "to_optuna"):
        import importlib

        module = importlib.import_module("vbo.optuna")
        return module if name == "optuna" else getattr(module, name)
    raise AttributeError(f"module 'vbo' has no attribute {name!r}")
