# SPDX-License-Identifier: MIT
# %% [markdown]
# # Tuning a scikit-learn model
# A support vector machine on handwritten digits: three parameters, one of them a choice, evaluated in
# parallel. Each `# %%` starts a cell, as editors and Jupyter (with jupytext) understand it; `scripts/render-cells`
# made the page beside this file from it.

# %%
from __future__ import annotations

from typing import Any

from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import vbo

digits, labels = load_digits(return_X_y=True)
digits, labels = digits[:600], labels[:600]
digits.shape

# %% [markdown]
# The function to maximize: the mean accuracy of a three-fold cross-validation. Its spread goes along as a metric.


# %%
def accuracy(p: dict[str, Any]) -> dict[str, Any]:
    model = make_pipeline(StandardScaler(), SVC(C=p["C"], gamma=p["gamma"], kernel=p["kernel"]))
    scores = cross_val_score(model, digits, labels, cv=3)
    return {"value": scores.mean(), "metrics": {"spread": scores.std()}}


space = vbo.Space(
    C=vbo.Float(1e-3, 1e3, log=True),
    gamma=vbo.Float(1e-5, 1.0, log=True),
    kernel=vbo.Choice(["rbf", "poly", "sigmoid"]),
)
accuracy({"C": 1.0, "gamma": 0.01, "kernel": "rbf"})

# %% [markdown]
# 48 evaluations, two at a time.

# %%
best = vbo.maximize(accuracy, space, budget=48, workers=2, seed=1, progress=False)
print(f"{best.value:.4f} with {best.point}")

# %% [markdown]
# What the study looks like in a notebook:

# %%
best.study

# %% [markdown]
# And as a table, when pandas is installed: the best five.

# %%
best.study.to_pandas().sort_values("value", ascending=False).head()[["C", "gamma", "kernel", "value", "metrics.spread"]]
