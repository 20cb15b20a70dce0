# SPDX-License-Identifier: MIT
"""How far a run is: in a notebook the study itself, on a terminal tqdm where it is installed, else one line of our own."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._study import Study

_EVERY = 0.1  # seconds between two drawings
_EVERY_PICTURE = 1.0  # ... in a notebook
_EVERY_FRONT = 1.0  # seconds between two looks at the front
_EVERY_ESTIMATE = 10.0  # ... at what is known about noise


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return "ipykernel" in sys.modules and shell is not None and shell.get_ipython() is not None


class Progress:
    def __init__(self, study: Study, budget: int, show: bool | None, done: int) -> None:
        self._budget = budget
        self._done = done
        self._several = len(study.goals) > 1
        self._better = min if self._several or study.goal == "minimize" else max
        self._best: float | None = None  # single result
        self._estimated: float | None = None  # under noise, instead
        self._next_estimate = 0.0
        self._front = ""
        self._looked = 0.0  # when the front was computed
        self._bar: Any = None
        notebook = _in_notebook()
        self._show = notebook or sys.stderr.isatty() if show is None else show
        self._drawn = 0.0
        self._choice_shown = False
        self._study = study
        self._handle: Any = None
        if not self._show:
            return
        self._estimate()
        if notebook:
            shown: Any = importlib.import_module("IPython.display")
            self._handle = shown.display(study, display_id=True)
            self._drawn = time.monotonic()
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
        if values and not self._several:
            best = self._better(values)
            self._best = best if self._best is None else self._better(best, self._best)
        if self._handle is not None:
            if time.monotonic() - self._drawn > _EVERY_PICTURE:
                self._handle.update(self._study)
                self._drawn = time.monotonic()
        elif self._bar is not None:
            self._show_choice()
            if reached := self._reached():
                self._bar.set_postfix_str(reached, refresh=False)
            self._bar.update(n)
        elif time.monotonic() - self._drawn > _EVERY:
            self._draw()

    def _show_choice(self) -> None:
        """Which method "auto" has taken and why, in a line of its own, once."""
        if self._choice_shown:
            return
        self._choice_shown = True
        message = self._study.log().get("message")
        if not message:
            return
        if self._bar is not None:
            self._bar.write(str(message), file=sys.stderr)
        else:
            sys.stderr.write(f"\r{message}\033[K\n")

    def _estimate(self) -> None:
        """What the results so far say is best."""
        if self._several:
            return
        start = time.monotonic()
        found = self._study.recommended
        if found is not None:
            self._best = found.value if found.low is None else self._best
            self._estimated = None if found.low is None else found.mean
        end = time.monotonic()
        self._next_estimate = end + max(_EVERY_ESTIMATE, 100 * (end - start))

    def close(self) -> None:
        if self._show:
            self._estimate()
        if self._handle is not None:
            self._handle.update(self._study)
        elif self._bar is not None:
            self._looked = 0.0
            self._bar.set_postfix_str(self._reached())
            self._bar.close()
        elif self._show:
            self._looked = 0.0
            self._draw()
            sys.stderr.write("\n")

    def _reached(self) -> str:
        """The best value, or how large and how good the front is, which takes a while to say."""
        if not self._several:
            if time.monotonic() > self._next_estimate:
                self._estimate()
            if self._estimated is not None:
                return f"best estimate {self._estimated:.6g}"
            return "" if self._best is None else f"best {self._best:.6g}"
        start = time.monotonic()
        if start - self._looked > _EVERY_FRONT:
            front = self._study.front()
            self._front = f"front {len(front)}, hypervolume {front.hypervolume:.6g}" if len(front) else ""
            # A large front is looked at less often.
            self._looked = time.monotonic() + 10 * (time.monotonic() - start)
        return self._front

    def _draw(self) -> None:
        self._show_choice()
        self._drawn = time.monotonic()
        reached = self._reached()
        sys.stderr.write(f"\r{self._done}/{self._budget} evaluations{', ' if reached else ''}{reached}\033[K")
        sys.stderr.flush()
