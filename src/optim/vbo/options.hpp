// SPDX-License-Identifier: MIT
// Settings of the flagship method. Defaults were chosen on the development set; research/log.md
// holds the evidence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "optim/options.hpp"

namespace vbo {

struct VboOptions {
  enum class Aim { best, average };

  std::int64_t design = 0;  // space-filling results before learning; 0 = from the dimension

  // The panel of surrogates.
  std::int64_t critics = 1;      // K networks; more separates noise from ignorance, costs K
  std::int64_t gp_points = 256;  // results the Gaussian process is fitted to; 0 = none
  bool quadratic = true;         // a quadratic model around the best results
  double beta = 0.0;             // information weighs sqrt(beta) in the objective

  // The actors.
  // Generations of the local search on a surrogate, per round, where it ranks new results well.
  std::int64_t model_generations = 16;
  std::int64_t action_batch = 256;  // from this batch on the action-net works; 0 = never

  // The batch.
  Aim aim = Aim::best;            // average: every evaluation counts
  std::int64_t preselection = 8;  // S, proposals scored per suggestion; 1 = plain sampling
  std::int64_t ei_points = 8;     // most suggestions of a round by expected improvement
  double explore =
      0.3;  // share of unselected mutations once the local search is narrow; 0 = one basin only
  std::int64_t runs = 0;  // most restarts; 1 = the first only, 0 = no limit

  // Fixed settings of the networks, not options of the method; tests make them smaller.
  std::int64_t order = 4;                       // F, powers of y in a critic's score
  std::int64_t levels = 32;                     // M; the information estimate cannot exceed ln M
  std::vector<std::int64_t> hidden = {64, 64};  // widths of a critic and of the action-net
  std::int64_t critic_steps = 75;               // K_a, Adam steps per critic and round
  std::int64_t minibatch = 128;                 // results per step
  double critic_rate = 0.005;                   // Adam learning rate
  double uniform_share = 0.25;                  // of a minibatch; the rest comes from the elite
  std::int64_t gp_iterations = 4;               // of the GP's hyper-parameter search per round
  std::int64_t action_steps = 20;               // K_b, Adam steps of the action-net per round
  double action_rate = 0.005;
};
void bind(OptionBinder& binder, VboOptions& options);

// Whether the action-net works in batches of that size in a space of `numeric` numeric coordinates.
bool has_action_net(const VboOptions& options, std::int64_t batch, std::int64_t numeric);

}  // namespace vbo
