// SPDX-License-Identifier: MIT
// TuRBO-1 (Eriksson et al. 2019, "Scalable global optimization via local Bayesian optimization"):
// a Gaussian process on the data of one trust region, a box around the best point whose side is
// doubled after three successful rounds and halved after a few failed ones; points by Thompson
// sampling inside the box; a fresh start elsewhere when the box has become tiny.
// Fits lazily, in ask(), and draws as many functions as a batch has points: asks without results in
// between, one by one or together, take what was drawn. Deterministic; snapshots are exact.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/gp/gp.hpp"
#include "optim/encoding.hpp"
#include "optim/feasibility.hpp"
#include "optim/history/history.hpp"
#include "optim/options.hpp"
#include "vbo/optimizer.hpp"

namespace vbo {

struct TurboOptions {
  std::int64_t initial = 0;       // points of each fresh start; 0 = 2 per parameter
  double length_start = 0.8;      // side of the box, of the unit cube
  double length_min = 0.0078125;  // below: start afresh
  double length_max = 1.6;
  std::int64_t successes = 3;     // rounds in a row before the side doubles
  std::int64_t failures = 0;      // rounds in a row before it halves; 0 = ceil(max(4,d)/batch)
  std::int64_t candidates = 0;    // 0 = min(100 per parameter, 5000)
  std::int64_t max_points = 512;  // nearest to the centre that the model looks at
};
void bind(OptionBinder& binder, TurboOptions& options);

// Sides of the box, relative to its length: length-scales divided by their geometric mean.
Vector turbo_weights(ConstVectorRef lengthscales);

class Turbo final : public Optimizer {
 public:
  Turbo(const Space& space, const OptimizerOptions& common, const TurboOptions& options);

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override;
  void tell(std::span<const Trial> finished) override;
  std::int64_t round() const override { return asks_; }
  AskReport report() const override;
  const Ledger& ledger() const override { return declared(); }
  static const Ledger& declared();
  std::string snapshot() const override;
  Result<void> restore(std::string_view snapshot, std::span<const Trial> history) override;

 private:
  struct Region {
    double length = 0.0;
    std::int64_t successes = 0, failures = 0;  // rounds in a row
    std::int64_t restarts = 0;
    std::int64_t start = 0;     // results before this belong to earlier regions
    std::int64_t counted = 0;   // results that have already been counted as success or failure
    std::int64_t designed = 0;  // points of the fresh start handed out
  };

  // Posterior draws on candidates, one column per suggestion to come.
  struct Draws {
    std::int64_t ask = -1;  // in which they were made; -1 = none
    Matrix codes;           // (D,m) candidates
    Matrix values;          // (m,S)
    Matrix outside;         // (m,S) how far a candidate violates limits in the draw; 0 = feasible
    Eigen::Index used = 0;  // columns
    Eigen::Index left() const { return values.cols() - used; }
  };

  std::int64_t parameters() const { return static_cast<std::int64_t>(encoding_.blocks().size()); }
  std::int64_t initial() const;
  std::int64_t failure_tolerance() const;
  Standing best_between(std::int64_t from, std::int64_t to) const;  // failed: there is none
  void update_region();  // counts the rounds that have come in; may resize or restart the region
  Vector latin_point(Rng& rng, std::int64_t count);
  void fit(std::int64_t count);
  Matrix candidates(Rng& rng) const;  // (D,m), snapped
  Draws draw(std::int64_t ask, Eigen::Index count) const;

  Encoding encoding_;
  TurboOptions options_;
  std::uint64_t seed_;
  std::int64_t batch_;
  int threads_;
  History history_;
  GaussianProcess model_;
  Feasibility feasibility_;  // in the region, of the results at the last fit
  Region region_;
  Matrix latin_;  // (parameters,n) the Latin hypercube being handed out
  std::int64_t asks_ = 0;
  Vector state_before_fit_;
  std::int64_t fitted_ = 0;  // results known at the last fit; 0 = none
  Eigen::Index best_ = 0;    // the region's best result
  Vector centre_;            // (D) its code
  Draws draws_;              // of the last fit
  FitReport fit_report_;
};

}  // namespace vbo
