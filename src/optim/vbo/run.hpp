// SPDX-License-Identifier: MIT
// One run of the search, from a space-filling start until its local search has narrowed to
// a basin and gains nothing any more: the results it learns from, the critics and the Gaussian
// process that judge, the action-net, the local search, and what each source of suggestions gets.
// A new run begins without any of it: models that know the old basin lead back there.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "optim/encoding.hpp"
#include "optim/vbo/action_net.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo/calibration.hpp"
#include "optim/vbo/critics.hpp"
#include "optim/vbo/frame.hpp"
#include "optim/vbo/gp_judge.hpp"
#include "optim/vbo/judge.hpp"
#include "optim/vbo/leader.hpp"
#include "optim/vbo/options.hpp"
#include "optim/vbo/proposals.hpp"
#include "optim/vbo/shares.hpp"
#include "vbo/optimizer.hpp"

namespace vbo {

class Run {
 public:
  // `number` 0, 1, ... of the study. `encoding` must outlive it.
  Run(const Encoding& encoding, const OptimizerOptions& common, const VboGpOptions& options,
      std::int64_t number);

  std::int64_t number() const { return number_; }
  std::int64_t rounds() const { return rounds_; }  // trained so far; 0 = still in its design
  const Archive& archive() const { return archive_; }
  Judge& judge() { return *judge_; }
  ActionNet& action_net() { return action_net_; }
  // Of the local search's suggestions: those it makes. Nothing in small batches and in the
  // first rounds; where it is above 0, climbers rest.
  double action_share() const;
  const Leader& leader() const { return leader_; }
  // Its local search, when the run has ended.
  std::unique_ptr<LocalSearch> release_search() { return leader_.release(); }
  const Shares& shares() const { return shares_; }
  double share_of(Source source) const;  // of the suggestions this run makes; they add up to one
  // Of the suggestions it makes, which are `of_batch` of a batch: those where its process expects
  // to improve. The others have the shares above among themselves.
  double improve_share(double of_batch) const;
  Eigen::Index numeric_parameters() const { return frame_.numeric(); }

  // A result, and which source of this run suggested it, if any did. Sort after the last one.
  void learn(TrialId id, ConstVectorRef code, double value, std::optional<Source> source);
  void sort() { archive_.sort(); }
  // A result it had learned before it was stored: see read().
  void add_again(TrialId id, ConstVectorRef code, double value) { archive_.add(id, code, value); }
  double best() const;  // outcome so far; -inf when there is none

  // A round: tests the models on the results since the last one, then learns from them. Returns
  // what these results were expected to tell and what they told.
  Calibration::Nats train();

  // Mean nats that outcomes at codes X (D,N) should tell. REQUIRES: rounds() > 0.
  double expected_information(nn::InputRef<float> X);
  double sharpness() const { return calibration_.sharpness(); }
  double ceiling() const { return critics_.ceiling(); }  // nats that an outcome can tell at most
  // Takes over how far the models of an earlier run could be trusted in its first rounds.
  void begin_calibrated_like(const Run& earlier) { calibration_ = earlier.calibration_.opening(); }
  // The evaluated point with the best posterior mean; nothing when all have failed.
  std::optional<Recommendation> recommendation();

  // Whether its leader has its basin and gains nothing that matters any more; `spread` is the scale
  // of outcomes.
  bool has_converged(double spread) const;

  // Results are not part of the state: the owner adds them again before reading.
  void write(StateWriter& out) const;
  // `design`: results at least that the models of a round have been trained on.
  void read(StateReader& in, std::int64_t design);

 private:
  struct Fresh {
    MatrixOf<float> X;        // (D,N)
    Vector scores;            // (N) normal scores
    std::vector<int> levels;  // (N) on the levels of the last round
  };
  Fresh fresh_results(const Replay& replay) const;
  Calibration::Nats test_information(const Fresh& fresh);
  void test_predictions(const Fresh& fresh);
  void judge_learns_again();
  Replay replay_of(const Archive& archive) const;
  double score_of(int index, const Replay& replay) const;

  const Encoding& encoding_;
  OptimizerOptions common_;
  VboOptions options_;
  std::int64_t number_;
  std::int64_t rounds_ = 0;
  Archive archive_;
  std::vector<int> fresh_;  // results since the last round, as archive indices
  Frame frame_;
  Critics critics_;
  std::unique_ptr<Judge> judge_;
  ActionNet action_net_;
  Leader leader_;
  Shares shares_;
  Calibration calibration_;
  OutcomeLevels levels_;        // of the last round
  double predictive_variance_;  // squared error of predictions, in normal scores
};

}  // namespace vbo
