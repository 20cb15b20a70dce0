# SPDX-License-Identifier: MIT
from __future__ import annotations

import pickle

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
        (lambda: vbo.Space(x=vbo.Float(0, 1, log=True)), ["x", "log", "low"]),
        (lambda: vbo.Space(n=vbo.Int(0.5, 3)), ["low", "0.5", "whole number"]),
        (lambda: vbo.Space(k=vbo.Choice([])), ["k", "choice"]),
        (lambda: vbo.Space(k=vbo.Choice(["a", "a"])), ["k", "a"]),
        (lambda: vbo.Choice("abc"), ["choices", "'abc'", "a list"]),
        (lambda: vbo.Space(x=(0, 1)), ['parameter "x"', "(0, 1)", "vbo.Float"]),
        (lambda: vbo.Space({1: vbo.Float(0, 1)}), ["name", "1", "text"]),
        (lambda: vbo.Space({"x": vbo.Float(0, 1)}, x=vbo.Float(0, 1)), ["twice"]),
        (lambda: vbo.Float("low", 1), ["low", "'low'", "a number"]),
        (lambda: vbo.Float(float("nan"), 1).low and vbo.Space(x=vbo.Float(float("nan"), 1)), ["x"]),
    ],
)
def test_errors_name_what_is_wrong(make: object, words: list[str]) -> None:
    with pytest.raises(vbo.InvalidInput) as error:
        make()  # type: ignore[operator]
    for word in words:
        assert word in str(error.value)
    assert isinstance(error.value, ValueError)
