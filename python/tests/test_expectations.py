# SPDX-License-Identifier: MIT
"""What people who know Optuna or Ax expect: calling again, nothing silent, executors, familiar names."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import vbo
from vbo import _pools, _study

from conftest import LONG, bowl, python


def quiet(**options: Any) -> dict[str, Any]:
    return {"method": "random", "seed": 1, "progress": False, **options}


# -- Calling again --


def test_a_cell_that_is_run_again_goes_on(tmp_path: Path, space: vbo.Space) -> None:
    path = tmp_path / "nb.db"
    first = vbo.minimize(bowl, space, budget=10, storage=path, **quiet())  # still referenced, as in a notebook
    again = vbo.minimize(bowl, space, budget=10, storage=path, **quiet())
    assert again.study.counts.completed == 10 and again.value == first.value
    more = vbo.minimize(bowl, space, budget=16, workers=3, batch=5, storage=str(path), progress=False)
    assert more.study.counts.completed == 16 and more.study.method == "random" and more.study.batch == 5
    assert first.study.counts.completed == 16  # it is one study
    fewer = vbo.minimize(bowl, space, budget=12, storage=f"sqlite:///{path}", progress=False)
    assert fewer.study.counts.completed == 16 and fewer.ended == "budget_spent"
    with vbo.open(path) as study:
        assert study.counts.completed == 16
    with pytest.raises(vbo.Conflict, match="closed"):
        study.ask()
    assert first.study.ask().id == 17  # closing one user's study leaves the others theirs


def test_another_study_in_the_same_file_is_refused_by_argument(tmp_path: Path, space: vbo.Space) -> None:
    path = tmp_path / "study.db"
    study = vbo.Study(space, storage=path, seed=5, method="random")
    with pytest.raises(vbo.Conflict, match="seed: stored 5, given 6"):
        vbo.Study(space, storage=path, seed=6)
    with pytest.raises(vbo.Conflict, match="goal: stored .*minimize.*, given .*maximize") as error:
        vbo.Study(space, storage=path, goal="maximize")
    assert "study file" not in str(error.value) and "study.db" in str(error.value)
    assert vbo.Study(space, storage=path).seed == 5
    del study


def test_studies_are_saved_at_the_end_of_the_interpreter(tmp_path: Path) -> None:
    code = """
import sys, vbo
study = vbo.Study({"x": vbo.Float(0, 1)}, storage=sys.argv[1], method="random")
study.tell(study.ask(), 1.0)
"""
    done = python(code, tmp_path / "study.db")
    assert done.returncode == 0 and done.stderr == ""
    assert sorted(p.name for p in tmp_path.iterdir()) == ["study.db"]  # no lock and no log left behind


# -- Nothing fails silently --


def test_when_nothing_was_completed_the_first_exception_is_the_cause(space: vbo.Space) -> None:
    errors = iter([KeyError("n_layers"), *(ValueError(str(i)) for i in range(20))])

    def broken(point: dict[str, Any]) -> float:
        raise next(errors)

    with pytest.raises(vbo.ObjectiveFailed, match=r"every evaluation failed \(10 of them\).*ValueError: 8") as failed:
        vbo.minimize(broken, space, budget=10, **quiet())
    assert isinstance(failed.value.__cause__, KeyError)
    assert failed.value.study is not None and failed.value.study.counts.failed == 10


def test_the_cause_comes_from_processes_too(space: vbo.Space) -> None:
    with pytest.raises(vbo.ObjectiveFailed) as failed:
        vbo.minimize(always_broken, space, budget=4, workers=2, processes="fork", **quiet())
    assert isinstance(failed.value.__cause__, ZeroDivisionError)


def always_broken(point: dict[str, Any]) -> float:
    return 1 / 0


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"valeu": 1.0}, "unknown key 'valeu', expected value, sem, metrics, error"),
        ({"value": 1.0, "metrics": {"mass": "heavy"}}, "metric 'mass': found 'heavy', expected a number"),
        ({"value": 1.0, "metrics": 3}, "metrics: found 3, expected a dict"),
        (np.array([1.0, 2.0]), r"an array of shape \(2,\), expected a number"),
        ("0.5 s", "returned '0.5 s', expected a number"),
    ],
)
def test_wrong_results_are_an_error_at_the_first_evaluation(space: vbo.Space, answer: Any, message: str) -> None:
    calls: list[Any] = []
    with pytest.raises(vbo.InvalidInput, match=message):
        vbo.minimize(lambda p: calls.append(p) or answer, space, budget=50, **quiet())
    assert len(calls) == 1
    with pytest.raises(vbo.InvalidInput, match=message):
        vbo.minimize(lambda p: answer, space, budget=50, workers=4, **quiet())


def test_scalars_of_any_kind_are_numbers(space: vbo.Space) -> None:
    answers: Iterator[Any] = iter([np.float32(2), np.array([3.0]), np.array(4.0), True, np.int64(5)])
    best = vbo.minimize(lambda p: next(answers), space, budget=5, **quiet())
    assert [trial.value for trial in best.study.trials()] == [2, 3, 4, 1, 5]


def test_the_mistake_is_repaired_and_the_study_goes_on(tmp_path: Path, space: vbo.Space) -> None:
    with pytest.raises(vbo.InvalidInput):
        vbo.minimize(lambda p: {"val": 1.0}, space, budget=4, storage=tmp_path / "s.db", **quiet())
    best = vbo.minimize(bowl, space, budget=4, storage=tmp_path / "s.db", **quiet())
    assert best.study.counts == vbo.Counts(0, 0, 4, 0)


def test_functions_that_cannot_travel_are_refused(space: vbo.Space) -> None:
    with pytest.raises(vbo.InvalidInput, match="cannot be sent to another process.*def at the top level"):
        vbo.minimize(lambda p: 1.0, space, processes=True, **quiet())


async def later(point: dict[str, Any]) -> float:
    await asyncio.sleep(0.001)
    return bowl(point)


def test_coroutines_are_awaited_by_aminimize_alone(space: vbo.Space) -> None:
    with pytest.raises(vbo.InvalidInput, match="aminimize"):
        vbo.minimize(later, space, **quiet())
    running, most = 0, 0

    async def counted(point: dict[str, Any]) -> float:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        if point["x"] > 8:
            raise vbo.Infeasible("too far")
        return bowl(point)

    best = asyncio.run(vbo.aminimize(counted, space, budget=40, workers=4, **quiet()))
    assert best.ended == "budget_spent" and best.study.counts.completed + best.study.counts.failed == 40
    assert most == 4 and {t.cause for t in best.study.trials() if t["x"] > 8} == {"infeasible"}

    async def hangs(point: dict[str, Any]) -> float:
        await asyncio.sleep(0 if point["n"] % 2 else 3600)
        return bowl(point)

    best = asyncio.run(vbo.aminimize(hangs, space, budget=12, timeout=0.05, **quiet()))
    assert {t.cause for t in best.study.trials() if t.state == "failed"} == {"timeout"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"workers": 0}, "workers: found 0, expected .*-1 for all cores"),
        ({"workers": 2.5}, "workers: found 2.5"),
        ({"budget": 0}, "budget: found 0, expected at least 1"),
        ({"budget": float("inf")}, "budget: found inf, expected a whole number"),
        ({"value": float("nan")}, "value: found nan, expected a number"),
        ({"value": float("inf")}, "value: found inf, expected a finite number"),
        ({"seconds": "10"}, "seconds: found '10', expected a number"),
        ({"seconds": -1}, "seconds: found -1.0, expected at least 0"),
        ({"timeout": -1, "processes": True}, "timeout: found -1.0, expected at least 0"),
        ({"progress": "yes"}, "progress: found 'yes', expected True, False or None"),
        ({"method": 3}, "method: found 3, expected text"),
        ({"method": "turob"}, 'did you mean "turbo"'),
        ({"options": ["beta"]}, "options: found .*, expected a dict"),
        ({"storage": 7}, "storage: found 7, expected a path"),
        ({"storage": "sqlite://study.db"}, "sqlite:///FILE"),
        ({"processes": "threads"}, 'processes: found \'threads\', expected True, False, "spawn"'),
        ({"executor": 8}, "executor: found 8, expected a concurrent.futures.Executor"),
        ({"timeout": 1.0}, "timeout: .*processes=True"),
        ({"callbacks": 3}, "callbacks: found 3, expected functions"),
    ],
)
def test_wrong_arguments_say_what_would_be_right(space: vbo.Space, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(vbo.InvalidInput, match=message):
        vbo.minimize(bowl, space, **{**quiet(), **arguments})


@pytest.mark.parametrize("bounds", [(0, float("inf")), (float("nan"), 1), (1, 0)])
def test_bounds_are_finite_and_in_order(bounds: tuple[float, float]) -> None:
    with pytest.raises(vbo.InvalidInput, match="low|high"):
        vbo.Space(x=vbo.Float(*bounds))


# -- Executors --


def test_an_executor_is_used_with_all_its_workers(space: vbo.Space) -> None:
    together = threading.Barrier(8, timeout=30)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        vbo.minimize(lambda p: float(together.wait()), space, budget=16, executor=pool, **quiet())
        few = vbo.minimize(bowl, space, budget=4, executor=pool, workers=2, **quiet())
        assert few.study.counts.completed == 4
    with concurrent.futures.ProcessPoolExecutor(3) as processes:
        assert _pools.workers_of(processes) == 3
        assert vbo.minimize(bowl, space, budget=6, executor=processes, **quiet()).study.counts.completed == 6


def test_all_cores(space: vbo.Space) -> None:
    assert _pools.count_workers(None, True, None) == _pools.count_workers(-1, False, None) == _pools.cores()
    assert vbo.minimize(bowl, space, budget=8, workers=-1, **quiet()).study.batch == _pools.cores()
    assert vbo.minimize(bowl, space, budget=8, processes=True, **quiet()).study.counts.completed == 8


def sometimes_hangs(point: dict[str, Any]) -> float:
    if point["x"] > 5:
        time.sleep(3600)
    return bowl(point)


def test_an_evaluation_that_takes_too_long_is_killed_alone(space: vbo.Space) -> None:
    best = vbo.minimize(sometimes_hangs, space, budget=12, workers=2, processes="fork", timeout=1.0, **quiet())
    for trial in best.study.trials():
        assert (trial.cause == "timeout") == (trial["x"] > 5), trial
    assert best.study.counts.failed >= 1 and best.study.counts.completed >= 1


def test_a_timeout_holds_in_a_given_executor_with_processes(space: vbo.Space) -> None:
    import loky

    with concurrent.futures.ProcessPoolExecutor(2) as executor:
        best = vbo.minimize(sometimes_hangs, space, budget=8, executor=executor, timeout=1.0, **quiet())
        assert executor.submit(int, "3").result() == 3  # it was left alone
    assert best.study.counts.failed >= 1 and best.study.counts.completed >= 1
    for trial in best.study.trials():
        assert (trial.cause == "timeout") == (trial["x"] > 5), trial
    for other in (concurrent.futures.ThreadPoolExecutor(2), loky.get_reusable_executor(max_workers=2)):
        with other, pytest.raises(vbo.InvalidInput, match="only an evaluation in a process can be stopped"):
            vbo.minimize(bowl, space, executor=other, timeout=1.0, **quiet())


def dies_there(point: dict[str, Any]) -> float:
    if point["x"] > 5:
        os._exit(1)
    time.sleep(0.02)
    return bowl(point)


def test_a_death_costs_no_other_trial(space: vbo.Space) -> None:
    best = vbo.minimize(dies_there, space, budget=24, workers=4, processes="fork", **quiet(failures_in_a_row=0))
    for trial in best.study.trials():
        assert (trial.cause == "lost") == (trial["x"] > 5), trial
    assert best.study.counts.failed >= 1


@pytest.mark.parametrize("kind", ["concurrent.futures", "loky"])
def test_a_death_in_a_given_executor_costs_no_other_trial(kind: str, space: vbo.Space) -> None:
    import concurrent.futures
    import loky

    executor: Any
    if kind == "loky":
        executor = loky.get_reusable_executor(max_workers=2)
    else:
        executor = concurrent.futures.ProcessPoolExecutor(2)
    with pytest.warns(RuntimeWarning, match="a process of the executor died"):
        best = vbo.minimize(dies_there, space, budget=8, executor=executor, **quiet(failures_in_a_row=0))
    executor.shutdown(kill_workers=True) if kind == "loky" else executor.shutdown()
    assert best.study.counts.failed >= 1 and best.study.counts.completed >= 1
    for trial in best.study.trials():
        assert (trial.cause == "lost") == (trial["x"] > 5), trial


def dies_once(point: dict[str, Any]) -> float:
    try:
        os.close(os.open(point["mark"], os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return float(point["x"])
    os._exit(1)


def test_what_died_once_is_tried_again(tmp_path: Path) -> None:
    from concurrent.futures import ProcessPoolExecutor

    space = {"x": vbo.Float(0, 1), "mark": vbo.Choice([str(tmp_path / "mark")])}
    with ProcessPoolExecutor(2) as executor, pytest.warns(RuntimeWarning):
        best = vbo.minimize(dies_once, space, budget=6, executor=executor, **quiet())
    assert best.study.counts.completed == 6


def test_an_executor_that_cannot_be_made_again_says_so(space: vbo.Space) -> None:
    from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor

    class Breaks(ThreadPoolExecutor):
        def submit(self, *_: Any, **__: Any) -> Future[Any]:  # type: ignore[override]
            future: Future[Any] = Future()
            future.set_exception(BrokenExecutor("no more"))
            return future

    study = vbo.Study(space, method="random")
    with pytest.raises(vbo.Error, match=r"the executor broke \(no more\); .* stays pending"):
        study.run(bowl, executor=Breaks(2), progress=False)
    assert len(study.pending) == 2


def test_dask(space: vbo.Space) -> None:
    import distributed

    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client, client.get_executor() as executor:
            assert _pools.workers_of(executor) == 2
            best = vbo.minimize(bowl, space, budget=10, executor=executor, **quiet())
    assert best.study.counts.completed == 10


def test_what_dask_gave_up_is_tried_again(space: vbo.Space) -> None:
    from concurrent.futures import Future, ThreadPoolExecutor

    from distributed.scheduler import KilledWorker

    class Loses(ThreadPoolExecutor):
        calls = 0

        def submit(self, *arguments: Any, **named: Any) -> Future[Any]:
            self.calls += 1
            if self.calls in (2, 5, 6):
                future: Future[Any] = Future()
                future.set_exception(KilledWorker("evaluate", None, 0))
                return future
            return super().submit(*arguments, **named)

    with Loses(1) as executor:
        best = vbo.minimize(bowl, space, budget=6, executor=executor, **quiet())
    assert [trial.cause for trial in best.study.trials()] == [None, None, None, "lost", None, None]


def test_loky(space: vbo.Space) -> None:
    import loky

    executor = loky.get_reusable_executor(max_workers=2)
    try:
        best = vbo.minimize(lambda p: {"value": bowl(p), "metrics": {"pid": os.getpid()}}, space, budget=10,
                            executor=executor, **quiet())  # fmt: skip
    finally:
        executor.shutdown()
    assert best.study.counts.completed == 10
    assert os.getpid() not in {int(trial.metrics["pid"]) for trial in best.study.trials()}


def test_parsl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from parsl.concurrent import ParslPoolExecutor
    from parsl.config import Config
    from parsl.executors import HighThroughputExecutor, ThreadPoolExecutor

    monkeypatch.chdir(tmp_path)  # its log files
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", f"{Path(__file__).parent}:{os.environ.get('PYTHONPATH', '')}")  # of its workers
    for workers in (ThreadPoolExecutor(max_threads=3), HighThroughputExecutor(max_workers_per_node=3, address="127.0.0.1")):
        with ParslPoolExecutor(config=Config(executors=[workers], run_dir=str(tmp_path))) as pool:
            assert _pools.workers_of(pool) == 3
            found = vbo.minimize(lambda p: (p["x"] - 1) ** 2, {"x": vbo.Float(-5, 5)}, budget=12, executor=pool, progress=False)
            assert found.ended == "budget_spent" and found.study.counts.completed == 12


def test_mpi(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("""
from mpi4py.futures import MPIPoolExecutor
import vbo
def bowl(p): return p["x"] ** 2
if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        best = vbo.minimize(bowl, {"x": vbo.Float(-1, 1)}, budget=12, executor=pool, method="random", progress=False)
        print(best.study.counts.completed, pool.num_workers)
""")
    import subprocess, sys

    done = subprocess.run(
        [Path(sys.executable).with_name("mpirun"), "--allow-run-as-root", "--oversubscribe", "-n", "3", sys.executable, "-m", "mpi4py.futures", script],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.stdout.split() == ["12", "2"], done.stderr


def test_a_plain_function_cannot_be_awaited(space: vbo.Space, tmp_path: Path) -> None:
    calls = []

    def plain(point: dict[str, Any]) -> float:
        calls.append(point)
        return bowl(point)

    with pytest.raises(vbo.InvalidInput, match=r"expected a coroutine function \(async def\); vbo.minimize"):
        asyncio.run(vbo.aminimize(plain, space, budget=20, **quiet()))  # type: ignore[arg-type]
    assert len(calls) == 1

    async def bowl_later(point: dict[str, Any]) -> float:
        await asyncio.sleep(0)
        return bowl(point)

    best = asyncio.run(vbo.aminimize(lambda p: bowl_later(p), space, budget=6, **quiet()))  # it need not be async def itself
    assert best.study.counts.completed == 6


# -- What is kept with a trial --


def noted(point: dict[str, Any], trial: vbo.Evaluation) -> Any:
    trial.set_user_attr("pid", os.getpid())
    if point["kind"] == "adam":
        raise ValueError("no")
    return {"value": bowl(point), "user_attrs": {"note": f"id {trial.id}", "shape": [1, 2]}}


@pytest.mark.parametrize("how", [{}, {"workers": 2}, {"processes": "fork", "workers": 2}])
def test_attributes_are_stored_with_their_trials(space: vbo.Space, tmp_path: Path, how: Any) -> None:
    seen: list[vbo.Trial] = []
    found = vbo.minimize(noted, space, budget=12, storage=tmp_path / "study.db", callbacks=[lambda s, t: seen.append(t)],
                         **quiet(**how, failures_in_a_row=0))  # fmt: skip
    found.study.close()
    study = vbo.open(tmp_path / "study.db")
    for trial in study.trials():
        assert (trial.user_attrs["pid"] != os.getpid()) == ("processes" in how)
        if trial.state == "completed":
            assert trial.user_attrs["note"] == f"id {trial.id}" and trial.user_attrs["shape"] == [1, 2]
    assert {t.id: t.user_attrs for t in seen} == {t.id: t.user_attrs for t in study.trials()}
    assert study.to_pandas()["user_attrs.note"].dropna().tolist() == [f"id {t.id}" for t in study.trials() if t.state == "completed"]
    if not how:  # what is kept changes no suggestion
        plain = vbo.minimize(lambda p: noted(p, vbo.Evaluation(0, p))["value"], space, budget=12, **quiet(failures_in_a_row=0))
        assert [t.point for t in study.trials()] == [t.point for t in plain.study.trials()]
    with pytest.raises(vbo.InvalidInput, match="the function's user_attrs: found .* expected text, numbers"):
        vbo.minimize(lambda p: {"value": 1, "user_attrs": {"f": open}}, space, budget=2, **quiet())


def test_attributes_and_steps_are_told(space: vbo.Space, tmp_path: Path, command: Any) -> None:
    study = vbo.Study(space, method="random", storage=tmp_path / "study.db")
    trials = study.ask(2)
    study.tell(trials, [1.0, 2.0], user_attrs=[{"operator": "Ada"}, None])
    study.add(trials.points, [1.0, 2.0], user_attrs={"from": "1998"}, steps=[{1: 3.0, 5: 2.0}, {}])
    study.close()
    stored = vbo.open(tmp_path / "study.db").trials()
    assert [t.user_attrs for t in stored] == [{"operator": "Ada"}, {}, {"from": "1998"}, {"from": "1998"}]
    assert [t.steps for t in stored] == [{}, {}, {1: 3.0, 5: 2.0}, {}]
    shown = command("trials", "study.db", "--json")
    assert shown[0]["user_attrs"] == {"operator": "Ada"} and "user_attrs" not in shown[1]


# -- Familiar names --


def test_the_best_by_its_other_names(space: vbo.Space) -> None:
    best = vbo.minimize(bowl, space, budget=12, **quiet())
    study = best.study
    assert study.best is not None
    assert study.best_value == best.best_value == best.value == study.best.value
    assert study.best_params == best.best_params == best.point
    assert study.best_trial == best.best_trial == study.best
    empty = vbo.Study(space)
    assert empty.best_value is None and empty.best_params == {} and empty.recommended is None


def test_what_is_recommended_has_an_interval() -> None:
    rng = np.random.default_rng(1)
    best = vbo.minimize(lambda p: p["x"] ** 2 + 0.3 * rng.normal(), {"x": vbo.Float(-1, 1)}, budget=40, progress=False)
    found = best.recommended
    assert found is not None and found.low < found.mean < found.high
    assert found.trial.state == "completed" and abs(found.trial["x"]) < 0.6


def test_points_are_enqueued(tmp_path: Path, space: vbo.Space) -> None:
    mine = [{"x": 1.0, "rate": 0.5, "n": 8, "kind": "sgd"}, {"x": 2.0, "rate": 0.25, "n": 16, "kind": "adam"}]
    with vbo.Study(space, storage=tmp_path / "study.db", method="random") as study:
        study.tell(study.ask(3), [1.0, 2.0, 3.0])
        study.enqueue(mine[0])
        study.enqueue([mine[1]])
        assert study.ask().point == mine[0]
    with vbo.Study(space, storage=tmp_path / "study.db") as study:
        assert study.ask(2).points[0] == mine[1]
        with pytest.raises(vbo.InvalidInput, match=r'^points\[0\]: parameter "x": found 99') as wrong:
            study.enqueue({**mine[0], "x": 99.0})
        assert wrong.value.field == "points"
        with pytest.raises(vbo.InvalidInput, match=r"^points\[1\]: "):
            study.enqueue([mine[0], {"x": 99.0}])


def test_what_an_enqueued_point_leaves_out_is_chosen_by_the_method(space: vbo.Space) -> None:
    import pandas

    study = vbo.Study(space, method="random")
    for points in ({"x": 1.5}, [{"x": 2.5}, {"kind": "adam", "n": 8}], {"x": [3.5, 4.5], "kind": "sgd"}, pandas.DataFrame({"x": [5.5]}), {}):
        if isinstance(points, dict) and len(points) == 2:
            points["kind"] = ["sgd", "sgd"]
        study.enqueue(points)
    found = study.ask(7).points
    assert [point["x"] for point in (found[0], found[1], found[3], found[4], found[5])] == [1.5, 2.5, 3.5, 4.5, 5.5]
    assert (found[2]["kind"], found[2]["n"]) == ("adam", 8) and found[3]["kind"] == "sgd"
    assert len({point["rate"] for point in found}) == 7
    with pytest.raises(vbo.InvalidInput, match='unknown parameter "y"'):
        study.enqueue([{"y": 1}])
    objects = vbo.Study({"c": vbo.Choice([(1, 2), None]), "x": vbo.Float(0, 1)}, method="random")
    objects.enqueue({"c": (1, 2)})
    assert objects.ask()["c"] == (1, 2)


def test_a_run_is_stopped_from_inside(space: vbo.Space) -> None:
    study = vbo.Study(space, method="random")

    def objective(point: dict[str, Any]) -> float:
        if study.counts.completed == 4:
            study.stop()
        return bowl(point)

    assert study.run(objective, budget=50, progress=False).ended == "stopped"
    assert study.counts.completed == 5
    assert study.run(bowl, budget=8, progress=False).ended == "budget_spent"
    numpys = vbo.minimize(bowl, space, budget=50, callbacks=[lambda s, t: np.bool_(t.id == 3)], **quiet())
    assert numpys.ended == "stopped" and numpys.study.counts.completed == 3


def test_trials_are_cut_and_become_a_frame(space: vbo.Space) -> None:
    trials = vbo.Study(space, method="random").ask(6)
    assert trials[2:4].ids.tolist() == [3, 4] and trials[2:4]["x"].tolist() == trials["x"][2:4].tolist()
    frame = trials.to_pandas()
    assert list(frame.columns) == list(space) and frame.index.tolist() == trials.ids.tolist()


class Wide:
    pass


def test_choices_are_any_objects(tmp_path: Path) -> None:
    values = [None, (64, 32), Wide, "None?", 3, True, len]
    space = vbo.Space(layers=vbo.Choice(values), x=vbo.Float(0, 1))
    seen: list[Any] = []
    with vbo.Study(space, storage=tmp_path / "study.db", method="random") as study:
        study.run(lambda p: seen.append(p["layers"]) or p["x"], budget=30, progress=False)
        assert {type(value) for value in seen} <= {type(value) for value in values}
        assert (64, 32) in seen and Wide in seen and None in seen
        study.add({"layers": (64, 32), "x": 0.5}, -1.0)
        assert study.best_params == {"layers": (64, 32), "x": 0.5}
    with vbo.open(tmp_path / "study.db") as study:  # without the objects: their labels
        assert study.best_params["layers"] == "(64, 32)"
        assert study.space == space
    with vbo.Study(space, storage=tmp_path / "study.db") as study:
        assert study.best_params["layers"] == (64, 32)
    with pytest.raises(vbo.InvalidInput, match="same label 'None'"):
        vbo.Choice(["None", None])


def test_a_random_seed(space: vbo.Space) -> None:
    assert vbo.Study(space, seed=None).seed != vbo.Study(space, seed=None).seed
    assert vbo.Study(space).seed == 0


def test_the_default_method_is_auto_and_says_why(space: vbo.Space) -> None:
    study = vbo.Study(space, budget=100)
    assert study.method == "auto" and study.log()["message"].startswith("auto chose gp-logei: with a budget of 100")


def test_names_of_methods_are_those_of_the_build() -> None:
    literal, _ = get_args(_study.Method)
    assert list(get_args(literal)) == list(vbo.methods())


def test_the_star_needs_no_optuna() -> None:
    done = python("import sys; sys.modules['optuna'] = None\nfrom vbo import *\nprint(minimize.__name__, Study.__name__)")
    assert done.stdout.split() == ["minimize", "Study"], done.stderr


# -- Several processes --

HOLDER = """
import sys, time
import vbo

study = vbo.Study({"x": vbo.Float(-5, 5)}, storage=sys.argv[1], method="random", budget=50)
study.tell(study.ask(3), [3.0, 2.0, 1.0])
print("open", flush=True)
sys.stdin.readline()
print(study.counts.completed, study.counts.waiting, [t.value for t in study.trials()][-1], study.ask().id, flush=True)
study.close()
print("closed", flush=True)
sys.stdin.readline()
"""


def test_two_processes_use_one_file(tmp_path: Path) -> None:
    import subprocess
    import sys

    path = tmp_path / "study.db"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdin is not None and holder.stdout is not None
    assert holder.stdout.readline() == "open\n"
    study = vbo.open(path)
    assert study.counts.completed == 3 and study.best_value == 1.0 and len(study.trials()) == 3
    assert "3 completed" in study._repr_html_()
    assert study.report(tmp_path / "report.html").exists()
    trials = study.ask(2)  # answered by the other process while it does nothing
    assert trials.ids.tolist() == [4, 5]
    study.tell(trials.ids[0], 0.5)
    with pytest.raises(vbo.Conflict, match="trial 4 has already ended"):
        study.tell(4, 0.25)
    with pytest.raises(vbo.NotFound, match="trial 99"):
        study.tell(99, 0.25)
    assert study.add({"x": 1.0}, 7.0).tolist() == [6]
    study.enqueue([{"x": 1.25}, {"x": 1.75}])  # the other process stores and answers it
    assert study.ask(2)["x"].tolist() == [1.25, 1.75]
    study.tell([7, 8], [1.5, 3.0])
    with pytest.raises(vbo.InvalidInput, match="parameter"):
        study.enqueue({"x": 99.0})
    more = vbo.minimize(lambda p: p["x"] ** 2, {"x": vbo.Float(-5, 5)}, budget=10, storage=path, progress=False)
    assert more.ended == "budget_spent" and study.counts.completed == 10
    holder.stdin.write("\n")
    holder.stdin.flush()
    assert holder.stdout.readline().split()[:2] == ["10", "1"]
    assert holder.stdout.readline() == "closed\n"
    study.enqueue({"x": 1.5})  # nobody else writes now
    assert study.ask()["x"] == 1.5
    holder.stdin.close()
    assert holder.wait() == 0


def test_processes_that_begin_at_once_share_the_file(tmp_path: Path) -> None:
    import subprocess

    code = (
        "import sys, time, vbo\n"
        "time.sleep(max(0.0, float(sys.argv[2]) - time.time()))\n"
        "found = vbo.minimize(lambda p: time.sleep(0.02) or p['x'] ** 2, {'x': vbo.Float(-5, 5)}, budget=24, method='random', storage=sys.argv[1], progress=False)\n"
        "assert found.ended == 'budget_spent', found.ended\n"
    )
    for i in range(3):
        path = tmp_path / f"study{i}.db"
        begin = str(time.time() + 2.0)
        many = [subprocess.Popen([sys.executable, "-c", code, path, begin], stderr=subprocess.PIPE, text=True) for _ in range(4)]
        assert [process.communicate()[1] for process in many] == ["", "", "", ""]
        with vbo.open(path) as study:
            assert 24 <= study.counts.completed <= 28  # and what others were evaluating when the last result came


def test_who_is_left_takes_over(tmp_path: Path) -> None:
    import subprocess
    import sys

    path = tmp_path / "study.db"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "open\n"
    study = vbo.open(path)
    holder.kill()
    holder.wait()
    assert study.ask(2).ids.tolist() == [4, 5]
    study.tell([4, 5], [0.5, 0.25])
    assert study.counts.completed == 5


def test_progress_says_once_what_auto_took(capsys: pytest.CaptureFixture[str]) -> None:
    vbo.minimize(lambda p: p["x"], {"x": vbo.Float(0, 1)}, budget=4, progress=True)
    assert capsys.readouterr().err.count("auto chose") == 1
