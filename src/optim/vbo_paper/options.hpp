// SPDX-License-Identifier: MIT
// Settings of vbo-paper, of the same with the paper's printed constants, and of its two ablations.
// research/methods/vbo-paper.md says for each what the paper leaves open and what the choice is
// worth.
#pragma once

#include <cstdint>
#include <string>

#include "optim/options.hpp"
#include "optim/surrogate/gp_method.hpp"
#include "optim/vbo_paper/actor.hpp"
#include "optim/vbo_paper/histories.hpp"
#include "optim/vbo_paper/lens.hpp"

namespace vbo {

struct VboPaperOptions {
  enum class Network { lstm, mlp };          // with or without memory of the history
  enum class Histories { shuffled, slots };  // which results follow each other
  enum class Memory { grown, full };         // what the cell's memory starts as
  enum class Context { shared, slots };      // histories that actions are weighed after

  Network helper = Network::lstm;
  Estimator bound = Estimator::dv;  // or self_normalized
  Negatives negatives = Negatives::all_pairs;
  Histories histories = Histories::shuffled;
  Memory memory = Memory::grown;
  Context context = Context::shared;
  ActionMap actions = ActionMap::reflect;
  LensKind lens = LensKind::axes;    // beside the whole box, the best region
  double average = 0.98;             // of the helper's weights, kept per update; 0: none
  double beta = 0.1;                 // exploration weighs sqrt(beta)
  double learning_rate = 0.002;      // Adam, helper
  double action_rate = 0.002;        // Adam, action-net
  double logit_scale = 4.0;          // of the action-net's outputs where they choose categories
  std::int64_t hidden = 64;          // H, of both networks
  std::int64_t warm_up = 1;          // W, batches before the action-net is trained
  bool head_start = true;            // the action-net learns before its first batch
  std::int64_t warm_up_steps = 300;  // updates of the helper per warm-up batch
  std::int64_t critic_steps = 100;   // K_a, updates of the helper per round
  std::int64_t action_steps = 20;    // K_b, updates of the action-net per round
  std::int64_t window = 64;          // rounds of back-propagation through time
  std::int64_t pairs = 256;          // true pairs per update of the helper
  std::int64_t references = 8;       // R, outcomes that each of them is contrasted with
  std::int64_t levels = 32;          // M, outcomes at which the helper is read out
};
void bind(OptionBinder& binder, VboPaperOptions& options);

// W = 20 batches, each used once, K_a = 1, K_b = 5, actions squashed into the box, histories by
// slot, every pair of a round's results: what the paper prints, and the plainest reading of the
// rest.
VboPaperOptions vbo_paper_literal();

// Which term of the objective a Gaussian process replaces.
enum class GpTerm { none, exploration, exploitation };

struct VboPaperGpOptions {
  VboPaperOptions paper;
  GpModelOptions model;
  std::int64_t gp_points = 256;    // results the GP looks at
  std::int64_t gp_iterations = 8;  // of its hyper-parameter search per round
  GpTerm replaced = GpTerm::none;
};
void bind(OptionBinder& binder, VboPaperGpOptions& options);

}  // namespace vbo
