# SPDX-License-Identifier: MIT
"""Ask and tell: you evaluate, in batches, with NumPy columns in and out."""

from __future__ import annotations

import numpy as np

import vbo


def branin(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Three minima of 0.397887, at (-pi, 12.275), (pi, 2.275) and (9.42478, 2.475)."""
    a = y - 5.1 / (4 * np.pi**2) * x**2 + 5 / np.pi * x - 6
    result: np.ndarray = a**2 + 10 * (1 - 1 / (8 * np.pi)) * np.cos(x) + 10
    return result


space = vbo.Space(x=vbo.Float(-5, 10), y=vbo.Float(0, 15))
study = vbo.Study(space, goal="minimize", batch=16, seed=1, budget=160)
for round in range(10):
    trials = study.ask(16)
    study.tell(trials.ids, branin(trials["x"], trials["y"]))
    best = study.best
    assert best is not None
    print(f"round {round + 1:2}: best {best.value:.6f}, at x = {best['x']:.4f}, y = {best['y']:.4f}")
