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
           "a nat of information weighs sqrt(beta) against the expected outcome's score; with 0 it "
           "is told, not sought");
  b.integer("design", o.design, 0, 1'000'000,
            "space-filling results before learning starts; 0 chooses from the dimension");
  b.integer(
      "screening", o.screening, 1, 1024,
      "proposals scored per suggestion, at most 2 where the action-net works; 1 = plain sampling");
  b.integer("action_batch", o.action_batch, 0, 1'000'000,
            "batches from this size on are the action-net's, which speaks for the local "
            "search after four rounds; climbers and most of the screening then rest, and a "
            "suggestion costs a quarter. 0 = never");
  b.number("action_share", o.action_share, 0.0, 1.0,
           "share of the local search's suggestions that the action-net then makes; 0 = none, "
           "climbers and screening work as in smaller batches");
  b.number(
      "jump_share", o.jump_share, 0.0, 1.0,
      "weight of suggestions that mutate good points; this and the next stand beside the local "
      "search's 0.25 and change with success");
  b.number(
      "climb_share", o.climb_share, 0.0, 1.0,
      "weight of proposals that climb what the models expect; none where the action-net works");
  b.number("improve_share", o.improve_share, 0.0, 0.9,
           "most of a batch that goes where the Gaussian process expects most of improving on the "
           "best result; times how far it is believed, and at most 8 a round");
  b.number("explore", o.explore, 0.0, 0.6,
           "share of a batch that jumps out of the basin once the search has narrowed; falls "
           "without success. 0 = no such jumps, no new runs, and no improve_share either");
  b.integer("runs", o.runs, 0, 1'000'000,
            "most runs of the search; 1 = never begins anew, 0 = no limit");
  b.integer(
      "imagined", o.imagined, 0, 20,
      "generations the local search runs on predictions alone, per round; with fewer than eight "
      "numbers at most one until it has narrowed");
  b.integer("critics", o.critics, 1, 64, "networks in the ensemble; time grows with it");
  b.integer("order", o.order, 1, 12, "powers of the outcome a critic's score is made of");
  b.integer("levels", o.levels, 4, 512, "outcome levels; the gauge's ceiling is their logarithm");
  b.widths("hidden", o.hidden, 1, 4096, "hidden widths of the critics and the action-net");
  b.integer("critic_steps", o.critic_steps, 1, 100'000, "Adam steps per critic and round");
  b.integer(
      "gp_points", o.gp_points, 0, 2000,
      "results seen by the Gaussian process beside the critics, those nearest to the search once "
      "there are more; 0 = none (ablations: at least 8)");
  b.integer("gp_iterations", o.gp_iterations, 1, 1000,
            "steps of its hyper-parameter search per round; up to six times as many while it sees "
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
    o.screening *= 2;
  }
  return o;
}

VboOptions for_batch(VboOptions o, std::int64_t batch, std::int64_t numbers) {
  const bool large = o.action_batch > 0 && batch >= o.action_batch;
  const bool able = numbers > 0 && numbers <= Tuning::largest_full;
  if (!large || !able) o.action_share = 0.0;
  return o;
}

}  // namespace vbo
