// SPDX-License-Identifier: MIT
// The optimizer behind gp-*, ibnn, dkl, hmc, sghmc, laplace: a model, an acquisition and a rule for
// batches. A method is this class with a model; see gp_method.hpp for the pattern.
// Fits lazily, in ask(): tell() only remembers. Deterministic; snapshots are exact (restoring
// repeats the last fit).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "models/surrogate.hpp"
#include "optim/design.hpp"
#include "optim/encoding.hpp"
#include "optim/feasibility.hpp"
#include "optim/history/history.hpp"
#include "optim/options.hpp"
#include "optim/surrogate/acquisition.hpp"
#include "optim/surrogate/maximize.hpp"
#include "optim/surrogate/warp.hpp"
#include "vbo/optimizer.hpp"

namespace vbo {

struct SurrogateOptions {
  enum class Batch { automatic, joint, greedy, draws };
  enum class Outcomes { as_given, warped };
  enum class Failures { model, worst, exclude };

  Acquisition acquisition = Acquisition::log_ei;
  double beta = 2.0;  // ucb, qucb: weight of the deviation is sqrt(beta)
  Batch batch = Batch::automatic;
  std::int64_t samples = 128;      // Monte Carlo draws of the q-acquisitions
  bool fresh_samples = false;      // new draws at every evaluation instead of frozen ones
  std::int64_t restarts = 4;       // ascends per point (or per joint batch)
  std::int64_t raw_samples = 256;  // scored before climbing
  std::int64_t iterations = 40;    // of L-BFGS per ascend
  bool local_starts = true;        // also start near the best results
  std::int64_t candidates = 1000;  // points on which Thompson draws are compared
  std::int64_t initial = 0;  // space-filling points first; 0 = 2 per parameter + 1, see initial()
  std::int64_t max_points = 1000;      // results a fit looks at; cost is cubic in it for a GP
  double refit_growth = 0.05;          // refit hyper-parameters when results grew by this share
  Outcomes warp = Outcomes::as_given;  // warped: also try logarithms, keep what is likeliest
  // model: the method learns where trials fail and keeps away; worst: a failure counts as the worst
  // result; exclude: ignored
  Failures failures = Failures::model;
};
void bind(OptionBinder& binder, SurrogateOptions& options);

class SurrogateOptimizer : public Optimizer {
 public:
  using ModelFactory = std::function<std::unique_ptr<Surrogate>(const Encoding&)>;

  SurrogateOptimizer(const Space& space, const OptimizerOptions& common,
                     const SurrogateOptions& options, const ModelFactory& make_model);

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override;
  void tell(std::span<const Trial> finished) override;
  std::int64_t round() const override { return fits_; }
  AskReport report() const override;
  std::string snapshot() const override;
  Result<void> restore(std::string_view snapshot, std::span<const Trial> history) override;

 private:
  struct Selected {
    Vector x;  // (D)
    const char* source = "";
    std::optional<double> score;  // in standardized units; none when it was not compared
    Acquisition kind = Acquisition::log_ei;
  };

  std::int64_t initial() const;
  Selected design_point();
  bool fit_if_needed();  // false when there is nothing to learn from yet
  bool is_refit_due(Eigen::Index fitted, Eigen::Index count) const;
  bool can_repeat(const std::vector<Eigen::Index>& seen) const;
  void fit_model(Eigen::Index count);
  bool is_choice_of_warp_due(Eigen::Index count) const;
  // Fits on outcomes y under a warp, from a state of the model; returns the log posterior of y up
  // to a constant.
  double fit_warped(int warp, const Vector& from, ConstVectorRef y);
  double to_y(double z) const { return warp_.inverse(offset_ + scale_ * z); }
  void update_model(Eigen::Index count);
  // Gives the model the variances of outcomes y that are known, under the warp.
  void set_known_variances(ConstVectorRef y);
  void learn_feasibility(Eigen::Index count);
  bool counts_failures() const { return options_.failures == SurrogateOptions::Failures::worst; }
  // What `score` of a point or batch X (D,q) of this kind becomes when it may be infeasible: times
  // the probability that it is not, or plus its logarithm (of a batch, the mean over its points);
  // `slope` (D,q) likewise.
  double weighed(Acquisition kind, double score, ConstMatrixRef X, Matrix* slope = nullptr) const;
  double attainable_success() const;
  // log P(feasible) at X (D,m), falling steeply where success is too unlikely; `slope` (D,m).
  Vector log_feasible(ConstMatrixRef X, Matrix* slope = nullptr) const;
  void remember_best();
  Rationale rationale_of(const Selected& pick) const;

  // How thoroughly one of q points is searched for.
  struct Search {
    MaximizeOptions search;
    Eigen::Index raw = 0;
  };
  Search search_for(Eigen::Index q) const;
  std::vector<Selected> pick(Eigen::Index q, Rng& rng);
  std::vector<Selected> pick_greedy(Eigen::Index q, Rng& rng);
  std::vector<Selected> pick_greedy_by_draws(Eigen::Index q, Rng& rng);
  std::vector<Selected> pick_joint(Eigen::Index q, Rng& rng);
  std::vector<Selected> pick_thompson(Eigen::Index q, Rng& rng);
  // The pick at x, or a new point beside it, which nobody has compared.
  Selected picked(ConstVectorRef x, const char* source, double score, Acquisition kind,
                  const std::vector<Selected>& chosen, Rng& rng) const;
  BatchObjective point_objective(const Surrogate& model, double best) const;
  BatchObjective draw_objective(Eigen::Index q, const Matrix& pending, Rng& rng) const;
  // Snapped raw batches (Dq,m), from Sobol points and around the best results.
  Matrix raw_points(Eigen::Index q, Eigen::Index m, Rng& rng) const;
  Vector near(ConstVectorRef x, double length, Rng& rng) const;
  bool is_new(ConstVectorRef x, const std::vector<Selected>& chosen) const;
  // x itself when new; else a new point close to it; else any new point; else x.
  Vector made_new(ConstVectorRef x, const std::vector<Selected>& chosen, Rng& rng) const;

  Encoding encoding_;
  SobolDesign design_;
  SurrogateOptions options_;
  Acquisition acquisition_;
  std::uint64_t seed_;
  std::int64_t budget_;
  int threads_;
  History history_;
  std::unique_ptr<Surrogate> model_;
  GpOptions feasibility_model_;
  double boldness_ = 1.0;    // see boldness_after()
  Feasibility feasibility_;  // of the results at the last fit or update

  std::int64_t designed_ = 0;  // design points handed out
  std::int64_t asks_ = 0;      // names the random streams of an ask
  std::int64_t fits_ = 0;
  // Which warp was chosen, and with how many results.
  struct WarpChoice {
    int index = 0;
    Eigen::Index results = 0;
  };
  WarpChoice choice_before_fit_, choice_;
  Warp warp_;
  Vector state_before_fit_;            // of the model, before its last fit
  std::vector<Eigen::Index> seen_;     // results told at the last fit, then at each update
  std::vector<Eigen::Index> fitted_;   // which results the model was given
  Matrix X_;                           // (D,n) what the model was given
  Vector z_;                           // (n), standardized with output_
  double offset_ = 0.0, scale_ = 1.0;  // warp(y) = offset + scale z
  double best_ = 0.0;                  // largest z of a feasible result
  double success_wanted_ = 0.9;        // probability; less while points look for the border
  bool any_feasible_ = true;           // false: only the probability of feasibility counts
  std::vector<Eigen::Index> order_;    // columns of X_, best first (at most 32)
  FitReport fit_report_;
};

}  // namespace vbo
