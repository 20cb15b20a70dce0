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
  std::string effort = "default";  // low | default | high: scales critics, steps and preselection

  // Critics: K networks over M outcome levels.
  std::int64_t critics = 4;                     // K; more separates noise from ignorance, costs K
  std::int64_t order = 4;                       // F, powers of y in a critic's score
  std::int64_t levels = 32;                     // M; the information estimate cannot exceed ln M
  std::vector<std::int64_t> hidden = {64, 64};  // widths of a critic and of the action-net
  std::int64_t critic_steps = 75;               // K_a, Adam steps per critic and round
  std::int64_t minibatch = 128;                 // results per step
  double critic_rate = 0.005;                   // Adam learning rate
  double uniform_share = 0.25;                  // of a minibatch; the rest comes from the elite

  // The Gaussian process of the panel.
  std::int64_t gp_points = 256;    // results it is fitted to; 0 = critics alone
  std::int64_t gp_iterations = 4;  // of its hyper-parameter search per round

  // Action-net: in batches of at least `action_batch` it replaces the local search's samples.
  std::int64_t action_batch = 256;  // 0 = never
  double action_share = 1.0;        // of the local search's suggestions
  std::int64_t action_steps = 20;   // K_b, Adam steps per round
  double action_rate = 0.005;
  double beta = 0.0;  // information weighs sqrt(beta) in the objective

  // Proposals.
  std::int64_t preselection = 24;  // S, proposals scored per suggestion; 1 = plain sampling
  // Weights of the sources beside the local search's 0.25, before success is known.
  double mutation_share = 0.1;  // mutations of good points
  double gradient_share = 0.2;  // proposals that ascend the surrogate's score
  // Largest share of a batch chosen by expected improvement; times the GP's weight.
  double ei_share = 0.8;
  double explore =
      0.3;  // share of unselected mutations once the local search is narrow; 0 = one basin only
  std::int64_t runs = 0;  // most restarts; 1 = the first only, 0 = no limit
  // Generations of the local search on a surrogate, per round, where it ranks new results well.
  std::int64_t model_generations = 8;
  bool quadratic = true;    // a quadratic model around the best results
  std::int64_t design = 0;  // space-filling results before learning; 0 = from the dimension
};
void bind(OptionBinder& binder, VboOptions& options);

// The options after `effort` has been applied to the fields it scales.
VboOptions with_effort(VboOptions options);

// The options for batches of that size in a space of `numeric` numeric coordinates: where the
// action-net does not apply action_share is 0.
VboOptions for_batch(VboOptions options, std::int64_t batch, std::int64_t numeric);

}  // namespace vbo
