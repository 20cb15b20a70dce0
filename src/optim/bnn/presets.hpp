// SPDX-License-Identifier: MIT
// Named settings of the Bayesian networks: those published for each task by [Li2024] (their
// configuration files), and "auto" for problems nobody has tuned for.
#pragma once

#include <span>

#include "models/hmc/hmc_bnn.hpp"
#include "models/laplace/laplace_bnn.hpp"
#include "models/sghmc/sghmc_bnn.hpp"
#include "optim/options.hpp"

namespace vbo {

enum class BnnPreset {
  automatic,
  branin,
  hartmann6,
  ackley10,
  pde,
  interferometer,
  lunar_lander,
  pest_control
};
std::span<const OptionBinder::Choice<BnnPreset>> bnn_presets();

HmcBnnOptions hmc_preset(BnnPreset preset);
SghmcBnnOptions sghmc_preset(BnnPreset preset);
LaplaceBnnOptions laplace_preset(BnnPreset preset);

}  // namespace vbo
