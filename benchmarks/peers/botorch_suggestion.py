# SPDX-License-Identifier: MIT
"""One suggestion with BoTorch, on the data and in the format of gp_suggestion.

botorch_suggestion.py DATA.csv [N] [REPEATS]: fits SingleTaskGP (standardized outcomes) by
fit_gpytorch_mll from scratch, maximizes LogExpectedImprovement with optimize_acqf (4 restarts, 256
raw samples), and prints one JSON object with seconds and log likelihood.
"""
import csv
import json
import math
import sys
import time
import warnings

import torch
from botorch.acquisition import LogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood

warnings.filterwarnings("ignore")
torch.set_default_dtype(torch.float64)


def read(path, n):
    with open(path, newline="") as file:
        rows = [[float(v) for v in row] for row in csv.reader(file) if row][:n]
    data = torch.tensor(rows)
    return data[:, :-1], data[:, -1:]


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: botorch_suggestion.py DATA.csv [N] [REPEATS]")
    X, y = read(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10**9)
    repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    z = (y - y.mean()) / y.std()
    bounds = torch.stack([torch.zeros(X.shape[1]), torch.ones(X.shape[1])])
    seconds, fits = [], []
    for repeat in range(repeats):
        torch.manual_seed(repeat)
        start = time.perf_counter()
        try:  # outcomes are standardized above; newer versions would do it a second time
            model = SingleTaskGP(X, z, outcome_transform=None)
        except TypeError:
            model = SingleTaskGP(X, z)
        mll = ExactMarginalLogLikelihood(model.likelihood, model)
        fit_gpytorch_mll(mll)
        fits.append(time.perf_counter() - start)
        acquisition = LogExpectedImprovement(model, best_f=z.max())
        _, value = optimize_acqf(acquisition, bounds, q=1, num_restarts=4, raw_samples=256)
        seconds.append(time.perf_counter() - start)

    # The log density of the data itself, without priors and not divided by n.
    model.train()
    with torch.no_grad():
        output = model(*model.train_inputs)
        noisy = model.likelihood(output, *model.train_inputs)
        covariance = noisy.covariance_matrix
        residual = (z.squeeze(-1) - noisy.mean).unsqueeze(-1)
        L = torch.linalg.cholesky(covariance)
        alpha = torch.cholesky_solve(residual, L)
        log_likelihood = float(
            -0.5 * (residual * alpha).sum()
            - L.diagonal().log().sum()
            - 0.5 * len(z) * math.log(2 * math.pi)
        )
    kernel = getattr(model.covar_module, "base_kernel", model.covar_module)
    import botorch

    print(
        json.dumps(
            {
                "library": f"botorch {botorch.__version__}",
                "n": len(X),
                "dimensions": X.shape[1],
                "kernel": type(kernel).__name__,
                "seconds": sorted(seconds)[len(seconds) // 2],
                "seconds_fit": sorted(fits)[len(fits) // 2],
                "log_likelihood": log_likelihood,
                "lengthscales": kernel.lengthscale.detach().flatten().tolist(),
                "noise": float(model.likelihood.noise.detach()),
                "log_ei": float(value),
                "threads": torch.get_num_threads(),
            }
        )
    )


if __name__ == "__main__":
    main()
