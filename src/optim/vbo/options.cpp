// SPDX-License-Identifier: MIT
#include "optim/vbo/options.hpp"

#include <algorithm>

#include "optim/vbo/constants.hpp"

namespace vbo {

void bind(OptionBinder& b, VboOptions& o) {
  b.choice(
      "effort", o.effort, {"low", "default", "high"},
      "low: a third of the training, for cheap objectives; high: six times, for expensive ones");
  b.number("beta", o.beta, 0.0, 1e4,
           "a nat of information weighs sqrt(beta) against the predicted outcome's score; with 0 "
           "information gain is reported but not part of the objective");
  b.integer("design", o.design, 0, 1'000'000,
            "space-filling results before learning starts; 0 chooses from the dimension");
  b.integer(
      "preselection", o.preselection, 1, 1024,
      "proposals scored per suggestion, at most 2 where the action-net works; 1 = plain sampling");
  b.integer(
      "action_batch", o.action_batch, 0, 1'000'000,
      "smallest batch in which the action-net replaces the local search's samples, after four "
      "rounds; gradient ascent and most of the pre-selection are then off, and a suggestion "
      "costs a quarter. 0 = never");
  b.number("action_share", o.action_share, 0.0, 1.0,
           "share of the local search's suggestions that the action-net then makes; 0 = none, and "
           "gradient ascent and pre-selection work as in smaller batches");
  b.number("mutation_share", o.mutation_share, 0.0, 1.0,
           "weight of suggestions that mutate good points; relative, like the next, to the local "
           "search's 0.25, and adapted by success");
  b.number(
      "gradient_share", o.gradient_share, 0.0, 1.0,
      "weight of proposals improved by gradient ascent of the surrogate's score; none where the "
      "action-net works");
  b.number("ei_share", o.ei_share, 0.0, 0.9,
           "largest share of a batch chosen by the Gaussian process's expected improvement; "
           "multiplied by the weight of the Gaussian process in the panel, at most 8 a round");
  b.number("explore", o.explore, 0.0, 0.6,
           "share of a batch for mutations out of the basin once the search has narrowed; decays "
           "without success. 0 = no such mutations, no restarts and no expected improvement");
  b.integer(
      "runs", o.runs, 0, 1'000'000,
      "most restarts of the search, the first included; 1 = it never begins again, 0 = no limit");
  b.integer("model_generations", o.model_generations, 0, 20,
            "most model-based generations of the local search per round; fewer where surrogates "
            "rank new results badly; 0 = none");
  b.flag("quadratic", o.quadratic,
         "a quadratic model around the best results: its optima are suggested, and model-based "
         "generations follow it where it ranks new results better than the others");
  b.integer("critics", o.critics, 1, 64, "networks in the ensemble; time grows with it");
  b.integer("order", o.order, 1, 12, "powers of the outcome a critic's score is made of");
  b.integer("levels", o.levels, 4, 512,
            "outcome levels; the information estimate cannot exceed their logarithm");
  b.widths("hidden", o.hidden, 1, 4096, "hidden widths of the critics and the action-net");
  b.integer("critic_steps", o.critic_steps, 1, 100'000, "Adam steps per critic and round");
  b.integer(
      "gp_points", o.gp_points, 0, 2000,
      "results that the Gaussian process is fitted to, those nearest to the search once there "
      "are more; 0 = none (ablations: at least 8)");
  b.integer(
      "gp_iterations", o.gp_iterations, 1, 1000,
      "steps of its hyper-parameter search per round; up to six times as many while there are "
      "fewer results than gp_points");
  b.integer("action_steps", o.action_steps, 0, 100'000, "Adam steps of the action-net per round");
  b.integer("minibatch", o.minibatch, 1, 8192, "results per Adam step");
  b.number("critic_rate", o.critic_rate, 1e-6, 1.0, "learning rate of the critics");
  b.number("action_rate", o.action_rate, 1e-6, 1.0, "learning rate of the action-net");
  b.number("uniform_share", o.uniform_share, 0.0, 1.0,
           "share of a minibatch drawn from all results, not from the elite");
}

VboOptions with_effort(VboOptions o) {
  if (o.effort == "low") {
    o.critic_steps = (o.critic_steps + 2) / 3;
  } else if (o.effort == "high") {
    o.critic_steps = o.critic_steps * 28 / 15;
    o.critics = (o.critics * 7 + 1) / 2;
    o.preselection *= 2;
  }
  return o;
}

VboOptions for_batch(VboOptions o, std::int64_t batch, std::int64_t numeric) {
  const bool large = o.action_batch > 0 && batch >= o.action_batch;
  const bool able = numeric > 0 && numeric <= Tuning::largest_full;
  if (!large || !able) o.action_share = 0.0;
  return o;
}

}  // namespace vbo
