// SPDX-License-Identifier: MIT
#include "optim/vbo/regions.hpp"

#include <algorithm>
#include <cmath>

namespace vbo {
namespace {

constexpr double kFirstSigma = 0.15;          // of the first run, in widths of the box
constexpr double kAgainSigma = 0.05;          // of later runs around the best result
constexpr double kElsewhereSigma = 0.15;      // of a run in another region
constexpr double kDecided = 0.02;             // deviation below which a search has its basin
constexpr double kElsewhere = 0.25;           // distance that counts as another region
constexpr std::int64_t kLeaderPatience = 12;  // generations without progress
constexpr std::int64_t kSecondPatience = 5;
constexpr std::size_t kEndedLimit = 16;
constexpr int kPeakCandidates = 1024;  // best results among which peaks are sought

double distance(ConstVectorRef a, ConstVectorRef b) {
  return std::sqrt((a - b).squaredNorm() / static_cast<double>(a.size()));
}

}  // namespace

Regions::Regions(const Encoding& encoding, bool with_second, std::uint64_t seed)
    : leader_(std::make_unique<LocalSearch>(encoding, 0, seed)),
      second_(std::make_unique<LocalSearch>(encoding, 1, seed)),
      with_second_(with_second) {}

bool Regions::has_decided() const { return leader_->deviation() < kDecided; }

void Regions::learn(ConstVectorRef code, double value, From from) {
  // Good results of another region would only widen the leader: they are the second's business.
  const bool own = from == From::leader;
  if (own || !leader_->running() || leader_->distance(code) < kElsewhere) {
    leader_->learn(code, value, own);
  }
  if (from == From::second) second_->learn(code, value, true);
}

// The best peak of the results that is not the leader's and where no run has ended: a result
// with no better one within kElsewhere. The trail of a search is rich in good results but has no
// peaks besides its end; without this rule the second search keeps following the first. When there
// is no such peak left the middle of the ranking will do, which is always somewhere else.
void Regions::begin_second(const Archive& archive) {
  const int n = std::min(archive.size(), kPeakCandidates);
  const auto code = [&](int rank) { return archive.code(archive.at_rank(rank)); };
  for (int rank = 0; rank < n; ++rank) {
    const auto close = [&](ConstVectorRef place) {
      return distance(place, code(rank)) < kElsewhere;
    };
    if (leader_->distance(code(rank)) < kElsewhere) continue;
    if (std::any_of(ended_.begin(), ended_.end(), close)) continue;
    bool is_peak = true;
    for (int better = 0; better < rank && is_peak; ++better) is_peak = !close(code(better));
    if (is_peak) return second_->begin(code(rank), kElsewhereSigma);
  }
  second_->begin(code(archive.size() / 2), kElsewhereSigma);
}

void Regions::advance(const Archive& archive, Frame& frame) {
  if (!usable()) return;
  const auto best = archive.code(archive.at_rank(0));
  if (!leader_->running()) leader_->begin(best, kFirstSigma);
  leader_->advance();
  second_->advance();
  if (second_->running() && second_->best() > leader_->best()) std::swap(leader_, second_);

  if (leader_->is_over(kLeaderPatience)) {
    const double so_far = leader_->best();
    leader_->begin(best, kAgainSigma, so_far);
  }
  if (!second_->running()) {
    if (with_second_) begin_second(archive);
  } else if (second_->is_over(kSecondPatience) ||
             std::max(second_->deviation(), leader_->deviation()) < kDecided) {
    // It stands still, or both have their basin and its own is not better.
    ended_.push_back(second_->mean_code(best));
    if (ended_.size() > kEndedLimit) ended_.erase(ended_.begin());
    begin_second(archive);
  } else if (leader_->distance(second_->mean_code(best)) < 0.05) {
    begin_second(archive);  // both have come to the same place
  }
  leader_->set_frame(frame);
  if (second_->running()) second_->set_frame(frame);
}

void Regions::imagine(Judge& judge, const Archive& archive, int generations, int population,
                      std::int64_t round, int threads) {
  leader_->imagine(judge, archive, generations, population, round, threads);
  second_->imagine(judge, archive, generations, population, round, threads);
}

void Regions::write(StateWriter& out) const {
  leader_->write(out);
  second_->write(out);
  out.put<std::int64_t>(static_cast<std::int64_t>(ended_.size()));
  for (const Vector& place : ended_) out.put(place);
}

void Regions::read(StateReader& in) {
  leader_->read(in);
  second_->read(in);
  ended_.clear();
  for (auto left = in.get<std::int64_t>(); left > 0 && in.ok(); --left) {
    ended_.push_back(in.get_vector());
  }
}

}  // namespace vbo
