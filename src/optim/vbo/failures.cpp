// SPDX-License-Identifier: MIT
#include "optim/vbo/failures.hpp"

#include <algorithm>
#include <cmath>

#include "numerics/symmetric_eigen.hpp"
#include "optim/surrogate/gp_method.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {

using Eigen::Index;

namespace {

constexpr std::size_t kNearestFailures = 32;  // that the model of the surroundings always sees

}  // namespace

Failures::Failures(const Encoding& encoding, std::uint64_t seed, int threads)
    : encoding_(encoding), model_(gp_options(encoding, {})), seed_(seed) {
  model_.threads = threads;
}

// Evenly over the order of results: early ones lie everywhere, late ones where it matters.
std::vector<int> Failures::spread_sample(int results) const {
  const int most = std::min(results, Tuning::failure_points);
  std::vector<int> chosen;
  chosen.reserve(static_cast<std::size_t>(most));
  for (int k = 0; k < most; ++k) {
    chosen.push_back(static_cast<int>(static_cast<std::int64_t>(k) * results / most));
  }
  return chosen;
}

std::vector<int> Failures::nearest(const Archive& history, int results,
                                   const Vector& centre) const {
  std::vector<std::pair<double, int>> all;
  all.reserve(static_cast<std::size_t>(results));
  for (int i = 0; i < results; ++i) {
    all.emplace_back((history.code(i) - centre).squaredNorm(), i);
  }
  const auto most = static_cast<std::ptrdiff_t>(Tuning::failure_neighbours);
  std::partial_sort(all.begin(), all.begin() + most, all.end());
  std::vector<int> chosen;
  for (std::ptrdiff_t k = 0; k < most; ++k) {
    chosen.push_back(all[static_cast<std::size_t>(k)].second);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// A search that keeps to the safe side has no failures around it: the nearest ones tell where the
// border may be.
void Failures::add_failures(const Archive& history, int results, std::vector<int>& around) const {
  std::vector<std::pair<double, int>> failed;
  for (int i = 0; i < results; ++i) {
    if (success_[static_cast<std::size_t>(i)] != Success::no) continue;
    failed.emplace_back((history.code(i) - centre_).squaredNorm(), i);
  }
  const auto most = std::min(failed.size(), kNearestFailures);
  std::partial_sort(failed.begin(), failed.begin() + static_cast<std::ptrdiff_t>(most),
                    failed.end());
  for (std::size_t k = 0; k < most; ++k) around.push_back(failed[k].second);
  std::sort(around.begin(), around.end());
  around.erase(std::unique(around.begin(), around.end()), around.end());
}

// A = S^(-1/2) / (2 r), S the mean square of the numeric coordinates around the centre and r the
// largest coordinate that is then found.
void Failures::set_frame(const Archive& history, const std::vector<int>& around) {
  const Index D = encoding_.dimension();
  Matrix S = Matrix::Zero(D, D);
  for (const int i : around) {
    const Vector away = history.code(i) - centre_;
    S += away * away.transpose() / static_cast<double>(around.size());
  }
  for (const Encoding::Block& block : encoding_.blocks()) {
    if (block.width == 1) continue;  // categories keep their distances
    S.middleRows(block.offset, block.width).setZero();
    S.middleCols(block.offset, block.width).setZero();
    S.diagonal().segment(block.offset, block.width).setOnes();
  }
  S.diagonal().array() += Tuning::repeat * Tuning::repeat + 1e-10 * S.trace();
  const SymmetricEigen eigen = symmetric_eigen(S);
  const Vector stretch = eigen.values.cwiseMax(Tuning::repeat * Tuning::repeat).cwiseSqrt();
  whitening_ = eigen.vectors * stretch.cwiseInverse().asDiagonal() * eigen.vectors.transpose();
  double most = 0.0;
  for (const int i : around) {
    most = std::max(most, (whitening_ * (history.code(i) - centre_)).cwiseAbs().maxCoeff());
  }
  whitening_ /= 2.0 * std::max(most, 1e-9);
}

void Failures::learn(const Archive& history, int results) {
  whole_.forget();
  local_.forget();
  const auto end = success_.begin() + results;
  if (std::find(success_.begin(), end, Success::no) == end) return;
  if (std::find(success_.begin(), end, Success::yes) == end) return;
  teach(whole_, history, spread_sample(results), false);
  if (!whole_.knows_failures() || results <= Tuning::failure_neighbours) return;
  int best = 0;
  for (int i = 1; i < results; ++i) {
    if (history.value(i) > history.value(best)) best = i;
  }
  centre_ = history.code(best);
  std::vector<int> around = nearest(history, results, centre_);
  set_frame(history, around);
  add_failures(history, results, around);
  teach(local_, history, around, true);
}

void Failures::teach(Feasibility& model, const Archive& history, const std::vector<int>& indices,
                     bool local) const {
  Matrix X(encoding_.dimension(), std::ssize(indices));
  std::vector<Success> success;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const auto code = history.code(indices[k]);
    X.col(static_cast<Index>(k)) = local ? to_local(code) : Vector(code);
    success.push_back(success_[static_cast<std::size_t>(indices[k])]);
  }
  model.learn(model_, X, success, Matrix(0, X.cols()), Rng(seed_, "failures"));
}

Vector Failures::to_local(ConstVectorRef code) const {
  return (whitening_ * (code - centre_)).array() + 0.5;
}

bool Failures::is_local(ConstVectorRef code) const {
  return local_.knows_failures() &&
         ((whitening_ * (code - centre_)).array().abs() <= 0.5 + 1e-9).all();
}

Vector Failures::success_probability(const std::vector<Vector>& codes) const {
  Vector found(std::ssize(codes));
  for (const bool local : {false, true}) {
    std::vector<Index> which;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (is_local(codes[i]) == local) which.push_back(static_cast<Index>(i));
    }
    if (which.empty()) continue;
    Matrix X(encoding_.dimension(), std::ssize(which));
    for (std::size_t k = 0; k < which.size(); ++k) {
      const Vector& code = codes[static_cast<std::size_t>(which[k])];
      X.col(static_cast<Index>(k)) = local ? to_local(code) : code;
    }
    const Vector log_p = (local ? local_ : whole_).log_probability(X);
    for (std::size_t k = 0; k < which.size(); ++k) {
      found[which[k]] = std::exp(log_p[static_cast<Index>(k)]);
    }
  }
  return found;
}

}  // namespace vbo
