# SPDX-License-Identifier: MIT
"""Pictures and what a notebook shows. Drawn for real where matplotlib and plotly are installed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import pytest

import vbo
from vbo import plot

from conftest import bowl


@pytest.fixture(scope="module")
def study() -> vbo.Study:
    space = vbo.Space(
        x=vbo.Float(-5, 10), rate=vbo.Float(1e-4, 1, log=True), n=vbo.Int(1, 512, log=True), kind=vbo.Choice(["adam", "sgd"])
    )

    def measured(point: dict[str, Any]) -> Any:
        time.sleep(0.001)
        if point["x"] > 9:
            raise ValueError("too far")
        return {"value": bowl(point), "metrics": {"mass": point["rate"]}}

    return vbo.minimize(measured, space, budget=60, workers=3, method="sobol", progress=False).study


PICTURES: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (plot.progress, {}), (plot.importance, {}), (plot.slices, {}), (plot.slices, {"parameters": ["x"]}), (plot.contour, {}),
    (plot.contour, {"x": "n", "y": "kind"}), (plot.parallel, {}), (plot.timeline, {}),
    (plot.front, {"goals": {"value": "minimize", "mass": "maximize"}}),
]  # fmt: skip


@pytest.mark.parametrize(("draw", "arguments"), PICTURES)
@pytest.mark.parametrize("backend", ["matplotlib", "plotly"])
def test_every_picture_is_drawn(study: vbo.Study, draw: Callable[..., Any], arguments: dict[str, Any], backend: Any, tmp_path: Any) -> None:
    figure = draw(study, **arguments, backend=backend)
    if backend == "plotly":
        assert len(figure.data) >= 1 and figure.to_json()
    else:
        figure.savefig(tmp_path / "picture.png")
        assert all(axes.has_data() for axes in figure.axes)
        assert (tmp_path / "picture.png").stat().st_size > 5000


def test_what_is_drawn_is_what_is_stored(study: vbo.Study) -> None:
    (axes,) = plot.progress(study).axes
    best = axes.lines[0].get_ydata()
    assert best[-1] == study.best_value and all(a >= b for a, b in zip(best, best[1:]))
    (axes,) = plot.front(study, {"value": "minimize", "mass": "maximize"}).axes
    front = list(zip(*axes.lines[0].get_data()))
    results = [(t.value, t.metrics["mass"]) for t in study.trials() if t.value is not None]
    for value, mass in front:
        assert not any(v <= value and m >= mass and (v, m) != (value, mass) for v, m in results)
    assert (study.best_value in {value for value, _ in front}) and len(front) >= 2
    assert len(plot.slices(study).axes) == 4


@pytest.fixture
def limited() -> vbo.Study:
    """The smallest values lie outside the limit; of those within it 3 is the best."""
    study = vbo.Study({"x": vbo.Float(0, 1), "y": vbo.Float(0, 1)}, method="sobol")
    limit = study.space.limit("mass", at_most=1)
    study = vbo.Study(limit, method="sobol")
    study.tell(study.ask(5), [5.0, 1.0, 4.0, 0.5, 3.0], metrics={"mass": [0, 3, 0, 2, 1]})
    return study


def test_the_best_so_far_is_within_the_limits(limited: vbo.Study) -> None:
    (axes,) = plot.progress(limited).axes
    (line,) = axes.lines
    assert line.get_ydata().tolist() == [5.0, 4.0, 3.0, 3.0] and limited.best_value == 3.0
    hollow, filled = axes.collections
    assert len(hollow.get_offsets()) == 2 and len(hollow.get_facecolors()) == 0 and len(filled.get_offsets()) == 3
    traces = plot.progress(limited, backend="plotly").data
    assert [trace.marker.symbol for trace in traces[:2]] == ["circle-open", "circle"]
    (path,) = re.findall(r'<path d="([^"]*)"', limited._repr_html_())
    assert path.count("V") == 2 and limited._repr_html_().count("<circle") == 5
    nothing = vbo.Study(limited.space, method="sobol")
    nothing.tell(nothing.ask(2), [1.0, 2.0], metrics={"mass": 2})
    assert plot.progress(nothing).axes[0].lines[:] == [] and 'd=""' in nothing._repr_html_()


def test_those_within_the_limits_come_first(limited: vbo.Study) -> None:
    (axes,) = plot.parallel(limited).axes
    assert axes.lines[-1].get_color() == "#0a7d55"
    assert axes.lines[-1].get_ydata().tolist() == [limited.best["x"], limited.best["y"]]  # type: ignore[index]
    hollow, filled = plot.contour(limited, "x", "y").axes[0].collections[-2:]
    assert filled.get_array().tolist() == [2, 1, 0] and len(hollow.get_offsets()) == 2
    assert all(len(axes.collections) == 2 for axes in plot.slices(limited).axes)
    front = plot.front(limited, {"value": "minimize", "mass": "minimize"}).axes[0].lines[0]
    assert front.get_xdata().tolist() == [4.0, 3.0][::-1]


def test_a_timeline_of_what_comes_from_optuna(study: vbo.Study) -> None:
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    there = optuna.create_study()
    there.optimize(lambda trial: time.sleep(0.01) or trial.suggest_float("x", 0, 1), n_trials=4)
    (axes,) = plot.timeline(vbo.from_optuna(there)).axes
    lengths = [bar.get_width() for bar in axes.patches]
    assert lengths == pytest.approx([trial.duration.total_seconds() for trial in there.trials], abs=1e-4)


def test_wrong_requests(study: vbo.Study) -> None:
    with pytest.raises(vbo.InvalidInput, match="'y', expected one of"):
        plot.slices(study, ["y"])
    with pytest.raises(vbo.InvalidInput, match="no two goals"):
        plot.front(study)
    with pytest.raises(vbo.InvalidInput, match='backend: found .*expected "matplotlib" or "plotly"'):
        plot.progress(study, backend="gnuplot")  # type: ignore[arg-type]
    with pytest.raises(vbo.InvalidInput, match="study: found 3"):
        plot.progress(3)  # type: ignore[arg-type]
    with pytest.raises(vbo.Unsupported, match="20 completed"):
        plot.importance(vbo.Study(study.space))


def test_what_a_notebook_shows_needs_no_script(study: vbo.Study) -> None:
    html = study._repr_html_()
    assert "<script" not in html and "importance of the parameters" in html and "of 60" in html
    assert f"{study.best_value:.6g}" in html and "<svg" in html
    best = vbo.minimize(bowl, study.space, budget=3, method="random", progress=False)
    assert "3 completed" in best._repr_html_()


def test_a_notebook_shows_progress_while_it_runs(monkeypatch: pytest.MonkeyPatch, space: vbo.Space) -> None:
    shown: list[Any] = []

    class Handle:
        def update(self, study: vbo.Study) -> None:
            shown.append(study.counts.completed)

    import sys
    import types

    from vbo import _progress

    display: Any = types.ModuleType("IPython.display")
    display.display = lambda study, display_id: Handle()
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(_progress, "_in_notebook", lambda: True)
    monkeypatch.setattr(_progress, "_EVERY_PICTURE", 0.0)
    vbo.minimize(bowl, space, budget=5, method="random")
    assert shown[-1] == 5 and shown == sorted(shown)
