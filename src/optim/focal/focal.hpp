// SPDX-License-Identifier: MIT
// FocalBO (Wei et al. 2024, "Scalable Bayesian optimization via focalized sparse Gaussian
// processes"): sparse processes focused on a hierarchy of boxes. Level 0 is the whole cube, or a
// trust region around the best point; every further level a box of half the side around the best
// point; each level proposes, and the batch is drawn from all proposals with probability growing
// with their acquisition. The number of levels grows when the smallest box wins and shrinks when a
// larger one does. Fits lazily, in ask(). Deterministic; snapshots are exact (models are refitted
// on demand).
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "models/surrogate.hpp"
#include "optim/encoding.hpp"
#include "optim/focal/trust_side.hpp"
#include "optim/history/history.hpp"
#include "optim/options.hpp"
#include "optim/surrogate/acquisition.hpp"
#include "optim/surrogate/maximize.hpp"
#include "vbo/optimizer.hpp"

namespace vbo {

struct FocalMethodOptions {
  enum class Base { cube, region };

  // Without one: ts for batches, logei for single points.
  std::optional<Acquisition> acquisition = std::nullopt;
  double beta = 2.0;
  Base base = Base::cube;  // or region: the largest box is a trust region around the best point
  std::int64_t inducing = 50;
  std::int64_t epochs = 200;
  std::int64_t max_depth = 6;      // levels at most; cost is proportional
  std::int64_t candidates = 1000;  // per level, for Thompson draws
  std::int64_t restarts = 10;
  std::int64_t raw_samples = 512;
  std::int64_t initial = 0;        // space-filling points first; 0 = 2 per parameter + 1
  std::int64_t max_points = 1000;  // results a fit looks at
};
void bind(OptionBinder& binder, FocalMethodOptions& options);

class FocalMethod final : public Optimizer {
 public:
  FocalMethod(const Space& space, const OptimizerOptions& common,
              const FocalMethodOptions& options);

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override;
  void tell(std::span<const Trial> finished) override;
  std::int64_t round() const override { return asks_; }
  AskReport report() const override;
  const Ledger& ledger() const override { return declared(); }
  static const Ledger& declared();
  std::string snapshot() const override;
  Result<void> restore(std::string_view snapshot, std::span<const Trial> history) override;

 private:
  struct Level {
    Vector low, high;  // (D) the box, cut at the cube
    double side = 1.0;
    Vector weights;  // (blocks) sides of the candidates' box, relative
    std::shared_ptr<Surrogate> model;
  };
  struct Proposal {
    Vector x;
    double value = 0.0;  // of `kind`, in standardized units
    Acquisition kind = Acquisition::thompson;
    std::int64_t level = 0;
  };

  void fit(Eigen::Index count);
  void finish_round();
  double to_y(double z) const { return offset_ + scale_ * z; }
  Rationale rationale_of(const Proposal& proposal) const;
  bool around_best() const { return options_.base == FocalMethodOptions::Base::region; }
  // Whether the last fit had enough results for boxes; before, one model spans the cube.
  bool focused() const { return std::min(fitted_, options_.max_points) >= options_.inducing; }
  Vector point_in(const Level& level, ConstVectorRef u, bool weighted) const;
  std::vector<Proposal> propose(std::size_t level, Eigen::Index q, Rng& rng) const;
  std::vector<Proposal> propose_by_draws(std::size_t level, Eigen::Index q, Rng& rng) const;
  std::vector<Proposal> propose_by_search(std::size_t level, Eigen::Index q, Acquisition kind,
                                          Rng& rng) const;
  Vector made_new(Vector x, Rng& rng) const;

  Encoding encoding_;
  FocalMethodOptions options_;
  std::uint64_t seed_;
  std::int64_t batch_;
  int threads_;
  History history_;
  std::vector<Level> levels_;

  std::int64_t asks_ = 0;
  std::int64_t depth_ = 1;   // levels to build
  std::int64_t fitted_ = 0;  // results known when levels_ were built; 0 = none
  std::int64_t fitted_depth_ = 0;
  double fitted_side_ = 0.0;
  TrustSide base_;                            // of level 0 when that is a trust region
  std::map<TrialId, std::int64_t> level_of_;  // of pending trials
  std::int64_t round_results_ = 0;            // told since the depth was last updated
  double round_best_ = 0.0;
  std::int64_t round_level_ = -1;                                  // of the best of them; -1 = none
  double best_before_ = -std::numeric_limits<double>::infinity();  // before the present round
  Vector centre_;                                                  // (D) code of the best result
  Eigen::Index best_ = 0;                                          // its index
  double best_z_ = 0.0;                                            // standardized
  double offset_ = 0.0, scale_ = 1.0;
};

}  // namespace vbo
