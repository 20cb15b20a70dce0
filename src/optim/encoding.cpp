// SPDX-License-Identifier: MIT
#include "optim/encoding.hpp"

#include <algorithm>
#include <cmath>

namespace vbo {
namespace {

// The interval that [0,1] maps to: for integers half a unit wider on both sides, so that every
// integer gets the same share and rounding never favours the inner ones.
struct Range {
  double from, to;
};

Range searched_range(const Parameter& p) {
  const double margin = p.kind == ParameterKind::integer ? 0.5 : 0.0;
  const Range range{p.low - margin, p.high + margin};
  if (!p.log) return range;
  return {std::log(range.from), std::log(range.to)};
}

double encode_number(const Parameter& p, double value) {
  const Range range = searched_range(p);
  const double position = p.log ? std::log(value) : value;
  return std::clamp((position - range.from) / (range.to - range.from), 0.0, 1.0);
}

double decode_number(const Parameter& p, double x) {
  const Range range = searched_range(p);
  const double position = range.from + std::clamp(x, 0.0, 1.0) * (range.to - range.from);
  const double value = p.log ? std::exp(position) : position;
  return std::clamp(p.kind == ParameterKind::integer ? std::round(value) : value, p.low, p.high);
}

Value fixed_value(const Parameter& p) {
  if (p.kind == ParameterKind::categorical) return p.choices.front();
  if (p.kind == ParameterKind::integer) return static_cast<std::int64_t>(p.low);
  return p.low;
}

}  // namespace

Encoding::Encoding(Space space) : space_(std::move(space)) {
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const Parameter& p = space_[i];
    if (p.is_fixed()) continue;
    const auto width = p.kind == ParameterKind::categorical
                           ? static_cast<Eigen::Index>(p.choices.size())
                           : Eigen::Index{1};
    blocks_.push_back({i, dimension_, width, p.kind});
    dimension_ += width;
  }
}

Vector Encoding::encode(const Point& point) const {
  Vector x = Vector::Zero(dimension_);
  for (const Block& block : blocks_) {
    const Parameter& p = space_[block.parameter];
    const Value& value = point[block.parameter];
    if (const auto* text = std::get_if<std::string>(&value)) {
      const auto found = std::find(p.choices.begin(), p.choices.end(), *text);
      x[block.offset + (found - p.choices.begin())] = 1.0;
    } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
      x[block.offset] = encode_number(p, static_cast<double>(*whole));
    } else {
      x[block.offset] = encode_number(p, std::get<double>(value));
    }
  }
  return x;
}

Point Encoding::decode(ConstVectorRef x) const {
  Point point;
  point.reserve(space_.size());
  for (const Parameter& p : space_.parameters()) point.push_back(fixed_value(p));
  for (const Block& block : blocks_) {
    const Parameter& p = space_[block.parameter];
    if (block.kind == ParameterKind::categorical) {
      Eigen::Index choice = 0;
      x.segment(block.offset, block.width).maxCoeff(&choice);
      point[block.parameter] = p.choices[static_cast<std::size_t>(choice)];
    } else if (block.kind == ParameterKind::integer) {
      point[block.parameter] = static_cast<std::int64_t>(decode_number(p, x[block.offset]));
    } else {
      point[block.parameter] = decode_number(p, x[block.offset]);
    }
  }
  return point;
}

void Encoding::snap(VectorRef x) const {
  for (const Block& block : blocks_) {
    const Parameter& p = space_[block.parameter];
    if (block.kind == ParameterKind::categorical) {
      Eigen::Index choice = 0;
      x.segment(block.offset, block.width).maxCoeff(&choice);
      x.segment(block.offset, block.width).setZero();
      x[block.offset + choice] = 1.0;
    } else if (block.kind == ParameterKind::integer) {
      x[block.offset] = encode_number(p, decode_number(p, x[block.offset]));
    } else {
      x[block.offset] = std::clamp(x[block.offset], 0.0, 1.0);
    }
  }
}

}  // namespace vbo
