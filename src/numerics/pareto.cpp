// SPDX-License-Identifier: MIT
#include "numerics/pareto.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

namespace vbo {
namespace {

using Eigen::Index;

bool is_before(ConstVectorRef a, ConstVectorRef b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

// Positions of the points, the lexicographically smallest first: none is dominated by a later one.
std::vector<Index> sorted(ConstMatrixRef Y) {
  std::vector<Index> order(static_cast<std::size_t>(Y.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, [&](Index a, Index b) { return is_before(Y.col(a), Y.col(b)); });
  return order;
}

Matrix columns(ConstMatrixRef Y, const std::vector<Index>& which) {
  Matrix found(Y.rows(), std::ssize(which));
  for (Index i = 0; i < found.cols(); ++i) found.col(i) = Y.col(which[static_cast<std::size_t>(i)]);
  return found;
}

// The front of a growing set in the plane, x rising and y falling, and the area that it dominates
// below the reference.
class Staircase {
 public:
  Staircase(double x, double y) : x_(x), y_(y) {}
  double area() const { return area_; }

  // REQUIRES: x and y are below the reference.
  void add(double x, double y) {
    auto next = steps_.upper_bound(x);
    double height = y_;  // the lowest y of the points to the left
    if (next != steps_.begin()) height = std::prev(next)->second;
    if (height <= y) return;
    // A point with the same x is higher, and ends here like those to its right that are.
    next = steps_.lower_bound(x);
    if (next != steps_.begin()) {
      height = std::prev(next)->second;
    } else {
      height = y_;
    }
    double left = x;
    while (next != steps_.end() && next->second >= y) {
      area_ += (next->first - left) * (height - y);
      left = next->first;
      height = next->second;
      next = steps_.erase(next);
    }
    area_ += ((next == steps_.end() ? x_ : next->first) - left) * (height - y);
    steps_.emplace_hint(next, x, y);
  }

 private:
  double x_, y_;
  double area_ = 0.0;
  std::map<double, double> steps_;
};

double box(ConstVectorRef y, ConstVectorRef reference) { return (reference - y).prod(); }

// Of points that are all below the reference (M), M = 3: planes of rising height, and between two
// of them the area that the points below dominate.
double volume_by_planes(const Matrix& Y, ConstVectorRef reference) {
  std::vector<Index> order(static_cast<std::size_t>(Y.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, {}, [&](Index i) { return Y(2, i); });
  Staircase front(reference[0], reference[1]);
  double volume = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    front.add(Y(0, order[i]), Y(1, order[i]));
    const double above = i + 1 < order.size() ? Y(2, order[i + 1]) : reference[2];
    volume += front.area() * (above - Y(2, order[i]));
  }
  return volume;
}

// Of points that are all below the reference. From four objectives on by exclusive volumes (While,
// Bradstreet and Barone 2012): with the points in falling order of the last objective, what point k
// adds to the later ones has the height r_M - y_kM everywhere, so with y' the first M - 1
// coordinates
//   hv(Y) = sum_k (r_M - y_kM) (hv{ y'_k } - hv{ max(y'_k, y'_j) : j > k })
double volume(const Matrix& Y, ConstVectorRef reference) {
  const Index objectives = Y.rows(), n = Y.cols();
  if (n == 0) return 0.0;
  if (n == 1) return box(Y.col(0), reference);
  if (objectives == 1) return reference[0] - Y.minCoeff();
  if (objectives == 2) {
    Staircase front(reference[0], reference[1]);
    for (Index i = 0; i < n; ++i) front.add(Y(0, i), Y(1, i));
    return front.area();
  }
  if (objectives == 3) return volume_by_planes(Y, reference);
  const Index last = objectives - 1;
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::sort(order, std::greater<>{}, [&](Index i) { return Y(last, i); });
  const Matrix points = columns(Y, order);
  const Vector corner = reference.head(last);
  double sum = 0.0;
  for (Index k = 0; k < n; ++k) {
    const Vector y = points.col(k).head(last);
    const Matrix later =
        points.block(0, k + 1, last, n - k - 1).cwiseMax(y.replicate(1, n - k - 1));
    const double others = volume(columns(later, non_dominated(later)), corner);
    sum += (reference[last] - points(last, k)) * (box(y, corner) - others);
  }
  return sum;
}

std::vector<Index> below(ConstMatrixRef Y, ConstVectorRef reference) {
  std::vector<Index> inside;
  for (Index i = 0; i < Y.cols(); ++i) {
    if ((Y.col(i).array() < reference.array()).all()) inside.push_back(i);
  }
  return inside;
}

}  // namespace

bool dominates(ConstVectorRef a, ConstVectorRef b) {
  return (a.array() <= b.array()).all() && (a.array() < b.array()).any();
}

std::vector<Index> non_dominated(ConstMatrixRef Y) {
  std::vector<Index> front;
  // As dominates(), without an expression per pair: large fronts are compared with many points.
  const double* const points = Y.data();
  const Index objectives = Y.rows(), stride = Y.outerStride();
  const auto beats = [=](Index j, Index i) {
    const double* const a = points + j * stride;
    const double* const b = points + i * stride;
    bool smaller = false;
    for (Index m = 0; m < objectives; ++m) {
      if (a[m] > b[m]) return false;
      smaller = smaller || a[m] < b[m];
    }
    return smaller;
  };
  for (const Index i : sorted(Y)) {
    // In the plane the last of the front has the lowest second coordinate.
    const std::size_t first = Y.rows() == 2 && !front.empty() ? front.size() - 1 : 0;
    const auto beaten = std::find_if(front.begin() + static_cast<std::ptrdiff_t>(first),
                                     front.end(), [&](Index j) { return beats(j, i); });
    if (beaten == front.end()) {
      front.push_back(i);
    } else if (Y.rows() > 2) {  // what dominates one point often dominates the next ones, too
      std::iter_swap(beaten, front.begin() + (beaten - front.begin()) / 2);
    }
  }
  std::ranges::sort(front);
  return front;
}

std::vector<int> non_domination_ranks(ConstMatrixRef Y) {
  std::vector<int> ranks(static_cast<std::size_t>(Y.cols()), 0);
  std::vector<std::vector<Index>> fronts;
  for (const Index i : sorted(Y)) {
    // The latest of a front are the likeliest to dominate: they come first.
    const auto keeps_out = [&](const std::vector<Index>& front) {
      return std::any_of(front.rbegin(), front.rend(),
                         [&](Index j) { return dominates(Y.col(j), Y.col(i)); });
    };
    // What a point of a front dominates, points of all earlier fronts dominate too.
    const auto place = std::ranges::partition_point(fronts, keeps_out);
    ranks[static_cast<std::size_t>(i)] = static_cast<int>(place - fronts.begin());
    if (place == fronts.end()) {
      fronts.push_back({i});
    } else {
      place->push_back(i);
    }
  }
  return ranks;
}

double hypervolume(ConstMatrixRef Y, ConstVectorRef reference) {
  const Matrix points = columns(Y, below(Y, reference));
  return volume(columns(points, non_dominated(points)), reference);
}

Vector hypervolume_contributions(ConstMatrixRef Y, ConstVectorRef reference) {
  Vector contributions = Vector::Zero(Y.cols());
  const std::vector<Index> inside = below(Y, reference);
  // Dominated points count: without the one that dominates them they may be on the front.
  const Matrix points = columns(Y, inside);
  for (const Index i : non_dominated(points)) {
    // What the others leave of the point's box: of each, the part inside of the box.
    Matrix others(points.rows(), points.cols() - 1);
    others << points.leftCols(i), points.rightCols(points.cols() - 1 - i);
    others = others.cwiseMax(points.col(i).replicate(1, others.cols())).eval();
    contributions[inside[static_cast<std::size_t>(i)]] =
        box(points.col(i), reference) - volume(columns(others, non_dominated(others)), reference);
  }
  return contributions;
}

}  // namespace vbo
