// SPDX-License-Identifier: MIT
#include "optim/vbo/actors/incumbent_search.hpp"

#include <algorithm>

#include "optim/vbo/constants.hpp"

namespace vbo {

void relocate(GaussianActor& search, const Archive& archive) {
  const int best = archive.at_rank(0);
  if (!(archive.value(best) > search.best())) return;
  const double distance = search.distance(archive.code(best));
  if (distance < Tuning::far_deviations * search.deviation()) return;
  search.begin(archive.code(best), std::min(Tuning::again_sigma, distance), archive.value(best));
}

double IncumbentSearch::restart_share() const {
  return search_->deviation() < Tuning::restart_exact ? Tuning::restart_most
                                                      : Tuning::restart_share;
}

void IncumbentSearch::learn(ConstVectorRef code, double value, bool own) {
  if (own || search_->distance(code) < Tuning::other_region) search_->learn(code, value, own);
}

void IncumbentSearch::advance(const Archive& history) {
  relocate(*search_, history);
  search_->advance();
}

void IncumbentSearch::write(StateWriter& out) const { search_->write(out); }

void IncumbentSearch::read(StateReader& in) {
  if (!search_->usable()) in.fail();
  search_->read(in, /*running=*/true);
}

}  // namespace vbo
