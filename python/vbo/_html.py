# SPDX-License-Identifier: MIT
"""What a notebook shows of a study: how far it is, its best point, its curve and which parameters matter. No script."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from ._arguments import Doubles

if TYPE_CHECKING:
    from ._study import Study

_WIDTH, _HEIGHT, _MARGIN = 420, 120, 6
_MOST_FOR_IMPORTANCE = 2000  # trials
_MOST_BARS = 12


def study_html(study: Study) -> str:
    counts = study.counts
    columns = study.columns()
    best = study.best
    rows = [
        ("goal", study.goal),
        ("method", f"{study.method}, batch {study.batch}, seed {study.seed}"),
        ("storage", study.storage or "memory"),
        ("trials", f"{counts.completed} completed, {counts.failed} failed, {counts.waiting + counts.running} open, of {study.budget}"),
    ]
    if best is not None:
        rows.append(("best", f"{best.value:.6g} (trial {best.id})"))
        rows += [(name, _text(value)) for name, value in best.point.items()]
    table = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">{escape(text)}</td></tr>'
        for name, text in rows
    )
    return (
        f"<div><strong>{escape(study.name)}</strong>"
        f"<table>{table}</table>{_curve(columns['value'], study.goal)}{_importance(study, counts.completed)}</div>"
    )


def _importance(study: Study, completed: int) -> str:
    """A bar per parameter; none while they are too few, or so many that a notebook would wait."""
    if completed > _MOST_FOR_IMPORTANCE:
        return ""
    found = sorted(study.importance().items(), key=lambda item: -item[1].nats)[:_MOST_BARS]
    most = max((entry.nats for _, entry in found), default=0.0)
    if most <= 0:
        return ""
    rows = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left"><div style="background:#0a6;'
        f'height:9px;width:{max(1, round(200 * entry.nats / most))}px" title="{entry.nats:.3g} nats"></div></td></tr>'
        for name, entry in found
    )
    return f"<table><caption style=\"text-align:left\">importance of the parameters</caption>{rows}</table>"


def _text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _curve(values: Doubles, goal: str) -> str:
    """Every value as a dot and the best so far as a line; what is much worse is cut off."""
    found = np.flatnonzero(np.isfinite(values))
    if len(found) < 2:
        return ""
    y = values[found]
    best = np.minimum.accumulate(y) if goal == "minimize" else np.maximum.accumulate(y)
    low, high = np.quantile(y, [0.0, 0.9]) if goal == "minimize" else np.quantile(y, [0.1, 1.0])
    scale = (high - low) or 1.0

    def across(index: Doubles) -> Doubles:
        return _MARGIN + (_WIDTH - 2 * _MARGIN) * index / max(len(values) - 1, 1)

    def down(value: Doubles) -> Doubles:
        part: Doubles = np.clip((value - low) / scale, 0, 1)
        return _MARGIN + (_HEIGHT - 2 * _MARGIN) * (1 - part)

    shown = found if len(found) <= 500 else found[np.linspace(0, len(found) - 1, 500).astype(int)]
    dots = "".join(
        f'<circle cx="{a:.1f}" cy="{b:.1f}" r="1.5"/>'
        for a, b in zip(across(shown.astype(float)), down(values[shown]))
    )
    steps = np.flatnonzero(np.diff(best, prepend=np.nan))
    path = f"M{across(found[:1].astype(float))[0]:.1f} {down(best[:1])[0]:.1f}"
    for step in steps[1:]:
        path += f"H{across(found[step:step + 1].astype(float))[0]:.1f}V{down(best[step:step + 1])[0]:.1f}"
    path += f"H{_WIDTH - _MARGIN}"
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="values and the best so far">'
        f'<g fill="#888" fill-opacity="0.6">{dots}</g>'
        f'<path d="{path}" fill="none" stroke="#0a6" stroke-width="2"/></svg>'
    )
