// SPDX-License-Identifier: MIT
// CMA-ES with restarts as an Optimizer: the strongest widely used method without a model, and so
// the one a model has to beat. Only ranks of the results matter: any increasing transformation of
// the objective gives the same points.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/order.hpp"
#include "optim/cmaes/box.hpp"
#include "optim/cmaes/strategy.hpp"
#include "optim/design.hpp"
#include "optim/history/history.hpp"
#include "optim/options.hpp"
#include "vbo/optimizer.hpp"
#include "vbo/random.hpp"

namespace vbo {

struct CmaesOptions {
  enum class Start { design, random };
  enum class Restarts { bipop, ipop, none };
  enum class Covariance { automatic, full, diagonal };

  std::int64_t population = 0;          // results per generation; 0 = from batch and dimension
  double sigma0 = 0.3;                  // first standard deviation, in widths of the box
  Start start = Start::design;          // first mean: best of a space-filling generation, or random
  Restarts restarts = Restarts::bipop;  // what follows a run that has converged or stagnated
  Covariance covariance = Covariance::automatic;  // full up to 200 dimensions, diagonal above
  double tolerance = 1e-8;  // a run ends when all deviations are below, in box widths
};
void bind(OptionBinder& binder, CmaesOptions& options);

// Works with any order and number of asks and tells. Asks draw from the current distribution; a
// generation ends as soon as `population` results are in, and takes all that are. A result of the
// generation before is used with its step shortened to what the current distribution could have
// produced [Hansen2011, "Injecting external solutions into CMA-ES"]; an older one, or that of a
// trial it did not suggest, likewise, but only if it beats all the run has seen.
class Cmaes final : public Optimizer {
 public:
  Cmaes(const Space& space, const OptimizerOptions& common, CmaesOptions options);

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override;
  void tell(std::span<const Trial> finished) override;
  std::int64_t round() const override { return generations_; }
  AskReport report() const override;
  const Ledger& ledger() const override { return declared(); }
  static const Ledger& declared();
  std::string snapshot() const override;
  Result<void> restore(std::string_view snapshot, std::span<const Trial> history) override;

 private:
  struct Asked {
    Vector genotype;       // (D)
    std::int64_t run = 0;  // 0 is the design
    std::int64_t generation = 0;
  };
  struct Told {
    TrialId id = 0;
    Standing standing;
    Asked from;
  };
  // Everything that a restart resets.
  struct Run {
    std::int64_t index = 0;  // 0 is the design, 1 the first run
    std::int64_t population = 0;
    bool small = false;                                  // BIPOP's second regime
    std::optional<cmaes::Strategy> strategy;             // none during the design
    std::vector<Told> results;                           // of the generation being collected
    Standing best;                                       // failed before the first result
    std::int64_t flat_generations = 0;                   // in a row
    std::vector<Standing> best_history, median_history;  // per generation, the last few hundred
  };

  Suggestion suggest(TrialId id, ConstVectorRef scale);
  Asked sample(Rng& rng, ConstVectorRef scale) const;
  Vector sampling_scale() const;  // (D) >= 1: what lifts deviations to the least ones
  bool is_repeat(const Point& point) const;
  bool is_useful(const Told& result) const;
  void finish_generation();
  void start_first_run();
  void restart();
  std::string why_end() const;  // empty while the run should go on
  bool stagnates() const;
  std::int64_t first_population(std::int64_t batch) const;
  Vector random_genotype(Rng& rng) const;

  static constexpr std::int64_t kMostDoublings = 20;  // of the population, by restarts

  Encoding encoding_;
  Order order_;
  History history_;  // kept only when all is discrete, against repeats
  SobolDesign design_;
  cmaes::Box box_;
  CmaesOptions options_;
  std::uint64_t seed_;
  bool diagonal_ = false;
  std::int64_t population_ = 0;      // of the first run
  std::int64_t large_restarts_ = 0;  // each doubles the population
  std::int64_t large_evaluations_ = 0, small_evaluations_ = 0;
  std::int64_t designed_ = 0;     // points of the design handed out
  std::int64_t generations_ = 0;  // over all runs
  Run run_;
  std::string last_end_;  // why the last run ended; empty before
  std::map<TrialId, Asked> pending_;
};

}  // namespace vbo
