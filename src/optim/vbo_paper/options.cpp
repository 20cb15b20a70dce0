// SPDX-License-Identifier: MIT
#include "optim/vbo_paper/options.hpp"

namespace vbo {

void bind(OptionBinder& b, VboPaperOptions& o) {
  using O = VboPaperOptions;
  b.choice("helper", o.helper, {{"lstm", O::Network::lstm}, {"mlp", O::Network::mlp}},
           "lstm: scores an outcome given a history; mlp: without memory");
  b.choice("bound", o.bound,
           {{"dv", Estimator::dv}, {"self-normalized", Estimator::self_normalized}},
           "what the helper maximizes: Donsker-Varadhan, or normalized for each input");
  b.choice("negatives", o.negatives,
           {{"shuffle", Negatives::shuffle},
            {"all-pairs", Negatives::all_pairs},
            {"off-diagonal", Negatives::off_diagonal}},
           "outcomes an input is contrasted with: one at random, any, any but its own");
  b.choice("histories", o.histories,
           {{"shuffled", O::Histories::shuffled}, {"slots", O::Histories::slots}},
           "results that follow each other: one of each round at random, or always the same slot");
  b.choice("memory", o.memory, {{"grown", O::Memory::grown}, {"full", O::Memory::full}},
           "the cell starts without memory and learns to use it, or starts with a random one");
  b.choice("context", o.context, {{"shared", O::Context::shared}, {"slots", O::Context::slots}},
           "actions are weighed against each other after one history, or each after its slot's");
  b.choice("actions", o.actions, {{"reflect", ActionMap::reflect}, {"squash", ActionMap::squash}},
           "into the box by tri(Phi(s) + E(s)), or by Phi(s + E(s)), which is flat at the border");
  b.choice("lens", o.lens,
           {{"none", LensKind::none}, {"axes", LensKind::axes}, {"full", LensKind::full}},
           "what the helper sees of an input beside its place in the box: nothing, or its place "
           "among the best results, along the axes or whitened");
  b.number(
      "average", o.average, 0.0, 0.9999,
      "the helper is read out with its weights averaged over updates, this share kept in each");
  b.number("beta", o.beta, 0.0, 1e4, "exploration weighs sqrt(beta) nats against the mean's score");
  b.integer("warm_up", o.warm_up, 1, 1'000'000,
            "space-filling rounds before the action-net learns; at most half of a known budget");
  b.flag("head_start", o.head_start,
         "the action-net learns from the warm-up before its first batch, not after it");
  b.integer("warm_up_steps", o.warm_up_steps, 1, 100'000,
            "updates of the helper per warm-up round; untrained, it misleads the action-net");
  b.integer("critic_steps", o.critic_steps, 1, 100'000, "updates of the helper per round");
  b.integer("action_steps", o.action_steps, 0, 100'000, "updates of the action-net per round");
  b.number("learning_rate", o.learning_rate, 1e-6, 1.0, "of Adam, for the helper");
  b.number("action_rate", o.action_rate, 1e-6, 1.0, "of Adam, for the action-net");
  b.number("logit_scale", o.logit_scale, 0.01, 100.0,
           "of the action-net's outputs where they choose categories; higher = sooner certain");
  b.integer("hidden", o.hidden, 1, 4096, "width of every hidden layer and of the cell");
  b.integer("window", o.window, 1, 1000,
            "rounds of back-propagation through time; older ones give the state before them");
  b.integer("pairs", o.pairs, 1, 65'536,
            "results in one update of the helper; its time grows with them");
  b.integer("references", o.references, 1, 1024,
            "outcomes each result is contrasted with in one update; its time grows with them");
  b.integer("levels", o.levels, 4, 512, "outcomes at which the helper is read out");
}

VboPaperOptions vbo_paper_literal() {
  VboPaperOptions o;
  o.histories = VboPaperOptions::Histories::slots;
  o.memory = VboPaperOptions::Memory::full;
  o.context = VboPaperOptions::Context::slots;
  o.actions = ActionMap::squash;
  o.lens = LensKind::none;
  o.average = 0.0;
  o.pairs = 65'536;
  o.references = 64;
  o.head_start = false;
  o.warm_up = 20;
  o.warm_up_steps = 1;
  o.critic_steps = 1;
  o.action_steps = 5;
  return o;
}

void bind(OptionBinder& b, VboPaperGpOptions& o) {
  bind(b, o.paper);
  b.integer("gp_points", o.gp_points, 8, 2000,
            "results the Gaussian process looks at, half of them the best; a fit takes their cube");
  b.integer("gp_iterations", o.gp_iterations, 1, 1000,
            "steps of its hyper-parameter search per round");
  bind(b, o.model);
}

}  // namespace vbo
