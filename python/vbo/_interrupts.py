# SPDX-License-Identifier: MIT
"""Ctrl-C while a study runs."""

from __future__ import annotations

import signal
import threading


class Interrupts:
    """Ctrl-C: the first ends the run after the running evaluations, the second abandons them.

    While the function runs in this very thread, the first stops it at once.
    """

    def __init__(self) -> None:
        self.count = 0
        self.evaluating = False
        self._mine = threading.current_thread() is threading.main_thread()

    def __enter__(self) -> Interrupts:
        if self._mine:
            self._before = signal.signal(signal.SIGINT, self._on_signal)
        return self

    def __exit__(self, *_: object) -> None:
        if self._mine:
            signal.signal(signal.SIGINT, self._before)

    def _on_signal(self, *_: object) -> None:
        self.count += 1
        if self.evaluating:
            raise KeyboardInterrupt
