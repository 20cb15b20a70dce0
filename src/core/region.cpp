// SPDX-License-Identifier: MIT
#include "core/region.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace vbo {
namespace {

constexpr int kRejections = 32;       // uniform points tried before a random walk is started
constexpr int kPushes = 8;            // along gradients of constraints, before an anchor is asked
constexpr double kFurther = 1.00001;  // than to the border, so that a push ends inside
constexpr double kApart = 1e-7;       // unit coordinates between two looks at a constraint
constexpr int kDoublings = 24;        // of the way from an outside point to an anchor ...
constexpr int kBisections = 14;       // ... and back to the border

std::uint64_t hash_of(std::span<const double> u) {
  std::uint64_t hash = 14695981039346656037ULL;  // FNV-1a
  for (const double x : u) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    for (int shift = 0; shift < 64; shift += 8) {
      hash = (hash ^ ((bits >> static_cast<unsigned>(shift)) & 0xFFU)) * 1099511628211ULL;
    }
  }
  return hash;
}

}  // namespace

Region::Region(std::span<const Parameter> parameters, std::span<const std::string> texts,
               std::vector<Expression> constraints)
    : texts_(texts.begin(), texts.end()), constraints_(std::move(constraints)) {
  const std::size_t n = parameters.size();
  linear_.assign(n, false);
  for (const Parameter& p : parameters) {
    axes_.emplace_back(p);
    unordered_.push_back(p.kind == ParameterKind::categorical);
    low_.push_back(p.low);
    width_.push_back(p.high - p.low);
    const std::size_t i = axes_.size() - 1;
    if (!axes_[i].is_discrete()) {
      continuous_.push_back(i);
    } else if (axes_[i].count() > 1) {
      discrete_.push_back(i);
    }
  }
  for (const Expression& constraint : constraints_) {
    if (!constraint.equality()) continue;
    Row row{State(n), -constraint.equality()->constant};
    for (std::size_t i = 0; i < n; ++i) {
      const double coefficient = constraint.equality()->coefficients[i];
      row.a[i] = coefficient * width_[i];
      row.b -= coefficient * low_[i];
      if (coefficient != 0.0) linear_[i] = true;
    }
    rows_.push_back(std::move(row));
    equalities_.push_back(&constraint);
  }
}

double Region::number_at(std::size_t i, double state) const {
  if (!linear_[i]) return axes_[i].number_at(state);
  return axes_[i].nearest(low_[i] + state * width_[i]);
}

double Region::state_of(std::size_t i, double number) const {
  if (!linear_[i]) return axes_[i].position_of(number);
  return width_[i] > 0.0 ? (number - low_[i]) / width_[i] : 0.0;
}

Region::State Region::state_from(std::span<const double> u) const {
  State state(u.begin(), u.end());
  for (std::size_t i = 0; i < size(); ++i) {
    if (linear_[i]) state[i] = state_of(i, axes_[i].number_at(u[i]));
  }
  return state;
}

// What counts is where u leads, not the state it came from: going through u may round.
bool Region::settle(const State& state, std::span<double> u) const {
  for (std::size_t i = 0; i < size(); ++i) {
    u[i] =
        linear_[i] ? axes_[i].position_of(number_at(i, state[i])) : std::clamp(state[i], 0.0, 1.0);
  }
  return contains(u);
}

bool Region::contains_state(const State& state) const {
  thread_local std::vector<double> u;
  u.resize(size());
  return settle(state, u);
}

bool Region::contains(std::span<const double> u) const {
  thread_local std::vector<double> numbers;
  numbers.resize(size());
  for (std::size_t i = 0; i < size(); ++i) numbers[i] = axes_[i].number_at(u[i]);
  return std::all_of(constraints_.begin(), constraints_.end(),
                     [](const Expression& c) { return c.violation(numbers) == 0.0; });
}

double Region::violation_of(const Expression& constraint, const State& state) const {
  thread_local std::vector<double> numbers;
  numbers.resize(size());
  for (std::size_t i = 0; i < size(); ++i) numbers[i] = number_at(i, state[i]);
  return constraint.violation(numbers);
}

double Region::violation(const State& state, std::span<const double> scales) const {
  double total = 0.0;
  for (std::size_t c = 0; c < constraints_.size(); ++c) {
    total += violation_of(constraints_[c], state) / scales[c];
  }
  return total;
}

Result<void> Region::check(const Point& point) const {
  std::vector<double> numbers(size());
  for (std::size_t i = 0; i < size(); ++i) numbers[i] = axes_[i].number_of(point[i]);
  for (std::size_t c = 0; c < constraints_.size(); ++c) {
    if (constraints_[c].violation(numbers) == 0.0) continue;
    std::string where;
    for (const std::size_t i : constraints_[c].parameters()) {
      where += (where.empty() ? "" : ", ") + to_string(point[i]);
    }
    return Error{ErrorKind::invalid_input,
                 "constraint " + std::to_string(c + 1) + ", \"" + texts_[c] +
                     "\", does not hold at " + where,
                 "constraint." + std::to_string(c + 1)};
  }
  return {};
}

Region::State Region::random_state(Rng& rng) const {
  State state(size());
  for (double& coordinate : state) coordinate = rng.uniform();
  return state;
}

void Region::walk(State& state, Rng& rng) const {
  const double parts = static_cast<double>(continuous_.size() + discrete_.size());
  if (parts == 0.0) return;
  if (rng.uniform() * parts < static_cast<double>(discrete_.size())) {
    walk_discrete(state, rng);
  } else {
    walk_continuous(state, rng);
  }
}

// Hit-and-run with shrinkage: a uniform point of the line through the state, as far as the box
// goes; what lies outside of the region shortens the line. Lines follow differences between
// anchors, which lie along the region however thin it is, single coordinates or pairs, and random
// directions.
void Region::walk_continuous(State& state, Rng& rng) const {
  State direction(size(), 0.0);
  const std::uint64_t kind = rng.below(3);
  if (kind == 0 && anchors_.size() > 1) {
    const State& a = anchors_[rng.below(anchors_.size())];
    const State& b = anchors_[rng.below(anchors_.size())];
    for (const std::size_t i : continuous_) direction[i] = a[i] - b[i];
  } else if (kind == 1) {
    direction[continuous_[rng.below(continuous_.size())]] += 1.0;
    if (!rows_.empty()) direction[continuous_[rng.below(continuous_.size())]] -= 1.0;
  } else {
    for (const std::size_t i : continuous_) direction[i] = rng.normal();
  }
  project_direction(direction);
  double from = -std::numeric_limits<double>::infinity();
  double to = -from;
  for (const std::size_t i : continuous_) {
    if (std::abs(direction[i]) < 1e-15) continue;
    const double a = -state[i] / direction[i], b = (1.0 - state[i]) / direction[i];
    from = std::max(from, std::min(a, b));
    to = std::min(to, std::max(a, b));
  }
  if (!(from <= 0.0 && to >= 0.0) || !std::isfinite(from) || !std::isfinite(to)) return;
  State moved = state;
  for (int shrink = 0; shrink < 64 && to - from > 1e-15; ++shrink) {
    const double t = from + (to - from) * rng.uniform();
    for (const std::size_t i : continuous_) {
      moved[i] = std::clamp(state[i] + t * direction[i], 0.0, 1.0);
    }
    if (contains_state(moved)) {
      state = std::move(moved);
      return;
    }
    (t < 0.0 ? from : to) = t;
  }
}

// Another value of one discrete parameter, or one parameter's steps given to another so that an
// equality still holds; kept when it lies in the region.
void Region::walk_discrete(State& state, Rng& rng) const {
  State moved = state;
  const std::size_t i = discrete_[rng.below(discrete_.size())];
  const std::int64_t count = axes_[i].count();
  const std::int64_t index = axes_[i].index_of(number_at(i, state[i]));
  std::int64_t next = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(count)));
  if (!unordered_[i] && rng.uniform() < 0.5) next = index + (rng.uniform() < 0.5 ? -1 : 1);
  if (next < 0 || next >= count) return;
  moved[i] = state_of(i, axes_[i].number_of_index(next));
  if (linear_[i] && rng.uniform() < 0.75) {
    const std::size_t j = discrete_[rng.below(discrete_.size())];
    const std::int64_t other = axes_[j].index_of(number_at(j, state[j])) - (next - index);
    if (j == i || other < 0 || other >= axes_[j].count()) return;
    moved[j] = state_of(j, axes_[j].number_of_index(other));
  }
  if (linear_[i] && !contains_state(moved) && !continuous_.empty()) project(moved);
  if (contains_state(moved)) state = std::move(moved);
}

std::size_t Region::nearest_anchor(const State& state) const {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < anchors_.size(); ++k) {
    double distance = 0.0;
    for (std::size_t i = 0; i < size() && distance < least; ++i) {
      const double gap = anchors_[k][i] - state[i];
      distance += unordered_[i]
                      ? static_cast<double>(number_at(i, anchors_[k][i]) != number_at(i, state[i]))
                      : gap * gap;
    }
    if (distance < least) {
      least = distance;
      best = k;
    }
  }
  return best;
}

// The derivative of a constraint's violation by the continuous parameters, along the equalities;
// nothing where a step down would leave the box.
Region::State Region::slope_of(const Expression& constraint, State& state) const {
  State slope(size(), 0.0);
  const double now = violation_of(constraint, state);
  const std::span<const std::size_t> used = constraint.parameters();
  for (const std::size_t i : continuous_) {
    if (std::ranges::find(used, i) == used.end()) continue;
    const double here = state[i];
    const auto change = [&](double step) {
      state[i] = here + step;
      return violation_of(constraint, state) - now;
    };
    // Inside, and beyond a bound, there is nothing to see: the side on which more changes is right.
    const double up = change(kApart), down = change(-kApart);
    state[i] = here;
    slope[i] = (std::abs(up) >= std::abs(down) ? up : -down) / kApart;
    const bool leaves_box = (here <= 0.0 && slope[i] > 0.0) || (here >= 1.0 && slope[i] < 0.0);
    if (leaves_box) slope[i] = 0.0;
  }
  if (!rows_.empty()) project_direction(slope);
  return slope;
}

// Newton's steps on each constraint that is violated, v > 0, along its gradient g by the continuous
// parameters: x -= v g / (g' g), which is the way to the nearest point of a border that is
// straight. False where they lead nowhere: whole numbers in the way, constraints that contradict
// each other nearby, a gradient that vanishes.
bool Region::push_inside(State& state) const {
  for (int push = 0; push < kPushes; ++push) {
    for (const Expression& constraint : constraints_) {
      const double v = violation_of(constraint, state);
      if (v == 0.0) continue;
      const State g = slope_of(constraint, state);
      const double squared = std::inner_product(g.begin(), g.end(), g.begin(), 0.0);
      const double length = kFurther * v / squared;
      if (!(squared > 0.0) || !std::isfinite(length)) return false;
      for (std::size_t i = 0; i < size(); ++i) state[i] -= length * g[i];
    }
    project(state);
    if (contains_state(state)) return true;
  }
  return false;
}

void Region::repair(std::span<double> u) const {
  if (contains(u)) return;
  State state = state_from(u);
  project(state);
  if (settle(state, u)) return;
  if (State pushed = state; push_inside(pushed)) {
    settle(pushed, u);
    return;
  }
  const State& anchor = anchors_[nearest_anchor(state)];
  State between(size());
  const auto is_inside = [&](double t) {
    for (std::size_t i = 0; i < size(); ++i) {
      between[i] = unordered_[i] ? anchor[i] : state[i] + t * (anchor[i] - state[i]);
    }
    project(between);
    return contains_state(between);
  };
  State best = anchor;
  double outside = 0.0, inside = 1.0;
  for (int step = kDoublings; step > 0; --step) {
    const double t = std::ldexp(1.0, -step);
    if (is_inside(t)) {
      inside = t;
      best = between;
      break;
    }
    outside = t;
  }
  for (int step = 0; step < kBisections && inside > 0.0 && !continuous_.empty(); ++step) {
    const double middle = 0.5 * (outside + inside);
    if (is_inside(middle)) {
      inside = middle;
      best = between;
    } else {
      outside = middle;
    }
  }
  settle(best, u);
}

void Region::spread(std::span<double> u) const {
  if (contains(u)) return;
  Rng rng(hash_of(u), "region");
  for (int attempt = 0; attempt < kRejections && rows_.empty(); ++attempt) {
    for (double& coordinate : u) coordinate = rng.uniform();
    if (contains(u)) return;
  }
  State state = anchors_[rng.below(anchors_.size())];
  const std::size_t steps = 4 + continuous_.size() + discrete_.size();
  for (std::size_t step = 0; step < steps; ++step) walk(state, rng);
  settle(state, u);
}

}  // namespace vbo
