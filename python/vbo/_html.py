# SPDX-License-Identifier: MIT
"""What a notebook shows of a study: how far it is, its best point, its curve and which parameters matter. No script."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ._arguments import Doubles, Integers

if TYPE_CHECKING:
    from ._objectives import Front
    from ._space import Column
    from ._study import Study

Flags = npt.NDArray[np.bool_]

_WIDTH, _HEIGHT, _MARGIN = 420, 120, 6
_MOST_FOR_IMPORTANCE = 2000  # trials
_MOST_BARS = 12


def study_html(study: Study) -> str:
    counts = study.counts
    columns, violations = study._columns_and_violations()
    several = len(study.goals) > 1
    best = None if several else study.recommended
    rows = [
        ("goal", ", ".join(f"{goal} {name}" for name, goal in study.goals.items()) if several else study.goal),
        ("method", f"{study.method}, batch {study.batch}, seed {study.seed}"),
        ("storage", study.storage or "memory"),
        ("trials", f"{counts.completed} completed, {counts.failed} failed, {counts.waiting + counts.running} open, of {study.budget}"),
    ]
    if best is not None:
        rows.append(("best", f"{best.mean:.6g} (trial {best.trial.id})"))
        if best.low is not None:
            rows[-1] = ("best by its estimate", f"{best.mean:.6g}, 90% interval {best.low:.6g} to {best.high:.6g} (trial {best.trial.id})")
            rows.append(("observed there", f"{best.value:.6g}"))
        rows += [(name, _text(value)) for name, value in best.trial.point.items()]
    picture = ""
    if several:
        front = study.front()
        picture = _front(study, columns, front)
        rows.append(("front", f"{len(front)} trials, hypervolume {front.hypervolume:.6g}"))
        named = {**{f"best {name}": trial for name, trial in front.extremes.items()}, "knee": front.knee}
        for what, trial in named.items():
            if trial is not None:
                values = ", ".join(f"{name} {value:.6g}" for name, value in trial.values.items())
                rows.append((what, f"{values} (trial {trial.id})"))
    else:
        picture = _curve(columns[next(iter(study.goals))], study.goal, violations == 0)
    table = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">{escape(text)}</td></tr>'
        for name, text in rows
    )
    return (
        f"<div><strong>{escape(study.name)}</strong>"
        f"<table>{table}</table>{picture}{_importances(study, counts.completed)}</div>"
    )


def _importances(study: Study, completed: int) -> str:
    """A bar per parameter and objective; none while they are too few, or so many that a notebook would wait."""
    if completed > _MOST_FOR_IMPORTANCE:
        return ""
    if len(study.goals) == 1:
        return _importance(study, None)
    return "".join(_importance(study, name) for name in study.goals)


def _importance(study: Study, objective: str | None) -> str:
    found = sorted(study.importance(objective).items(), key=lambda item: -item[1].nats)[:_MOST_BARS]
    most = max((entry.nats for _, entry in found), default=0.0)
    if most <= 0:
        return ""
    rows = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left"><div style="background:#0a6;'
        f'height:9px;width:{max(1, round(200 * entry.nats / most))}px" title="{entry.nats:.3g} nats"></div></td></tr>'
        for name, entry in found
    )
    about = "" if objective is None else f" for {escape(objective)}"
    return f"<table><caption style=\"text-align:left\">importance of the parameters{about}</caption>{rows}</table>"


def _front(study: Study, columns: dict[str, Column], front: Front) -> str:
    """The first two objectives: the front green, what it dominates grey, as far as the front reaches once more."""
    if len(front) == 0:
        return ""
    names = list(study.goals)[:2]
    places = []
    for name in names:
        sign = 1.0 if study.goals[name] == "minimize" else -1.0
        own = sign * np.array([trial.values[name] for trial in front])
        low, high = float(own.min()), float(own.max())
        scale = 2 * ((high - low) or abs(high) or 1.0)
        places.append(((sign * np.asarray(columns[name], dtype=float) - low) / scale, (own - low) / scale))
    seen = np.flatnonzero((places[0][0] <= 1) & (places[1][0] <= 1))
    seen = seen if len(seen) <= 500 else seen[np.linspace(0, len(seen) - 1, 500).astype(int)]
    wide, tall = _WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN

    def dots(x: Doubles, y: Doubles, radius: float) -> str:
        return "".join(f'<circle cx="{_MARGIN + wide * a:.1f}" cy="{_MARGIN + tall * (1 - b):.1f}" r="{radius}"/>' for a, b in zip(x, y))

    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="{escape(names[0])} and {escape(names[1])}, the front green">'
        f'<g fill="#888" fill-opacity="0.6">{dots(places[0][0][seen], places[1][0][seen], 1.5)}</g>'
        f'<g fill="#0a6">{dots(places[0][1], places[1][1], 2.5)}</g></svg>'
        f"<div>{escape(names[0])} to the right, {escape(names[1])} upwards, both worse that way</div>"
    )


def _text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _curve(values: Doubles, goal: str, feasible: Flags) -> str:
    """Every value as a dot, hollow outside the limits, and the best so far within them as a line; what is much worse is
    cut off."""
    found = np.flatnonzero(np.isfinite(values))
    if len(found) < 2:
        return ""
    y = values[found]
    low, high = np.quantile(y, [0.0, 0.9]) if goal == "minimize" else np.quantile(y, [0.1, 1.0])
    scale = (high - low) or 1.0

    def across(index: Doubles) -> Doubles:
        return _MARGIN + (_WIDTH - 2 * _MARGIN) * index / max(len(values) - 1, 1)

    def down(value: Doubles) -> Doubles:
        part: Doubles = np.clip((value - low) / scale, 0, 1)
        return _MARGIN + (_HEIGHT - 2 * _MARGIN) * (1 - part)

    def dots(which: Integers) -> str:
        places = zip(across(which.astype(float)), down(values[which]))
        return "".join(f'<circle cx="{a:.1f}" cy="{b:.1f}" r="1.5"/>' for a, b in places)

    shown = found if len(found) <= 500 else found[np.linspace(0, len(found) - 1, 500).astype(int)]
    outside = dots(shown[~feasible[shown]])
    path = ""
    good = found[feasible[found]]
    if len(good):
        best = (np.minimum if goal == "minimize" else np.maximum).accumulate(values[good])
        path = f"M{across(good[:1].astype(float))[0]:.1f} {down(best[:1])[0]:.1f}"
        for step in np.flatnonzero(np.diff(best)) + 1:
            path += f"H{across(good[step:step + 1].astype(float))[0]:.1f}V{down(best[step:step + 1])[0]:.1f}"
        path += f"H{_WIDTH - _MARGIN}"
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-label="values and the best so far">'
        f'<g fill="#888" fill-opacity="0.6">{dots(shown[feasible[shown]])}</g>'
        + (f'<g fill="none" stroke="#888" stroke-width="0.7">{outside}</g>' if outside else "")
        + f'<path d="{path}" fill="none" stroke="#0a6" stroke-width="2"/></svg>'
    )
