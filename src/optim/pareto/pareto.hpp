// SPDX-License-Identifier: MIT
// Several objectives in large batches: a model per objective over a bounded training subset, the
// front that the models predict, found by evolution and gradient ascents, and a batch chosen one by
// one for the hypervolume it is expected to add, pending points counted as evaluated with their
// predicted outcome. Some suggestions assume the mean of predictions, some a lower bound, and some
// are variations of the front without a model; what each kind found decides its share. Known and
// measured constraints, failures, integers and categories as everywhere.
//
// Training and search happen inside tell(), once per `batch` results and at a cost that does not
// depend on how many there are; ask() only selects among the candidates of the round.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "optim/design.hpp"
#include "optim/options.hpp"
#include "optim/pareto/candidates.hpp"
#include "optim/pareto/elites.hpp"
#include "optim/pareto/hypervolume_rays.hpp"
#include "vbo/optimizer.hpp"

namespace vbo::pareto {

// What a suggestion takes for the outcomes of candidates: a lower bound of the prediction, its
// mean, or nothing: a variation of the front.
enum class SuggestionKind : signed char { lower_bound, mean, mutation };
constexpr Eigen::Index kKinds = 3;

struct ParetoOptions {
  std::int64_t gp_points = 256;         // results a fit looks at
  std::int64_t model_generations = 24;  // of the search on the models, per round
  std::int64_t candidates = 512;        // that a batch is chosen from
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
  // Shares of the batch by the hypervolume that each kind of suggestion added.
  void credit();
  void note_kinds(std::span<const Trial> trials);
  HypervolumeRays rays_above_front() const;
  Matrix heights(ConstMatrixRef V) const;
  double gain_of(Eigen::Index candidate, SuggestionKind kind, const HypervolumeRays& rays) const;
  Selection selection() const;
  std::vector<Suggestion> ask_by_ehvi(std::span<const TrialId> ids);
  static void add_log_gain(Rationale& why, double log_gain, ConstVectorRef mean);
  Suggestion select(TrialId id, Selection& selection);
  Suggestion suggest(TrialId id, ConstVectorRef code, Rationale rationale);
  Vector new_code(TrialId id);
  SuggestionKind kind_of(TrialId id) const;
  Eigen::Index best_by_trade_off(TrialId id, const Selection& s) const;

  Encoding encoding_;
  SobolDesign design_;
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
  std::map<TrialId, SuggestionKind> kinds_;      // of suggestions the shares do not count yet
  std::optional<HypervolumeRays> front_before_;  // at the last training, if feasible
  Vector shares_ = Vector::Constant(kKinds, 1.0 / kKinds);  // of the batch

  std::uint64_t designed_ = 0;    // points of the design handed out
  std::int64_t rounds_ = 0;       // of training
  Eigen::Index trained_ = 0;      // results there were at the last one
  Eigen::Index elites_from_ = 0;  // results the elites have seen
  ObjectiveRanges ranges_;        // at the last training
  Scaling scaling_;               // ... and how the models see values
  Matrix X_, V_;                  // (D,n), (M,n) what the models learned
};

}  // namespace vbo::pareto
