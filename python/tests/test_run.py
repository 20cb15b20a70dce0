# SPDX-License-Identifier: MIT
"""minimize and maximize: threads, processes, interrupts, failures."""

from __future__ import annotations

import concurrent.futures
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vbo

from conftest import bowl


def quiet(**options: Any) -> dict[str, Any]:
    return {"method": "random", "seed": 1, "progress": False, **options}


def test_finds_the_minimum(space: vbo.Space) -> None:
    best = vbo.minimize(bowl, space, budget=64, batch=16, workers=4, progress=False, seed=1)
    assert best.ended == "budget_spent" and best.study.counts.completed == 64
    assert best.value is not None and best.value == bowl(best.point) and best.value < 1
    assert best["kind"] == "sgd" and best.trial is not None and best.trial.value == best.value


def test_maximize_is_the_other_way(space: vbo.Space) -> None:
    low = vbo.minimize(lambda p: -bowl(p), space, budget=30, **quiet())
    high = vbo.maximize(bowl, space, budget=30, **quiet())
    assert high.value is not None and low.value is not None
    assert high.point == low.point and high.value == -low.value


def test_threads_evaluate_at_the_same_time(space: vbo.Space) -> None:
    together = threading.Barrier(4, timeout=20)
    vbo.minimize(lambda p: float(together.wait()), space, budget=8, workers=4, **quiet())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("start", [True, "spawn"])
def test_processes(space: vbo.Space, start: bool | str) -> None:
    best = vbo.minimize(process_id, space, budget=12, workers=2, processes=start, **quiet())
    assert best.study.counts.completed == 12
    assert os.getpid() not in {int(trial.metrics["pid"]) for trial in best.study.trials()}


def process_id(point: dict[str, Any]) -> dict[str, Any]:
    time.sleep(0.01)
    return {"value": bowl(point), "metrics": {"pid": os.getpid()}}


def dies_at_once(point: dict[str, Any]) -> float:
    if point["x"] > 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return bowl(point)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_process_that_dies_costs_its_trial_alone(space: vbo.Space) -> None:
    best = vbo.minimize(dies_at_once, space, budget=16, workers=2, processes="fork", **quiet(failures_in_a_row=0))
    assert best.study.counts.completed + best.study.counts.failed == 16
    for trial in best.study.trials():
        if trial["x"] > 5:
            assert trial.state == "failed" and trial.cause == "lost"
    assert best.study.counts.completed >= 5


def test_any_executor_will_do(space: vbo.Space) -> None:
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        best = vbo.minimize(bowl, space, budget=10, workers=2, executor=pool, **quiet())
        assert best.study.counts.completed == 10
        assert pool.submit(int, "3").result() == 3  # it was not shut down


def test_batch_functions(space: vbo.Space) -> None:
    sizes: list[int] = []

    def many(trials: vbo.Trials) -> Any:
        sizes.append(len(trials))
        values = (trials["x"] - 1) ** 2
        values[0] = np.nan
        return values

    best = vbo.minimize(many, space, budget=40, batch=16, batch_function=True, **quiet())
    assert sizes == [16, 16, 8]
    assert best.study.counts == vbo.Counts(0, 0, 37, 3)
    with pytest.raises(vbo.InvalidInput, match="values.*found 1.*expected 16"):
        vbo.minimize(lambda trials: [1.0], space, budget=40, batch=16, batch_function=True, **quiet())
    with pytest.raises(vbo.InvalidInput, match="workers"):
        vbo.minimize(many, space, workers=2, batch_function=True, **quiet())


@pytest.mark.parametrize("workers", [1, 3])
def test_what_an_objective_may_return_and_raise(space: vbo.Space, workers: int) -> None:
    answers: dict[int, Any] = {
        1: np.float32(2.5), 2: np.array(1.5), 3: {"value": 4, "metrics": {"mass": np.int64(7)}}, 4: True,
        5: None, 6: float("inf"), 7: "high", 8: ValueError("too hot"), 9: vbo.Infeasible("no such alloy"),
        10: {"error": "door open"},
    }  # fmt: skip
    numbers = iter(range(1, 11))
    lock = threading.Lock()

    def objective(point: dict[str, Any]) -> Any:
        with lock:
            which = next(numbers)
            answer = answers[which]
            seen[which] = point
        if isinstance(answer, Exception):
            raise answer
        return answer

    seen: dict[int, dict[str, Any]] = {}
    study = vbo.minimize(objective, space, budget=10, workers=workers, **quiet()).study
    by_point = {tuple(trial.point.values()): trial for trial in study.trials()}
    trials = {which: by_point[tuple(point.values())] for which, point in seen.items()}
    assert [trials[i].value for i in (1, 2, 3, 4)] == [2.5, 1.5, 4.0, 1.0]
    assert trials[3].metrics == {"mass": 7.0}
    assert [trials[i].cause for i in range(5, 11)] == [
        "no_value", "non_finite", "crash", "crash", "infeasible", "reported"]  # fmt: skip
    assert "ValueError: too hot (test_run.py:" in str(trials[8].error)
    assert trials[9].error == "no such alloy" and trials[10].error == "door open"


def test_many_failures_in_a_row_end_it(space: vbo.Space) -> None:
    def broken(point: dict[str, Any]) -> float:
        raise NameError("name 'nump' is not defined")

    with pytest.raises(vbo.ObjectiveFailed, match="every evaluation failed.*nump"):
        vbo.minimize(broken, space, budget=100, failures_in_a_row=5, **quiet())
    calls = iter(range(1000))
    later = vbo.minimize(lambda p: 1.0 if next(calls) < 3 else 1 / 0, space, budget=100, failures_in_a_row=5, **quiet())
    assert later.ended == "too_many_failures" and later.study.counts == vbo.Counts(0, 0, 3, 5)


def test_other_reasons_to_stop(space: vbo.Space) -> None:
    good = vbo.minimize(lambda p: p["x"] ** 2, space, budget=500, value=1.0, **quiet())
    assert good.ended == "good_enough" and good.value is not None and good.value <= 1 and good.study.counts.completed < 500
    slow = vbo.minimize(lambda p: time.sleep(0.02) or 1.0, space, budget=500, seconds=0.1, **quiet())
    assert slow.ended == "time_over" and slow.study.counts.completed < 100
    seen: list[int] = []

    def listen(study: vbo.Study, trial: vbo.Trial) -> bool:
        assert study.counts.completed == trial.id and trial.state == "completed" and trial.value == bowl(trial.point)
        seen.append(trial.id)
        return trial.id == 7

    stopped = vbo.minimize(bowl, space, budget=500, callbacks=[listen], **quiet())
    assert stopped.ended == "stopped" and seen == [1, 2, 3, 4, 5, 6, 7]
    assert vbo.minimize(lambda p: 1.0, {"n": vbo.Int(1, 3)}, budget=9, **quiet()).ended == "space_exhausted"


def test_calling_again_resumes(tmp_path: Path, space: vbo.Space) -> None:
    path = tmp_path / "study.db"
    first = vbo.minimize(bowl, space, budget=10, storage=path, **quiet())
    first.study.ask(2)  # somebody was interrupted here
    first.study.close()
    second = vbo.minimize(bowl, space, budget=25, storage=path, **quiet())
    assert second.study.counts == vbo.Counts(0, 0, 25, 0)
    assert second.value is not None and first.value is not None and second.value <= first.value


def test_failures_of_an_earlier_run_are_said_again(tmp_path: Path, space: vbo.Space) -> None:
    def broken(point: dict[str, Any]) -> float:
        raise ZeroDivisionError("no divisor")

    path = tmp_path / "study.db"
    for _ in range(2):  # the second time nothing is left to evaluate
        with pytest.raises(vbo.ObjectiveFailed, match=r"every evaluation failed \(10 of them\).*no divisor") as failed:
            vbo.minimize(broken, space, budget=10, storage=path, **quiet())
        assert failed.value.study is not None
        failed.value.study.close()
    with pytest.raises(vbo.ObjectiveFailed, match="1 of them.*no divisor") as failed:
        vbo.minimize(broken, space, budget=10, callbacks=[lambda study, trial: True], **quiet())
    assert isinstance(failed.value.__cause__, ZeroDivisionError)


def test_a_function_that_is_broken_later_is_noticed(tmp_path: Path, space: vbo.Space) -> None:
    path = tmp_path / "study.db"
    vbo.minimize(bowl, space, budget=5, storage=path, **quiet())

    async def coroutine(point: dict[str, Any]) -> float:
        return 1.0

    for wrong, text in ((lambda p: {"val": 1}, "unknown key 'val'"), (coroutine, "async def")):
        with pytest.raises(vbo.InvalidInput, match=text):
            vbo.minimize(wrong, space, budget=9, storage=path, **quiet())
    study = vbo.open(path)
    assert study.counts.completed == 5 and study.counts.failed == 0
    with pytest.raises(vbo.ObjectiveFailed, match=r"of this run failed \(4 of them\).*ZeroDivisionError"):
        vbo.minimize(lambda p: 1 / 0, space, budget=9, storage=path, **quiet())

    def refuses(point: dict[str, Any]) -> float:
        raise vbo.Infeasible("no such alloy")

    last = vbo.minimize(refuses, space, budget=11, storage=path, **quiet())  # an answer, and there are results
    assert last.study.counts == vbo.Counts(0, 0, 5, 6) and last.value is not None
    assert vbo.minimize(refuses, space, budget=11, storage=path, **quiet()).value == last.value


@pytest.mark.parametrize("batch_function", [False, True])
def test_two_threads_run_one_study(tmp_path: Path, space: vbo.Space, batch_function: bool) -> None:
    path = tmp_path / "study.db"
    vbo.Study(space, storage=path, method="random", seed=1).ask(6)  # left by somebody who was interrupted
    seen: list[float] = []

    def slow(asked: Any) -> Any:
        time.sleep(0.01)
        seen.extend(asked["x"].tolist() if batch_function else [asked["x"]])
        return asked["x"] ** 2

    def run(workers: int) -> vbo.Result:
        workers = 1 if batch_function else workers
        options = quiet(batch=3, batch_function=batch_function)
        return vbo.minimize(slow, space, budget=40, storage=path, workers=workers, **options)

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        runs = list(pool.map(run, (2, 1, 3)))
    assert [(one.ended, one.study.counts.completed) for one in runs] == [("budget_spent", 40)] * 3
    assert len(seen) == len(set(seen)) == 40  # nothing was evaluated twice


SHARES = """
import sys, time, vbo

def slow(point):
    time.sleep(0.02)
    return point["x"] ** 2

best = vbo.minimize(slow, {"x": vbo.Float(-5, 5)}, budget=40, workers=4, storage=sys.argv[1], method="random", progress=False)
print(best.ended, best.study.counts.completed)
"""


def test_processes_share_one_budget(tmp_path: Path) -> None:
    for attempt in range(3):
        storage = str(tmp_path / f"{attempt}.db")
        children = [
            subprocess.Popen([sys.executable, "-c", SHARES, storage], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(3)
        ]
        answers = [child.communicate(timeout=120) for child in children]
        assert [out for out, _ in answers] == ["budget_spent 40\n"] * 3, answers
        counts = vbo.open(storage).counts
        assert (counts.completed, counts.failed) == (40, 0)


def test_what_nobody_evaluates_does_not_hold_up_a_run(space: vbo.Space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vbo._run, "_PATIENCE", 0.3)
    study = vbo.Study(space, method="random", budget=10)
    asked: list[vbo.Trials] = []

    def asks(point: dict[str, Any]) -> float:
        if not asked:
            asked.append(study.ask(3))  # and does not tell
        return 1.0

    assert study.run(asks, progress=False).study.counts == vbo.Counts(3, 0, 10, 0)


INTERRUPTED = """
import sys, time
import vbo

def slow(point):
    print("evaluating\\n", end="", flush=True)
    time.sleep(0.3)
    return point["x"] ** 2

if __name__ == "__main__":
    workers, processes, path = int(sys.argv[1]), bool(int(sys.argv[2])), sys.argv[3]
    best = vbo.minimize(slow, {"x": vbo.Float(-5, 5)}, budget=1000, workers=workers, processes=processes,
                        storage=path, method="random", progress=False)
    counts = best.study.counts
    print("ended", best.ended, counts.completed, counts.failed, counts.waiting + counts.running, flush=True)
"""


@pytest.mark.parametrize(("workers", "processes"), [(1, 0), (3, 0), (2, 1)])
def test_ctrl_c_stops_cleanly(tmp_path: Path, workers: int, processes: int) -> None:
    script = tmp_path / "script.py"
    script.write_text(INTERRUPTED)
    child = subprocess.Popen(
        [sys.executable, script, str(workers), str(processes), tmp_path / "study.db"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    assert child.stdout is not None
    for _ in range(workers + 1):  # something has been told
        assert child.stdout.readline() == "evaluating\n"
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does
    out, err = child.communicate(timeout=60)
    last = out.splitlines()[-1].split()
    assert child.returncode == 0, err
    assert last[:2] == ["ended", "interrupted"] and "Traceback" not in err
    completed, failed, pending = map(int, last[2:])
    assert completed >= 1 and failed == 0
    assert pending == (1 if workers == 1 else 0)  # a function in the main thread is stopped, others end
    with vbo.open(tmp_path / "study.db") as study:
        assert study.counts.completed == completed


def test_progress_is_shown(space: vbo.Space, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    vbo.minimize(bowl, space, budget=12, **{**quiet(), "progress": True})
    assert "12/12" in capfd.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)  # as if it were not installed
    best = vbo.minimize(bowl, space, budget=12, **{**quiet(), "progress": True})
    assert f"12/12 evaluations, best {best.value:.6g}" in capfd.readouterr().err
    vbo.minimize(bowl, space, budget=3, **{**quiet(), "progress": None})  # no terminal: silence
    assert capfd.readouterr().err == ""


def test_the_function_has_to_be_one(space: vbo.Space) -> None:
    with pytest.raises(vbo.InvalidInput, match="function: found 3"):
        vbo.minimize(3, space, **quiet())  # type: ignore[arg-type]
