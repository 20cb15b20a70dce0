// SPDX-License-Identifier: MIT
#include "optim/vbo/regions.hpp"

#include <algorithm>
#include <cmath>

namespace vbo {
namespace {

constexpr double kFirstSigma = 0.2;           // of the first run, in widths of the box
constexpr double kElsewhereSigma = 0.15;      // of a run in another region
constexpr double kDecided = 0.02;             // deviation below which a search has its basin
constexpr double kElsewhere = 0.25;           // distance that counts as another region
constexpr std::int64_t kLeaderPatience = 12;  // generations without progress
constexpr std::int64_t kSecondPatience = 5;
constexpr std::size_t kEndedLimit = 16;

double distance(ConstVectorRef a, ConstVectorRef b) {
  return std::sqrt((a - b).squaredNorm() / static_cast<double>(a.size()));
}

}  // namespace

Regions::Regions(const Encoding& encoding, double second_share, std::uint64_t seed)
    : leader_(std::make_unique<LocalSearch>(encoding, 0, seed)),
      second_(std::make_unique<LocalSearch>(encoding, 1, seed)),
      share_(second_share) {}

double Regions::second_share() const {
  if (!second_->running()) return 0.0;
  return leader_->deviation() > kDecided ? 0.5 : share_;
}

void Regions::learn(ConstVectorRef code, double value, From from) {
  leader_->learn(code, value, from == From::leader);
  if (from == From::second) second_->learn(code, value, true);
}

// The best result far from the other search and from where runs have ended; if there is none, from
// the other search alone, and at last the middle of the ranking, which is always somewhere else.
void Regions::begin_elsewhere(LocalSearch& search, const Archive& archive) {
  const LocalSearch& other = &search == leader_.get() ? *second_ : *leader_;
  for (const bool strict : {true, false}) {
    for (int rank = 0; rank < archive.size(); ++rank) {
      const auto code = archive.code(archive.at_rank(rank));
      if (other.running() && other.distance(code) < kElsewhere) continue;
      const bool fresh = std::all_of(ended_.begin(), ended_.end(), [&](const Vector& end) {
        return distance(end, code) > kElsewhere;
      });
      if (strict && !fresh) continue;
      return search.begin(code, kElsewhereSigma);
    }
  }
  search.begin(archive.code(archive.at_rank(archive.size() / 2)), kElsewhereSigma);
}

void Regions::advance(const Archive& archive, Frame& frame) {
  if (!usable()) return;
  const auto best = archive.code(archive.at_rank(0));
  if (!leader_->running()) leader_->begin(best, kFirstSigma);
  leader_->advance();
  second_->advance();
  if (second_->running() && second_->best() > leader_->best()) std::swap(leader_, second_);

  const auto end = [&](LocalSearch& search) {
    ended_.push_back(search.mean_code(best));
    if (ended_.size() > kEndedLimit) ended_.erase(ended_.begin());
    begin_elsewhere(search, archive);
  };
  if (leader_->is_over(kLeaderPatience)) end(*leader_);
  if (!second_->running()) {
    if (share_ > 0.0) begin_elsewhere(*second_, archive);
  } else if (second_->is_over(kSecondPatience) || second_->deviation() < kDecided) {
    end(*second_);  // it stands still, or has narrowed to a basin that is not better
  } else if (leader_->distance(second_->mean_code(best)) < 0.05) {
    begin_elsewhere(*second_, archive);  // both have come to the same place
  }
  leader_->set_frame(frame);
  if (second_->running()) second_->set_frame(frame);
}

void Regions::imagine(Critics& critics, const Frame& frame, const Archive& archive, int generations,
                      int population, std::int64_t round, int threads) {
  leader_->imagine(critics, frame, archive, generations, population, round, threads);
  if (second_share() > 0.0) {
    second_->imagine(critics, frame, archive, generations, population, round, threads);
  }
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
