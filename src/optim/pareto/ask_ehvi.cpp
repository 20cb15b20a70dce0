// SPDX-License-Identifier: MIT
// How gp-logehvi chooses: one point after the other, each the maximizer of the logarithm of the
// expected hypervolume improvement over the front, pending points being fantasies.
#include <algorithm>
#include <cmath>
#include <limits>

#include "numerics/pareto.hpp"
#include "optim/pareto/log_ehvi.hpp"
#include "optim/pareto/pareto.hpp"
#include "optim/surrogate/maximize.hpp"

namespace vbo::pareto {
namespace {

using Eigen::Index;

constexpr double kReference = 1.1;  // so many widths below the ideal
// The largest front that is decomposed, by the number of objectives: a thousand boxes or two.
constexpr Index kMostFront[] = {0, 1, 500, 60, 20};
constexpr Index kExactObjectives = 4;

// Boxes above the front or, beyond four objectives, above the point where the front ends on a
// random ray (random hypervolume scalarization with one ray).
Decomposition boxes_above(ConstMatrixRef heights, Rng& rng) {
  const Index M = heights.rows();
  std::vector<Index> inside;
  for (Index i = 0; i < heights.cols(); ++i) {
    if (heights.col(i).minCoeff() > 0.0) inside.push_back(i);
  }
  Matrix front = heights(Eigen::all, inside);
  if (front.cols() > 0) front = Matrix(front(Eigen::all, non_dominated(-front)));
  if (M > kExactObjectives) {
    Vector ray(M);
    for (double& v : ray) v = std::max(std::abs(rng.normal()), 1e-3);
    double reach = 0.0;
    for (Index i = 0; i < front.cols(); ++i) {
      reach = std::max(reach, front.col(i).cwiseQuotient(ray).minCoeff());
    }
    return {reach * ray, Matrix::Constant(M, 1, std::numeric_limits<double>::infinity())};
  }
  // A larger front is represented by those of its points that add most.
  const Index most = kMostFront[M];
  if (front.cols() > most) {
    const Vector adds = hypervolume_contributions(-front, Vector::Zero(M));
    std::vector<Index> order(static_cast<std::size_t>(front.cols()));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
    std::ranges::stable_sort(order, std::greater<>{}, [&](Index i) { return adds[i]; });
    order.resize(static_cast<std::size_t>(most));
    front = Matrix(front(Eigen::all, order));
  }
  return undominated_boxes(front);
}

}  // namespace

std::vector<Suggestion> Pareto::ask_by_ehvi(std::span<const TrialId> ids) {
  ObjectiveModels models = models_;
  Matrix heights(objectives_, 0);
  if (elites_.feasible()) {
    heights = scaling_.outcomes(elites_.values()).array() + kReference;
  }
  const auto assume = [&](const Matrix& X) {
    const Matrix mean = models.mean(X);
    heights.conservativeResize(Eigen::NoChange, heights.cols() + X.cols());
    heights.rightCols(X.cols()) = mean.array() + kReference;
    models.add_fantasies(X);
  };
  if (!history_.open().empty()) assume(history_.pending());
  std::vector<Suggestion> made;
  for (const TrialId id : ids) {
    Rng rng(common_.seed, "ehvi", static_cast<std::uint64_t>(id));
    const Decomposition boxes = boxes_above(heights, rng);
    const auto value_at = [&](ConstVectorRef mean, ConstVectorRef deviation) {
      return log_ehvi(boxes, mean.array() + kReference, deviation);
    };
    const bool limited = feasibility_.knows_anything();
    const BatchObjective objective{
        [&](ConstVectorRef x, VectorRef slope) {
          const ObjectiveModels::Prediction p = models.predict(x);
          const LogEhvi found = value_at(p.mean.col(0), p.deviation.col(0));
          slope = models.pull_back(x, found.d_mean, found.d_deviation);
          if (!limited) return found.value;
          Matrix by_x;
          const double log_p = feasibility_.log_probability(x, &by_x)[0];
          slope += by_x.col(0);
          return found.value + log_p;
        },
        [&](ConstMatrixRef X) {
          const ObjectiveModels::Prediction p = models.predict(X);
          Vector values(X.cols());
          for (Index i = 0; i < X.cols(); ++i) {
            values[i] = value_at(p.mean.col(i), p.deviation.col(i)).value;
          }
          if (limited) values += feasibility_.log_probability(X);
          return values;
        }};
    SobolDesign design(encoding_, rng());
    Matrix raw(encoding_.dimension(), options_.raw_samples);
    for (Index i = 0; i < raw.cols(); ++i) {
      Vector x = design.code(static_cast<std::uint64_t>(i));
      if (i % 2 == 1) {
        const auto k = rng.below(static_cast<std::uint64_t>(elites_.size()));
        const double length = 0.5 * std::pow(10.0, -3.0 * rng.uniform());
        x = varied(encoding_, history_.code(elites_.indices()[k]), length, rng);
      }
      encoding_.snap(x);
      raw.col(i) = x;
    }
    const std::vector<Candidate> found =
        maximize(encoding_, objective, raw,
                 {.restarts = static_cast<int>(options_.restarts),
                  .iterations = static_cast<int>(options_.iterations),
                  .threads = common_.threads},
                 rng);
    const auto fresh = std::ranges::find_if(
        found, [&](const Candidate& c) { return !history_.contains(c.X.col(0)); });
    if (fresh == found.end()) {
      made.push_back(suggest(id, new_code(id), {.source = "nearby"}));
    } else {
      Rationale why{.source = "acquisition", .acquisition = fresh->value};
      add_log_gain(why, fresh->value, models.mean(fresh->X).col(0));
      made.push_back(suggest(id, fresh->X.col(0), std::move(why)));
    }
    if (made.size() < ids.size()) assume(encoding_.encode(made.back().point));
  }
  return made;
}

}  // namespace vbo::pareto
