// SPDX-License-Identifier: MIT
// One restart of the search (the first included), from a space-filling design until its local
// search has converged: the results it learns from, its panel of critics, action-net and local
// search. A new restart begins without any of these: models fitted to the old basin would lead back
// there. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "optim/encoding.hpp"
#include "optim/vbo/actors/action_net.hpp"
#include "optim/vbo/actors/local_search.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo/batch/proposals.hpp"
#include "optim/vbo/critics/calibration.hpp"
#include "optim/vbo/critics/local_coordinates.hpp"
#include "optim/vbo/critics/networks.hpp"
#include "optim/vbo/critics/panel.hpp"
#include "optim/vbo/options.hpp"
#include "vbo/optimizer.hpp"

namespace vbo {

class Restart {
 public:
  // `number` 0, 1, ... of the study. `encoding` must outlive it.
  Restart(const Encoding& encoding, const OptimizerOptions& common, const VboGpOptions& options,
          std::int64_t number);

  std::int64_t number() const { return number_; }
  std::int64_t rounds() const { return rounds_; }  // trained so far; 0 = still in its design
  const Archive& archive() const { return archive_; }
  Panel& panel() { return panel_; }
  const Panel& panel() const { return panel_; }
  ActionNet& action_net() { return action_net_; }
  // Whether it makes the local search's suggestions: in large batches, after the first rounds.
  bool action_net_works() const;
  const LocalSearch& local_search() const { return local_search_; }
  // Its local search, when the restart has ended.
  std::unique_ptr<GaussianActor> release_search() { return local_search_.release(); }
  // Of the suggestions it makes, which are `of_batch` of a batch: those chosen by expected
  // improvement.
  double ei_share(double of_batch) const;
  // How far the panel's ranking of new results near the search is to be followed, 0 to 1.
  double trust() const;
  Eigen::Index numeric_parameters() const { return coordinates_.numeric(); }

  // A result, and which source of this restart suggested it, if any did. Sort after the last one.
  void learn(TrialId id, ConstVectorRef code, double value, double error,
             std::optional<Source> source);
  void sort() { archive_.sort(); }
  // A result from before the snapshot: see read().
  void add_again(TrialId id, ConstVectorRef code, double value, double error) {
    archive_.add(id, code, value, error);
  }
  double best() const;  // outcome so far; -inf when there is none

  // A round: tests the models on the results since the last one, then learns from them. Returns the
  // predicted and the observed information of these results.
  Calibration::Nats train();

  // What is predicted of suggestions at codes X (D,N). REQUIRES: rounds() > 0.
  struct Forecast {
    double information = 0.0;    // of their outcomes, mean nats
    std::vector<Vector> ranges;  // low, median and high outcome; empty = infeasible
  };
  Forecast forecast(ConstMatrixRef X) const;
  double inverse_temperature() const { return calibration_.inverse_temperature(); }
  double ceiling() const { return networks_.ceiling(); }  // largest information of an outcome, nats
  // Starts with the calibration that an earlier restart had after its first rounds.
  void begin_calibrated_like(const Restart& earlier) {
    calibration_ = earlier.calibration_.opening();
  }
  // The evaluated point with the best posterior mean; nothing when all have failed.
  std::optional<Recommendation> recommendation();

  // Whether its local search has its basin and gains nothing that matters any more; `spread` is the
  // scale of outcomes.
  bool has_converged(double spread) const;

  // Results are not part of the state: the owner adds them again before reading.
  void write(StateWriter& out) const;
  // `design`: results at least that the models of a round have been trained on.
  void read(StateReader& in, std::int64_t design);

 private:
  struct NewResults {
    Matrix X;                 // (D,N)
    Vector scores;            // (N) normal scores
    std::vector<int> levels;  // (N) on the levels of the last round
  };
  NewResults fresh_results(const Replay& replay) const;
  Calibration::Nats test_information(const NewResults& fresh);
  void test_predictions(const NewResults& fresh);
  void test_ranks();
  void run_model_generations();
  void refit_panel();
  Replay replay_of(const Archive& archive) const;
  double score_of(int index, const Replay& replay) const;

  const Encoding& encoding_;
  OptimizerOptions common_;
  VboOptions options_;
  bool has_action_net_;
  std::int64_t number_;
  std::int64_t rounds_ = 0;
  Archive archive_;
  std::vector<int> fresh_;  // results since the last round, as archive indices
  LocalCoordinates coordinates_;
  Networks networks_;
  Panel panel_;
  ActionNet action_net_;
  LocalSearch local_search_;
  double rank_correlation_ = 0.0;  // of predictions with new results near the search
  Calibration calibration_;
  double predictive_variance_;  // squared error of predictions, in normal scores
};

}  // namespace vbo
