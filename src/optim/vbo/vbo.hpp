// SPDX-License-Identifier: MIT
// The flagship: a panel of surrogates (critics that predict outcomes in nats, and a Gaussian
// process), and actors trained on it (after VBO-MI). research/methods/vbo.md sets the published
// algorithm and this one side by side.
//
// The search is a sequence of restarts (restart.hpp). The first has all suggestions; when it has
// converged, its local search becomes the incumbent (incumbent_search.hpp) with a part of every
// batch, and the next restart looks for a better basin with the rest. A restart that finds a better
// result replaces the incumbent.
//
// Training happens inside tell(), once per `batch` results and at a cost that does not depend on
// how many there are; ask() only samples and scores, so a worker does not wait for training.
#pragma once

#include <limits>
#include <map>
#include <memory>

#include "optim/design.hpp"
#include "optim/encoding.hpp"
#include "optim/history/places.hpp"
#include "optim/vbo/actors/incumbent_search.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo/batch/worth.hpp"
#include "optim/vbo/failures.hpp"
#include "optim/vbo/options.hpp"
#include "optim/vbo/restart.hpp"
#include "vbo/optimizer.hpp"

namespace vbo {

class Vbo final : public Optimizer {
 public:
  Vbo(const Space& space, const OptimizerOptions& common, const VboOptions& options);
  // With the Gaussian process in another role than the usual: the ablations.
  Vbo(const Space& space, const OptimizerOptions& common, const VboGpOptions& options);

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override;
  void tell(std::span<const Trial> finished) override;
  std::int64_t round() const override { return round_; }
  AskReport report() const override;
  const Ledger& ledger() const override { return declared(); }
  static const Ledger& declared();
  std::string snapshot() const override;
  Result<void> restore(std::string_view snapshot, std::span<const Trial> history) override;

 private:
  // Proposals of one source and what the surrogate thinks of them.
  struct Candidates {
    std::vector<Vector> codes;   // snapped
    Assessment assessment;       // empty where not scored
    std::vector<int> order;      // the best-scored first
    std::vector<double> log_ei;  // by which they were chosen, where they were

    void keep_order();  // in which they were drawn
  };

  // The trials of a batch that one source suggests.
  struct Part {
    Source source = Source::design;
    std::vector<TrialId> ids = {};
    std::vector<std::size_t> places = {};  // of their suggestions in the batch
    Candidates candidates = {};
  };

  struct Asked {
    Source source;
    Vector code;
  };

  // Telling: the round, in the order it happens (vbo.cpp).
  void remember(const Trial& trial);
  bool round_is_due() const;
  void play_round();
  bool restart_has_ended() const;
  bool reaches_the_incumbent() const;
  // With aim = "average" (batch/worth.hpp).
  bool averages() const { return options_.aim == VboOptions::Aim::average; }
  double horizon() const;
  double mutations_that_pay() const;
  void keep_what_pays(std::vector<EiPoint>& found) const;
  void begin_restart();
  double spread() const;
  std::int64_t design_size() const;

  // Resuming (snapshot.cpp).
  void take_back(std::span<const Trial> history);
  void archive_again(const Trial& trial);
  void open_again(std::span<const Trial> history);

  // Asking (suggest.cpp): have candidates drawn, leave out repeats, fall back.
  Source source_of(TrialId id) const;
  int turn_of(Source source) const;
  double mutation_share() const;
  double quadratic_share() const;
  const GaussianActor& best_search() const;  // around the best result of all restarts
  std::vector<Part> parts_of(std::span<const TrialId> ids) const;
  void draw_beside_ei(std::span<Part> parts);
  void suggest(const Part& part, std::vector<Suggestion>& suggestions);
  void choose(const Part& part, std::vector<Suggestion>& made);
  std::vector<int> unseen(const Candidates& candidates, std::size_t wanted) const;
  std::vector<Asked> newest_open() const;
  Rationale reasons_for(int i, const Candidates& candidates) const;
  Vector unseen_design_point();
  std::optional<Vector> beside_the_best(TrialId id) const;
  Suggestion take(TrialId id, Source source, ConstVectorRef code, Rationale rationale);
  void predict_round(std::span<const TrialId> ids, std::span<Suggestion> made);
  void note_forecast(const Restart::Forecast& forecast, const std::vector<Vector>& codes,
                     std::span<const std::size_t> which, std::span<Suggestion> made) const;

  // Drawing (draw.cpp): propose, keep what will likely succeed, score.
  void draw(Part& part, int threads);
  EiMaximizer ei_maximizer_for(const Part& part, int threads) const;
  static void keep(std::vector<EiPoint> found, Candidates& candidates);
  Rng rng_of(const Part& part) const;
  std::vector<Vector> proposals(Source source, int count, Rng& rng, int threads) const;
  Vector proposal(Source source, Rng& rng) const;
  std::vector<Vector> optima_of_quadratics(int count, std::uint64_t turn) const;
  int preselection_of(Source source) const;
  Vector safe_place() const;
  std::size_t keep_likely(std::vector<Vector>& codes, std::size_t wanted, int count) const;
  static void put_probes_first(Candidates& candidates, std::size_t likely, double few);
  void assess(Candidates& candidates, int threads);
  Matrix newest_pending(std::size_t most) const;

  Encoding encoding_;
  OptimizerOptions common_;
  VboGpOptions gp_options_;
  VboOptions options_;
  SobolDesign design_;
  Archive history_;  // every result
  Failures failures_;
  Places seen_;
  batch::MutationScore mutations_;
  batch::SuccessRate successes_of_mutations_, successes_of_others_;
  double best_before_round_ = -std::numeric_limits<double>::infinity();
  std::unique_ptr<Restart> restart_;
  std::unique_ptr<IncumbentSearch>
      incumbent_;  // null during the first restart, and while a restart is the best

  std::map<TrialId, Asked> pending_;
  // Told since the last round: no model has learned them, so that suggestions keep away from them
  // as from pending ones.
  std::map<TrialId, Asked> untrained_;
  std::int64_t restart_from_ = 0;  // results that were there when the restart began
  TrialId restart_first_id_ = 0;   // trials from here on were asked for since then
  TrialId newest_id_ = 0;          // asked for so far
  std::int64_t fresh_ = 0;         // results since the last round
  std::uint64_t designed_ = 0;     // points of the design tried so far
  std::int64_t round_ = 0;         // rounds played
  double design_median_ = 0.0;     // outcome of the first results

  // What reports are made of. Means over the restart's suggestions since the last round in which
  // any of those asked for were its own.
  struct PredictedMeans {
    double information = 0.0, outcome = 0.0;  // nats and normal scores
    std::int64_t suggestions = 0;             // since the last round
  };
  std::optional<PredictedMeans> predicted_;  // nothing before the restart has made any
  std::optional<double> observed_;           // nats, by the results of the last round
  std::optional<Recommendation> recommendation_;
};

}  // namespace vbo
