// SPDX-License-Identifier: MIT
#include "optim/vbo/champion.hpp"

#include <algorithm>

#include "optim/vbo/constants.hpp"

namespace vbo {

double fewer_jumps(double share) {
  return std::min(share, std::max(Tuning::explore_floor, Tuning::explore_decay * share));
}

bool relocate(LocalSearch& search, const Archive& archive) {
  const int best = archive.at_rank(0);
  if (!(archive.value(best) > search.best())) return false;
  const double distance = search.distance(archive.code(best));
  if (distance < Tuning::far_deviations * search.deviation()) return false;
  search.begin(archive.code(best), std::min(Tuning::again_sigma, distance), archive.value(best));
  return true;
}

double Champion::doubt() const { return 2.0 / static_cast<double>(outlived_ + 2); }

double Champion::run_share() const { return Tuning::run_share * doubt(); }

double Champion::polish_share() const { return std::max(0.0, 1.0 - run_share() - jump_share_); }

void Champion::learn(ConstVectorRef code, double value, bool own) {
  if (own || search_->distance(code) < Tuning::other_region) search_->learn(code, value, own);
}

void Champion::advance(const Archive& history, double explore) {
  const double fewest = std::min(explore, Tuning::champion_jumps * doubt());
  jump_share_ = relocate(*search_, history) ? explore : std::max(fewest, fewer_jumps(jump_share_));
  search_->advance();
}

void Champion::write(StateWriter& out) const {
  out.put(jump_share_).put(outlived_);
  search_->write(out);
}

void Champion::read(StateReader& in) {
  jump_share_ = in.get_number(0.0, 1.0);
  outlived_ = in.get_count();
  if (!search_->usable()) in.fail();
  search_->read(in, /*running=*/true);
}

}  // namespace vbo
