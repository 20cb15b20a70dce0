// SPDX-License-Identifier: MIT
#include "optim/encoding.hpp"

#include <algorithm>

namespace vbo {
namespace {

ParameterKind behaviour_of(const Parameter& p) {
  if (p.kind == ParameterKind::ordinal) return ParameterKind::integer;
  if (p.kind == ParameterKind::real && p.step > 0.0) return ParameterKind::integer;
  return p.kind;
}

}  // namespace

Encoding::Encoding(Space space) : space_(std::move(space)) {
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const Parameter& p = space_[i];
    axes_.emplace_back(p);
    if (p.is_fixed()) continue;
    const auto width = p.kind == ParameterKind::categorical
                           ? static_cast<Eigen::Index>(p.choices.size())
                           : Eigen::Index{1};
    blocks_.push_back({i, dimension_, width, behaviour_of(p)});
    dimension_ += width;
  }
}

Eigen::Index Encoding::choice_in(const Block& block, ConstVectorRef x) const {
  Eigen::Index choice = 0;
  x.segment(block.offset, block.width).maxCoeff(&choice);
  return choice;
}

std::vector<Eigen::Index> Encoding::numeric_coordinates() const {
  std::vector<Eigen::Index> coordinates;
  for (const Block& block : blocks_) {
    if (block.kind != ParameterKind::categorical) coordinates.push_back(block.offset);
  }
  return coordinates;
}

bool Encoding::same_categories(ConstVectorRef a, ConstVectorRef b) const {
  return std::ranges::all_of(blocks_, [&](const Block& block) {
    return block.kind != ParameterKind::categorical ||
           a.segment(block.offset, block.width) == b.segment(block.offset, block.width);
  });
}

Vector Encoding::encode(const Point& point) const {
  Vector x = Vector::Zero(dimension_);
  for (const Block& block : blocks_) {
    const Axis& axis = axes_[block.parameter];
    const double number = axis.number_of(point[block.parameter]);
    if (block.kind == ParameterKind::categorical) {
      x[block.offset + static_cast<Eigen::Index>(number)] = 1.0;
    } else {
      x[block.offset] = axis.position_of(number);
    }
  }
  return x;
}

std::vector<double> Encoding::unit_of(ConstVectorRef x) const {
  std::vector<double> u(space_.size(), 0.5);  // fixed parameters: anywhere
  for (const Block& block : blocks_) {
    u[block.parameter] =
        block.kind == ParameterKind::categorical
            ? axes_[block.parameter].position_of(static_cast<double>(choice_in(block, x)))
            : std::clamp(x[block.offset], 0.0, 1.0);
  }
  return u;
}

Point Encoding::decode_unit(std::span<const double> u) const {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < axes_.size(); ++i) numbers.push_back(axes_[i].number_at(u[i]));
  if (space_.region()) space_.region()->balance(numbers);
  Point point;
  point.reserve(space_.size());
  for (std::size_t i = 0; i < axes_.size(); ++i) point.push_back(axes_[i].value_of(numbers[i]));
  return point;
}

Point Encoding::decode(ConstVectorRef x) const {
  std::vector<double> u = unit_of(x);
  if (space_.region()) space_.region()->repair(u);
  return decode_unit(u);
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): what it refers to changes
void Encoding::hold_inside(VectorRef x) const {
  if (space_.region()) move(x, &Region::repair);
}

void Encoding::move(VectorRef x, void (Region::*how)(std::span<double>) const) const {
  const Region& region = *space_.region();
  std::vector<double> u = unit_of(x);
  if (region.contains(u)) return;
  (region.*how)(u);
  for (const Block& block : blocks_) {
    if (block.kind != ParameterKind::categorical) {
      x[block.offset] = u[block.parameter];
      continue;
    }
    const double choice = axes_[block.parameter].number_at(u[block.parameter]);
    x.segment(block.offset, block.width).setZero();
    x[block.offset + static_cast<Eigen::Index>(choice)] = 1.0;
  }
}

void Encoding::snap(VectorRef x) const {
  hold_inside(x);
  for (const Block& block : blocks_) {
    if (block.kind == ParameterKind::categorical) {
      const Eigen::Index choice = choice_in(block, x);
      x.segment(block.offset, block.width).setZero();
      x[block.offset + choice] = 1.0;
    } else if (block.kind == ParameterKind::integer) {
      const Axis& axis = axes_[block.parameter];
      x[block.offset] = axis.position_of(axis.number_at(x[block.offset]));
    } else {
      x[block.offset] = std::clamp(x[block.offset], 0.0, 1.0);
    }
  }
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): what it refers to changes
void Encoding::spread(VectorRef x) const {
  if (space_.region()) move(x, &Region::spread);
}

std::optional<double> Encoding::neighbour(const Block& block, ConstVectorRef x,
                                          int direction) const {
  const Axis& axis = axes_[block.parameter];
  const std::int64_t next = axis.index_of(axis.number_at(x[block.offset])) + direction;
  if (next < 0 || next >= axis.count()) return std::nullopt;
  return axis.position_of(axis.number_of_index(next));
}

}  // namespace vbo
