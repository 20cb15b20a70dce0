// SPDX-License-Identifier: MIT
#include "optim/vbo/critics/calibration.hpp"

#include <algorithm>
#include <cmath>

namespace vbo {
namespace {

constexpr int kGrid = 17;             // values of b, from 0 to 1
constexpr double kStep = 1.0 / 16.0;  // between them
constexpr std::int64_t kOpening = 2;  // batches after which models are no longer young

// log(p / m) of one input (G).
Vector evidence(ConstVectorRef p, ConstVectorRef m) {
  return (((1.0 - Tuning::doubt) * p.array() + Tuning::doubt * m.array()) / m.array()).log();
}

// m (p/m)^b / Z
Vector tempered(ConstVectorRef s, ConstVectorRef m, double b) {
  const Vector p = m.array() * (b * (s.array() - s.maxCoeff())).exp();
  return p / p.sum();
}

}  // namespace

OutcomeLevels::OutcomeLevels(const Archive& archive, const Replay& replay, int cells) {
  const auto value_above = [&](double mass_below) {
    return archive.value_at_rank(replay.rank_at(1.0 - mass_below));
  };
  std::vector<double> mass, edges;
  double last = 0.0;
  for (int j = 0; j < cells; ++j) {
    const double middle = value_above((j + 0.5) / cells);
    if (j == 0 || middle > last) {
      if (j > 0) {
        const double edge = value_above(static_cast<double>(j) / cells);
        edges.push_back(edge > last && edge < middle ? edge : 0.5 * last + 0.5 * middle);
      }
      mass.push_back(0.0);
      last = middle;
    }
    mass.back() += 1.0 / cells;
    level_of_cell_.push_back(static_cast<int>(mass.size()) - 1);
  }
  mass_ = Eigen::Map<const Vector>(mass.data(), std::ssize(mass));
  edges_ = Eigen::Map<const Vector>(edges.data(), std::ssize(edges));
}

int OutcomeLevels::level_of(double value) const {
  return static_cast<int>(std::lower_bound(edges_.begin(), edges_.end(), value) - edges_.begin());
}

Matrix OutcomeLevels::merged(Eigen::Ref<const MatrixOf<float>> cells) const {
  Matrix P = Matrix::Zero(size(), cells.cols());
  for (Eigen::Index j = 0; j < cells.rows(); ++j) {
    P.row(level_of_cell_[static_cast<std::size_t>(j)]) += cells.row(j).cast<double>();
  }
  return P;
}

double OutcomeLevels::quantile(ConstVectorRef p, double share, double lowest,
                               double highest) const {
  const Eigen::Index last = size() - 1;
  Eigen::Index level = 0;
  double below = 0.0;
  while (level < last && below + p[level] < share) below += p[level++];
  const double from = level == 0 ? lowest : edges_[level - 1];
  const double to = level == last ? highest : edges_[level];
  return from + std::clamp((share - below) / std::max(p[level], 1e-12), 0.0, 1.0) * (to - from);
}

Calibration::Calibration(double inverse_temperature)
    : scores_(kGrid), inverse_temperature_(inverse_temperature), opening_(inverse_temperature) {
  for (int g = 0; g < kGrid; ++g) {
    scores_[g] = -Tuning::temperature_prior * std::pow(g * kStep - inverse_temperature, 2.0);
  }
}

Calibration Calibration::opening() const {
  Calibration young(opening_);
  young.bias_ = bias_;
  return young;
}

Calibration::Nats Calibration::assess(const OutcomeLevels& on, ConstMatrixRef P,
                                      std::span<const int> levels) const {
  double observed = 0.0;
  for (Eigen::Index i = 0; i < P.cols(); ++i) {
    const Vector p = corrected(on, P.col(i));
    const int level = levels[static_cast<std::size_t>(i)];
    observed += std::log(p[level] / on.mass()[level]);
  }
  return {predicted(on, P), observed / static_cast<double>(std::max<Eigen::Index>(1, P.cols()))};
}

Vector Calibration::corrected(const OutcomeLevels& on, ConstVectorRef p) const {
  return tempered(evidence(p, on.mass()), on.mass(), inverse_temperature_);
}

double Calibration::predicted(const OutcomeLevels& on, ConstMatrixRef P) const {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < P.cols(); ++i) {
    const Vector p = corrected(on, P.col(i));
    sum += (p.array() * (p.array() / on.mass().array()).log()).sum();
  }
  return std::max(0.0, sum / static_cast<double>(std::max<Eigen::Index>(1, P.cols())) - bias_);
}

void Calibration::learn(const OutcomeLevels& on, ConstMatrixRef P, std::span<const int> levels) {
  const auto n = static_cast<double>(P.cols());
  if (n > 0) {
    const Nats nats = assess(on, P, levels);
    const double rate = Tuning::bias_rate * n / (n + Tuning::bias_results);
    bias_ += rate * (nats.predicted - nats.observed);
  }
  const double memory = std::max(n, Tuning::temperature_memory);
  scores_ *= memory / (memory + n);
  for (Eigen::Index i = 0; i < P.cols(); ++i) {
    const Vector s = evidence(P.col(i), on.mass());
    // m (p/m)^b for b = 0, 1/16, ...: one multiplication a step.
    const Vector factor = (kStep * s.array()).exp();
    Vector weights = on.mass();
    for (int g = 0; g < kGrid; ++g) {
      scores_[g] += g * kStep * s[levels[static_cast<std::size_t>(i)]] - std::log(weights.sum());
      weights.array() *= factor.array();
    }
  }
  Eigen::Index best = 0;
  scores_.maxCoeff(&best);
  inverse_temperature_ = static_cast<double>(best) * kStep;
  if (best > 0 && best + 1 < kGrid) {  // the vertex of the parabola through three points
    const double left = scores_[best - 1], right = scores_[best + 1];
    const double bend = left + right - 2.0 * scores_[best];
    if (bend < 0.0) inverse_temperature_ += 0.5 * kStep * (left - right) / bend;
  }
  if (++batches_ == kOpening) opening_ = inverse_temperature_;
}

void Calibration::write(StateWriter& out) const {
  out.put(scores_).put(inverse_temperature_).put(opening_).put(bias_).put(batches_);
}

void Calibration::read(StateReader& in) {
  constexpr double most_nats = 1e9;
  scores_ = in.get_vector(kGrid, most_nats);
  inverse_temperature_ = in.get_number(0.0, 1.0);
  opening_ = in.get_number(0.0, 1.0);
  bias_ = in.get_number(-most_nats, most_nats);
  batches_ = in.get_count();
}

}  // namespace vbo
