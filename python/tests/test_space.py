# SPDX-License-Identifier: MIT
from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import vbo


def test_parameters_keep_their_order_and_type() -> None:
    space = vbo.Space({"learning rate": vbo.Float(np.float32(0.5), 1)}, n=vbo.Int(np.int64(1), 8.0))
    assert list(space) == ["learning rate", "n"]
    assert space["learning rate"] == vbo.Float(0.5, 1.0)
    assert space["n"] == vbo.Int(1, 8)
    assert len(space) == 2 and "n" in space and "m" not in space


def test_cardinality() -> None:
    assert vbo.Space(n=vbo.Int(1, 8), k=vbo.Choice(["a", "b"])).cardinality == 16
    assert vbo.Space(x=vbo.Float(0, 1)).cardinality is None


def test_equality_hash_and_pickle(space: vbo.Space) -> None:
    again = pickle.loads(pickle.dumps(space))
    assert again == space and hash(again) == hash(space)
    assert again != vbo.Space(dict(reversed(list(space.items()))))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: vbo.Space(x=vbo.Float(10, 5)), ["x", "low is 10", "high is 5"]),
        (lambda: vbo.Space(x=vbo.Float(0, 1, step=-1)), ["x", "step"]),
        (lambda: vbo.Space(n=vbo.Int(0, 9, step=0.5)), ["step", "0.5"]),
        (lambda: vbo.Space(w=vbo.Ordinal([1, 1])), ["w", "1"]),
        (lambda: vbo.Space(x=vbo.Float(0, 1, log=True)), ["x", "log", "low"]),
        (lambda: vbo.Space(n=vbo.Int(0.5, 3)), ["low", "0.5", "whole number"]),
        (lambda: vbo.Space(k=vbo.Choice([])), ["k", "choice"]),
        (lambda: vbo.Space(k=vbo.Choice(["a", "a"])), ["k", "a"]),
        (lambda: vbo.Choice([float("nan"), 1]), ["choices", "[nan, 1]", "finite numbers"]),
        (lambda: vbo.Ordinal([1, np.float64("inf")]), ["values", "inf", "finite numbers"]),
        (lambda: vbo.Choice("abc"), ["choices", "'abc'", "a list"]),
        (lambda: vbo.Space(x=(0, 1)), ['parameter "x"', "(0, 1)", "vbo.Float"]),
        (lambda: vbo.Space({1: vbo.Float(0, 1)}), ["name", "1", "text"]),
        (lambda: vbo.Space({"x": vbo.Float(0, 1)}, x=vbo.Float(0, 1)), ["twice"]),
        (lambda: vbo.Float("low", 1), ["low", "'low'", "a number"]),
        (lambda: vbo.Float(float("nan"), 1), ["low", "nan", "a number"]),
    ],
)
def test_errors_name_what_is_wrong(make: object, words: list[str]) -> None:
    with pytest.raises(vbo.InvalidInput) as error:
        make()  # type: ignore[operator]
    for word in words:
        assert word in str(error.value)
    assert isinstance(error.value, ValueError)


def test_steps_ordinals_and_choices_of_any_type() -> None:
    space = vbo.Space(
        t=vbo.Float(20, 80, step=0.1), n=vbo.Int(2, 20, step=3), width=vbo.Ordinal([16, 32, 64]),
        kind=vbo.Choice(["adam", 3, 2.5, True]),
    )  # fmt: skip
    trials = vbo.Study(space, method="sobol").ask(64)
    assert np.array_equal(trials["t"], np.round(trials["t"], 1))  # 20.3, never 20.300000000000001
    assert set(trials["n"]) == {2, 5, 8, 11, 14, 17, 20}
    assert set(trials["width"]) == {16, 32, 64}
    assert {(type(value), value) for value in trials["kind"]} == {(str, "adam"), (int, 3), (float, 2.5), (bool, True)}
    assert repr(space["t"]) == "Float(low=20.0, high=80.0, step=0.1)"
    again = pickle.loads(pickle.dumps(space))
    assert again == space and again["kind"].choices == space["kind"].choices


def test_what_comes_back_from_the_storage_is_what_went_in(tmp_path: Path) -> None:
    space = vbo.Space(
        t=vbo.Float(20, 80, step=0.5), width=vbo.Ordinal(["small", "large"]), kind=vbo.Choice(["adam", 3, True])
    ).require("t <= 40 or kind == 'adam'")
    with vbo.Study(space, method="random", storage=tmp_path / "study.db") as study:
        study.add({"t": [20.5, 60], "width": ["large", "small"], "kind": [True, "adam"]}, [1.0, 2.0])
        with pytest.raises(vbo.InvalidInput, match="t <= 40"):
            study.add({"t": 60, "width": "small", "kind": 3}, 1.0)
    with vbo.open(tmp_path / "study.db") as study:
        assert study.space == space and study.space.constraints == ("t <= 40 or kind == 'adam'",)
        assert study.best is not None and study.best["kind"] is True and study.best["t"] == 20.5
        trials = study.ask(100)
        assert all(t <= 40 or kind == "adam" for t, kind in zip(trials["t"], trials["kind"]))


def test_constraints_keep_their_promise_and_are_checked() -> None:
    space = vbo.Space(a=vbo.Float(0, 1), b=vbo.Float(0, 1), c=vbo.Float(0, 1)).require("a + b + c = 1", "a <= b")
    study = vbo.Study(space, batch=8, seed=1)
    for _ in range(4):
        trials = study.ask(8)
        assert np.allclose(trials["a"] + trials["b"] + trials["c"], 1) and np.all(trials["a"] <= trials["b"])
        study.tell(trials, trials["b"])
    assert "require" in repr(space) and pickle.loads(pickle.dumps(space)) == space
    with pytest.raises(vbo.InvalidInput, match="d"):
        space.require("d > 1")
    with pytest.raises(vbo.InvalidInput):
        space.require("a > 2")  # no point is left
    with pytest.raises(vbo.InvalidInput, match="text"):
        space.require(3)  # type: ignore[arg-type]
