// SPDX-License-Identifier: MIT
// Named settings of the Bayesian networks: those published for each task by [Li2024] (their
// configuration files), and "auto" for problems nobody has tuned for.
#pragma once

#include <span>
#include <string_view>

#include "models/hmc/hmc_bnn.hpp"
#include "models/laplace/laplace_bnn.hpp"
#include "models/sghmc/sghmc_bnn.hpp"

namespace vbo {

// auto, branin, hartmann6, ackley10, pde, interferometer, lunar-lander, pest-control
std::span<const std::string_view> bnn_presets();

// REQUIRES: one of bnn_presets().
HmcBnnOptions hmc_preset(std::string_view name);
SghmcBnnOptions sghmc_preset(std::string_view name);
LaplaceBnnOptions laplace_preset(std::string_view name);

}  // namespace vbo
