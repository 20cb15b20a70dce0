// SPDX-License-Identifier: MIT
#include "optim/vbo/actors/local_search.hpp"

#include <algorithm>
#include <iterator>

#include "optim/vbo/actors/incumbent_search.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {

LocalSearch::LocalSearch(const Encoding& encoding, const VboOptions& options, std::uint64_t seed)
    : search_(std::make_unique<GaussianActor>(encoding, seed)),
      explore_(options.explore),
      mutation_share_(options.explore) {}

bool LocalSearch::is_narrow() const { return search_->deviation() < Tuning::narrow; }

std::optional<double> LocalSearch::mutation_share() const {
  return explore_ > 0.0 ? std::optional(mutation_share_) : std::nullopt;
}

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
  if (!is_narrow()) {
    mutation_share_ = explore_;
  } else if (explore_ > 0.0) {
    mutation_share_ =
        relocate(*search_, archive) ? explore_ : decayed_mutation_share(mutation_share_);
  }
  search_->advance();
  if (search_->is_over(Tuning::local_search_patience)) {
    const double so_far = search_->best();
    search_->begin(best, Tuning::again_sigma, so_far);
  }
  search_->set_coordinates(coordinates);
}

void LocalSearch::write(StateWriter& out) const {
  search_->write(out);
  out.put(mutation_share_);
}

void LocalSearch::read(StateReader& in, bool running) {
  search_->read(in, running && usable());
  mutation_share_ = in.get_number(0.0, 1.0);
}

}  // namespace vbo
