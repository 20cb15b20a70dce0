# SPDX-License-Identifier: MIT
"""The contenders, each behind the same three calls: tell(points, values), ask(n), name.

All maximize. A point is a dict from parameter name to value; a space is the list of parameters
printed by `vbo bench serve-task NAME --describe`. Every contender is used the way its own
documentation recommends for batches, with its default settings, on one thread.
"""

import importlib
import importlib.metadata
import json
import math
import subprocess
import tempfile


class Unavailable(Exception):
    """The contender cannot take part: not installed, or the space is not one it can search."""


def need(*modules):
    try:
        return [importlib.import_module(name) for name in modules]
    except ImportError as error:
        raise Unavailable(f"not installed: {error.name or error}") from error


def one_thread():
    try:
        importlib.import_module("torch").set_num_threads(1)
    except ImportError:
        pass


class Waiting:
    """What was asked and not told yet, found again by its parameters."""

    def __init__(self):
        self.open = {}

    def add(self, point, what):
        self.open.setdefault(json.dumps(point, sort_keys=True), []).append(what)
        return point

    def take(self, point):
        """None: somebody else's point."""
        found = self.open.get(json.dumps(point, sort_keys=True))
        return found.pop(0) if found else None

    def own(self, point):
        found = self.take(point)
        if found is None:
            raise Unavailable("takes results of its own suggestions alone")
        return found


class Ours:
    """A method of this repository, through `vbo bench serve-method`."""

    wants_own_sign = True  # the server flips the sign of minimization itself

    def __init__(self, program, method, task, seed, batch, budget):
        self.waiting = Waiting()
        self.process = subprocess.Popen(
            [*program, "serve-method", method, task, "--seed", str(seed), "--batch", str(batch),
             "--budget", str(budget)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def call(self, request):
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            raise Unavailable(self.process.stderr.read().strip() or "the method server ended")
        reply = json.loads(line)
        if "error" in reply:
            raise RuntimeError(reply["error"])
        return reply

    def ask(self, n):
        return [self.waiting.add(s["params"], s["id"]) for s in self.call({"ask": n})["suggestions"]]

    def tell(self, points, values):
        results = []
        for point, value in zip(points, values):
            id = self.waiting.take(point)
            results.append({"params": point, "value": value} if id is None
                           else {"id": id, "value": value})
        self.call({"tell": results})


class OptunaContender:
    wants_own_sign = False

    def __init__(self, make_sampler, space, seed):
        optuna, = need("optuna")
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        d = optuna.distributions
        self.optuna = optuna
        self.distributions = {
            p["name"]: d.CategoricalDistribution(p["choices"]) if p["type"] == "categorical"
            else d.IntDistribution(int(p["low"]), int(p["high"]), log=p["log"])
            if p["type"] == "int" else d.FloatDistribution(p["low"], p["high"], log=p["log"])
            for p in space}
        self.study = optuna.create_study(direction="maximize", sampler=make_sampler(optuna, seed))
        self.waiting = Waiting()

    def ask(self, n):
        points = []
        for _ in range(n):
            trial = self.study.ask(self.distributions)
            points.append(self.waiting.add(trial.params, trial))
        return points

    def tell(self, points, values):
        for point, value in zip(points, values):
            trial = self.waiting.take(point)
            if trial is not None:
                self.study.tell(trial, value)
            else:
                self.study.add_trial(self.optuna.trial.create_trial(
                    params=point, distributions=self.distributions, value=value))


def optuna_tpe(space, seed, batch):
    del batch
    # constant_liar: what Optuna's documentation asks for when trials run in parallel.
    return OptunaContender(
        lambda optuna, s: optuna.samplers.TPESampler(seed=s, constant_liar=True), space, seed)


def optuna_gp(space, seed, batch):
    del batch
    need("torch", "scipy")
    return OptunaContender(lambda optuna, s: optuna.samplers.GPSampler(seed=s), space, seed)


def optuna_cmaes(space, seed, batch):
    need("cmaes")
    if any(p["type"] == "categorical" for p in space):
        raise Unavailable("CMA-ES in Optuna has no categorical parameters")
    return OptunaContender(
        lambda optuna, s: optuna.samplers.CmaEsSampler(seed=s, popsize=batch), space, seed)


class BoTorchContender:
    """What the BoTorch contenders share: the unit cube, the data, the exact GP."""

    wants_own_sign = False

    def __init__(self, space, seed, batch, device="cpu"):
        self.torch, = need("torch")
        need("botorch", "gpytorch")
        if any(p["type"] != "float" for p in space):
            raise Unavailable("real parameters only")
        self.space, self.batch, self.seed = space, batch, seed
        self.torch.manual_seed(seed)
        self.kind = {"dtype": self.torch.float64, "device": self.torch.device(device)}
        self.X = self.torch.empty((0, len(space)), **self.kind)
        self.Y = self.torch.empty((0, 1), **self.kind)
        self.sobol = self.torch.quasirandom.SobolEngine(len(space), scramble=True, seed=seed)

    @staticmethod
    def to_unit(p, value):
        if p["log"]:
            return math.log(value / p["low"]) / math.log(p["high"] / p["low"])
        return (value - p["low"]) / (p["high"] - p["low"])

    @staticmethod
    def from_unit(p, u):
        u = min(1.0, max(0.0, u))
        if p["log"]:
            return p["low"] * (p["high"] / p["low"]) ** u
        return p["low"] + u * (p["high"] - p["low"])

    def points(self, U):
        return [{p["name"]: self.from_unit(p, u) for p, u in zip(self.space, row)}
                for row in U.tolist()]

    def tell(self, points, values):
        rows = [[self.to_unit(p, point[p["name"]]) for p in self.space] for point in points]
        self.X = self.torch.cat([self.X, self.torch.tensor(rows, **self.kind)])
        self.Y = self.torch.cat([self.Y, self.torch.tensor(values, **self.kind)[:, None]])

    def initial(self, n):
        return self.points(self.sobol.draw(n).to(**self.kind))


class BoTorchLogEI(BoTorchContender):
    """SingleTaskGP, qLogNoisyExpectedImprovement, sequential greedy optimization of the batch."""

    def ask(self, n):
        if len(self.X) == 0:
            return self.initial(n)
        from botorch.acquisition.logei import qLogNoisyExpectedImprovement
        from botorch.fit import fit_gpytorch_mll
        from botorch.models import SingleTaskGP
        from botorch.models.transforms.outcome import Standardize
        from botorch.optim import optimize_acqf
        from gpytorch.mlls import ExactMarginalLogLikelihood
        model = SingleTaskGP(self.X, self.Y, outcome_transform=Standardize(m=1))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        acquisition = qLogNoisyExpectedImprovement(model, X_baseline=self.X, prune_baseline=True)
        bounds = self.torch.tensor([[0.0] * len(self.space), [1.0] * len(self.space)], **self.kind)
        candidates, _ = optimize_acqf(acquisition, bounds=bounds, q=n, num_restarts=10,
                                      raw_samples=512, sequential=True)
        return self.points(candidates)


class BoTorchTurbo(BoTorchContender):
    """TuRBO-1 (Eriksson et al. 2019): Thompson sampling inside a trust region of a GP.

    Constants of BoTorch's tutorial: side length 0.8 at first, doubled after 10 successes in a row
    (3 in the paper), halved after ceil(max(4/q, D/q)) failures, restart below 2^-7; a coordinate is
    perturbed with probability min(1, 20/D); min(5000, 200 D), at least 2000, candidates. The
    tutorial ends at the first restart; here a new region begins.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.restart()

    def restart(self):
        self.length, self.successes, self.failures = 0.8, 0, 0
        self.first = len(self.X)  # data of earlier trust regions is not used
        self.asked_model = False

    def tell(self, points, values):
        before = self.Y[self.first:].max().item() if len(self.Y) > self.first else -math.inf
        super().tell(points, values)
        if not self.asked_model:
            return
        if max(values) > before + 1e-3 * abs(before):
            self.successes, self.failures = self.successes + 1, 0
        else:
            self.successes, self.failures = 0, self.failures + 1
        D = len(self.space)
        if self.successes == 10:
            self.length, self.successes = min(1.6, 2 * self.length), 0
        if self.failures == math.ceil(max(4.0 / self.batch, D / self.batch)):
            self.length, self.failures = self.length / 2, 0
        if self.length < 0.5 ** 7:
            self.restart()

    def ask(self, n):
        X, Y = self.X[self.first:], self.Y[self.first:]
        D = len(self.space)
        if len(X) < max(self.batch, 2 * D):
            return self.initial(n)
        self.asked_model = True
        import gpytorch
        from botorch.fit import fit_gpytorch_mll
        from botorch.generation import MaxPosteriorSampling
        from botorch.models import SingleTaskGP
        from gpytorch.constraints import Interval
        from gpytorch.kernels import MaternKernel, ScaleKernel
        from gpytorch.likelihoods import GaussianLikelihood
        from gpytorch.mlls import ExactMarginalLogLikelihood
        torch = self.torch
        standard = (Y - Y.mean()) / Y.std().clamp_min(1e-12)
        model = SingleTaskGP(
            X, standard,
            covar_module=ScaleKernel(MaternKernel(nu=2.5, ard_num_dims=D,
                                                  lengthscale_constraint=Interval(0.005, 4.0))),
            likelihood=GaussianLikelihood(noise_constraint=Interval(1e-8, 1e-3)))
        with gpytorch.settings.max_cholesky_size(10_000):
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
            centre = X[Y.argmax()]
            weights = model.covar_module.base_kernel.lengthscale.squeeze().detach()
            weights = weights / weights.mean()
            weights = weights / torch.prod(weights.pow(1.0 / D))
            low = (centre - weights * self.length / 2).clamp(0, 1)
            high = (centre + weights * self.length / 2).clamp(0, 1)
            count = min(5000, max(2000, 200 * D))
            candidates = low + (high - low) * self.sobol.draw(count).to(**self.kind)
            mask = torch.rand(count, D, **self.kind) <= min(1.0, 20.0 / D)
            empty = (~mask.any(dim=1)).nonzero().flatten()
            mask[empty, torch.randint(0, D, (len(empty),), device=mask.device)] = True
            candidates = torch.where(mask, candidates, centre.expand(count, D))
            with torch.no_grad():
                chosen = MaxPosteriorSampling(model=model, replacement=False)(candidates,
                                                                              num_samples=n)
        return self.points(chosen)


def plain(p, value):
    """Of whatever type of number the library has: a value of this parameter that JSON knows."""
    if p["type"] == "categorical":
        return next(c for c in p["choices"] if c == value)
    return int(value) if p["type"] == "int" else float(value)


class Hebo:
    """HEBO (Cowen-Rivers et al. 2022), winner of the black-box challenge of NeurIPS 2020."""

    wants_own_sign = False

    def __init__(self, space, seed, batch):
        del batch
        self.numpy, torch = need("numpy", "torch")
        need("hebo")
        from hebo.design_space.design_space import DesignSpace
        from hebo.optimizers.hebo import HEBO
        self.numpy.random.seed(seed)
        torch.manual_seed(seed)
        self.space = space

        def described(p):
            if p["type"] == "categorical":
                return {"name": p["name"], "type": "cat", "categories": p["choices"]}
            kinds = {"int": "pow_int" if p["log"] else "int", "float": "pow" if p["log"] else "num"}
            return {"name": p["name"], "type": kinds[p["type"]], "lb": p["low"], "ub": p["high"]}

        self.optimizer = HEBO(DesignSpace().parse([described(p) for p in space]), scramble_seed=seed)
        self.waiting = Waiting()

    def ask(self, n):
        rows = self.optimizer.suggest(n_suggestions=n)
        points = []
        for i in range(len(rows)):
            point = {p["name"]: plain(p, rows.iloc[i][p["name"]]) for p in self.space}
            points.append(self.waiting.add(point, rows.iloc[[i]]))
        return points

    def tell(self, points, values):
        pandas, = need("pandas")
        rows = pandas.concat([self.waiting.own(point) for point in points])
        self.optimizer.observe(rows, -self.numpy.asarray(values, dtype=float)[:, None])


class Smac:
    """SMAC3 (Lindauer et al. 2022): its facade with a Gaussian process for real parameters
    ("black box"), the one with a random forest for everything ("hyperparameters")."""

    wants_own_sign = False

    def __init__(self, facade, space, seed):
        need("smac", "ConfigSpace")
        import ConfigSpace
        import smac
        from smac.runhistory.dataclasses import TrialValue
        self.trial_value, self.space = TrialValue, space

        def described(p):
            if p["type"] == "categorical":
                return ConfigSpace.CategoricalHyperparameter(p["name"], p["choices"])
            if p["type"] == "int":
                return ConfigSpace.UniformIntegerHyperparameter(p["name"], int(p["low"]),
                                                                int(p["high"]), log=p["log"])
            return ConfigSpace.UniformFloatHyperparameter(p["name"], p["low"], p["high"],
                                                          log=p["log"])

        searched = ConfigSpace.ConfigurationSpace(seed=seed)
        searched.add([described(p) for p in space])
        self.folder = tempfile.TemporaryDirectory()  # it writes its history whether asked or not
        scenario = smac.Scenario(searched, deterministic=True, n_trials=1_000_000, seed=seed,
                                 output_directory=self.folder.name)
        kind = getattr(smac, facade)
        self.optimizer = kind(scenario, lambda config, seed=0: 0.0, logging_level=False, overwrite=True,
                              initial_design=kind.get_initial_design(scenario, n_configs=None),
                              intensifier=kind.get_intensifier(scenario, max_config_calls=1))
        self.waiting = Waiting()

    def ask(self, n):
        points = []
        for _ in range(n):
            trial = self.optimizer.ask()
            point = {p["name"]: plain(p, trial.config[p["name"]]) for p in self.space}
            points.append(self.waiting.add(point, trial))
        return points

    def tell(self, points, values):
        for point, value in zip(points, values):
            self.optimizer.tell(self.waiting.own(point), self.trial_value(cost=-value, time=0.0),
                                save=False)


def smac_gp(space, seed, batch):
    del batch
    if any(p["type"] != "float" for p in space):
        raise Unavailable("SMAC's Gaussian process is its recommendation for real parameters only")
    return Smac("BlackBoxFacade", space, seed)


def smac_rf(space, seed, batch):
    del batch
    return Smac("HyperparameterOptimizationFacade", space, seed)


class Vizier:
    """GP-UCB-PE (Song et al. 2024), the default algorithm of Vizier's service, with its defaults and
    in double precision as there. Two things differ, which change rounding alone: its inputs are
    padded to powers of two, an option of its own, and its search of the acquisition function is made
    once. Otherwise every suggestion is compiled anew, 7 s each."""

    wants_own_sign = False

    def __init__(self, space, seed, batch):
        del batch
        jax, _ = need("jax", "vizier")
        jax.config.update("jax_enable_x64", True)
        # Imported as the service imports it: the public name loads every designer and what they need.
        from vizier import algorithms, pyvizier
        from vizier._src.algorithms.designers.gp_ucb_pe import VizierGPUCBPEBandit
        from vizier.pyvizier.converters import padding
        self.algorithms, self.vizier, self.space, self.told = algorithms, pyvizier, space, 0
        problem = pyvizier.ProblemStatement()
        problem.metric_information.append(pyvizier.MetricInformation(
            name="value", goal=pyvizier.ObjectiveMetricGoal.MAXIMIZE))
        root = problem.search_space.root
        for p in space:
            scale = {"scale_type": pyvizier.ScaleType.LOG if p.get("log") else pyvizier.ScaleType.LINEAR}
            if p["type"] == "categorical":
                root.add_categorical_param(p["name"], p["choices"])
            elif p["type"] == "int":
                root.add_int_param(p["name"], int(p["low"]), int(p["high"]), **scale)
            else:
                root.add_float_param(p["name"], p["low"], p["high"], **scale)

        def searcher(converter):
            key = json.dumps(space)
            if key not in Vizier.searchers:
                Vizier.searchers[key] = VizierGPUCBPEBandit.default_acquisition_optimizer_factory(converter)
            return Vizier.searchers[key]

        self.designer = VizierGPUCBPEBandit(
            problem, rng=jax.random.PRNGKey(seed), acquisition_optimizer_factory=searcher,
            padding_schedule=padding.PaddingSchedule(num_trials=padding.PaddingType.POWERS_OF_2))

    searchers = {}

    def ask(self, n):
        return [{p["name"]: plain(p, s.parameters.get_value(p["name"])) for p in self.space}
                for s in self.designer.suggest(n)]

    def tell(self, points, values):
        trials = []
        for point, value in zip(points, values):
            self.told += 1
            trials.append(self.vizier.Trial(id=self.told, parameters=point).complete(
                self.vizier.Measurement(metrics={"value": value})))
        self.designer.update(self.algorithms.CompletedTrials(trials), self.algorithms.ActiveTrials([]))


PEERS = {
    "optuna-cmaes": optuna_cmaes,
    "optuna-tpe": optuna_tpe,
    "botorch-turbo": BoTorchTurbo,
    "botorch-qlogei": BoTorchLogEI,
    "optuna-gp": optuna_gp,
    "smac-rf": smac_rf,
    "smac-gp": smac_gp,
    "hebo": Hebo,
    "vizier": Vizier,
}  # the quickest first


def versions():
    """Of what is installed; nothing is imported for it."""
    found = {}
    for name in ("optuna", "cmaes", "torch", "botorch", "gpytorch", "scipy", "numpy", "smac", "HEBO",
                 "google-vizier", "jax"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return found
