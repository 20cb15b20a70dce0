# SPDX-License-Identifier: MIT
"""`vbo export`, read by the programs it is for."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import vbo

# MLflow asks for this before it reads files rather than a database.
os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"


@pytest.fixture
def study(tmp_path: Path, space: vbo.Space) -> vbo.Study:
    """In study.db: completed, failed and open trials, metrics, steps, attributes."""
    study = vbo.Study(space.limit("mass", at_most=2), goal="maximize", method="random", storage=tmp_path / "study.db", name="beam 3")
    trials = study.ask(6)
    study.tell(trials[:4], [1.0, 4.0, -2.5, 3.0], metrics={"mass": [1.0, 2.0, 3.0, 0.5]}, user_attrs={"note": "dry"}, seconds=2.0)
    study.tell(5, error="the beam broke", seconds=1.0)
    study.add(trials[0].point, 7.0, metrics={"mass": 1.5}, steps=[{1: 5.0, 4: 6.0}], seconds=3.0)
    study.close()
    return vbo.open(tmp_path / "study.db")


def test_csv_is_what_trials_prints(study: vbo.Study, command: Callable[..., Any], tmp_path: Path) -> None:
    command("export", "study.db", "--csv", "table.csv")
    assert (tmp_path / "table.csv").read_bytes().decode() == command("trials", "study.db").replace("\n", "\r\n")
    with (tmp_path / "table.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [row["state"] for row in rows] == ["completed"] * 4 + ["failed", "waiting", "completed"]


def test_parquet(study: vbo.Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Callable[..., Any]) -> None:
    from pyarrow import parquet

    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    command("export", "study.db", "--parquet", "table.parquet")
    table = parquet.read_table(tmp_path / "table.parquet")
    assert table.num_rows == 7
    for trial, row in zip(study.trials(), table.to_pylist()):
        assert row["x"] == trial.point["x"] and row["value"] == trial.value and row["metrics.mass"] == trial.metrics.get("mass")
    study.to_parquet(tmp_path / "own.parquet")
    own = parquet.read_table(tmp_path / "own.parquet").to_pylist()
    assert [row["value"] for row in own] == [trial.value for trial in study.trials()]
    assert [row["user_attrs.note"] for row in own] == [trial.user_attrs.get("note") for trial in study.trials()]


def test_mlflow(study: vbo.Study, command: Callable[..., Any], tmp_path: Path) -> None:
    from mlflow.tracking import MlflowClient

    command("export", "study.db", "--mlflow", "mlruns")
    client = MlflowClient(tracking_uri=(tmp_path / "mlruns").as_uri())
    experiment = client.get_experiment_by_name("beam 3")
    assert experiment is not None
    runs = {run.data.tags["vbo.id"]: run for run in client.search_runs([experiment.experiment_id])}
    ended = [trial for trial in study.trials() if trial.state in ("completed", "failed")]
    assert sorted(runs) == sorted(str(trial.id) for trial in ended)
    for trial in ended:
        run = runs[str(trial.id)]
        assert run.info.status == ("FINISHED" if trial.value is not None else "FAILED")
        assert run.info.run_name == f"trial {trial.id}"
        assert float(run.data.params["x"]) == trial.point["x"] and run.data.params["kind"] == trial.point["kind"]
        assert run.data.metrics.get("value") == trial.value and run.data.metrics.get("metrics.mass") == trial.metrics.get("mass")
        assert run.info.end_time - run.info.start_time == round(1000 * trial.seconds)
    history = client.get_metric_history(runs["7"].info.run_id, "value")
    assert [(entry.step, entry.value) for entry in history] == [(1, 5.0), (4, 6.0), (5, 7.0)]
    assert client.search_runs([experiment.experiment_id], order_by=["metrics.value DESC"])[0].data.tags["vbo.id"] == "7"
    assert "the beam broke" in runs["5"].data.tags["vbo.error"]


def test_tensorboard(study: vbo.Study, command: Callable[..., Any], tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_multiplexer import EventMultiplexer
    from tensorboard.plugins.hparams import plugin_data_pb2

    command("export", "study.db", "--tensorboard", "logs")
    read = EventMultiplexer().AddRunsFromDirectory(str(tmp_path / "logs"))
    read.Reload()
    completed = [trial for trial in study.trials() if trial.state == "completed"]
    values = read.Scalars("beam 3", "value")
    assert [(event.step, event.value) for event in values] == [(trial.id, trial.value) for trial in completed]
    assert [event.value for event in read.Scalars("beam 3", "best")] == [1.0, 4.0, 4.0, 4.0, 7.0]
    assert [event.value for event in read.Scalars("beam 3", "metrics/mass")] == [trial.metrics["mass"] for trial in completed]
    assert [(e.step, e.value) for e in read.Scalars("beam 3/trial_7", "value")] == [(1, 5.0), (4, 6.0), (5, 7.0)]
    for trial in study.trials():
        if trial.state == "waiting":
            assert f"beam 3/trial_{trial.id}" not in read.Runs()
            continue
        content = read.SummaryMetadata(f"beam 3/trial_{trial.id}", "_hparams_/session_start_info").plugin_data.content
        start = plugin_data_pb2.HParamsPluginData.FromString(content).session_start_info
        assert start.hparams["x"].number_value == trial.point["x"] and start.hparams["kind"].string_value == trial.point["kind"]
        content = read.SummaryMetadata(f"beam 3/trial_{trial.id}", "_hparams_/session_end_info").plugin_data.content
        end = plugin_data_pb2.HParamsPluginData.FromString(content).session_end_info
        assert end.status == (2 if trial.state == "failed" else 1)


def test_optuna(study: vbo.Study, command: Callable[..., Any], tmp_path: Path) -> None:
    import optuna

    command("export", "study.db", "--optuna", "optuna.db")
    there = optuna.load_study(study_name="beam 3", storage=f"sqlite:///{tmp_path / 'optuna.db'}")
    expected = vbo.to_optuna(study)
    assert there.direction == expected.direction and there.best_value == 7.0
    assert len(there.trials) == len(expected.trials) == 7
    for found, wanted in zip(there.trials, expected.trials):
        assert (found.state, found.params, found.values) == (wanted.state, wanted.params, wanted.values)
        assert found.distributions == wanted.distributions and found.intermediate_values == wanted.intermediate_values
        assert found.user_attrs == wanted.user_attrs and found.constraints == wanted.constraints
    back = vbo.from_optuna(there)
    assert back.space == study.space
    there.optimize(lambda trial: trial.suggest_float("x", -5, 10), n_trials=1)  # Optuna goes on with it
    assert there.trials[5].state == optuna.trial.TrialState.COMPLETE and there.trials[5].params["x"] == study.trials()[5].point["x"]


def test_several_objectives_and_what_exists(tmp_path: Path, command: Callable[..., Any]) -> None:
    import optuna

    goals: dict[str, Any] = {"error": "minimize", "speed": "maximize"}
    study = vbo.Study({"x": vbo.Float(0, 1)}, goals=goals, method="random", storage=tmp_path / "study.db", name="two")
    study.tell(study.ask(2), {"error": [1.0, 2.0], "speed": [3.0, 4.0]})
    study.close()
    command("export", "study.db", "--optuna", "optuna.db", "--mlflow", "mlruns", "--tensorboard", "logs")
    there = optuna.load_study(study_name="two", storage=f"sqlite:///{tmp_path / 'optuna.db'}")
    assert there.metric_names == ["error", "speed"] and [trial.values for trial in there.trials] == [[1.0, 3.0], [2.0, 4.0]]
    for option, name in (("--optuna", "optuna.db"), ("--mlflow", "mlruns"), ("--tensorboard", "logs")):
        done = subprocess.run([os.environ["VBO"], "export", "study.db", option, name], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode != 0 and "exists already" in done.stderr
    done = subprocess.run([os.environ["VBO"], "export", "study.db"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and "nothing to write" in done.stderr
