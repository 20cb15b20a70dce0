// SPDX-License-Identifier: MIT
// VBO-MI with its published networks: a helper with memory that estimates the information between
// inputs and outcomes, and an action-net that samples every suggestion. No local search, no
// preselection; a Gaussian process only in the ablations.
// research/methods/vbo-paper.md sets the published algorithm and this one side by side.
//
// Every B results, in the order they arrive, are a round; inside a round they are ordered by trial
// id, and the i-th of each round continues history i. So any order and number of results forms
// complete rounds. Training happens inside tell(). A round costs the same at any number of results,
// but for one pass of the cell over each history.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "optim/design.hpp"
#include "optim/encoding.hpp"
#include "optim/history/places.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo_paper/actor.hpp"
#include "optim/vbo_paper/gp_term.hpp"
#include "optim/vbo_paper/helper.hpp"
#include "optim/vbo_paper/histories.hpp"
#include "optim/vbo_paper/lens.hpp"
#include "optim/vbo_paper/objective.hpp"
#include "optim/vbo_paper/options.hpp"
#include "vbo/optimizer.hpp"

namespace vbo {

class VboPaper final : public Optimizer {
 public:
  VboPaper(const Space& space, const OptimizerOptions& common, const VboPaperOptions& options);
  VboPaper(const Space& space, const OptimizerOptions& common, const VboPaperGpOptions& options);

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override;
  void tell(std::span<const Trial> finished) override;
  std::int64_t round() const override { return round_; }
  AskReport report() const override;
  const Ledger& ledger() const override { return declared(); }
  static const Ledger& declared();
  std::string snapshot() const override;
  Result<void> restore(std::string_view snapshot, std::span<const Trial> history) override;

  std::int64_t warm_up() const;  // W, at most half of the rounds of a known budget

 private:
  // The round.
  void play_round();
  void update_helper(const Histories& histories);
  void update_action_net();
  void read_out(const Histories& histories);  // states and levels for what comes next
  Histories histories() const;                // of all rounds

  // Asking.
  bool warming_up() const { return round_ < warm_up(); }
  Vector unseen_design_point();
  std::optional<Vector> unseen_action(TrialId id);
  void explain(std::span<const TrialId> ids, const std::vector<Vector>& codes,
               std::vector<Suggestion>& suggestions);
  void remember(const std::vector<const Trial*>& trials);
  Eigen::Index slot_of(TrialId id) const { return (id - 1) % slots_; }

  Encoding encoding_;
  OptimizerOptions common_;
  VboPaperOptions options_;
  std::optional<GpReplacement> gp_;  // in the ablations
  Eigen::Index slots_;               // B
  SobolDesign design_;
  Archive archive_;
  Places seen_;
  Lens lens_;
  Helper<float> helper_;
  // Weights of the helper, cell and head: as trained and averaged over updates, with which it is
  // read out. Empty where they are not averaged.
  VectorOf<float> trained_, averaged_;
  ActorObjective objective_;
  Actor<float> actor_;

  std::set<TrialId> pending_;
  std::uint64_t designed_ = 0;  // points of the design tried so far
  std::int64_t round_ = 0;      // rounds played
  struct PredictedMeans {
    double outcome, information;  // normal scores; I(X;Y) in nats
  };
  std::optional<PredictedMeans> predicted_;  // of the action-net, at the last of its updates
  double bound_ = 0.0;                       // of the helper, at the last of its updates, nats
};

}  // namespace vbo
