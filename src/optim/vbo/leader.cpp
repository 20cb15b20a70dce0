// SPDX-License-Identifier: MIT
#include "optim/vbo/leader.hpp"

#include <algorithm>
#include <iterator>

#include "optim/vbo/champion.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {

Leader::Leader(const Encoding& encoding, const VboOptions& options, std::uint64_t seed)
    : search_(std::make_unique<LocalSearch>(encoding, seed)),
      numbers_(std::ssize(encoding.numeric_coordinates())),
      imagined_(options.imagined),
      explore_(options.explore),
      jump_share_(options.explore) {}

bool Leader::is_narrow() const { return search_->deviation() < Tuning::narrow; }

// With few numbers a generation narrows a search by much: until it has its basin one is enough.
int Leader::generations() const {
  const bool one = numbers_ < Tuning::imagine_more_from && !is_narrow();
  return static_cast<int>(one ? std::min<std::int64_t>(imagined_, 1) : imagined_);
}

std::optional<double> Leader::jump_share() const {
  return explore_ > 0.0 ? std::optional(jump_share_) : std::nullopt;
}

// Good results of another region would only widen it.
void Leader::learn(ConstVectorRef code, double value, bool own) {
  if (own || !search_->running() || search_->distance(code) < Tuning::other_region) {
    search_->learn(code, value, own);
  }
}

void Leader::advance(const Archive& archive, Frame& frame) {
  if (!usable()) return;
  const auto best = archive.code(archive.at_rank(0));
  if (!search_->running()) search_->begin(best, Tuning::first_sigma);
  if (!is_narrow()) {
    jump_share_ = explore_;
  } else if (explore_ > 0.0) {
    jump_share_ = relocate(*search_, archive) ? explore_ : fewer_jumps(jump_share_);
  }
  search_->advance();
  if (search_->is_over(Tuning::leader_patience)) {
    const double so_far = search_->best();
    search_->begin(best, Tuning::again_sigma, so_far);
  }
  search_->set_frame(frame);
}

void Leader::write(StateWriter& out) const {
  search_->write(out);
  out.put(jump_share_);
}

void Leader::read(StateReader& in, bool running) {
  search_->read(in, running && usable());
  jump_share_ = in.get_number(0.0, 1.0);
}

}  // namespace vbo
