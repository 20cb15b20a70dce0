// SPDX-License-Identifier: MIT
// The linear equalities of a region: moving a point to where they hold.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/region.hpp"

namespace vbo {
namespace {

constexpr double kBalanced = 1e-13;  // residual of an equality that needs no more correction
constexpr double kExact = 2e-16;     // the same of the numbers that are suggested
constexpr double kImplied = 1e-10;   // what is left of an equality, beside others that imply it

// Solves M x = y by Gaussian elimination with pivoting; false when M (n,n) is singular.
bool solve(std::vector<std::vector<double>>& M, std::vector<double>& y) {
  const std::size_t n = y.size();
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < n; ++row) {
      if (std::abs(M[row][column]) > std::abs(M[pivot][column])) pivot = row;
    }
    if (std::abs(M[pivot][column]) < 1e-14) return false;
    std::swap(M[pivot], M[column]);
    std::swap(y[pivot], y[column]);
    for (std::size_t row = 0; row < n; ++row) {
      if (row == column) continue;
      const double factor = M[row][column] / M[column][column];
      for (std::size_t k = column; k < n; ++k) M[row][k] -= factor * M[column][k];
      y[row] -= factor * y[column];
    }
  }
  for (std::size_t i = 0; i < n; ++i) y[i] /= M[i][i];
  return true;
}

}  // namespace

// Leaves out what others imply, which have no multipliers of their own: all of them would have no
// solution.
bool Region::multipliers(std::span<const Row* const> rows, std::span<const std::size_t> active,
                         std::vector<double>& residual) {
  std::vector<std::size_t> chosen;
  std::vector<State> directions;  // of those chosen, perpendicular to each other
  for (std::size_t p = 0; p < rows.size(); ++p) {
    State rest = rows[p]->a;
    const auto dot = [&](const State& a, const State& b) {
      double sum = 0.0;
      for (const std::size_t i : active) sum += a[i] * b[i];
      return sum;
    };
    const double before = dot(rest, rest);
    for (int pass = 0; pass < 2; ++pass) {
      for (const State& direction : directions) {
        const double along = dot(rest, direction);
        for (const std::size_t i : active) rest[i] -= along * direction[i];
      }
    }
    const double length = std::sqrt(dot(rest, rest));
    if (!(length > kImplied * std::sqrt(before))) continue;
    for (double& component : rest) component /= length;
    directions.push_back(std::move(rest));
    chosen.push_back(p);
  }
  const std::size_t n = chosen.size();
  std::vector<std::vector<double>> gram(n, std::vector<double>(n));
  std::vector<double> y(n);
  for (std::size_t p = 0; p < n; ++p) {
    y[p] = residual[chosen[p]];
    for (std::size_t q = 0; q < n; ++q) {
      const State &a = rows[chosen[p]]->a, &b = rows[chosen[q]]->a;
      for (const std::size_t i : active) gram[p][q] += a[i] * b[i];
    }
  }
  if (!solve(gram, y)) return false;
  std::ranges::fill(residual, 0.0);
  for (std::size_t p = 0; p < n; ++p) residual[chosen[p]] = y[p];
  return true;
}

void Region::project(State& state) const {
  for (const std::size_t i : discrete_) state[i] = state_of(i, number_at(i, state[i]));
  for (const std::size_t i : continuous_) state[i] = std::clamp(state[i], 0.0, 1.0);
  if (rows_.empty()) return;
  for (const Row& row : rows_) {
    if (std::none_of(continuous_.begin(), continuous_.end(),
                     [&](std::size_t i) { return row.a[i] != 0.0; })) {
      project_discrete(state, row);
    }
  }
  // The closest point of the equalities, in the coordinates that are not at a bound yet.
  std::vector<std::size_t> active(continuous_);
  for (std::size_t round = 0; round <= continuous_.size() && !active.empty(); ++round) {
    std::vector<const Row*> rows;
    std::vector<double> residual;
    bool balanced = true;
    for (const Row& row : rows_) {
      if (std::none_of(active.begin(), active.end(),
                       [&](std::size_t i) { return row.a[i] != 0.0; }))
        continue;
      double r = row.b, magnitude = std::abs(row.b);
      for (std::size_t i = 0; i < size(); ++i) {
        r -= row.a[i] * state[i];
        magnitude += std::abs(row.a[i] * state[i]);
      }
      balanced = balanced && std::abs(r) <= kBalanced * magnitude;
      rows.push_back(&row);
      residual.push_back(r);
    }
    if (balanced) return;
    if (!multipliers(rows, active, residual)) return;
    bool left_the_box = false;
    for (const std::size_t i : active) {
      for (std::size_t p = 0; p < rows.size(); ++p) state[i] += rows[p]->a[i] * residual[p];
      left_the_box = left_the_box || state[i] < 0.0 || state[i] > 1.0;
      state[i] = std::clamp(state[i], 0.0, 1.0);
    }
    if (!left_the_box) continue;  // once more, against rounding
    std::erase_if(active, [&](std::size_t i) { return state[i] <= 0.0 || state[i] >= 1.0; });
  }
}

// Steps of the parameters with the largest room towards the equality, one by one.
void Region::project_discrete(State& state, const Row& row) const {
  const State target = state;
  for (int step = 0; step < 4096; ++step) {
    double r = row.b, magnitude = std::abs(row.b);
    for (std::size_t i = 0; i < size(); ++i) {
      r -= row.a[i] * state[i];
      magnitude += std::abs(row.a[i] * state[i]);
    }
    if (std::abs(r) <= 1e-11 * magnitude) return;
    std::size_t best = size();
    double best_state = 0.0, best_cost = std::numeric_limits<double>::infinity();
    for (const std::size_t i : discrete_) {
      if (row.a[i] == 0.0) continue;
      const std::int64_t index = axes_[i].index_of(number_at(i, state[i]));
      const std::int64_t next = index + ((r > 0.0) == (row.a[i] > 0.0) ? 1 : -1);
      if (next < 0 || next >= axes_[i].count()) continue;
      const double moved = state_of(i, axes_[i].number_of_index(next));
      if (std::abs(row.a[i] * (moved - state[i])) > std::abs(r) * (1.0 + 1e-9)) continue;
      const double cost = std::abs(moved - target[i]);
      if (cost < best_cost) {
        best = i;
        best_state = moved;
        best_cost = cost;
      }
    }
    if (best == size()) return;
    state[best] = best_state;
  }
}

// Takes away from the direction what would leave the equalities.
void Region::project_direction(State& direction) const {
  if (rows_.empty()) return;
  std::vector<const Row*> rows;
  std::vector<double> y;
  for (const Row& row : rows_) {
    double dot = 0.0, norm = 0.0;
    for (const std::size_t i : continuous_) {
      dot += row.a[i] * direction[i];
      norm += row.a[i] * row.a[i];
    }
    if (norm == 0.0) continue;
    rows.push_back(&row);
    y.push_back(dot);
  }
  if (!multipliers(rows, continuous_, y)) return;
  for (const std::size_t i : continuous_) {
    for (std::size_t p = 0; p < rows.size(); ++p) direction[i] -= rows[p]->a[i] * y[p];
  }
}

// As project(), in the numbers themselves, which have more digits than the coordinates of a wide
// box.
bool Region::close_rows(std::span<double> numbers, std::vector<std::size_t> active) const {
  constexpr int kOnceMore = 3;  // against rounding, with the same parameters
  for (int same = 0; same < kOnceMore; ++same) {
    std::vector<const Row*> rows;
    std::vector<double> residual;
    bool exact = true;
    for (std::size_t p = 0; p < rows_.size(); ++p) {
      const LinearForm& form = *equalities_[p]->equality();
      long double r = -form.constant;
      double magnitude = std::abs(form.constant);
      for (std::size_t i = 0; i < size(); ++i) {
        r -= static_cast<long double>(form.coefficients[i]) * numbers[i];
        magnitude = std::max(magnitude, std::abs(form.coefficients[i] * numbers[i]));
      }
      exact = exact && std::abs(static_cast<double>(r)) <= kExact * magnitude;
      rows.push_back(&rows_[p]);
      residual.push_back(static_cast<double>(r));
    }
    if (exact) return true;
    if (active.empty() || !multipliers(rows, active, residual)) return false;
    for (const std::size_t i : active) {
      double change = 0.0;
      for (std::size_t p = 0; p < rows.size(); ++p) change += rows[p]->a[i] * residual[p];
      numbers[i] = std::clamp(numbers[i] + change * width_[i], low_[i], low_[i] + width_[i]);
    }
    const bool fewer = std::erase_if(active, [&](std::size_t i) {
                         return numbers[i] <= low_[i] || numbers[i] >= low_[i] + width_[i];
                       }) > 0;
    if (fewer) same = 0;
  }
  return false;
}

void Region::balance(std::span<double> numbers) const {
  if (rows_.empty()) return;
  const auto violated = [&](std::span<const double> some) {
    return std::ranges::any_of(constraints_,
                               [&](const Expression& c) { return c.violation(some) != 0.0; });
  };
  std::vector<std::size_t> active;
  for (const std::size_t i : continuous_) {
    if (numbers[i] > low_[i] && numbers[i] < low_[i] + width_[i]) active.push_back(i);
  }
  const std::vector<double> given(numbers.begin(), numbers.end());
  std::vector<double> moved = given;
  (void)close_rows(moved, active);
  // Other constraints may end between the two: then by one parameter alone, if one can.
  for (std::size_t k = 0; k < active.size() && violated(moved); ++k) {
    moved = given;
    (void)close_rows(moved, {active[k]});
  }
  if (!violated(moved)) std::ranges::copy(moved, numbers.begin());
}

}  // namespace vbo
