# SPDX-License-Identifier: MIT
"""How far a run is: tqdm where it is installed, one line of our own otherwise."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._study import Study

_EVERY = 0.1  # seconds between two drawings


class Progress:
    def __init__(self, study: Study, budget: int, show: bool | None, done: int) -> None:
        self._budget = budget
        self._done = done
        self._better = min if study.goal == "minimize" else max
        best = study.best
        self._best = None if best is None else best.value
        self._bar: Any = None
        self._show = sys.stderr.isatty() if show is None else show
        self._drawn = 0.0
        if not self._show:
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self._bar = tqdm(total=budget, initial=done, desc=study.name)

    def advance(self, n: int, values: Sequence[float]) -> None:
        if not self._show:
            return
        self._done += n
        if values:
            best = self._better(values)
            self._best = best if self._best is None else self._better(best, self._best)
        if self._bar is not None:
            if self._best is not None:
                self._bar.set_postfix_str(f"best {self._best:.6g}", refresh=False)
            self._bar.update(n)
        elif time.monotonic() - self._drawn > _EVERY:
            self._draw()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        elif self._show:
            self._draw()
            sys.stderr.write("\n")

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        best = "" if self._best is None else f", best {self._best:.6g}"
        sys.stderr.write(f"\r{self._done}/{self._budget} evaluations{best}\033[K")
        sys.stderr.flush()
