// SPDX-License-Identifier: MIT
#include "optim/vbo_paper/options.hpp"

namespace vbo {

void bind(OptionBinder& b, VboPaperOptions& o) {
  b.choice("helper", o.helper, {"lstm", "mlp"},
           "lstm: scores an outcome given its slot's history; mlp: without memory");
  b.choice("bound", o.bound, {"dv", "self-normalized"},
           "what the helper maximizes: Donsker-Varadhan, or normalized for each input");
  b.choice("negatives", o.negatives, {"shuffle", "all-pairs", "off-diagonal"},
           "outcomes an input is contrasted with: one at random, all of its round, all others");
  b.number("beta", o.beta, 0.0, 1e4, "exploration weighs sqrt(beta) nats against the mean's score");
  b.integer("warm_up", o.warm_up, 1, 1'000'000,
            "space-filling rounds before the action-net learns; at most half of a known budget");
  b.integer("warm_up_steps", o.warm_up_steps, 1, 100'000,
            "updates of the helper per warm-up round; untrained, it misleads the action-net");
  b.integer("critic_steps", o.critic_steps, 1, 100'000, "updates of the helper per round");
  b.integer("action_steps", o.action_steps, 0, 100'000, "updates of the action-net per round");
  b.number("learning_rate", o.learning_rate, 1e-6, 1.0, "of Adam, for both networks");
  b.integer("hidden", o.hidden, 1, 4096, "width of every hidden layer and of the cell");
  b.integer("window", o.window, 1, 1000,
            "rounds the helper is trained on, back through time; a round's time grows with it");
  b.integer("levels", o.levels, 4, 512, "outcomes at which the helper is read out");
}

}  // namespace vbo
