// SPDX-License-Identifier: MIT
// Finding the region: first points in it, then enough of them to know it by; or which constraints
// contradict each other.
#include <algorithm>
#include <cmath>

#include "core/region.hpp"

namespace vbo {
namespace {

constexpr std::size_t kAnchors = 128;
constexpr int kUniformPoints = 20000;  // tried at first: enough for a region of 1% of the box
constexpr std::size_t kSeeds = 32;     // points to start the random walks from
constexpr int kDescents = 64;          // attempts to walk into the region from outside
constexpr double kLargestScale = 1e100;

}  // namespace

class Region::Finder {
 public:
  explicit Finder(Region& region) : region_(region), rng_(0, "region-anchors") {}

  // False when no point was found.
  bool fill_anchors() {
    std::vector<State> found = uniform_points();
    if (found.size() < kAnchors) {
      measure_scales();
      for (int attempt = 0; attempt < kDescents && found.size() < kSeeds; ++attempt) {
        State state = region_.random_state(rng_);
        if (descend(state)) found.push_back(std::move(state));
        if (attempt == kDescents / 4 && found.empty()) slower_ = true;
      }
      if (found.empty()) return false;
      add_middles(found);
    }
    const bool even = found.size() >= kAnchors;
    region_.anchors_ = found;
    if (even) {
      region_.anchors_.resize(kAnchors);
      return true;
    }
    while (region_.anchors_.size() < kAnchors) {
      region_.anchors_.push_back(found[region_.anchors_.size() % found.size()]);
    }
    const std::size_t dimensions = region_.continuous_.size() + region_.discrete_.size();
    for (std::size_t sweep = 0; sweep < 3; ++sweep) {
      for (State& anchor : region_.anchors_) {
        State moved = anchor;
        for (std::size_t step = 0; step < 4 + 2 * dimensions; ++step) region_.walk(moved, rng_);
        anchor = std::move(moved);
      }
    }
    return true;
  }

 private:
  std::vector<State> uniform_points() {
    std::vector<State> found;
    for (int i = 0; i < kUniformPoints && found.size() < kAnchors; ++i) {
      if (!region_.rows_.empty() && i > 200) break;  // an equality has no volume
      State state = region_.random_state(rng_);
      if (region_.contains_state(state)) found.push_back(std::move(state));
    }
    return found;
  }

  // Violations in units of what is usual in the box, so that none drowns the others.
  void measure_scales() {
    constexpr int samples = 64;
    const std::size_t n = region_.constraints_.size();
    scales_.assign(n, 1.0);
    std::vector<std::vector<double>> seen(n);
    for (int i = 0; i < samples; ++i) {
      const State state = region_.random_state(rng_);
      std::vector<double> numbers(region_.size());
      for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = region_.number_at(k, state[k]);
      for (std::size_t c = 0; c < n; ++c) {
        const double v = region_.constraints_[c].violation(numbers);
        if (v > 0.0 && v < kLargestScale) seen[c].push_back(v);
      }
    }
    for (std::size_t c = 0; c < n; ++c) {
      if (seen[c].empty()) continue;
      std::nth_element(seen[c].begin(), seen[c].begin() + std::ssize(seen[c]) / 2, seen[c].end());
      scales_[c] = seen[c][seen[c].size() / 2];
    }
  }

  // An evolution strategy with one parent and one child on the sum of violations.
  bool descend(State& state) {
    region_.project(state);
    if (region_.contains_state(state)) return true;
    double total = region_.violation(state, scales_);
    double sigma = 0.3;
    const std::size_t n = region_.continuous_.size() + region_.discrete_.size();
    const std::size_t steps = (200 + 100 * n) * (slower_ ? 4 : 1);
    for (std::size_t step = 0; step < steps; ++step) {
      State child = state;
      const double share =
          rng_.uniform() < 0.5 ? 1.0 : 2.0 / static_cast<double>(std::max<std::size_t>(n, 2));
      for (const std::size_t i : region_.continuous_) {
        if (rng_.uniform() < share) child[i] += sigma * rng_.normal();
      }
      for (const std::size_t i : region_.discrete_) {
        if (rng_.uniform() >= std::min(share, 0.5)) continue;
        const auto count = static_cast<double>(region_.axes_[i].count());
        child[i] = region_.unordered_[i] || rng_.uniform() < 0.1
                       ? rng_.uniform()
                       : child[i] + std::max(sigma, 0.7 / count) * rng_.normal();
      }
      region_.project(child);
      const double now = region_.violation(child, scales_);
      const bool better = now <= total;
      if (better) {
        state = std::move(child);
        total = now;
        if (total == 0.0 && region_.contains_state(state)) return true;
      }
      sigma = std::clamp(sigma * (better ? 1.5 : 0.9), 1e-10, 0.5);
    }
    return false;
  }

  // Points found from outside lie at the border, where a random walk hardly moves: middles of a
  // convex part are inside.
  void add_middles(std::vector<State>& found) {
    const std::size_t first = found.size();
    for (std::size_t k = 0; k < 2 * kSeeds && first > 1; ++k) {
      State middle = found[rng_.below(first)];
      const std::size_t others = k % 2 == 0 ? 1 : std::min<std::size_t>(first, 16);
      State sum = middle;
      for (std::size_t o = 0; o < others; ++o) {
        const State& other = found[rng_.below(first)];
        for (const std::size_t i : region_.continuous_) sum[i] += other[i];
      }
      for (const std::size_t i : region_.continuous_) {
        middle[i] = sum[i] / static_cast<double>(others + 1);
      }
      region_.project(middle);
      if (region_.contains_state(middle)) found.push_back(std::move(middle));
    }
  }

  Region& region_;
  Rng rng_;
  std::vector<double> scales_;
  bool slower_ = false;  // nothing found so far
};

Parameter with_one_value(Parameter parameter, const Value& value) {
  if (parameter.has_choices()) {
    parameter.choices = {value};
    return parameter;
  }
  parameter.low = parameter.high = Axis(parameter).number_of(value);
  parameter.step = 0.0;
  return parameter;
}

Result<std::shared_ptr<const Region>> Region::make(std::span<const Parameter> parameters,
                                                   std::span<const std::string> texts,
                                                   const PartialPoint& fixed) {
  std::vector<Parameter> left(parameters.begin(), parameters.end());
  std::vector<Expression> constraints;
  for (std::size_t c = 0; c < texts.size(); ++c) {
    Result<Expression> expression = Expression::parse(texts[c], parameters);
    const std::string number = std::to_string(c + 1);
    if (!expression) {
      return Error{ErrorKind::invalid_input,
                   "constraint " + number + ", " + expression.error().message,
                   "constraint." + number};
    }
    constraints.push_back(std::move(*expression));
  }
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    if (!fixed[i]) continue;
    // A constraint may name a choice that is not the one left.
    if (left[i].has_choices()) {
      const auto index = static_cast<std::size_t>(Axis(left[i]).number_of(*fixed[i]));
      for (Expression& constraint : constraints) constraint = constraint.with_choice(i, index);
    }
    left[i] = with_one_value(std::move(left[i]), *fixed[i]);
  }
  const auto is_empty = [&](const std::vector<std::size_t>& chosen, std::shared_ptr<Region>* keep) {
    std::vector<std::string> some_texts;
    std::vector<Expression> some;
    for (const std::size_t c : chosen) {
      some_texts.push_back(texts[c]);
      some.push_back(constraints[c]);
    }
    auto region = std::shared_ptr<Region>(new Region(left, some_texts, std::move(some)));
    if (!Finder(*region).fill_anchors()) return true;
    if (keep) *keep = std::move(region);
    return false;
  };
  std::vector<std::size_t> chosen(texts.size());
  for (std::size_t c = 0; c < chosen.size(); ++c) chosen[c] = c;
  std::shared_ptr<Region> region;
  if (!is_empty(chosen, &region)) return std::shared_ptr<const Region>(std::move(region));
  // Leave out what is not needed for the contradiction.
  for (std::size_t k = 0; k < chosen.size() && chosen.size() > 1;) {
    std::vector<std::size_t> fewer = chosen;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(k));
    if (is_empty(fewer, nullptr)) {
      chosen = std::move(fewer);
    } else {
      ++k;
    }
  }
  std::string message = chosen.size() == 1 ? "no point of the space satisfies "
                                           : "no point of the space satisfies together ";
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    message += (k == 0                   ? "constraint "
                : k + 1 == chosen.size() ? " and constraint "
                                         : ", constraint ") +
               std::to_string(chosen[k] + 1) + ", \"" + texts[chosen[k]] + "\"";
  }
  return Error{ErrorKind::invalid_input, message,
               "constraint." + std::to_string(chosen.front() + 1)};
}

}  // namespace vbo
