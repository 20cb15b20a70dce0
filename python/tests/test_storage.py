# SPDX-License-Identifier: MIT
"""Files shared with the command line, and with other processes."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vbo
from vbo import _open

from conftest import ROOT, bowl, python

sys.path.append(str(ROOT / "tests/e2e"))
from postgres import Server  # noqa: E402

STUDY_FILE = """
[study]
name = "shared"
budget = 200
batch = 6
seed = 3
storage = "shared.db"
[optimizer]
method = "{method}"
[[parameter]]
name = "x"
type = "float"
low = -5.0
high = 10.0
[[parameter]]
name = "rate"
type = "float"
low = 1e-4
high = 1.0
log = true
[[parameter]]
name = "n"
type = "int"
low = 1
high = 512
log = true
[[parameter]]
name = "kind"
type = "categorical"
choices = ["adam", "sgd"]
"""


def open_shared(path: Path, space: vbo.Space, method: str) -> vbo.Study:
    return vbo.Study(space, name="shared", budget=200, batch=6, seed=3, method=method, storage=path)


@pytest.mark.parametrize("method", ["vbo", "turbo", "sobol"])
def test_suggestions_are_those_of_the_command_line(
    tmp_path: Path, space: vbo.Space, command: Callable[..., Any], method: str
) -> None:
    """Same study, same results in the same order and told together: the same bits, after 30 results.

    What `vbo tell` stores, is told to the method in one tell at the next ask."""
    (tmp_path / "study.toml").write_text(STUDY_FILE.format(method=method))
    with open_shared(tmp_path / "python.db", space, method) as study:
        for _ in range(5):
            ours = study.ask(6)
            theirs = command("ask", "study.toml", "--count", 6, "--json")
            assert [t["id"] for t in theirs] == ours.ids.tolist()
            assert [t["params"] for t in theirs] == ours.points  # JSON keeps every bit of a double
            study.tell(ours.ids, [bowl(point) for point in ours.points])
            for id, point in zip(ours.ids.tolist(), ours.points):
                command("tell", "study.toml", id, repr(bowl(point)))


def test_the_command_line_goes_on_with_a_study_of_ours_and_back(
    tmp_path: Path, space: vbo.Space, command: Callable[..., Any]
) -> None:
    path = tmp_path / "shared.db"
    with open_shared(path, space, "vbo") as alone, open_shared(tmp_path / "alone.db", space, "vbo") as other:
        for study in (alone, other):
            trials = study.ask(6)
            for id, point in zip(trials.ids.tolist(), trials.points):
                study.tell(id, bowl(point))
        trials = other.ask(6)
        other.tell(trials.ids, [bowl(point) for point in trials.points])
        expected = other.ask(6).points
    suggested = command("ask", path, "--count", 6, "--json")
    for trial in suggested:
        command("tell", path, trial["id"], repr(bowl(trial["params"])))
    with vbo.open(path) as study:
        assert study.space == space and study.method == "vbo" and study.batch == 6 and study.name == "shared"
        assert study.counts.completed == 12
        assert study.ask(6).points == expected
        assert study.best is not None
        best = study.best
    answer = command("best", path, "--json")
    assert answer["value"] == best.value and answer["params"] == best.point


def test_a_study_file(tmp_path: Path, space: vbo.Space, command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "study.toml").write_text(STUDY_FILE.format(method="random"))
    command("ask", "study.toml", "--count", 3, "--json")
    monkeypatch.chdir("/")
    with vbo.load(tmp_path / "study.toml") as study:
        assert study.space == space and study.storage == str(tmp_path / "shared.db") and study.budget == 200
        assert study.pending.ids.tolist() == [1, 2, 3]
        study.tell(study.pending, [3.0, 1.0, 2.0])
    assert command("best", "study.toml", "--json")["value"] == 1.0
    text = STUDY_FILE.format(method="random").replace("high = 10.0", "hihg = 10.0")
    line = text.splitlines().index("hihg = 10.0") + 1
    (tmp_path / "study.toml").write_text(text)
    with pytest.raises(vbo.InvalidInput, match=f"study.toml:{line}: .*hihg") as error:
        vbo.load(tmp_path / "study.toml")
    assert error.value.line == line
    with pytest.raises(vbo.Error, match="nothing.toml"):
        vbo.load(tmp_path / "nothing.toml")


def test_importance_is_that_of_the_command_line(
    tmp_path: Path, space: vbo.Space, command: Callable[..., Any]
) -> None:
    with vbo.Study(space, storage=tmp_path / "study.db", method="sobol") as study:
        assert study.importance() == {}
        trials = study.ask(100)
        study.tell(trials, trials["x"] ** 2 + 0.1 * trials["n"] / 512)
        found = study.importance()
    assert max(found, key=lambda name: found[name].nats) == "x"
    for entry in command("importance", "study.db", "--json"):
        ours = found[entry["parameter"]]
        assert (ours.nats, ours.low, ours.high) == (entry["nats"], entry["low"], entry["high"])


@pytest.mark.parametrize("where", ["study.db", None])
def test_the_report_is_one_page(tmp_path: Path, space: vbo.Space, where: str | None) -> None:
    with vbo.Study(space, storage=where and tmp_path / where, method="sobol", name="page of ours") as study:
        trials = study.ask(30)
        study.tell(trials, trials["x"])
        assert study.report(tmp_path / "report.html") == tmp_path / "report.html"
    page = (tmp_path / "report.html").read_text()
    assert page.lower().startswith("<!doctype html>") and "https://" not in page.split("<script")[0]
    assert [path.name for path in tmp_path.glob("report*")] == ["report.html"]


def test_a_study_is_resumed(tmp_path: Path, space: vbo.Space) -> None:
    path = tmp_path / "study.db"
    with vbo.Study(space, storage=path, method="random", seed=5) as study:
        asked = study.ask(3)
        study.tell(asked.ids[0], 1.0)
    with vbo.Study(space, storage=str(path), method="random", seed=5) as study:
        assert study.pending.ids.tolist() == [2, 3]
        assert study.pending.points == asked.points[1:]
        assert study.best is not None and study.best.point == asked.points[0]
    with pytest.raises(vbo.Conflict, match="seed: stored 5, .* 6"):
        vbo.Study(space, storage=path, method="random", seed=6)
    with pytest.raises(vbo.Error, match="closed"):
        study.ask(1)


def test_errors_of_files(tmp_path: Path, space: vbo.Space) -> None:
    with pytest.raises(vbo.NotFound, match="nothing.db"):
        vbo.open(tmp_path / "nothing.db")
    (tmp_path / "text.db").write_text("this is not a database, and long enough to be looked at" * 100)
    with pytest.raises(vbo.Damaged):
        vbo.open(tmp_path / "text.db")
    with pytest.raises(vbo.StorageError) as error:
        vbo.Study(space, storage=tmp_path / "no" / "folder" / "study.db")
    assert isinstance(error.value, OSError) and "folder" in str(error.value)


def test_a_study_is_pickled_by_its_storage(tmp_path: Path, space: vbo.Space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    study = vbo.Study(space, storage="study.db", method="random")
    study.tell(study.ask(), 1.0)
    text = pickle.dumps(study)
    study.close()
    monkeypatch.chdir("/")
    with pickle.loads(text) as again:
        assert again.counts.completed == 1
    with pytest.raises(vbo.Unsupported, match="memory.*storage="):
        pickle.dumps(vbo.Study(space))


def test_errors_are_pickled_whole() -> None:
    error = pickle.loads(pickle.dumps(vbo.InvalidInput("low is 3", "low", 7)))
    assert (str(error), error.field, error.line) == ("low is 3", "low", 7)
    assert str(pickle.loads(pickle.dumps(vbo.StorageError("the disk is full")))) == "the disk is full"


def _in_the_child(study: vbo.Study, answers: Any) -> None:
    try:
        study.ask(1)
    except vbo.Error as error:
        answers.put((type(error).__name__, str(error)))
    else:
        answers.put(("nothing", ""))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_may_not_use_the_study(tmp_path: Path, space: vbo.Space) -> None:
    study = vbo.Study(space, storage=tmp_path / "study.db", method="random")
    study.ask(2)
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    child = context.Process(target=_in_the_child, args=(study, answers))
    child.start()
    kind, text = answers.get()
    child.join()
    assert kind == "Unsupported" and str(os.getpid()) in text and "vbo.open" in text
    assert child.exitcode == 0
    study.tell([1, 2], [1.0, 2.0])  # the child has closed nothing of ours
    study.close()
    with vbo.open(tmp_path / "study.db") as again:
        assert again.counts.completed == 2


def test_a_study_is_called_as_its_storage(tmp_path: Path) -> None:
    assert _open.name_of("lab/wing.db") == "wing" and _open.name_of("postgresql://me@there/lab?sslmode=off&study=wing%202") == "wing 2"
    assert vbo.Study({"x": vbo.Float(0, 1)}, storage=tmp_path / "wing 2.db").name == "wing 2"


def test_numbers_survive_the_storage_bit_for_bit(tmp_path: Path) -> None:
    values = [0.1 + 0.2, 5e-324, -1.7976931348623157e308, 1 / 3]
    with vbo.Study({"x": vbo.Float(-1e300, 1e300)}, storage=tmp_path / "study.db", method="random") as study:
        study.add({"x": values[:2] + [-1e300, 1 / 3]}, values)
    with vbo.open(tmp_path / "study.db") as study:
        assert study.columns()["value"].tolist() == values
        assert np.array_equal(study.columns()["x"], values[:2] + [-1e300, 1 / 3])



# -- PostgreSQL --


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    server = Server()
    yield server
    server.end()


JOINS = """
import sys, vbo
study = vbo.open(sys.argv[1])
study.enqueue({"x": 0.5})
trial = study.ask()
study.tell(trial, trial["x"] ** 2, user_attrs={"from": "elsewhere"})
print(trial.id, trial["x"])
"""


def test_a_study_in_postgresql(server: Any) -> None:
    url = f"{server.url}&study=python"
    space = {"x": vbo.Float(-5, 5), "kind": vbo.Choice(["a", "b"])}
    best = vbo.minimize(lambda p: p["x"] ** 2, space, budget=6, storage=url, method="sobol", progress=False)
    assert best.study.storage == url and best.study.counts.completed == 6 and best.study.name == "python"
    best.study.close()
    more = vbo.minimize(lambda p: p["x"] ** 2, space, budget=9, storage=url, progress=False)
    assert more.study.counts.completed == 9 and more.study.method == "sobol"
    alone = vbo.minimize(lambda p: p["x"] ** 2, space, budget=9, method="sobol", progress=False)
    assert [t.point for t in more.study.trials()] == [t.point for t in alone.study.trials()]


def test_two_processes_use_one_study_in_postgresql(server: Any) -> None:
    url = f"{server.url}&study=shared"
    study = vbo.Study({"x": vbo.Float(-5, 5)}, method="random", storage=url)
    study.tell(study.ask(2), [3.0, 4.0])
    done = python(JOINS, url)
    assert done.stdout == "3 0.5\n", done.stderr
    assert study.best_value == 0.25 and study.trials()[2].user_attrs == {"from": "elsewhere"}
    with pytest.raises(vbo.Error, match="127.0.0.1:1, database x cannot be reached"):
        vbo.open("postgresql://nobody@127.0.0.1:1/x?study=y")
