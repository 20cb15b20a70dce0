# SPDX-License-Identifier: MIT
"""VboSampler in the ways people use Optuna, and studies in both directions."""

from __future__ import annotations

import json
import pickle
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState

import vbo
from vbo.optuna import VboSampler, from_optuna, to_optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)
SPACE: dict[str, Any] = {
    "x": FloatDistribution(-5, 10), "step": FloatDistribution(0, 1, step=0.1), "n": IntDistribution(2, 20, step=3),
    "log": IntDistribution(1, 1024, log=True), "kind": CategoricalDistribution([None, "a", 3, 2.5, True]),
}  # fmt: skip


def create(sampler: VboSampler, **options: Any) -> optuna.Study:
    return optuna.create_study(sampler=sampler, **options)


def objective(trial: optuna.Trial) -> float:
    trial.suggest_float("x", -5, 10)
    trial.suggest_float("step", 0, 1, step=0.1)
    trial.suggest_int("n", 2, 20, step=3)
    trial.suggest_int("log", 1, 1024, log=True)
    trial.suggest_categorical("kind", [None, "a", 3, 2.5, True])
    return objective_of(trial.params)


def objective_of(p: dict[str, Any]) -> float:
    return float((p["x"] - 1) ** 2 + abs(p["step"] - 0.3) + abs(p["n"] - 8) + abs(p["log"] - 32) / 32 + (p["kind"] != "a"))


def params(study: optuna.Study) -> list[dict[str, Any]]:
    return [trial.params for trial in study.trials]


def test_learns_on_a_mixed_space() -> None:
    study = create(VboSampler(seed=1))
    study.optimize(objective, n_trials=70)
    assert study.best_value < 3
    for trial in study.trials:
        assert round(trial.params["step"] * 10) / 10 == pytest.approx(trial.params["step"])
        assert (trial.params["n"] - 2) % 3 == 0 and type(trial.params["n"]) is int


def test_many_asked_at_once_are_a_design_from_the_second_on() -> None:
    """Before anything has ended the space is that of the trials being evaluated; the first batch is ours but for one."""
    sampler = VboSampler(seed=1, batch=16, method="sobol")
    study = create(sampler)
    trials = [study.ask(dict(SPACE)) for _ in range(16)]
    assert sampler._engine is not None
    assert sorted(sampler._engine.given) == list(range(1, 16)) and not sampler._engine.ahead
    for trial in trials:
        study.tell(trial, objective_of(trial.params))
    engine = sampler._engine
    more = [study.ask(dict(SPACE)) for _ in range(16)]
    assert sampler._engine is engine, "what was suggested first is not forgotten"
    assert engine.study.counts.completed == 16 and not engine.ahead and len(more) == 16


def test_parameters_that_come_one_by_one_and_differ() -> None:
    """Running trials that have only some of their parameters yet: what they share is suggested together."""
    study = create(VboSampler(seed=1, batch=4, method="sobol"))
    first = study.ask()
    first.suggest_float("x", 0, 1)
    second = study.ask()
    second.suggest_float("x", 0, 1)
    second.suggest_int("only here", 1, 3)
    third = study.ask()
    assert list(third.relative_params) == ["x"] and 0 <= third.suggest_float("x", 0, 1) <= 1
    for trial in (first, second, third):
        study.tell(trial, 1.0)
    assert list(study.ask().relative_params) == ["x"]


def test_a_seed_means_the_same_suggestions() -> None:
    studies = [create(VboSampler(seed=seed)) for seed in (1, 1, 2)]
    for study in studies:
        study.optimize(objective, n_trials=15)
    assert params(studies[0]) == params(studies[1]) != params(studies[2])


def test_batches_are_those_of_a_study_of_our_own() -> None:
    """Batch 8 through Optuna's ask and tell: after the first trial, vbo's own suggestions bit for bit."""
    space = {"x": FloatDistribution(-5, 10), "y": FloatDistribution(0, 15)}
    sampler = VboSampler(seed=1, batch=8)
    study = create(sampler)
    first = study.ask(space)
    study.tell(first, 1.0)
    native: vbo.Study | None = None
    for _ in range(4):
        trials = [study.ask() for _ in range(8)]
        for trial in trials:
            for name, distribution in space.items():
                trial.suggest_float(name, distribution.low, distribution.high)
        if native is None:
            assert sampler._engine is not None
            native = vbo.Study({"x": vbo.Float(-5, 10), "y": vbo.Float(0, 15)}, batch=8, seed=sampler._engine.study.seed)
            native.add([first.params], [1.0])
        ours = native.ask(8)
        assert [trial.params for trial in trials] == ours.points
        values = ((ours["x"] - 1) ** 2 + ours["y"]).tolist()
        native.tell(ours, values)
        for trial, value in zip(trials, values):
            study.tell(trial, value)


def test_looks_ahead_when_many_are_asked_at_once() -> None:
    sampler = VboSampler(seed=1)
    study = create(sampler)
    study.tell(study.ask(SPACE), 1.0)
    asked: list[int] = []
    study.ask(SPACE)
    assert sampler._engine is not None
    ask = sampler._engine.study.ask
    sampler._engine.study.ask = lambda n: asked.append(n) or ask(n)  # type: ignore[method-assign,assignment,func-returns-value]
    for _ in range(63):
        study.ask(SPACE)
    assert asked == [1, 2, 4, 8, 16, 32]


def test_changing_and_conditional_spaces() -> None:
    def changing(trial: optuna.Trial) -> float:
        value = trial.suggest_float("always", 0, 1)
        if trial.number > 5:
            value += trial.suggest_float("later", 0, 1)
        if trial.number % 2:
            value += trial.suggest_int("sometimes", 0, 5)
        return value

    study = create(VboSampler(seed=1))
    study.optimize(changing, n_trials=20)
    assert all(trial.state == TrialState.COMPLETE for trial in study.trials)
    assert "sometimes" not in study.trials[10].params and "later" in study.trials[10].params


def test_enqueued_failed_pruned_and_foreign_trials() -> None:
    sampler = VboSampler(seed=1)
    study = create(sampler)
    study.enqueue_trial({"x": 1.0, "step": 0.3, "n": 8, "log": 32, "kind": "a"})

    def rough(trial: optuna.Trial) -> float:
        value = objective(trial)
        if trial.number % 5 == 2:
            raise ValueError("unlucky")
        if trial.number % 5 == 3:
            trial.report(value + 1, step=1)
            raise optuna.TrialPruned
        return float("nan") if trial.number % 5 == 4 else value

    study.optimize(rough, n_trials=20, catch=ValueError)
    study.add_trial(optuna.create_trial(value=0.5, params=study.best_params, distributions=SPACE))
    study.enqueue_trial({"x": 3.5})  # the rest is the sampler's
    study.optimize(objective, n_trials=2)
    assert study.best_value == 0 and study.trials[21].params["x"] == 3.5
    assert sampler._engine is not None
    known = sampler._engine.study
    assert known.counts.completed + known.counts.failed == 22  # all that had ended when it was last asked
    values = {trial.value for trial in known.trials()}
    assert study.trials[0].value in values and 0.5 in values
    assert study.trials[3].intermediate_values[1] in values
    assert known.counts.failed == 8
    assert known.counts.waiting == 1  # the last one: it was given what x = 3.5 had taken the place of


def test_constraints() -> None:
    study = create(VboSampler(seed=1, constraints_func=lambda trial: (1 - trial.params["x"],)))
    study.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2, n_trials=60)
    assert study.best_trial.params["x"] >= 1 and study.best_value < 2
    assert all(len(trial.constraints) == 1 for trial in study.trials)
    with pytest.raises(vbo.InvalidInput, match="NaN"):
        broken = create(VboSampler(seed=1, constraints_func=lambda trial: (float("nan"),)))
        broken.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)


def test_threads() -> None:
    sampler = VboSampler(seed=1)
    study = create(sampler)
    study.optimize(objective, n_trials=40, n_jobs=4)
    assert len({tuple(p.values()) for p in params(study)}) == 40


PROCESS = """
import sys, optuna, vbo
optuna.logging.set_verbosity(optuna.logging.ERROR)
study = optuna.load_study(study_name="shared", storage=sys.argv[1], sampler=vbo.optuna.VboSampler(seed=1))
study.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2, n_trials=8)
print(study.sampler._engine.study.counts.completed)
"""


def test_processes_share_a_database(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path / 'optuna.db'}"
    study = create(VboSampler(seed=1), study_name="shared", storage=storage)
    study.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2, n_trials=2)
    workers = [
        subprocess.Popen([sys.executable, "-c", PROCESS, storage], stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    known = [int(worker.communicate(timeout=120)[0]) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0, 0]
    points = [trial.params["x"] for trial in study.trials]
    assert len(points) == 26
    # The same seed, and yet nobody repeats another; but for an end of the range, which can be the best next point
    # to all who know the same results.
    inside = [x for x in points if abs(x) < 5]
    assert len(set(inside)) == len(inside) > 20
    assert max(known) > 10  # they learn from each other


def test_pickle_and_reseed() -> None:
    sampler = VboSampler(seed=1)
    study = create(sampler)
    study.optimize(objective, n_trials=5)
    again: VboSampler = pickle.loads(pickle.dumps(sampler))
    study.sampler = again
    study.optimize(objective, n_trials=5)
    engine = again._engine
    assert engine is not None and engine.study.counts.completed >= 8
    again.reseed_rng()  # as Optuna does before every trial of n_jobs
    assert again._seed == 1 and again._engine is engine
    again._owner += 1  # as if this were a copy in another process
    again.reseed_rng()
    assert again._seed != 1 and again._engine is None
    study.optimize(objective, n_trials=2)


def engines_of(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[str], int]]:
    """The parameters and the budget of every engine that is made."""
    made: list[tuple[list[str], int]] = []
    make = vbo.optuna._Engine.__init__

    def remember(self: Any, space: Any, limits: int, **options: Any) -> None:
        made.append((list(space), options["budget"]))
        make(self, space, limits, **options)

    monkeypatch.setattr(vbo.optuna._Engine, "__init__", remember)
    return made


def test_threads_go_on_with_one_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    made = engines_of(monkeypatch)
    together = threading.Barrier(4, timeout=20)
    study = create(VboSampler(seed=1))

    def two(trial: optuna.Trial) -> float:
        x, y = trial.suggest_float("x", -5, 5), trial.suggest_float("y", -5, 5)
        together.wait()  # the number of the trial that makes an engine says nothing about the budget
        return x * x + y * y

    study.optimize(two, n_trials=40, n_jobs=4)
    assert 1 <= len(made) <= 2 and {budget for _, budget in made} == {40}  # one while only x is known, at most
    engine = study.sampler._engine  # type: ignore[attr-defined]
    assert engine.study.counts.completed >= 30
    study.optimize(two, n_trials=20, n_jobs=4)
    assert made[-1] == (["x", "y"], 60) and len(made) <= 3


def test_a_second_optimize_has_a_larger_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    made = engines_of(monkeypatch)
    study = create(VboSampler(seed=1))
    for trials in (10, 30, 5):
        study.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2, n_trials=trials)
    assert [budget for _, budget in made] == [10, 40, 45]
    for _ in range(5):  # one by one, without an end in sight
        study.optimize(lambda trial: trial.suggest_float("x", -5, 5) ** 2, n_trials=1)
    assert len(made) == 3
    assert study.sampler._engine.study.counts.completed == 49  # type: ignore[attr-defined]


def test_one_sampler_for_two_studies() -> None:
    sampler = VboSampler(seed=1)
    for low in (0, 100):
        study = create(sampler)
        study.optimize(lambda trial: trial.suggest_float("x", low, low + 1), n_trials=5)
        assert all(low <= p["x"] <= low + 1 for p in params(study))


def test_options_are_checked_at_once() -> None:
    with pytest.raises(vbo.Error, match="did you mean"):
        VboSampler(method="vbp")
    with pytest.raises(vbo.InvalidInput, match="batch: found 0"):
        VboSampler(batch=0)


def test_studies_in_both_directions(tmp_path: Path) -> None:
    space = vbo.Space(
        x=vbo.Float(-5, 5), n=vbo.Int(1, 64, log=True), s=vbo.Float(0, 1, step=0.25), kind=vbo.Choice(["a", 2, True])
    )
    ours = vbo.Study(space, goal="maximize", method="random", name="lab")
    trials = ours.ask(6)
    ours.tell(trials.ids[:3], [1.0, 3.0, 2.0])
    ours.tell(4, error="broke")
    theirs = to_optuna(ours)
    assert theirs.best_value == 3.0 and theirs.best_params == trials.points[1] and theirs.study_name == "lab"
    assert [trial.state.name for trial in theirs.trials] == ["COMPLETE"] * 3 + ["FAIL"] + ["WAITING"] * 2
    assert theirs.trials[3].user_attrs["error"] == "broke"
    theirs.optimize(lambda trial: float(trial.suggest_float("x", -5, 5)), n_trials=1)
    assert theirs.trials[4].params["x"] == trials.points[4]["x"]
    again = from_optuna(to_optuna(ours), storage=tmp_path / "study.db", method="random")
    assert again.space == space and again.goal == "maximize" and again.name == "lab"
    assert [(t.point, t.value) for t in again.trials()] == [(t.point, t.value) for t in ours.trials()[:4]]


def test_what_cannot_be_taken_over() -> None:
    many = optuna.create_study(directions=["minimize"] * 9)
    many.add_trial(optuna.create_trial(values=[1] * 9, params={"k": 1}, distributions={"k": CategoricalDistribution([None, 1])}))
    with pytest.raises(vbo.InvalidInput, match="9 objectives"):
        from_optuna(many)
    with pytest.raises(vbo.InvalidInput, match="no parameters"):
        from_optuna(optuna.create_study())
    none = optuna.create_study()
    none.add_trial(optuna.create_trial(value=1, params={"k": None}, distributions={"k": CategoricalDistribution([None, 1])}))
    assert from_optuna(none).best_params == {"k": None}
    sometimes = optuna.create_study()
    x = {"x": FloatDistribution(0, 1)}
    sometimes.add_trial(optuna.create_trial(value=1, params={"x": 0.5}, distributions=x))
    sometimes.add_trial(optuna.create_trial(value=1, params={"x": 0.5, "y": 1.0}, distributions={**x, "y": x["x"]}))
    with pytest.raises(vbo.InvalidInput, match='"y" of trial 1'):
        from_optuna(sometimes)


def test_the_method_is_auto_with_the_real_budget() -> None:
    sampler = VboSampler(seed=1)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, n_trials=40)
    assert sampler._engine is not None
    assert (sampler._engine.study.method, sampler._engine.study.budget) == ("auto", 40)
    assert "auto chose gp-logei" in sampler._engine.study.log()["message"]
    study.sampler = VboSampler(seed=1)
    study.optimize(lambda trial: trial.suggest_float("x", -1, 1) ** 2, n_trials=400, callbacks=[_stop_at(45)])
    assert study.sampler._engine is not None and study.sampler._engine.study.budget == 440
    alone = VboSampler(seed=1, method="sobol")
    one_by_one = optuna.create_study(sampler=alone)
    for _ in range(3):
        trial = one_by_one.ask()
        one_by_one.tell(trial, trial.suggest_float("x", -1, 1))
    assert alone._engine is not None and alone._engine.study.budget == 1000


def _stop_at(number: int) -> Any:
    def stop(study: optuna.Study, trial: optuna.trial.FrozenTrial) -> None:
        if trial.number >= number:
            study.stop()

    return stop


def test_constraints_are_learned_by_their_amounts() -> None:
    def objective(trial: optuna.Trial) -> float:
        x, y = trial.suggest_float("x", -5, 5), trial.suggest_float("y", -5, 5)
        trial.set_user_attr("c", (2.0 - x, y - 1.0))
        return x * x + y * y

    sampler = VboSampler(seed=1, constraints_func=lambda trial: trial.user_attrs["c"])
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=60)
    assert sampler._engine is not None and len(sampler._engine.study.space.limits) == 2
    best = sampler._engine.study.best
    assert best is not None and best.feasible and best.value is not None and 4.0 <= best.value < 4.5  # at (2, 0)
    assert 4.0 <= study.best_value <= best.value  # the sampler learns of the last trial with the next one


def test_what_goes_to_optuna_comes_back_as_it_was(tmp_path: Path) -> None:
    space = vbo.Space(
        x=vbo.Float(0, 1, step=0.1), width=vbo.Ordinal([16, 32, 64]), kind=vbo.Choice(["a", None, (1, 2)])
    ).limit("mass", at_most=0.5)
    before = vbo.minimize(
        lambda p: {"value": p["x"], "metrics": {"mass": p["x"] * p["width"] / 64}}, space, budget=12, method="random",
        progress=False,
    ).study  # fmt: skip
    made = to_optuna(before, storage=f"sqlite:///{tmp_path / 'optuna.db'}", study_name="there")
    trials = made.get_trials()
    assert all(trial.datetime_start is not None and trial.duration is not None for trial in trials)
    assert [max(trial.constraints.values()) <= 0 for trial in trials] == [trial.feasible for trial in before.trials()]
    after = from_optuna(optuna.load_study(study_name="there", storage=f"sqlite:///{tmp_path / 'optuna.db'}"))
    assert after.space == space and isinstance(after.space["width"], vbo.Ordinal)
    assert after.space["kind"].choices == ("a", None, "(1, 2)")  # type: ignore[union-attr]
    assert {trial["kind"] for trial in after.trials()} == {"a", None, "(1, 2)"} and after.space.limits == space.limits
    assert [t.metrics for t in after.trials()] == [t.metrics for t in before.trials()]
    assert [t.feasible for t in after.trials()] == [t.feasible for t in before.trials()]
    assert after.best_value == before.best_value


def test_constraints_come_from_optuna() -> None:
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    for i in range(6):
        trial = optuna.create_trial(
            value=float(i), params={"x": i / 10}, distributions={"x": FloatDistribution(0, 1)},
            system_attrs={"constraints": [3.0 - i]},
        )  # fmt: skip
        study.add_trial(trial)
    taken = from_optuna(study)
    assert taken.space.limits == [{"metric": "constraint_0", "at_most": 0.0}]
    assert taken.best is not None and taken.best.feasible and taken.best_value == 3.0


def test_steps_times_and_attributes_come_from_optuna_and_go_back(tmp_path: Path) -> None:
    def reports(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        for step in range(3):
            trial.report(x + 2 - step, step)
        trial.set_user_attr("note", f"number {trial.number}")
        return x

    there = optuna.create_study()
    there.optimize(reports, n_trials=4)
    from_optuna(there, storage=tmp_path / "study.db", method="random").close()
    study = vbo.open(tmp_path / "study.db")
    back = to_optuna(study)
    for trial, ours, again in zip(there.trials, study.trials(), back.trials, strict=True):
        assert ours.steps == trial.intermediate_values == again.intermediate_values
        assert ours.user_attrs["note"] == again.user_attrs["note"] == f"number {trial.number}"
        assert (again.datetime_start, again.datetime_complete) == (trial.datetime_start, trial.datetime_complete)


def test_the_dashboard_shows_what_was_written(tmp_path: Path) -> None:
    study = vbo.Study({"x": vbo.Float(0, 1), "kind": vbo.Choice(["a", "b"])}, method="random", name="bench 7")
    trials = study.ask(5)
    study.tell(trials, trials["x"], metrics={"mass": trials["x"]}, user_attrs={"note": "dry"})
    file = tmp_path / "optuna.db"
    to_optuna(study, storage=f"sqlite:///{file}")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    shown = subprocess.Popen(
        [Path(sys.executable).with_name("optuna-dashboard"), f"sqlite:///{file}", "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip

    def fetch(path: str) -> Any:
        until = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=10) as answer:
                    return json.load(answer)
            except urllib.error.URLError:
                assert shown.poll() is None and time.monotonic() < until
                time.sleep(0.1)

    try:
        (summary,) = fetch("api/studies")["study_summaries"]
        assert summary["study_name"] == "bench 7"
        assert len(fetch(f"api/studies/{summary['study_id']}")["trials"]) == 5
    finally:
        shown.kill()
        shown.wait()
