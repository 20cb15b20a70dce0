// SPDX-License-Identifier: MIT
// Settings of vbo-paper. Defaults are the constants of VBO-MI where it states them: learning rate
// 0.002, K_a = 1, K_b = 5, 20 warm-up batches, 64 hidden units.
#pragma once

#include <cstdint>
#include <string>

#include "optim/options.hpp"

namespace vbo {

struct VboPaperOptions {
  std::string helper = "lstm";          // lstm | mlp: with or without memory of the history
  std::string bound = "dv";             // dv | self-normalized
  std::string negatives = "all-pairs";  // shuffle | all-pairs | off-diagonal
  double beta = 0.1;                    // exploration weighs sqrt(beta)
  double learning_rate = 0.002;         // Adam, both networks
  std::int64_t hidden = 64;             // H, of both networks
  std::int64_t warm_up_steps = 20;      // updates of the helper per warm-up batch
  std::int64_t critic_steps = 1;        // K_a, updates of the helper per round
  std::int64_t action_steps = 5;        // K_b, updates of the action-net per round
  std::int64_t warm_up = 20;            // W, batches before the action-net is trained
  std::int64_t window = 16;             // rounds of back-propagation through time
  std::int64_t levels = 32;             // M, outcomes at which the helper is read out
};
void bind(OptionBinder& binder, VboPaperOptions& options);

}  // namespace vbo
