# SPDX-License-Identifier: MIT
"""The Optuna study you already have, with another sampler."""

from __future__ import annotations

import optuna

import vbo.optuna


def objective(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", -5, 10)
    layers = trial.suggest_int("layers", 1, 512, log=True)
    solver = trial.suggest_categorical("solver", ["adam", "sgd", None])
    loss = (x - 2) ** 2 + abs(layers - 64) / 64 + (0.0 if solver == "adam" else 1.0)
    if solver is not None:  # a parameter that is not always there
        loss += (trial.suggest_float("momentum", 0, 1) - 0.9) ** 2
    return loss


optuna.logging.set_verbosity(optuna.logging.WARNING)
study = optuna.create_study(sampler=vbo.optuna.VboSampler(seed=1))
study.enqueue_trial({"x": 0.0, "layers": 128, "solver": "adam", "momentum": 0.5})  # what we have been using
study.optimize(objective, n_trials=60)
print(f"best {study.best_value:.4f} with {study.best_params}")
