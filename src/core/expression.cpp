// SPDX-License-Identifier: MIT
#include "core/expression.hpp"

#include <algorithm>
#include <cmath>

namespace vbo {
namespace {

constexpr double kUndefined = 1e300;  // violation of what is not a number
constexpr double kTouching = 1e-12;   // violation of a < a

}  // namespace

double Expression::number(int index, std::span<const double> numbers) const {
  const Node& node = nodes_[static_cast<std::size_t>(index)];
  const auto left = [&] { return number(node.left, numbers); };
  const auto right = [&] { return number(node.right, numbers); };
  switch (node.kind) {
    case Kind::number:
      return node.value;
    case Kind::parameter:
      return node.table.empty() ? numbers[node.parameter]
                                : node.table[static_cast<std::size_t>(numbers[node.parameter])];
    case Kind::add:
      return left() + right();
    case Kind::subtract:
      return left() - right();
    case Kind::multiply:
      return left() * right();
    case Kind::divide:
      return left() / right();
    case Kind::power:
      return std::pow(left(), right());
    case Kind::negate:
      return -left();
    case Kind::minimum:
      return std::min(left(), right());
    case Kind::maximum:
      return std::max(left(), right());
    case Kind::absolute:
      return std::abs(left());
    case Kind::root:
      return std::sqrt(left());
    case Kind::logarithm:
      return std::log(left());
    case Kind::exponential:
      return std::exp(left());
    default:
      return std::nan("");
  }
}

double Expression::violation(std::span<const double> numbers) const {
  return violation(root_, numbers);
}

double Expression::violation(int index, std::span<const double> numbers) const {
  const Node& node = nodes_[static_cast<std::size_t>(index)];
  switch (node.kind) {
    case Kind::both:
      return violation(node.left, numbers) + violation(node.right, numbers);
    case Kind::either:
      return std::min(violation(node.left, numbers), violation(node.right, numbers));
    case Kind::always:
      return 0.0;
    case Kind::never:
      return 1.0;
    case Kind::is_choice:
      return numbers[node.parameter] == node.value ? 0.0 : 1.0;
    case Kind::is_not_choice:
      return numbers[node.parameter] == node.value ? 1.0 : 0.0;
    default:
      break;
  }
  const double a = number(node.left, numbers), b = number(node.right, numbers);
  if (std::isnan(a) || std::isnan(b)) return kUndefined;
  const double excess = std::min(a - b, kUndefined);  // inf - inf is NaN and violates, too
  if (node.kind == Kind::less_equal) return a <= b ? 0.0 : excess;
  if (node.kind == Kind::less) return a < b ? 0.0 : std::max(excess, kTouching);
  const double tolerance =
      equality_ ? tolerance_ : kEqualWithin * std::max({1.0, std::abs(a), std::abs(b)});
  const bool equal = a == b || std::abs(a - b) <= tolerance;
  if (node.kind == Kind::unequal) return equal ? 1.0 : 0.0;
  return equal ? 0.0 : std::min(std::abs(a - b), kUndefined);
}

Expression Expression::with_choice(std::size_t parameter, std::size_t index) const {
  Expression result = *this;
  for (Node& node : result.nodes_) {
    if (node.parameter != parameter) continue;
    if (node.kind == Kind::is_choice || node.kind == Kind::is_not_choice) {
      const bool is_it = node.value == static_cast<double>(index);
      node = {.kind = is_it == (node.kind == Kind::is_choice) ? Kind::always : Kind::never};
    } else if (node.kind == Kind::parameter) {
      node = {.kind = Kind::number, .value = node.table[index]};
    }
  }
  std::erase(result.used_, parameter);
  return result;
}

std::optional<double> Expression::room(std::span<const double> numbers) const {
  return room(root_, numbers);
}

std::optional<double> Expression::room(int index, std::span<const double> numbers) const {
  const Node& node = nodes_[static_cast<std::size_t>(index)];
  if (node.kind == Kind::both || node.kind == Kind::either) {
    const std::optional<double> left = room(node.left, numbers), right = room(node.right, numbers);
    if (!left || !right) return left ? left : right;
    return node.kind == Kind::both ? std::min(*left, *right) : std::max(*left, *right);
  }
  if (node.kind != Kind::less_equal && node.kind != Kind::less) return std::nullopt;
  const double room = number(node.right, numbers) - number(node.left, numbers);
  return std::isfinite(room) ? std::optional(room) : std::nullopt;
}

}  // namespace vbo
