# SPDX-License-Identifier: MIT
from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import vbo


@pytest.fixture
def study(space: vbo.Space) -> vbo.Study:
    return vbo.Study(space, method="random", batch=4, seed=1)


def test_columns_have_the_types_of_their_parameters(study: vbo.Study) -> None:
    trials = study.ask(100)
    assert trials.ids.dtype == np.int64 and trials.ids.tolist() == list(range(1, 101))
    assert trials["x"].dtype == np.float64 and trials["n"].dtype == np.int64 and trials["kind"].dtype == object
    assert np.all((trials["x"] >= -5) & (trials["x"] <= 10))
    assert np.all((trials["n"] >= 1) & (trials["n"] <= 512))
    assert set(trials["kind"]) == {"adam", "sgd"}
    trials["x"][0] = 3.0  # the columns are the caller's own
    assert trials.points[0]["x"] == 3.0


def test_points_and_single_trials_are_plain_python(study: vbo.Study) -> None:
    trials = study.ask(3)
    point = trials.points[1]
    assert [type(value) for value in point.values()] == [float, float, int, str]
    assert trials[1].point == point and trials[1].id == 2 and trials[1]["n"] == point["n"]
    assert [trial.id for trial in trials] == [1, 2, 3]
    assert study.ask().id == 4


def test_tell_takes_what_people_have(study: vbo.Study) -> None:
    trials = study.ask(12)
    study.tell(trials.ids[:2], [0.5, np.float32(0.25)])
    study.tell(trials[2], 1)
    study.tell(np.int32(4), np.array(2.0))
    study.tell(np.array([5, 6], dtype=np.uint8), np.array([[1.0], [2.0]]))
    study.tell([7.0, 8.0], (1, 2))
    import pandas

    study.tell(pandas.Series([9, 10]), pandas.Series([1.0, 2.0]))
    study.tell([11, 12], [1.0, None])  # None is a missing value
    assert study.counts == vbo.Counts(waiting=0, running=0, completed=11, failed=1)
    assert study.trials()[11].cause == "non_finite"
    assert study.best is not None and study.best.value == 0.25


def test_a_batch_is_all_or_nothing(study: vbo.Study) -> None:
    study.ask(3)
    with pytest.raises(vbo.NotFound, match="trial 9 does not exist"):
        study.tell([1, 9], [1.0, 2.0])
    with pytest.raises(vbo.Conflict, match="trial 1 is told twice"):
        study.tell([1, 1], [1.0, 2.0])
    assert study.counts.waiting == 3
    study.tell(1, 1.0)
    with pytest.raises(vbo.Conflict, match="trial 1 has already ended"):
        study.tell(1, 2.0)


def test_failures_metrics_and_seconds(study: vbo.Study) -> None:
    study.ask(4)
    study.tell([1, 2], [1.0, 2.0], metrics={"mass": [5, np.nan], "cost": 3}, seconds=[0.5, 1.5])
    study.tell([3, 4], [1.0, float("nan")], error=[None, "broke"], cause="infeasible")
    first, second, third, fourth = study.trials()
    assert first.metrics == {"mass": 5.0, "cost": 3.0} and second.metrics == {"cost": 3.0}
    assert (first.seconds, second.seconds) == (0.5, 1.5)
    assert third.state == "completed" and third.value == 1.0
    assert (fourth.state, fourth.error, fourth.cause, fourth.value) == ("failed", "broke", "infeasible", None)
    columns = study.columns()
    assert columns["metrics.mass"][0] == 5 and np.isnan(columns["metrics.mass"][1])


@pytest.mark.parametrize(
    ("tell", "words"),
    [
        (lambda s: s.tell(1), ["values"]),
        (lambda s: s.tell([1, 2], [1.0]), ["values", "found 1", "expected 2"]),
        (lambda s: s.tell([1, 2], [1.0, 2.0], error=["x"]), ["error", "found 1", "expected 2"]),
        (lambda s: s.tell(1, 1.0, error="x"), ["both"]),
        (lambda s: s.tell([1, 2], error=["x", None]), ["neither"]),
        (lambda s: s.tell(1, "high"), ["values", "'high'", "numbers"]),
        (lambda s: s.tell("1", 1.0), ["ids", "'1'", "whole numbers"]),
        (lambda s: s.tell([1.5], [1.0]), ["ids", "1.5"]),
        (lambda s: s.tell(np.ones((2, 2), int), 1.0), ["ids", "(2, 2)"]),
        (lambda s: s.tell(1, error="x", cause="tired"), ["cause", "tired", "infeasible"]),
        (lambda s: s.tell(1, 1.0, metrics={"mass": [1, 2]}), ["metrics['mass']", "found 2"]),
        (lambda s: s.ask(0), ["n", "0", "at least 1"]),
        (lambda s: s.ask("many"), ["n", "'many'", "whole number"]),
        (lambda s: s.ask(True), ["n", "True"]),
        (lambda s: s.add({"x": 1.0}, 1.0), ['"rate" has no value']),
        (lambda s: s.add({"y": 1.0}, 1.0), ['unknown parameter "y"']),
        (lambda s: s.add([{"x": 1.0}], 1.0), ["has no value"]),
        (lambda s: s.add({"x": [1, 2], "rate": 1, "n": 1, "kind": "sgd"}, 1.0), ["rate", "1 values", "expected 2"]),
        (lambda s: s.add({"x": 11, "rate": 1, "n": 1, "kind": "sgd"}, 1.0), ["x", "11"]),
        (lambda s: s.add({"x": 1, "rate": 1, "n": 1, "kind": "SGD"}, 1.0), ["kind", "'SGD'", "adam"]),
        (lambda s: s.add({"x": 1, "rate": 1, "n": 1.5, "kind": "sgd"}, 1.0), ["n", "1.5", "whole"]),
        (lambda s: s.add(7, 1.0), ["points", "7", "dict"]),
    ],
)
def test_errors_name_the_argument(study: vbo.Study, tell: object, words: list[str]) -> None:
    study.ask(2)
    with pytest.raises(vbo.InvalidInput) as error:
        tell(study)  # type: ignore[operator]
    for word in words:
        assert word in str(error.value), str(error.value)
    assert study.counts.waiting == 2 and study.counts.completed == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"goal": "best"}, ["goal", "'best'", "minimize"]),
        ({"batch": 0}, ["batch", "0"]),
        ({"budget": "all"}, ["budget", "'all'"]),
        ({"seed": -1}, ["seed", "-1"]),
        ({"method": "randon"}, ["randon", "random"]),
        ({"options": {"beto": 1}}, ["beto"]),
        ({"options": {"beta": object()}}, ["beta"]),
    ],
)
def test_errors_of_a_study(space: vbo.Space, options: dict[str, object], words: list[str]) -> None:
    with pytest.raises(vbo.Error) as error:
        vbo.Study(space, **options)  # type: ignore[arg-type]
    for word in words:
        assert word in str(error.value), str(error.value)


def test_own_points(study: vbo.Study) -> None:
    assert study.add({"x": [1, 2], "rate": [0.1, 0.2], "n": [3, 4], "kind": ["sgd", "adam"]}, [5, 6]).tolist() == [1, 2]
    assert study.add({"x": 0, "rate": 0.5, "n": 7, "kind": "sgd"}, 1.5, metrics={"mass": 2}).tolist() == [3]
    points = [trial.point for trial in study.trials()]
    assert study.add(points, error="gone", cause="lost").tolist() == [4, 5, 6]
    assert study.best is not None and study.best.id == 3 and study.best.metrics == {"mass": 2.0}
    assert study.ask(1).ids.tolist() == [7]
    import pandas

    frame = pandas.DataFrame(points).assign(comment="from the lab")
    assert study.add(frame, [1, 2, 3]).tolist() == [8, 9, 10]


def test_pandas(study: vbo.Study) -> None:
    trials = study.ask(3)
    study.tell(trials.ids, [3, 2, 1])
    frame = study.to_pandas()
    assert frame.index.tolist() == [1, 2, 3] and frame["value"].tolist() == [3, 2, 1]
    assert frame["kind"].tolist() == trials["kind"].tolist() and frame["n"].dtype == np.int64


def test_a_finite_space_ends(tmp_path: Path) -> None:
    study = vbo.Study({"n": vbo.Int(1, 5)}, method="random")
    trials = study.ask(8)
    assert sorted(trials["n"]) == [1, 2, 3, 4, 5]
    assert len(study.ask(1)) == 0
    with pytest.raises(vbo.Unsupported, match="every point of the space"):
        study.ask()


@pytest.mark.parametrize("call", [lambda study: study.ask(2), lambda study: study.tell([1, 2], [1.0, 2.0])])
def test_the_gil_is_released(tmp_path: Path, space: vbo.Space, call: Callable[[vbo.Study], object]) -> None:
    """While a call waits for the database, the thread that blocks it can go on, and end the waiting."""
    study = vbo.Study(space, method="random", storage=tmp_path / "study.db")
    study.ask(2)
    other = sqlite3.connect(tmp_path / "study.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    errors: list[BaseException] = []

    def work() -> None:
        try:
            call(study)
        except vbo.Error as error:  # it gave up waiting, because nobody could run
            errors.append(error)

    caller = threading.Thread(target=work)
    caller.start()
    time.sleep(0.3)  # now it is inside
    assert caller.is_alive()
    other.execute("COMMIT")
    caller.join()
    other.close()
    assert not errors


def test_threads_share_a_study(study: vbo.Study) -> None:
    def work() -> None:
        for _ in range(25):
            trials = study.ask(4)
            study.tell(trials, trials["x"])

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert study.counts == vbo.Counts(waiting=0, running=0, completed=800, failed=0)
    assert study.columns()["id"].tolist() == list(range(1, 801))


def test_what_the_method_says_and_what_a_notebook_shows(study: vbo.Study) -> None:
    assert study.log()["round"] >= 0
    assert "<table>" in study._repr_html_() and "<svg" not in study._repr_html_()
    trials = study.ask(20)
    study.tell(trials, trials["x"])
    html = study._repr_html_()
    assert "20 completed" in html and html.count("<circle") == 20 and "<path" in html
    assert "adam" in html or "sgd" in html


def test_methods_describe_themselves() -> None:
    methods = vbo.methods()
    assert {"vbo", "random", "sobol"} <= set(methods)
    assert all(option["summary"] for option in methods["vbo"]["options"])
