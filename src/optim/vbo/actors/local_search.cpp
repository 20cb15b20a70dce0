// SPDX-License-Identifier: MIT
#include "optim/vbo/actors/local_search.hpp"

#include <algorithm>
#include <iterator>

#include "optim/vbo/actors/incumbent_search.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {

LocalSearch::LocalSearch(const Encoding& encoding, const VboOptions& options, std::uint64_t seed)
    : search_(std::make_unique<GaussianActor>(encoding, seed)), explores_(options.explore > 0.0) {}

bool LocalSearch::is_narrow() const { return search_->deviation() < Tuning::narrow; }

// Good results of another region would only widen it.
void LocalSearch::learn(ConstVectorRef code, double value, bool own) {
  if (own || !search_->running() || search_->distance(code) < Tuning::other_region) {
    search_->learn(code, value, own);
  }
}

void LocalSearch::advance(const Archive& archive, LocalCoordinates& coordinates) {
  if (!usable()) return;
  const auto best = archive.code(archive.at_rank(0));
  if (!search_->running()) search_->begin(best, Tuning::first_sigma);
  if (is_narrow() && explores_) relocate(*search_, archive);
  search_->advance();
  if (search_->is_over(Tuning::local_search_patience)) {
    const double so_far = search_->best();
    search_->begin(best, Tuning::again_sigma, so_far);
  }
  search_->set_coordinates(coordinates);
}

void LocalSearch::write(StateWriter& out) const { search_->write(out); }

void LocalSearch::read(StateReader& in, bool running) { search_->read(in, running && usable()); }

}  // namespace vbo
