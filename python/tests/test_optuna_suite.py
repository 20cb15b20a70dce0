# SPDX-License-Identifier: MIT
"""Optuna's own tests of samplers, as its documentation asks third-party samplers to run them."""

from __future__ import annotations

from collections.abc import Callable

import optuna
import pytest
from optuna.samplers import BaseSampler
from optuna.testing.pytest_samplers import BasicSamplerTestCase, MultiObjectiveSamplerTestCase, RelativeSamplerTestCase

import vbo.optuna

optuna.logging.set_verbosity(optuna.logging.ERROR)


class TestVboSampler(BasicSamplerTestCase, RelativeSamplerTestCase, MultiObjectiveSamplerTestCase):
    @pytest.fixture
    def sampler(self) -> Callable[[], BaseSampler]:
        return lambda: vbo.optuna.VboSampler(seed=1, threads=1)
