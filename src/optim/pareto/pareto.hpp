// SPDX-License-Identifier: MIT
// Several objectives in large batches: a Gaussian process per objective over a bounded training
// subset, Gaussian actors and gradient ascents for trade-offs drawn anew every round, and a batch
// chosen one by one for the hypervolume it is expected to add, pending points counted as evaluated
// with their predicted outcome. Known and measured constraints, failures, integers and categories
// as everywhere.
//
// Training and search happen inside tell(), once per `batch` results and at a cost that does not
// depend on how many there are; ask() only selects among the candidates of the round.
#pragma once

#include <memory>
#include <optional>

#include "optim/design.hpp"
#include "optim/options.hpp"
#include "optim/pareto/candidates.hpp"
#include "optim/pareto/elites.hpp"
#include "optim/pareto/hypervolume_rays.hpp"
#include "vbo/optimizer.hpp"

namespace vbo::pareto {

struct ParetoOptions {
  std::int64_t gp_points = 256;        // results a fit looks at
  std::int64_t actors = 0;             // 0 = an eighth of the batch, from 4 to 16
  std::int64_t model_generations = 8;  // of an actor, per round
  std::int64_t candidates = 512;       // that a batch is chosen from
};
void bind(OptionBinder& binder, ParetoOptions& options);

// gp-logehvi, for small budgets: the same models, fitted after every result, and each suggestion
// the maximizer of the logarithm of the expected hypervolume improvement (log_ehvi.hpp).
struct EhviOptions {
  std::int64_t gp_points = 400;
  std::int64_t restarts = 4;       // ascents per suggestion
  std::int64_t raw_samples = 192;  // points scored before them
  std::int64_t iterations = 30;    // of L-BFGS per ascent
};
void bind(OptionBinder& binder, EhviOptions& options);

class Pareto final : public Optimizer {
 public:
  Pareto(const Space& space, const OptimizerOptions& common, const ParetoOptions& options);

  Pareto(const Space& space, const OptimizerOptions& common, const EhviOptions& options);

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override;
  void tell(std::span<const Trial> finished) override;
  std::int64_t round() const override { return rounds_; }
  AskReport report() const override;
  const Ledger& ledger() const override { return declared(); }
  static const Ledger& declared();
  std::string snapshot() const override;
  Result<void> restore(std::string_view snapshot, std::span<const Trial> history) override;

 private:
  struct Selection;  // of the suggestions of one ask

  Eigen::Index design_size() const;
  bool round_is_due() const;
  void add_elites(Eigen::Index count);
  std::vector<Eigen::Index> training_subset() const;
  void set_ranges();
  // What follows from the results so far: ranges, the subset's codes and outcomes.
  void set_training();
  void search();
  double gain_of(Eigen::Index candidate, const HypervolumeRays& rays) const;
  Selection selection() const;
  std::vector<Suggestion> ask_by_ehvi(std::span<const TrialId> ids);
  static void add_log_gain(Rationale& why, double log_gain, ConstVectorRef mean);
  Suggestion select(TrialId id, Selection& selection);
  Suggestion suggest(TrialId id, ConstVectorRef code, Rationale rationale);
  Vector new_code(TrialId id);
  std::optional<Eigen::Index> extreme_candidate(TrialId id, const Selection& selection) const;

  Encoding encoding_;
  SobolDesign design_;
  NumericPart numeric_;
  OptimizerOptions common_;
  ParetoOptions front_options_;
  EhviOptions options_;
  bool by_ehvi_ = false;
  Eigen::Index objectives_;  // M
  GpOptions gp_;
  History history_;
  Elites elites_;
  ObjectiveModels models_;
  Feasibility feasibility_;
  Candidates candidates_;

  std::uint64_t designed_ = 0;    // points of the design handed out
  std::int64_t rounds_ = 0;       // of training
  Eigen::Index trained_ = 0;      // results there were at the last one
  Eigen::Index elites_from_ = 0;  // results the elites have seen
  ObjectiveRanges ranges_;        // at the last training
  Matrix X_, V_;                  // (D,n), (M,n) what the models learned
};

}  // namespace vbo::pareto
