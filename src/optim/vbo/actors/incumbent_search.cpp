// SPDX-License-Identifier: MIT
#include "optim/vbo/actors/incumbent_search.hpp"

#include <algorithm>

#include "optim/vbo/constants.hpp"

namespace vbo {

double decayed_mutation_share(double share) {
  return std::min(share, std::max(Tuning::explore_floor, Tuning::explore_decay * share));
}

bool relocate(GaussianActor& search, const Archive& archive) {
  const int best = archive.at_rank(0);
  if (!(archive.value(best) > search.best())) return false;
  const double distance = search.distance(archive.code(best));
  if (distance < Tuning::far_deviations * search.deviation()) return false;
  search.begin(archive.code(best), std::min(Tuning::again_sigma, distance), archive.value(best));
  return true;
}

double IncumbentSearch::doubt() const { return 2.0 / static_cast<double>(outlived_ + 2); }

double IncumbentSearch::restart_share() const { return Tuning::restart_share * doubt(); }

double IncumbentSearch::refinement_share() const {
  return std::max(0.0, 1.0 - restart_share() - mutation_share_);
}

void IncumbentSearch::learn(ConstVectorRef code, double value, bool own) {
  if (own || search_->distance(code) < Tuning::other_region) search_->learn(code, value, own);
}

void IncumbentSearch::advance(const Archive& history, double explore) {
  const double fewest = std::min(explore, Tuning::incumbent_mutations * doubt());
  mutation_share_ = relocate(*search_, history)
                        ? explore
                        : std::max(fewest, decayed_mutation_share(mutation_share_));
  search_->advance();
}

void IncumbentSearch::write(StateWriter& out) const {
  out.put(mutation_share_).put(outlived_);
  search_->write(out);
}

void IncumbentSearch::read(StateReader& in) {
  mutation_share_ = in.get_number(0.0, 1.0);
  outlived_ = in.get_count();
  if (!search_->usable()) in.fail();
  search_->read(in, /*running=*/true);
}

}  // namespace vbo
