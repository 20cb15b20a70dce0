// SPDX-License-Identifier: MIT
#include "optim/vbo/options.hpp"

#include "optim/vbo/constants.hpp"

namespace vbo {

void bind(OptionBinder& b, VboOptions& o) {
  b.choice("aim", o.aim, {{"best", VboOptions::Aim::best}, {"average", VboOptions::Aim::average}},
           "what counts: the best result, or the average of all; with average, suggestions explore "
           "only where a gain is likely to pay back within the budget");
  b.integer("design", o.design, 0, 1'000'000,
            "space-filling results before learning starts; 0 chooses from the dimension");
  b.integer("critics", o.critics, 1, 64, "networks in the panel; time grows with it");
  b.integer(
      "gp_points", o.gp_points, 0, 2000,
      "results that the Gaussian process is fitted to, those nearest to the search once there "
      "are more; 0 = none (ablations: at least 8)");
  b.flag("quadratic", o.quadratic,
         "a quadratic model in the panel, fitted near the search; optima of such models around the "
         "best result are suggested");
  b.number("beta", o.beta, 0.0, 1e4,
           "a nat of information weighs sqrt(beta) against the predicted outcome's score; with 0 "
           "information gain is reported but not part of the objective");
  b.integer("model_generations", o.model_generations, 0, 64,
            "most model-based generations of the local search per round; fewer where surrogates "
            "rank new results badly; 0 = none");
  b.integer(
      "action_batch", o.action_batch, 0, 1'000'000,
      "smallest batch in which the action-net replaces the local search's samples, after four "
      "rounds; most of the pre-selection is then off. 0 = never");
  b.integer(
      "preselection", o.preselection, 1, 1024,
      "proposals scored per suggestion, at most 2 where the action-net works; 1 = plain sampling");
  b.integer(
      "ei_points", o.ei_points, 0, 1024,
      "most suggestions of a round that maximize the Gaussian process's expected improvement; "
      "fewer where its weight in the panel is small");
  b.number("explore", o.explore, 0.0, 0.6,
           "share of a batch for mutations out of the basin once the search has narrowed, at equal "
           "success; 0 = no such mutations, no restarts and no expected improvement");
  b.integer(
      "runs", o.runs, 0, 1'000'000,
      "most restarts of the search, the first included; 1 = it never begins again, 0 = no limit");
}

bool has_action_net(const VboOptions& o, std::int64_t batch, std::int64_t numeric) {
  const bool large = o.action_batch > 0 && batch >= o.action_batch;
  return large && numeric > 0 && numeric <= Tuning::largest_full;
}

}  // namespace vbo
