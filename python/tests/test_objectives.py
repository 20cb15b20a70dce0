# SPDX-License-Identifier: MIT
"""Studies with several objectives: told, read, evaluated, drawn, and in Optuna."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import optuna
import pytest

import vbo
from vbo.optuna import VboSampler, from_optuna, to_optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)
GOALS: dict[str, Any] = {"cost": "minimize", "speed": "maximize"}
SPACE = vbo.Space(x=vbo.Float(0, 1), n=vbo.Int(1, 9))


def study_of(**options: Any) -> vbo.Study:
    return vbo.Study(SPACE, goals=GOALS, **{"method": "random", "seed": 1, **options})


def both(p: dict[str, Any]) -> dict[str, float]:
    return {"cost": p["x"] + p["n"], "speed": p["n"] - p["x"] ** 2}


def dominated(trial: vbo.Trial, by: vbo.Trial) -> bool:
    a, b = trial.values, by.values
    return a != b and b["cost"] <= a["cost"] and b["speed"] >= a["speed"]


# -- What is told --


@pytest.mark.parametrize(
    "values",
    [
        {"cost": [1.0, 2.0], "speed": [5.0, 6.0]},
        {"speed": np.array([5.0, 6.0]), "cost": np.array([1.0, 2.0])},
        [{"cost": 1.0, "speed": 5.0}, {"speed": 6.0, "cost": 2.0}],
        [(1.0, 5.0), (2.0, 6.0)],
        np.array([[1.0, 5.0], [2.0, 6.0]]),
    ],
)
def test_values_in_every_form(values: Any) -> None:
    study = study_of()
    study.tell(study.ask(2), values)
    assert [t.values for t in study.trials()] == [{"cost": 1.0, "speed": 5.0}, {"cost": 2.0, "speed": 6.0}]
    assert [t.value for t in study.trials()] == [None, None]
    columns = study.columns()
    assert columns["cost"].tolist() == [1.0, 2.0] and columns["speed"].tolist() == [5.0, 6.0] and "value" not in columns


@pytest.mark.parametrize(
    "sem",
    [{"cost": [0.5, 0.5], "speed": [0.25, 0.25]}, {"speed": 0.25, "cost": 0.5}, [(0.5, 0.25), (0.5, 0.25)]],
)
def test_standard_errors_in_every_form(sem: Any) -> None:
    study = study_of()
    study.tell(study.ask(2), [(1.0, 5.0), (2.0, 6.0)], sem=sem)
    study.tell(study.ask(), (1.0, 2.0))
    assert [t.sems for t in study.trials()] == [{"cost": 0.5, "speed": 0.25}] * 2 + [{}]
    assert [t.sem for t in study.trials()] == [None] * 3
    assert study.columns()["sem.speed"].tolist()[:2] == [0.25, 0.25]
    for wrong in ({"cost": 0.5}, {"cost": 0.5, "speed": -1.0}, [(0.5,)]):
        with pytest.raises(vbo.InvalidInput, match="sem"):
            study.tell(study.ask(), (1.0, 2.0), sem=wrong)


def test_a_function_may_return_standard_errors() -> None:
    def function(p: dict[str, Any]) -> dict[str, Any]:
        return {"values": both(p), "sem": {"cost": 0.5, "speed": 0.25}}

    study = vbo.minimize(function, SPACE, goals=GOALS, budget=3, method="random", progress=False).study
    assert [t.sems for t in study.trials()] == [{"cost": 0.5, "speed": 0.25}] * 3
    with pytest.raises(vbo.InvalidInput, match="for each objective"):
        vbo.minimize(lambda p: {"values": both(p), "sem": 0.5}, SPACE, goals=GOALS, budget=3, method="random", progress=False)


def test_the_front_of_repeated_points_is_that_of_their_means() -> None:
    study = study_of(repeats=2)
    study.tell(study.ask(4), [(0.0, 10.0), (4.0, 10.0), (1.0, 8.0), (1.0, 8.0)])
    front = study.front()
    assert [(trial.id, trial.values) for trial in front] == [(1, {"cost": 2.0, "speed": 10.0}), (3, {"cost": 1.0, "speed": 8.0})]
    assert front[0].sems["cost"] > 0


def test_one_trial_and_failures() -> None:
    study = study_of()
    study.tell(study.ask(), {"cost": 1.0, "speed": 2.0})
    study.tell(study.ask(), (3.0, 4.0))
    study.tell(study.ask(3), [(1, 2), None, (math.nan, 1.0)], error=[None, "it broke", None])
    study.tell(study.ask(), error="nothing came")
    study.add({"x": 0.5, "n": 3}, {"cost": 7.0, "speed": 8.0})
    states = [t.state for t in study.trials()]
    assert states == ["completed", "completed", "completed", "failed", "failed", "failed", "completed"]
    assert study.trials()[4].cause == "non_finite" and study.trials()[3].values == {}
    assert study.trials()[6].values == {"cost": 7.0, "speed": 8.0}


@pytest.mark.parametrize(
    ("values", "text"),
    [
        (1.0, "a dict with cost, speed, or 2 numbers"),
        ([1.0], "2 numbers"),
        ({"cost": 1.0}, 'objective "speed" is missing'),
        ({"cost": 1.0, "speed": 1.0, "sped": 2.0}, "'sped', expected one of the objectives"),
        ([{"cost": 1.0}], 'objective "speed" is missing'),
        ({"cost": [1.0, 2.0], "speed": 1.0}, "expected 1, one per trial"),
        ([(1.0, 2.0, 3.0)], "2 numbers"),
    ],
)
def test_wrong_values_are_named(values: Any, text: str) -> None:
    study = study_of()
    trial = study.ask()
    with pytest.raises(vbo.InvalidInput, match=text):
        study.tell(trial, values)
    assert study.counts.waiting == 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"goals": {"cost": "minimize"}}, "two or more"),
        ({"goals": {"cost": "minimize", "speed": "up"}}, r"goals\['speed'\]: found 'up'"),
        ({"goals": GOALS, "goal": "maximize"}, "either goal or goals"),
        ({"goals": GOALS, "references": {"sped": 1.0}}, "expected one of"),
        ({"goals": GOALS, "references": {"speed": "fast"}}, r"references\['speed'\]: found 'fast'"),
        ({"references": {"speed": 1.0}}, "without goals"),
        ({"goals": {f"o{i}": "minimize" for i in range(9)}}, "at most 8"),
        ({"goals": {"x": "minimize", "y": "minimize"}}, "x"),
    ],
)
def test_wrong_goals_are_named(options: dict[str, Any], text: str) -> None:
    with pytest.raises(vbo.InvalidInput, match=text):
        vbo.Study(SPACE, **options)


# -- What is read --


def test_the_front(tmp_path: Path) -> None:
    path = tmp_path / "both.db"
    study = study_of(storage=path, references={"cost": 20.0})
    assert len(study.front()) == 0 and study.front().knee is None
    trials = study.ask(40)
    study.tell(trials, [both(t.point) for t in trials])
    front = study.front()
    everything = study.trials()
    expected = [t.id for t in everything if not any(dominated(t, other) for other in everything)]
    assert [t.id for t in front] == expected and 1 < len(front) < 40
    assert front.extremes["cost"].values["cost"] == min(t.values["cost"] for t in everything)
    assert front.extremes["speed"].values["speed"] == max(t.values["speed"] for t in everything)
    assert front.reference["cost"] == 20.0 and front.exact and front.hypervolume > 0
    # In the plane: the area of the steps below the reference.
    corners = sorted((t.values["cost"], t.values["speed"]) for t in front)
    ends = [cost for cost, _ in corners[1:]] + [20.0]
    area = sum((end - cost) * (speed - front.reference["speed"]) for (cost, speed), end in zip(corners, ends))
    assert front.hypervolume == pytest.approx(area, rel=1e-12)
    [trade] = front.trade_offs
    assert (trade.first, trade.second) == ("cost", "speed") and len(trade.buys) == len(trade.trials) - 1
    a, b = trade.trials[:2]
    paid, gained = b.values["cost"] - a.values["cost"], b.values["speed"] - a.values["speed"]
    assert trade.buys[0] == pytest.approx(gained / paid) and trade.buys[0] > 0
    assert front[0].id == expected[0] and front.to_pandas().index.tolist() == expected
    assert study.best_by({"cost": 1.0}).id == front.extremes["cost"].id  # type: ignore[union-attr]
    study.close()
    again = vbo.open(path)
    assert again.goals == GOALS and again.references == {"cost": 20.0}
    assert [t.id for t in again.front()] == expected and "minimize cost, maximize speed" in repr(again)
    with pytest.raises(vbo.Conflict, match="objective"):
        vbo.Study(SPACE, goals={"cost": "minimize", "speed": "minimize"}, storage=path)


def test_what_needs_one_objective_says_so() -> None:
    study = study_of()
    study.tell(study.ask(), (1.0, 2.0))
    for read in (lambda: study.best, lambda: study.best_value, lambda: study.goal, study.importance):
        with pytest.raises(vbo.Unsupported, match="several objectives"):
            read()
    with pytest.raises(vbo.InvalidInput, match="weights"):
        study.best_by({})
    with pytest.raises(vbo.InvalidInput, match="sped"):
        study.best_by({"sped": 1.0})
    assert study.recommended is None
    single = vbo.Study(SPACE, method="random", seed=1)
    single.tell(single.ask(), 2.0)
    assert single.goals == {"value": "minimize"} and single.trials()[0].values == {"value": 2.0} and len(single.front()) == 1


def test_importance_of_each_objective() -> None:
    study = vbo.Study({"x": vbo.Float(0, 1), "y": vbo.Float(0, 1)}, goals=GOALS, method="sobol", seed=1)
    trials = study.ask(128)
    study.tell(trials, {"cost": trials["x"], "speed": trials["y"]})
    assert study.importance("cost")["x"].nats > 1 > study.importance("cost")["y"].nats
    assert study.importance("speed")["y"].nats > 1 > study.importance("speed")["x"].nats
    with pytest.raises(vbo.InvalidInput, match="sped"):
        study.importance("sped")


# -- What is evaluated --


@pytest.mark.parametrize(
    "function",
    [
        both,
        lambda p: (p["x"] + p["n"], p["n"] - p["x"] ** 2),
        lambda p: np.array([p["x"] + p["n"], p["n"] - p["x"] ** 2]),
        lambda p: {"values": both(p), "metrics": {"mass": p["x"]}},
    ],
)
def test_minimize_takes_what_functions_return(function: Callable[[Any], Any]) -> None:
    found = vbo.minimize(function, SPACE, goals=GOALS, budget=20, method="random", seed=3, progress=False)
    assert found.ended == "budget_spent" and found.value is None and found.study.counts.completed == 20
    assert all(t.values == pytest.approx(both(t.point)) for t in found.study.trials())
    assert [t.id for t in found.front] == [t.id for t in found.study.front()]
    with pytest.raises(vbo.Unsupported, match="front"):
        found["x"]


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (1.0, r"returned 1.0, expected \{'cost': 1.5, 'speed': 2.5\}, or 2 numbers"),
        ((1.0, 2.0, 3.0), "expected"),
        ({"cost": 1.0}, "has no 'speed'"),
        ({"cost": 1.0, "sped": 1.0}, "unknown key 'sped'"),
        ("ab", "expected"),
    ],
)
def test_wrong_results_of_functions_are_named(result: Any, text: str) -> None:
    with pytest.raises(vbo.InvalidInput, match=text):
        vbo.minimize(lambda p: result, SPACE, goals=GOALS, budget=5, method="random", progress=False)


def test_failures_workers_batches_callbacks_and_coroutines() -> None:
    seen: list[vbo.Trial] = []

    def sometimes(p: dict[str, Any]) -> Any:
        if p["n"] == 1:
            return {"error": "no"}
        return (math.inf, 1.0) if p["n"] == 2 else both(p)

    def note(study: vbo.Study, trial: vbo.Trial) -> None:
        seen.append(trial)

    found = vbo.minimize(sometimes, SPACE, goals=GOALS, budget=60, workers=3, method="random", seed=1, progress=False, callbacks=[note])
    failed = [t for t in found.study.trials() if t.state == "failed"]
    assert {t.cause for t in failed} == {"reported", "non_finite"} and len(seen) == 60
    assert "the value of cost is inf" in {t.error for t in failed}
    assert {t.id: t.values for t in seen} == {t.id: t.values for t in found.study.trials()}

    for whole in (
        lambda trials: {"cost": trials["x"], "speed": trials["n"].astype(float)},
        lambda trials: np.column_stack([trials["x"], trials["n"]]),
    ):
        found = vbo.minimize(whole, SPACE, goals=GOALS, budget=16, batch=8, batch_function=True, method="random", progress=False)
        assert all(t.values == {"cost": t["x"], "speed": t["n"]} for t in found.study.trials())

    async def later(p: dict[str, Any]) -> dict[str, float]:
        return both(p)

    found = asyncio.run(vbo.aminimize(later, SPACE, goals=GOALS, budget=8, method="random", progress=False))
    assert found.study.counts.completed == 8
    with pytest.raises(vbo.InvalidInput, match="value"):
        vbo.minimize(both, SPACE, goals=GOALS, budget=8, value=1.0, progress=False)


def test_progress_says_how_large_the_front_is(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    vbo.minimize(both, SPACE, goals=GOALS, budget=12, method="random", seed=1, progress=True)
    assert "12/12 evaluations, front " in capsys.readouterr().err


# -- What is drawn --


def test_notebooks_reports_and_plots(tmp_path: Path) -> None:
    found = vbo.minimize(both, SPACE, goals=GOALS, budget=40, method="random", seed=1, progress=False)
    html = found._repr_html_()
    for text in ("minimize cost, maximize speed", "hypervolume", "best speed", "importance of the parameters for cost", "<circle"):
        assert text in html, text
    assert found.study.report(tmp_path / "r.html").stat().st_size > 10000
    assert "are not dominated" in vbo.plot.front(found)._suptitle.get_text()
    for draw in (vbo.plot.progress, vbo.plot.slices, vbo.plot.contour, vbo.plot.parallel, vbo.plot.importance):
        draw(found, objective="speed")
        with pytest.raises(vbo.InvalidInput, match="objective"):
            draw(found)


def test_the_command_reads_the_same_front(tmp_path: Path, command: Callable[..., Any]) -> None:
    with study_of(storage=tmp_path / "both.db") as study:
        trials = study.ask(40)
        study.tell(trials, [both(t.point) for t in trials])
        front = study.front()
    status = command("status", "both.db", "--json")
    assert status["front"]["hypervolume"] == front.hypervolume
    assert status["front"]["knee"] == (front.knee.id if front.knee else None)
    assert {name: id for name, id in status["front"]["extremes"].items()} == {n: t.id for n, t in front.extremes.items()}
    picture = command("plot", "both.db", "--color", "never")
    assert f"{len(front)} on the front" in picture and "\u25c6" in picture and "What matters for speed, in nats:" in picture
    assert f"1: best cost, trial {front.extremes['cost'].id}" in picture
    assert "What speed costs in cost:" in picture and " of cost buys " in picture
    assert {e["objective"] for e in command("importance", "both.db", "--json")} == set(GOALS)


# -- Optuna --


def pair(trial: optuna.Trial) -> tuple[float, float]:
    x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
    return x + 0.1 * y, (x - 1) ** 2 + 0.1 * y


def test_a_sampler_for_several_directions() -> None:
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=VboSampler(seed=1, batch=8, method="auto"))
    study.optimize(pair, n_trials=48)
    assert len(study.trials) == 48 and all(t.state == optuna.trial.TrialState.COMPLETE for t in study.trials)
    # y only harms: what the method suggests last avoids it more than what it suggested first.
    first, last = ([t.params["y"] for t in study.trials[a:b]] for a, b in ((0, 16), (32, 48)))
    assert np.mean(last) < np.mean(first)


def test_a_sampler_with_constraints_and_failures() -> None:
    def objective(trial: optuna.Trial) -> tuple[float, float]:
        x = trial.suggest_float("x", 0, 1)
        trial.set_user_attr("c", (x - 0.5,))
        if trial.number == 3:
            raise ValueError("no")
        return x, -x

    sampler = VboSampler(seed=1, method="random", constraints_func=lambda t: t.user_attrs.get("c", (1.0,)))
    study = optuna.create_study(directions=["maximize", "minimize"], sampler=sampler)
    study.optimize(objective, n_trials=12, catch=(ValueError,))
    assert [t.state.name for t in study.trials].count("FAIL") == 1
    ours = from_optuna(study)
    assert ours.goals == {"value_0": "maximize", "value_1": "minimize"} and ours.counts.failed == 1
    assert all(t["x"] <= 0.5 for t in ours.front())


def test_studies_in_both_directions(tmp_path: Path, command: Callable[..., Any]) -> None:
    ours = study_of(references={"speed": -5.0})
    trials = ours.ask(12)
    ours.tell(trials[:10], [both(t.point) for t in trials[:10]])
    ours.tell(trials[10:11].ids, error="no")
    theirs = to_optuna(ours, storage=f"sqlite:///{tmp_path / 'optuna.db'}", study_name="both")
    assert theirs.metric_names == ["cost", "speed"] and [d.name for d in theirs.directions] == ["MINIMIZE", "MAXIMIZE"]
    assert theirs.trials[0].values == list(ours.trials()[0].values.values())
    assert {t.number + 1 for t in theirs.best_trials} == {t.id for t in ours.front()}
    back = from_optuna(theirs)
    assert back.goals == GOALS and [t.values for t in back.trials()] == [t.values for t in ours.trials()[:11]]
    # The command reads the same file, by the names of the objectives, whatever their order.
    (tmp_path / "study.toml").write_text("""
parameter = [{name = "x", type = "float", low = 0.0, high = 1.0}, {name = "n", type = "int", low = 1, high = 9}]
objective = [{name = "speed", goal = "maximize"}, {name = "cost", goal = "minimize"}]
[study]
storage = "study.db"
budget = 50
[optimizer]
method = "random"
""")
    command("import", "study.toml", "optuna.db")
    again = vbo.open(tmp_path / "study.db")
    assert [t.values for t in again.trials() if t.values] == [
        {"speed": t.values["speed"], "cost": t.values["cost"]} for t in ours.trials() if t.values
    ]
    assert again.counts.failed == 1


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_optuna_objectives_without_names_of_their_own_are_counted() -> None:
    def study_with(parameter: str, names: list[str] | None) -> optuna.Study:
        study = optuna.create_study(directions=["minimize", "maximize"], sampler=VboSampler(seed=1, method="random"))
        if names:
            study.set_metric_names(names)
        study.optimize(lambda trial: (trial.suggest_float(parameter, 0, 1), 2.0), n_trials=4)
        return study

    for parameter, names, expected in (
        ("x", None, ["value_0", "value_1"]),
        ("x", ["a", "b"], ["a", "b"]),
        ("a", ["a", "b"], ["value_0", "value_1"]),
        ("value_1", None, ["value__0", "value__1"]),
    ):
        ours = from_optuna(study_with(parameter, names))
        assert list(ours.goals) == expected and ours.trials()[0].values[expected[1]] == 2.0
