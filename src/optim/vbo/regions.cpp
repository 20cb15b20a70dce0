// SPDX-License-Identifier: MIT
#include "optim/vbo/regions.hpp"

#include <algorithm>
#include <cmath>

#include "optim/vbo/champion.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

double distance(ConstVectorRef a, ConstVectorRef b) {
  return std::sqrt((a - b).squaredNorm() / static_cast<double>(a.size()));
}

}  // namespace

Regions::Regions(const Encoding& encoding, const VboOptions& options, std::uint64_t seed)
    : leader_(std::make_unique<LocalSearch>(encoding, 0, seed)),
      second_(std::make_unique<LocalSearch>(encoding, 1, seed)),
      with_second_(options.second_share > 0.0),
      explore_(options.explore),
      jump_share_(options.explore) {}

bool Regions::is_narrow() const { return leader_->deviation() < Tuning::narrow; }

void Regions::learn(ConstVectorRef code, double value, From from) {
  // Good results of another region would only widen the leader: they are the second's business.
  const bool own = from == From::leader;
  if (own || !leader_->running() || leader_->distance(code) < Tuning::other_region) {
    leader_->learn(code, value, own);
  }
  if (from == From::second) second_->learn(code, value, true);
}

// The best peak of the results that is not the leader's and where no run has ended: a result
// with no better one within Tuning::other_region. The trail of a search is rich in good results but
// has no peaks besides its end; without this rule the second search keeps following the first. When
// there is no such peak left the middle of the ranking will do, which is always somewhere else.
void Regions::begin_second(const Archive& archive) {
  const int n = std::min(archive.size(), Tuning::peak_candidates);
  const auto code = [&](int rank) { return archive.code(archive.at_rank(rank)); };
  for (int rank = 0; rank < n; ++rank) {
    const auto close = [&](ConstVectorRef place) {
      return distance(place, code(rank)) < Tuning::other_region;
    };
    if (leader_->distance(code(rank)) < Tuning::other_region) continue;
    if (std::any_of(ended_.begin(), ended_.end(), close)) continue;
    bool is_peak = true;
    for (int better = 0; better < rank && is_peak; ++better) is_peak = !close(code(better));
    if (is_peak) return second_->begin(code(rank), Tuning::first_sigma);
  }
  second_->begin(code(archive.size() / 2), Tuning::first_sigma);
}

std::optional<double> Regions::jump_share() const {
  return explore_ > 0.0 ? std::optional(jump_share_) : std::nullopt;
}

void Regions::advance(const Archive& archive, Frame& frame) {
  if (!usable()) return;
  const auto best = archive.code(archive.at_rank(0));
  if (!leader_->running()) leader_->begin(best, Tuning::first_sigma);
  if (!is_narrow()) {
    jump_share_ = explore_;
  } else if (explore_ > 0.0) {
    jump_share_ = relocate(*leader_, archive) ? explore_ : fewer_jumps(jump_share_);
  }
  leader_->advance();
  second_->advance();
  if (second_->running() && second_->best() > leader_->best()) std::swap(leader_, second_);

  if (leader_->is_over(Tuning::leader_patience)) {
    const double so_far = leader_->best();
    leader_->begin(best, Tuning::again_sigma, so_far);
  }
  if (!second_->running()) {
    if (with_second_) begin_second(archive);
  } else if (second_->is_over(Tuning::second_patience) ||
             std::max(second_->deviation(), leader_->deviation()) < Tuning::narrow) {
    // It stands still, or both have their basin and its own is not better.
    ended_.push_back(second_->mean_code(best));
    if (ended_.size() > Tuning::remembered_ends) ended_.erase(ended_.begin());
    begin_second(archive);
  } else if (leader_->distance(second_->mean_code(best)) < Tuning::same_region) {
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
  out.put(jump_share_).put<std::int64_t>(std::ssize(ended_));
  for (const Vector& place : ended_) out.put(place);
}

void Regions::read(StateReader& in) {
  leader_->read(in);
  second_->read(in);
  jump_share_ = in.get<double>();
  ended_.clear();
  for (auto left = in.get<std::int64_t>(); left > 0 && in.ok(); --left) {
    ended_.push_back(in.get_vector());
  }
}

}  // namespace vbo
