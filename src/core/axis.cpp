// SPDX-License-Identifier: MIT
#include "core/axis.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace vbo {
namespace {

constexpr std::int64_t kLargestExact = std::int64_t{1} << 53U;
constexpr int kLargestExactPower = 22;  // 10^22 is a double, 10^23 is not

// digits * 10^exponent, the shortest decimal that reads back as the double.
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;
};

Decimal decimal_of(double value) {
  std::array<char, 64> buffer{};
  const auto [end, status] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                           std::chars_format::scientific);
  Decimal decimal;
  bool fraction = false;
  for (const char* c = buffer.data(); c != end; ++c) {
    if (*c == 'e') {
      int exponent = 0;
      std::from_chars(c[1] == '+' ? c + 2 : c + 1, end, exponent);
      decimal.exponent += exponent;
      break;
    }
    if (*c == '.') fraction = true;
    if (*c < '0' || *c > '9') continue;
    decimal.digits = 10 * decimal.digits + (*c - '0');
    decimal.exponent -= fraction;
  }
  if (value < 0.0) decimal.digits = -decimal.digits;
  return decimal;
}

// digits such that the decimal is digits * 10^exponent; nullopt above 2^53.
std::optional<std::int64_t> digits_at(Decimal decimal, int exponent) {
  while (decimal.digits != 0 && decimal.exponent > exponent) {
    if (std::abs(decimal.digits) > kLargestExact / 10) return std::nullopt;
    decimal.digits *= 10;
    --decimal.exponent;
  }
  if (std::abs(decimal.digits) > kLargestExact) return std::nullopt;
  return decimal.digits;
}

struct Ladder {
  std::int64_t low = 0, step = 0, count = 0;
  double scale = 1.0;
};

// nullopt when it takes more digits than a double has.
std::optional<Ladder> ladder_of(const Parameter& p) {
  const Decimal low = decimal_of(p.low), step = decimal_of(p.step), high = decimal_of(p.high);
  int exponent = std::min(0, step.exponent);
  for (const Decimal& bound : {low, high}) {
    if (bound.digits != 0) exponent = std::min(exponent, bound.exponent);
  }
  if (exponent < -kLargestExactPower) return std::nullopt;
  const auto low_digits = digits_at(low, exponent), step_digits = digits_at(step, exponent),
             high_digits = digits_at(high, exponent);
  if (!low_digits || !step_digits || !high_digits || *step_digits <= 0) return std::nullopt;
  return Ladder{*low_digits, *step_digits, (*high_digits - *low_digits) / *step_digits + 1,
                std::pow(10.0, -exponent)};
}

}  // namespace

Result<void> Axis::check_step(const Parameter& p) {
  const auto wrong = [&p](const std::string& expected) {
    return Error{ErrorKind::invalid_input,
                 "parameter \"" + p.name + "\": step is " + to_string(Value(p.step)) +
                     ", expected " + expected,
                 "parameter." + p.name + ".step"};
  };
  if (p.step == 0.0) return {};
  if (!std::isfinite(p.step) || p.step < 0.0) return wrong("a number > 0");
  if (p.kind == ParameterKind::integer && p.step != std::trunc(p.step)) {
    return wrong("a whole number for an int");
  }
  if (!ladder_of(p)) {
    return wrong("a step that needs at most 15 digits from " + to_string(Value(p.low)) + " to " +
                 to_string(Value(p.high)));
  }
  return {};
}

Axis::Axis(Parameter parameter) : parameter_(std::move(parameter)) {
  const Parameter& p = parameter_;
  if (p.has_choices()) {
    count_ = std::ssize(p.choices);
    return;
  }
  double last = p.high;
  double margin = 0.0;
  if (p.step > 0.0) {
    const Ladder ladder = *ladder_of(p);
    low_ = ladder.low;
    step_ = ladder.step;
    scale_ = ladder.scale;
    count_ = ladder.count;
    last = number_of_index(count_ - 1);
    margin = 0.5 * p.step;
  } else if (p.kind == ParameterKind::integer) {
    count_ = static_cast<std::int64_t>(p.high - p.low) + 1;
    margin = 0.5;
  } else if (p.low == p.high) {
    count_ = 1;
  }
  from_ = p.low - (p.log ? std::min(margin, 0.5 * p.low) : margin);
  to_ = last + margin;
  if (p.log) {
    from_ = std::log(from_);
    to_ = std::log(to_);
  }
}

double Axis::number_of_index(std::int64_t index) const {
  const Parameter& p = parameter_;
  if (p.has_choices()) return static_cast<double>(index);
  if (step_ == 0) return p.low + static_cast<double>(index);
  return static_cast<double>(low_ + index * step_) / scale_;
}

std::int64_t Axis::index_of(double number) const {
  double index = number;
  if (!parameter_.has_choices()) {
    const double step = step_ == 0 ? 1.0 : parameter_.step;
    index = (number - parameter_.low) / step;
  }
  // NaN compares false and becomes the first.
  index = index > 0.0 ? std::min(std::round(index), static_cast<double>(count_ - 1)) : 0.0;
  return static_cast<std::int64_t>(index);
}

double Axis::nearest(double number) const {
  if (is_discrete()) return number_of_index(index_of(number));
  return std::clamp(number, parameter_.low, parameter_.high);
}

double Axis::number_at(double u) const {
  const Parameter& p = parameter_;
  u = u > 0.0 ? std::min(u, 1.0) : 0.0;  // a NaN becomes the first
  const bool equal_shares = p.has_choices() || (step_ != 0 && !p.log);
  if (equal_shares) {
    const auto index = static_cast<std::int64_t>(u * static_cast<double>(count_));
    return number_of_index(std::min(index, count_ - 1));
  }
  const double position = from_ + u * (to_ - from_);
  const double value = p.log ? std::exp(position) : position;
  if (step_ != 0) return nearest(value);
  return std::clamp(p.kind == ParameterKind::integer ? std::round(value) : value, p.low, p.high);
}

double Axis::position_of(double number) const {
  const Parameter& p = parameter_;
  const bool equal_shares = p.has_choices() || (step_ != 0 && !p.log);
  if (equal_shares) {
    return (static_cast<double>(index_of(number)) + 0.5) / static_cast<double>(count_);
  }
  if (!(to_ > from_)) return 0.5;
  const double position = p.log ? std::log(number) : number;
  return std::clamp((position - from_) / (to_ - from_), 0.0, 1.0);
}

bool is_value_of(const Parameter& p, const Value& value) {
  if (p.has_choices()) {
    return std::find(p.choices.begin(), p.choices.end(), value) != p.choices.end();
  }
  double number = 0.0;
  if (p.kind == ParameterKind::integer) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    if (!whole) return false;
    number = static_cast<double>(*whole);
  } else {
    const auto* real = std::get_if<double>(&value);
    if (!real || !std::isfinite(*real)) return false;
    number = *real;
  }
  if (number < p.low || number > p.high) return false;
  return p.step == 0.0 || Axis(p).nearest(number) == number;
}

double Axis::number_of(const Value& value) const {
  if (parameter_.has_choices()) {
    const auto& choices = parameter_.choices;
    return static_cast<double>(std::find(choices.begin(), choices.end(), value) - choices.begin());
  }
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}

Value Axis::value_of(double number) const {
  number = nearest(number);
  if (parameter_.has_choices()) return parameter_.choices[static_cast<std::size_t>(number)];
  if (parameter_.kind == ParameterKind::integer) return static_cast<std::int64_t>(number);
  return number;
}

}  // namespace vbo
