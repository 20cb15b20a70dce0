// SPDX-License-Identifier: MIT
// The flagship: an actor that maps random seeds to inputs and an ensemble of critics that estimate,
// in nats, what outcomes tell about inputs and about the function, trained in turn by gradients
// (after VBO-MI). docs/algorithms/vbo.md sets the published algorithm and this one side by side.
//
// Training happens inside tell(), once per `batch` results and at a cost that does not depend on
// how many there are; ask() only samples and scores, so that a worker never waits.
#pragma once

#include <map>
#include <memory>

#include "optim/design.hpp"
#include "optim/encoding.hpp"
#include "optim/vbo/action_net.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo/critics.hpp"
#include "optim/vbo/frame.hpp"
#include "optim/vbo/gp_judge.hpp"
#include "optim/vbo/judge.hpp"
#include "optim/vbo/options.hpp"
#include "optim/vbo/proposals.hpp"
#include "optim/vbo/regions.hpp"
#include "optim/vbo/shares.hpp"
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
  AskReport report() const override { return report_; }
  const Ledger& ledger() const override { return declared(); }
  static const Ledger& declared();
  std::string snapshot() const override;
  Result<void> restore(std::string_view snapshot, std::span<const Trial> history) override;

 private:
  // The round, in the order it happens.
  bool round_is_due() const;
  void play_round();
  void summarize(double held_out_information, const ActionNet::Gauge& gauge);
  void recommend();
  void update_predictive_variance(const Replay& replay);

  // Asking.
  Source source_of(TrialId id) const;
  std::vector<Suggestion> suggest(Source source, std::span<const TrialId> ids);
  std::vector<Vector> proposals(Source source, int count, Rng& rng);
  std::vector<Vector> climbed(int count, Rng& rng);
  int screening_of(Source source) const;
  Rationale reasons_for(int i, const Judgement& said, double weight) const;
  Vector unseen_design_point();
  Suggestion take(TrialId id, Source source, ConstVectorRef code, Rationale rationale);
  std::vector<Vector> climbers_out() const;

  void remember(const Trial& trial);
  Replay replay_of(const Archive& archive) const;
  double score_of(int index, const Replay& replay) const;  // normal score of a result
  void judge_learns_again();
  std::int64_t design_size() const;

  Encoding encoding_;
  OptimizerOptions common_;
  VboOptions options_;
  SobolDesign design_;
  Archive archive_;
  Seen seen_;
  Frame frame_;
  Critics critics_;
  std::unique_ptr<Judge> judge_;
  ActionNet action_net_;
  Regions regions_;
  Shares shares_;

  struct Asked {
    Source source;
    Vector code;
  };
  std::map<TrialId, Asked> pending_;
  std::vector<int> fresh_;      // results since the last round, as archive indices
  std::uint64_t designed_ = 0;  // points of the design tried so far
  std::int64_t round_ = 0;      // rounds played
  // Squared error of predictions, in normal scores; that of knowing nothing at first.
  double predictive_variance_ = 1.0;
  AskReport report_;
};

}  // namespace vbo
