// SPDX-License-Identifier: MIT
#include "information/estimators.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "numerics/flops.hpp"
#include "numerics/special.hpp"

namespace vbo {
namespace {

using Index = Eigen::Index;
constexpr double kInf = std::numeric_limits<double>::infinity();

constexpr std::array<std::pair<Estimator, std::string_view>, 9> kNames{{
    {Estimator::self_normalized, "self-normalized"},
    {Estimator::dv, "dv"},
    {Estimator::dv_offdiagonal, "dv-offdiag"},
    {Estimator::dv_shuffled, "dv-shuffled"},
    {Estimator::mine, "mine"},
    {Estimator::nwj, "nwj"},
    {Estimator::infonce, "infonce"},
    {Estimator::js, "js"},
    {Estimator::smile, "smile"},
}};

bool normalizes_rows(Estimator e) {
  return e == Estimator::infonce || e == Estimator::self_normalized;
}

// Elementwise softplus and logistic that do not overflow.
template <class Derived>
auto softplus_of(const Eigen::ArrayBase<Derived>& x) {
  using T = typename Derived::Scalar;
  return x.max(T(0)) + (-x.abs()).exp().log1p();
}
template <class Derived>
auto logistic_of(const Eigen::ArrayBase<Derived>& x) {
  using T = typename Derived::Scalar;
  return (T(1) + (-x).exp()).inverse();
}

}  // namespace

std::string_view to_string(Estimator estimator) {
  for (const auto& [value, name] : kNames) {
    if (value == estimator) return name;
  }
  return "unknown";
}

std::optional<Estimator> estimator_from(std::string_view name) {
  for (const auto& [value, known] : kNames) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::span<const Estimator> all_estimators() {
  static const auto values = [] {
    std::array<Estimator, kNames.size()> out{};
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = kNames[i].first;
    return out;
  }();
  return values;
}

// log mean_refs e^T (clamped for smile). d/dT = softmax over the references; mine divides e^T by
// its moving average instead; nwj wants e^{-1} mean e^T itself.
template <class T>
double ScoreEstimator<T>::partition(const Eigen::Ref<const MatrixOf<T>>& references, Pairs pairs,
                                    MatrixOf<T>* reference_gradient) {
  const bool skip = pairs == Pairs::off_diagonal;
  const Index count = references.size() - (skip ? references.rows() : 0);
  const auto log_count = std::log(static_cast<double>(count));
  auto& E = exponentials_;
  E = references;
  if (estimator_ == Estimator::smile) {
    const T clip = static_cast<T>(options_.clip);
    E = E.array().max(-clip).min(clip);
  }
  if (skip) E.diagonal().setConstant(-std::numeric_limits<T>::max());
  const T top = E.maxCoeff();
  E = (E.array() - top).exp();
  if (skip) E.diagonal().setZero();
  const double sum = static_cast<double>(E.sum());
  const double log_mean = static_cast<double>(top) + std::log(sum) - log_count;
  flops::add(3 * static_cast<std::uint64_t>(E.size()));

  double log_denominator = log_mean;  // of the gradient e^T / (count * denominator)
  double value = log_mean;
  if (estimator_ == Estimator::nwj) {
    log_denominator = 1.0;
    value = std::exp(log_mean - 1.0);
  } else if (estimator_ == Estimator::mine && reference_gradient) {
    // E <- (1-a) E + a mean e^T, in the log domain; the first batch starts it.
    const double a = options_.rate;
    log_average_ = log_average_
                       ? log_add_exp(std::log1p(-a) + *log_average_, std::log(a) + log_mean)
                       : log_mean;
    log_denominator = *log_average_;
  }
  if (reference_gradient) {
    const double factor = std::exp(static_cast<double>(top) - log_count - log_denominator);
    *reference_gradient = static_cast<T>(-factor) * E;
    flops::add(static_cast<std::uint64_t>(E.size()));
  }
  return value;
}

// -mean_i sp(-t_i) - mean_refs sp(T); d/dt_i = s(-t_i)/N, d/dT_ij = -s(T_ij)/count, s logistic.
template <class T>
double ScoreEstimator<T>::jensen_shannon(const Eigen::Ref<const VectorOf<T>>& joint,
                                         const Eigen::Ref<const MatrixOf<T>>& references,
                                         Pairs pairs, MatrixOf<T>* reference_gradient) {
  const bool skip = pairs == Pairs::off_diagonal;
  const auto n = static_cast<double>(joint.size());
  const auto count = static_cast<double>(references.size() - (skip ? references.rows() : 0));
  exponentials_ = softplus_of(references.array());
  if (skip) exponentials_.diagonal().setZero();
  const double value = -static_cast<double>(softplus_of(-joint.array()).sum()) / n -
                       static_cast<double>(exponentials_.sum()) / count;
  flops::add(5 * static_cast<std::uint64_t>(references.size() + joint.size()));
  if (reference_gradient) {
    joint_gradient_ = logistic_of(-joint.array()) * static_cast<T>(1.0 / n);
    *reference_gradient = logistic_of(references.array()) * static_cast<T>(-1.0 / count);
    if (skip) reference_gradient->diagonal().setZero();
    flops::add(4 * static_cast<std::uint64_t>(references.size() + joint.size()));
  }
  return value;
}

// mean_i [t_i - LME_j T_ij]; d/dt_i = 1/N, d/dT_ij = -softmax_j(T_i.) / N. With `with_joint` the
// true score is one more term of each row's mean.
template <class T>
double ScoreEstimator<T>::normalized_rows(const Eigen::Ref<const VectorOf<T>>& joint,
                                          const Eigen::Ref<const MatrixOf<T>>& references,
                                          bool with_joint, MatrixOf<T>* reference_gradient) {
  const auto n = static_cast<double>(joint.size());
  VectorOf<T>& top = row_maximum_;
  top = references.rowwise().maxCoeff();
  if (with_joint) top = top.cwiseMax(joint);
  auto& E = exponentials_;
  E = (references.colwise() - top).array().exp();
  VectorOf<T>& sums = joint_gradient_;
  sums = E.rowwise().sum();
  if (with_joint) sums.array() += (joint - top).array().exp();
  const auto terms = static_cast<double>(references.cols() + (with_joint ? 1 : 0));
  double value = std::log(terms);
  for (Index i = 0; i < joint.size(); ++i) {
    value += (static_cast<double>(joint[i] - top[i]) - std::log(static_cast<double>(sums[i]))) / n;
  }
  flops::add(3 * static_cast<std::uint64_t>(E.size()) +
             5 * static_cast<std::uint64_t>(joint.size()));
  if (reference_gradient) {
    const T scale = static_cast<T>(1.0 / n);
    *reference_gradient = -scale * (E.array().colwise() / sums.array()).matrix();
    if (with_joint) {
      sums = scale * (T(1) - (joint - top).array().exp() / sums.array());
    } else {
      sums.setConstant(scale);
    }
    flops::add(2 * static_cast<std::uint64_t>(E.size()));
  }
  return value;
}

template <class T>
double ScoreEstimator<T>::evaluate_pairs(const Eigen::Ref<const VectorOf<T>>& joint,
                                         const Eigen::Ref<const MatrixOf<T>>& references,
                                         Pairs pairs, MatrixOf<T>* reference_gradient) {
  if (estimator_ == Estimator::js) {
    return jensen_shannon(joint, references, pairs, reference_gradient);
  }
  const double mean = joint.template cast<double>().mean();
  if (estimator_ == Estimator::smile) {
    const double value = mean - partition(references, pairs, nullptr);
    if (reference_gradient) jensen_shannon(joint, references, pairs, reference_gradient);
    return value;
  }
  const double value = mean - partition(references, pairs, reference_gradient);
  joint_gradient_.setConstant(joint.size(),
                              static_cast<T>(1.0 / static_cast<double>(joint.size())));
  return value;
}

template <class T>
InformationValue ScoreEstimator<T>::evaluate(const Eigen::Ref<const MatrixOf<T>>& scores,
                                             MatrixOf<T>* gradient) {
  const Index B = scores.rows();
  const bool every_pair = estimator_ == Estimator::dv || normalizes_rows(estimator_);
  const double ceiling =
      every_pair ? std::log(static_cast<double>(B)) : (estimator_ == Estimator::js ? 0.0 : kInf);
  if (B < 2 && !every_pair) {
    if (gradient) gradient->setZero(B, B);
    return {std::numeric_limits<double>::quiet_NaN(), ceiling};
  }
  diagonal_ = scores.diagonal();
  double nats;
  if (normalizes_rows(estimator_)) {
    nats = normalized_rows(diagonal_, scores, false, gradient);
  } else if (estimator_ == Estimator::dv_shuffled) {
    shifted_.resize(B, 1);
    for (Index i = 0; i < B; ++i) shifted_(i, 0) = scores(i, (i + 1) % B);
    nats = evaluate_pairs(diagonal_, shifted_, Pairs::all, gradient ? &shifted_gradient_ : nullptr);
    if (gradient) {
      gradient->setZero(B, B);
      for (Index i = 0; i < B; ++i) (*gradient)(i, (i + 1) % B) = shifted_gradient_(i, 0);
    }
  } else {
    nats =
        evaluate_pairs(diagonal_, scores, every_pair ? Pairs::all : Pairs::off_diagonal, gradient);
  }
  if (gradient) gradient->diagonal() += joint_gradient_;
  return {nats, ceiling};
}

template <class T>
InformationValue ScoreEstimator<T>::evaluate(const Eigen::Ref<const VectorOf<T>>& joint,
                                             const Eigen::Ref<const MatrixOf<T>>& references,
                                             VectorOf<T>* joint_gradient,
                                             MatrixOf<T>* reference_gradient) {
  InformationValue result{0.0, kInf};
  MatrixOf<T> unused;
  MatrixOf<T>* const gradient =
      reference_gradient ? reference_gradient : (joint_gradient ? &unused : nullptr);
  if (normalizes_rows(estimator_)) {
    const bool with_joint = estimator_ == Estimator::infonce;
    result.nats = normalized_rows(joint, references, with_joint, gradient);
    if (with_joint) result.ceiling = std::log(static_cast<double>(references.cols() + 1));
  } else {
    result.nats = evaluate_pairs(joint, references, Pairs::all, gradient);
    if (estimator_ == Estimator::js) result.ceiling = 0.0;
  }
  if (joint_gradient) *joint_gradient = joint_gradient_;
  return result;
}

template class ScoreEstimator<float>;
template class ScoreEstimator<double>;

}  // namespace vbo
