# SPDX-License-Identifier: MIT
"""Figures of a study, with matplotlib, or with plotly where asked for.

    vbo.plot.progress(study)
    vbo.plot.slices(study, backend="plotly").show()

Every function takes a `Study` or the `Result` of `minimize`, and of several objectives the one to show as `objective`,
and returns a figure: ``matplotlib.figure.Figure`` or
``plotly.graph_objects.Figure``. What is shown is what ``study.columns()`` and ``study.importance()`` have, as on the page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Union

import numpy as np

from ._arguments import Doubles, wrong
from ._errors import InvalidInput, Unsupported
from ._objectives import Goal
from ._run import Result
from ._space import Column, Float, Int
from ._study import Study
from ._trials import Trial

__all__ = ["contour", "front", "importance", "parallel", "progress", "slices", "timeline"]

Backend = Literal["matplotlib", "plotly"]
_Source = Union[Study, Result]

_MOST_PANELS = 12  # slices: more cannot be read
_GREY, _GREEN, _RED = "#8a8a8a", "#0a7d55", "#c0392b"


@dataclass
class _Line:
    x: Any
    y: Any
    name: str
    color: str = _GREEN
    steps: bool = False


@dataclass
class _Dots:
    x: Any
    y: Any
    name: str = ""
    color: Any = _GREY  # one, or a number per dot, small = dark
    text: Sequence[str] = ()
    symbol: str = "o"
    hollow: bool = False  # outside the limits


@dataclass
class _Shade:
    """Values on a grid: `z` has a row per y; NaN stays white."""

    x: Any
    y: Any
    z: Any


@dataclass
class _Bars:
    labels: list[str]
    start: Any
    length: Any
    low: Any = None  # ends of the intervals
    high: Any = None
    color: Any = _GREEN


@dataclass
class _Panel:
    """One pair of axes, whatever draws it."""

    x_title: str = ""
    y_title: str = ""
    log_x: bool = False
    log_y: bool = False
    x_ticks: list[str] | None = None
    y_ticks: list[str] | None = None
    y_range: tuple[float, float] | None = None
    marks: list[Any] = field(default_factory=list)


def progress(study: _Source, *, objective: str | None = None, backend: Backend = "matplotlib") -> Any:
    """Every value in the order of trials, hollow outside the limits, the best so far within them, and failures on the
    lower edge. Values far worse than most are above or below the picture."""
    study, columns, violations = _of(study)
    objective = _objective(study, objective)
    values, ids = columns[objective], columns["id"]
    found = np.flatnonzero(np.isfinite(values))
    panel = _Panel("trial", objective)
    if len(found):
        panel.marks = _dots(ids[found], values[found], violations[found], "evaluated")
        good = found[violations[found] == 0]
        best = (np.minimum if study.goals[objective] == "minimize" else np.maximum).accumulate(values[good])
        if len(good):
            panel.marks.append(_Line(np.append(ids[good], ids[-1]), np.append(best, best[-1]), "best so far", steps=True))
        panel.y_range = _range_of_most(values[found], study.goals[objective] == "minimize")
    failed = ids[columns["state"] == "failed"]
    if len(failed):
        low = float(values[found].min()) if len(found) else 0.0
        panel.marks.append(_Dots(failed, np.full(len(failed), low), "failed", _RED, symbol="x"))
    return _draw([panel], f"{study.name}: {len(found)} evaluated", backend)


def importance(study: _Source, *, objective: str | None = None, backend: Backend = "matplotlib") -> Any:
    """How much each parameter tells about the outcome, in nats, with 95% intervals: `Study.importance`."""
    study, *_ = _of(study)
    objective = _objective(study, objective)
    found = sorted(study.importance(objective).items(), key=lambda item: item[1].nats)
    if not found:
        raise Unsupported("importance needs 20 completed trials")
    names = [name for name, _ in found]
    nats = np.array([entry.nats for _, entry in found])
    ends = np.array([(entry.low, entry.high) for _, entry in found])
    panel = _Panel("information about the outcome (nats)", y_ticks=names)
    panel.marks = [_Bars(names, np.zeros(len(nats)), nats, ends[:, 0], ends[:, 1])]
    return _draw([panel], f"{study.name}: which parameters matter", backend)


def slices(
    study: _Source,
    parameters: Sequence[str] | None = None,
    *,
    objective: str | None = None,
    backend: Backend = "matplotlib",
) -> Any:
    """The value over each parameter, dark dots being recent ones and hollow ones outside the limits; without those far
    worse than most."""
    study, columns, violations = _of(study)
    objective = _objective(study, objective)
    names = _chosen(study, parameters)[:_MOST_PANELS]
    found = np.isfinite(columns[objective])
    panels = []
    for name in names:
        x, panel = _axis(study, name, columns[name][found])
        panel.y_title = objective
        if found.any():
            panel.y_range = _range_of_most(columns[objective][found], study.goals[objective] == "minimize")
        panel.marks = _dots(x, columns[objective][found], violations[found], color=-columns["id"][found])
        panels.append(panel)
    return _draw(panels, f"{study.name}: {objective} over each parameter", backend)


def contour(
    study: _Source,
    x: str | None = None,
    y: str | None = None,
    *,
    objective: str | None = None,
    backend: Backend = "matplotlib",
) -> Any:
    """The value over two parameters, the two that matter most when none are named: dark dots are good, hollow ones
    outside the limits, and between numbers the mean rank of the results nearby."""
    study, columns, violations = _of(study)
    objective = _objective(study, objective)
    values, sign = columns[objective], 1 if study.goals[objective] == "minimize" else -1
    if x is None or y is None:
        ranked = sorted(study.importance(objective).items(), key=lambda item: -item[1].nats)
        others = [name for name, _ in ranked] or list(study.space)
        others = [name for name in others if name not in (x, y)]
        if len(others) < (x is None) + (y is None):
            raise InvalidInput("contour needs two parameters", "x")
        x = others.pop(0) if x is None else x
        y = others.pop(0) if y is None else y
    _chosen(study, [x, y])
    found = np.isfinite(values)
    across, panel = _axis(study, x, columns[x][found])
    up, other = _axis(study, y, columns[y][found])
    panel.y_title, panel.log_y, panel.y_ticks = y, other.log_x, other.x_ticks
    rank = np.argsort(_from_best(sign * values[found], violations[found]))
    text = [f"{value:.6g}" for value in values[found]]
    panel.marks = _dots(across, up, violations[found], color=rank, text=text)
    if not (panel.x_ticks or panel.y_ticks) and len(rank) > 3:
        panel.marks.insert(0, _shade(across, up, rank, panel.log_x, panel.log_y))
    return _draw([panel], f"{study.name}: rank of {'the value' if objective == 'value' else objective}, dark is good", backend)


def parallel(
    study: _Source,
    parameters: Sequence[str] | None = None,
    *,
    objective: str | None = None,
    backend: Backend = "matplotlib",
) -> Any:
    """A line per trial over all parameters, each scaled to its bounds; the best tenth is green, those within the limits
    before others."""
    study, columns, violations = _of(study)
    objective = _objective(study, objective)
    names = _chosen(study, parameters)
    found = np.flatnonzero(np.isfinite(columns[objective]))
    sign = 1 if study.goals[objective] == "minimize" else -1
    order = _from_best(sign * columns[objective][found], violations[found])
    scaled = np.array([_scaled(study, name, columns[name][found]) for name in names])
    panel = _Panel(y_title="from low to high", x_ticks=names)
    places = np.arange(len(names))
    best = set(order[: max(1, len(found) // 10)].tolist()) if len(found) else set()
    for i in [*order[::-1].tolist()]:
        panel.marks.append(_Line(places, scaled[:, i], "", _GREEN if i in best else "#d5d5d5"))
    return _draw([panel], f"{study.name}: the best tenth among all", backend)


def front(
    study: _Source, goals: Mapping[str, Goal] | None = None, *, backend: Backend = "matplotlib"
) -> Any:
    """Two quantities against each other, those results marked to which nothing within the limits is better in both.

    Args:
        goals: Two names with ``"minimize"`` or ``"maximize"``: objectives, ``"value"``, or metrics. Of a study with
            several objectives the first two otherwise.
    """
    study, columns, violations = _of(study)
    goals = goals or study.goals
    if len(goals) < 2:
        raise InvalidInput('front: found no two goals, expected for example {"value": "minimize", "mass": "minimize"}', "goals")
    names = list(goals)[:2]
    data = []
    for name in names:
        column = columns.get(name, columns.get(f"metrics.{name}"))
        if column is None:
            raise wrong("goals", name, 'an objective, "value" or a metric of the results')
        data.append(np.asarray(column, dtype=float))
    found = np.isfinite(data[0]) & np.isfinite(data[1])
    a, b = data[0][found], data[1][found]
    costs = [v if goals[name] == "minimize" else -v for name, v in zip(names, (a, b))]
    good = np.flatnonzero(violations[found] == 0)
    best = good[_not_dominated(costs[0][good], costs[1][good])]
    order = best[np.argsort(a[best])]
    panel = _Panel(names[0], names[1])
    panel.marks = _dots(a, b, violations[found], "evaluated")
    panel.marks += [_Line(a[order], b[order], "front", steps=False), _Dots(a[order], b[order], "", _GREEN)]
    return _draw([panel], f"{study.name}: {len(best)} results are not dominated", backend)


def timeline(study: _Source, *, backend: Backend = "matplotlib") -> Any:
    """When each evaluation ran, in rows that do not overlap; failures in red."""
    study, *_ = _of(study)
    spans = sorted(span for t in study.trials() if (span := _span(t)))
    if not spans:
        raise Unsupported("timeline needs trials that have ended")
    begin = spans[0][0]
    free: list[float] = []  # when each row is free again
    rows: list[int] = []
    for start, seconds, _ in spans:
        row = next((i for i, until in enumerate(free) if until <= start + 1e-9), len(free))
        free[row : row + 1] = [start + seconds]
        rows.append(row)
    panel = _Panel("seconds since the first evaluation began", y_ticks=[str(i + 1) for i in range(len(free))], y_title="at a time")
    colors = [_RED if failed else _GREEN for _, _, failed in spans]
    bars = _Bars([str(row) for row in rows], [s - begin for s, _, _ in spans], [max(d, 1e-3) for _, d, _ in spans], color=colors)
    panel.marks = [bars]
    return _draw([panel], f"{study.name}: {len(spans)} evaluations", backend)


def _span(trial: Trial) -> tuple[float, float, bool] | None:
    """When its evaluation began, how many seconds it took, and whether it failed. What comes from Optuna has its times in
    attributes."""
    failed = trial.state == "failed"
    if trial.finished_at > 0:
        return trial.finished_at - trial.seconds, trial.seconds, failed
    try:
        begin, end = (datetime.fromisoformat(trial.user_attrs[f"datetime_{name}"]).timestamp() for name in ("start", "complete"))
        return begin, end - begin, failed
    except (KeyError, TypeError, ValueError):
        return None


# -- What is shown --


def _of(source: _Source) -> tuple[Study, dict[str, Column], Doubles]:
    study = source.study if isinstance(source, Result) else source
    if not isinstance(study, Study):
        raise wrong("study", source, "a vbo.Study or what vbo.minimize returns")
    return study, *study._columns_and_violations()


def _dots(x: Any, y: Any, violations: Doubles, name: str = "", color: Any = _GREY, text: Sequence[str] = ()) -> list[Any]:
    """Those outside the limits, hollow, and the others, if there are any."""
    good = violations == 0
    marks = []
    if not good.all():
        label = "outside the limits" if name else ""
        bad_text = [word for word, ok in zip(text, good) if not ok]
        marks.append(_Dots(x[~good], y[~good], label, text=bad_text, hollow=True))
    if good.any() or not marks:
        colors = color if isinstance(color, str) else color[good]
        marks.append(_Dots(x[good], y[good], name, colors, [word for word, ok in zip(text, good) if ok]))
    return marks


def _from_best(costs: Doubles, violations: Doubles) -> Any:
    """Places of results: those within the limits from the best on, then the others by how far they are outside."""
    return np.lexsort((costs, violations))


def _objective(study: Study, objective: str | None) -> str:
    """The one that is named, or the only one."""
    names = list(study.goals)
    if objective is None and len(names) == 1:
        return names[0]
    if objective not in names:
        raise wrong("objective", objective, f"one of {names}")
    return objective


def _chosen(study: Study, parameters: Sequence[str] | None) -> list[str]:
    names = list(study.space) if parameters is None else list(parameters)
    for name in names:
        if name not in study.space:
            raise wrong("parameters", name, f"one of {list(study.space)}")
    return names


def _axis(study: Study, name: str, column: Column) -> tuple[Any, _Panel]:
    """Numbers to draw, and an axis with the parameter's scale or its choices."""
    parameter = study.space[name]
    if isinstance(parameter, (Float, Int)):
        return column, _Panel(name, log_x=parameter.log)
    places = parameter._to_codes(name, list(column)) if len(column) else np.zeros(0)
    return places, _Panel(name, x_ticks=[str(value) for value in parameter._values])


def _scaled(study: Study, name: str, column: Column) -> Any:
    parameter = study.space[name]
    numbers, panel = _axis(study, name, column)
    if not isinstance(parameter, (Float, Int)):
        return np.asarray(numbers) / max(1, len(panel.x_ticks or []) - 1)
    change: Callable[[Any], Any] = np.log if parameter.log else np.asarray
    low, high = change(float(parameter.low)), change(float(parameter.high))
    return (change(np.asarray(numbers, dtype=float)) - low) / ((high - low) or 1.0)


def _not_dominated(a: Any, b: Any) -> Any:
    """Where no other is as small in both and smaller in one."""
    order = np.lexsort((b, a))
    kept: list[int] = []
    least = np.inf
    for i in order:
        if b[i] < least or (kept and a[i] == a[kept[-1]] and b[i] == b[kept[-1]]):
            kept.append(i)
            least = min(least, b[i])
    return np.array(kept, dtype=int)


def _range_of_most(values: Any, minimized: bool) -> tuple[float, float] | None:
    """Of the values but the worst tenth, where that makes the picture less than half as high."""
    low, high = float(values.min()), float(values.max())
    end = float(np.quantile(values, 0.9 if minimized else 0.1))
    near = (low, end) if minimized else (end, high)
    if not 0 < near[1] - near[0] < 0.5 * (high - low):
        return None
    margin = 0.06 * (near[1] - near[0])
    return near[0] - margin, near[1] + margin


def _shade(x: Any, y: Any, z: Any, log_x: bool, log_y: bool) -> _Shade:
    """Means with normal weights of a fifteenth of the picture; none where no result is near."""
    u, v = (np.log(axis) if log else np.asarray(axis, dtype=float) for axis, log in ((x, log_x), (y, log_y)))
    grids, scaled = [], []
    for axis in (u, v):
        low, width = axis.min(), float(np.ptp(axis)) or 1.0
        grids.append(np.linspace(low, low + width, 60))
        scaled.append(((axis - low) / width, (grids[-1] - low) / width))
    (a, across), (b, up) = scaled
    weights = np.exp(-0.5 * ((across[None, :, None] - a) ** 2 + (up[:, None, None] - b) ** 2) * 15**2)
    total = weights.sum(axis=2)
    mean = np.where(total > 0.05, (weights * z).sum(axis=2) / np.maximum(total, 1e-300), np.nan)
    return _Shade(np.exp(grids[0]) if log_x else grids[0], np.exp(grids[1]) if log_y else grids[1], mean)


# -- How it is drawn --


def _draw(panels: list[_Panel], title: str, backend: str) -> Any:
    if backend == "matplotlib":
        return _with_matplotlib(panels, title)
    if backend == "plotly":
        return _with_plotly(panels, title)
    raise wrong("backend", backend, '"matplotlib" or "plotly"')


def _grid(panels: int) -> tuple[int, int]:
    columns = min(panels, 3)
    return -(-panels // columns), columns


def _with_matplotlib(panels: list[_Panel], title: str) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise Unsupported("vbo.plot needs matplotlib: pip install matplotlib") from None
    rows, columns = _grid(len(panels))
    figure = Figure(figsize=(max(6.4, 3.4 * columns), max(4.0, 2.8 * rows)), layout="constrained")
    figure.suptitle(title, fontsize=11)
    for place, panel in enumerate(panels):
        axes = figure.add_subplot(rows, columns, place + 1)
        axes.set_xlabel(panel.x_title)
        axes.set_ylabel(panel.y_title)
        for mark in panel.marks:
            if isinstance(mark, _Line):
                axes.plot(mark.x, mark.y, color=mark.color, linewidth=1.6, label=mark.name or None,
                          drawstyle="steps-post" if mark.steps else "default")  # fmt: skip
            elif isinstance(mark, _Dots):
                one: dict[str, Any] = {"color": mark.color} if isinstance(mark.color, str) else {"c": mark.color, "cmap": "viridis"}
                edge: dict[str, Any] = {"edgecolors": "white", "linewidths": 0.4} if mark.symbol == "o" and not isinstance(mark.color, str) else {}
                if mark.hollow:
                    one = {"facecolors": "none", "edgecolors": mark.color, "linewidths": 0.8}
                axes.scatter(mark.x, mark.y, s=16, label=mark.name or None, marker=mark.symbol, **one, **edge)
            elif isinstance(mark, _Shade):
                axes.contourf(mark.x, mark.y, mark.z, levels=8, cmap="viridis", alpha=0.45)
            else:
                places = [int(label) for label in mark.labels] if mark.low is None else range(len(mark.labels))
                error = None if mark.low is None else [np.maximum(0, mark.length - mark.low), np.maximum(0, mark.high - mark.length)]
                axes.barh(list(places), mark.length, left=mark.start, color=mark.color, xerr=error, height=0.7)
        for log, axis in ((panel.log_x, "x"), (panel.log_y, "y")):
            if log:
                getattr(axes, f"set_{axis}scale")("log")
                low, high = getattr(axes, f"get_{axis}lim")()
                few = high / low < 200  # decades: else the labels of 2 and 5 would overlap
                getattr(axes, f"{axis}axis").set_major_formatter(lambda value, place: f"{value:g}")
                getattr(axes, f"{axis}axis").set_minor_formatter(
                    lambda value, place, few=few: f"{value:g}" if few and f"{value:e}"[0] in "25" else ""
                )
        if panel.y_range is not None:
            axes.set_ylim(*panel.y_range)
        if panel.x_ticks is not None:
            axes.set_xticks(range(len(panel.x_ticks)), panel.x_ticks)
        if panel.y_ticks is not None:
            axes.set_yticks(range(len(panel.y_ticks)), panel.y_ticks)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=8, loc="best")
    return figure


def _with_plotly(panels: list[_Panel], title: str) -> Any:
    try:
        from plotly import graph_objects
        from plotly.subplots import make_subplots
    except ImportError:
        raise Unsupported("backend: plotly is not installed: pip install plotly") from None
    rows, columns = _grid(len(panels))
    figure = make_subplots(rows=rows, cols=columns)
    for place, panel in enumerate(panels):
        where = {"row": place // columns + 1, "col": place % columns + 1}
        for mark in panel.marks:
            if isinstance(mark, _Line):
                line = {"color": mark.color, "shape": "hv" if mark.steps else "linear"}
                trace = graph_objects.Scatter(x=mark.x, y=mark.y, mode="lines", name=mark.name, line=line)
            elif isinstance(mark, _Dots):
                marker = {"color": mark.color, "colorscale": "Viridis", "symbol": "x" if mark.symbol == "x" else "circle-open" if mark.hollow else "circle"}
                trace = graph_objects.Scatter(x=mark.x, y=mark.y, mode="markers", name=mark.name, marker=marker, text=list(mark.text))
            elif isinstance(mark, _Shade):
                trace = graph_objects.Contour(x=mark.x, y=mark.y, z=mark.z, colorscale="Viridis", opacity=0.45, showscale=False, hoverinfo="skip")
            else:
                places = [int(label) for label in mark.labels] if mark.low is None else list(range(len(mark.labels)))
                error = None if mark.low is None else {"array": mark.high - mark.length, "arrayminus": mark.length - mark.low}
                trace = graph_objects.Bar(x=mark.length, y=places, base=mark.start, orientation="h", marker_color=mark.color, error_x=error)
            trace.showlegend = bool(getattr(mark, "name", "")) and len(panels) == 1
            figure.add_trace(trace, **where)
        figure.update_xaxes(title_text=panel.x_title, type="log" if panel.log_x else None, **_ticks(panel.x_ticks), **where)
        if panel.y_range is not None:
            figure.update_yaxes(range=list(panel.y_range), **where)
        figure.update_yaxes(title_text=panel.y_title, type="log" if panel.log_y else None, **_ticks(panel.y_ticks), **where)
    figure.update_layout(title_text=title, template="plotly_white")
    return figure


def _ticks(labels: list[str] | None) -> dict[str, Any]:
    return {} if labels is None else {"tickvals": list(range(len(labels))), "ticktext": labels}
