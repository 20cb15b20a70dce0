# SPDX-License-Identifier: MIT
"""Repeats, seeds, standard errors and what is recommended under noise."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vbo

SPACE = {"x": vbo.Float(-1, 1), "n": vbo.Int(1, 9)}


def seeded(point: dict[str, Any], seed: int) -> float:
    return float(point["x"] ** 2 + 0.2 * np.random.default_rng(seed).normal())


@pytest.mark.parametrize("workers", [1, 3])
def test_points_are_evaluated_so_many_times_with_other_seeds(workers: int) -> None:
    study = vbo.minimize(seeded, SPACE, budget=24, repeats=4, workers=workers, method="random", progress=False).study
    trials = study.trials()
    assert len(trials) == 24
    for first in range(0, 24, 4):
        same = trials[first : first + 4]
        assert [trial.repeat for trial in same] == [1, 2, 3, 4]
        assert [trial.repeat_of for trial in same] == [None] + [same[0].id] * 3
        assert len({tuple(trial.point.values()) for trial in same}) == 1
        assert len({trial.value for trial in same}) == 4
    columns = study.columns()
    assert list(columns["repeat"][:5]) == [1, 2, 3, 4, 1] and list(columns["repeat_of"][:3]) == [0, 1, 1]


def test_the_seed_depends_on_study_and_trial_alone() -> None:
    def seeds(**options: Any) -> list[int]:
        seen: list[int] = []

        def function(point: dict[str, Any], *, seed: int) -> float:
            seen.append(seed)
            return 1.0

        vbo.minimize(function, SPACE, budget=6, method="random", progress=False, **options)
        return seen

    assert seeds(seed=3) == seeds(seed=3, workers=1) != seeds(seed=4)
    assert len(set(seeds(seed=3))) == 6 and all(0 <= seed < 2**31 for seed in seeds(seed=3))


def test_a_seed_for_processes_and_coroutines() -> None:
    assert vbo.minimize(seeded, SPACE, budget=4, processes=True, workers=2, method="random", progress=False).value is not None

    async def function(point: dict[str, Any], seed: int) -> float:
        return seeded(point, seed)

    assert asyncio.run(vbo.aminimize(function, SPACE, budget=4, method="random", progress=False)).value is not None


def test_a_function_without_seed_is_called_as_ever() -> None:
    assert vbo.minimize(lambda seed: seed["x"], SPACE, budget=2, method="random", progress=False).value is not None


def test_another_number_of_repeats_is_a_conflict(tmp_path: Path) -> None:
    storage = tmp_path / "study.db"
    vbo.Study(SPACE, storage=storage, repeats=3).close()
    vbo.Study(SPACE, storage=storage).close()  # a stored study keeps its own
    with pytest.raises(vbo.Conflict, match="repeats: stored 3, given 2"):
        vbo.Study(SPACE, storage=storage, repeats=2)
    with pytest.raises(vbo.InvalidInput, match="repeats"):
        vbo.Study(SPACE, repeats=0)


def test_auto_repeats_leading_points_under_noise() -> None:
    study = vbo.minimize(seeded, SPACE, budget=120, repeats="auto", method="sobol", progress=False).study
    assert len([trial for trial in study.trials() if trial.repeat_of]) > 5
    with pytest.raises(vbo.InvalidInput, match="repeats"):
        vbo.Study(SPACE, repeats="often")  # type: ignore[arg-type]
    with pytest.raises(vbo.InvalidInput, match="one objective"):
        vbo.Study(SPACE, goals={"a": "minimize", "b": "minimize"}, repeats="auto")


def test_standard_errors_are_kept() -> None:
    study = vbo.Study(SPACE, method="random")
    trials = study.ask(3)
    study.tell(trials.ids[:2], [1.0, 2.0], sem=[0.5, 0.25])
    study.tell(3, 1.0)
    study.add({"x": [0.5], "n": [2]}, [1.0], sem=0.125)
    assert [trial.sem for trial in study.trials()] == [0.5, 0.25, None, 0.125]
    with pytest.raises(vbo.InvalidInput, match="sem"):
        study.tell(study.ask(1), [1.0], sem=-1.0)


def test_a_function_may_return_its_standard_error() -> None:
    study = vbo.minimize(lambda p: {"value": p["x"], "sem": 0.5}, SPACE, budget=3, method="random", progress=False).study
    assert [trial.sem for trial in study.trials()] == [0.5] * 3
    with pytest.raises(vbo.InvalidInput, match="sem"):
        vbo.minimize(lambda p: {"value": p["x"], "sem": -0.5}, SPACE, budget=3, method="random", progress=False)


def test_what_is_recommended_without_noise_is_the_best() -> None:
    study = vbo.minimize(lambda p: p["x"] ** 2 + p["n"], SPACE, budget=50, method="sobol", progress=False).study
    found = study.recommended
    assert found is not None and found.noise == "none" and found.low is None
    assert found.trial == study.best and found.mean == found.value == study.best_value


def test_what_is_recommended_under_noise_has_an_interval() -> None:
    study = vbo.minimize(seeded, {"x": vbo.Float(-1, 1)}, budget=60, method="sobol", progress=False).study
    found = study.recommended
    assert found is not None and found.noise == "present"
    assert found.low is not None and found.high is not None and found.low < found.mean < found.high
    assert found.chance is not None and 0 < found.chance < 1
    assert found.deviation is not None and 0.1 < found.deviation < 0.3
    lucky = min(trial.value for trial in study.trials() if trial.value is not None)
    assert study.best == found.trial and study.best_value == found.mean > lucky
    assert study.best_params == found.trial.point
    assert f"{found.mean:.6g}, 90% interval" in study._repr_html_()


def test_the_result_of_a_noisy_function_is_its_estimate(capsys: pytest.CaptureFixture[str]) -> None:
    result = vbo.minimize(seeded, {"x": vbo.Float(-1, 1)}, budget=60, method="sobol", progress=True)
    found = result.recommended
    assert found is not None and found.low is not None
    assert (result.value, result.trial, result.point) == (found.mean, found.trial, found.trial.point)
    assert f"best estimate {found.mean:.6g}" in capsys.readouterr().err.splitlines()[-1]


def test_optuna_trials_with_the_same_parameters_are_repeats() -> None:
    import optuna

    from vbo.optuna import VboSampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = VboSampler(seed=1, method="random")
    study = optuna.create_study(sampler=sampler)
    for _ in range(3):
        study.enqueue_trial({"x": 0.5})
    rng = np.random.default_rng(1)
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) + rng.normal(), n_trials=8)
    known = [trial for trial in sampler._engine.study.trials() if trial["x"] == 0.5]
    assert [trial.repeat for trial in known] == [1, 2, 3]
    assert [trial.repeat_of for trial in known] == [None, known[0].id, known[0].id]


def noisy_choice(point: dict[str, Any], seed: int) -> float:
    return float(abs(point["n"] - 2) + 0.5 * np.random.default_rng(seed).normal())


@pytest.mark.parametrize("run", [{}, {"workers": 4}, {"workers": 2, "processes": True}, {"method": "vbo", "batch": 8}])
def test_a_small_space_is_sampled_again_where_there_is_noise(run: dict[str, Any]) -> None:
    best = vbo.minimize(noisy_choice, {"n": vbo.Int(0, 5)}, budget=48, progress=False, **run)
    trials = best.study.trials()
    assert best.ended == "budget_spent" and len(trials) == 48
    assert {trial["n"] for trial in trials[:6]} == {0, 1, 2, 3, 4, 5}
    assert best["n"] == 2 and sum(trial["n"] == 2 for trial in trials) > 8
    assert sum(trial["n"] == 5 for trial in trials) < 8  # six times the noise away from the best
    again = [trial for trial in trials if trial.repeat_of]
    assert len(again) == 42 and all(trial.point == trials[trial.repeat_of - 1].point for trial in again if trial.repeat_of)


def test_a_small_space_ends_where_there_is_no_noise() -> None:
    best = vbo.minimize(lambda p: (p["n"] - 2.2) ** 2, {"n": vbo.Int(0, 5)}, budget=48, workers=3, progress=False)
    assert best.ended == "space_exhausted" and best["n"] == 2
    assert [trial["n"] for trial in best.study.trials()[6:]] == [2]  # once more, to know
    assert vbo.minimize(lambda p: 1.0 * p["n"], {"n": vbo.Int(0, 5)}, budget=6, progress=False).ended == "budget_spent"


def test_coroutines_and_whole_batches_sample_again() -> None:
    async def function(point: dict[str, Any], seed: int) -> float:
        return noisy_choice(point, seed)

    found = asyncio.run(vbo.aminimize(function, {"n": vbo.Int(0, 5)}, budget=20, progress=False))
    assert found.ended == "budget_spent" and found.study.counts.completed == 20
    random = np.random.default_rng(1)
    batches = vbo.minimize(lambda t: random.normal(size=len(t)), {"n": vbo.Int(0, 5)}, budget=20, batch=8, batch_function=True, progress=False)
    assert batches.ended == "budget_spent" and batches.study.counts.completed == 20


def test_asking_waits_for_results_that_may_differ() -> None:
    study = vbo.Study({"n": vbo.Int(0, 2)}, budget=9, method="random")
    first = study.ask(8)
    assert len(first) == 3
    with pytest.raises(vbo.Unsupported, match="tell the results of the 3 that are open"):
        study.ask()
    study.tell(first, [1.0, 2.0, 3.0])
    again = study.ask()
    study.tell(again, 1.5)
    assert again.point == first[0].point and len(study.ask(8)) == 5
