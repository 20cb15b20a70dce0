// SPDX-License-Identifier: MIT
// Between the user's units and the unit cube in which every optimizer works.
//   real         one coordinate, affine to [0,1] (log scale: affine in the logarithm)
//   integer      one coordinate; each integer owns an equal share of [0,1] (of the log-range). So
//   do
//                the values of a real with a step, and those of an ordinal, in their order
//   categorical  a one-hot block of K coordinates, decoded by its largest entry
//   fixed        no coordinate at all
// Decoded points are always inside their bounds and satisfy the constraints of the space: a code
// that does not is moved to one nearby that does. Immutable: may be shared between threads.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/axis.hpp"
#include "core/region.hpp"
#include "numerics/linalg.hpp"
#include "vbo/space.hpp"

namespace vbo {

class Encoding {
 public:
  // The coordinates [offset, offset + width) of one free parameter.
  struct Block {
    std::size_t parameter = 0;
    Eigen::Index offset = 0;
    Eigen::Index width = 1;  // the number of choices for categorical, else 1
    // How the coordinates behave: integer for everything that has one coordinate and steps.
    ParameterKind kind = ParameterKind::real;
  };

  explicit Encoding(Space space);

  const Space& space() const { return space_; }
  Eigen::Index dimension() const { return dimension_; }  // D
  std::span<const Block> blocks() const { return blocks_; }
  std::vector<Eigen::Index> numeric_coordinates() const;  // all but the categories'

  bool same_categories(ConstVectorRef a, ConstVectorRef b) const;  // codes (D)

  Vector encode(const Point& point) const;  // -> x (D). REQUIRES: space().check(point)
  Point decode(ConstVectorRef x) const;     // x (D), clamped to [0,1] first
  // Moves x (D) to the code of the point it decodes to: centre of the integer's cell, one-hot,
  // inside the constraints. Where there is nothing to do, x stays as it is to the last bit.
  void snap(VectorRef x) const;
  // Moves x (D) to the nearest code inside the constraints it knows; no other rounding than theirs.
  void hold_inside(VectorRef x) const;
  // Like snap, for codes drawn evenly from the cube: they come out evenly over what the constraints
  // leave of it.
  void spread(VectorRef x) const;
  // The coordinate of the next value up (+1) or down (-1) from the one x (D) decodes to; nullopt at
  // the end. REQUIRES: block.kind is integer.
  std::optional<double> neighbour(const Block& block, ConstVectorRef x, int direction) const;

 private:
  Eigen::Index choice_in(const Block& block, ConstVectorRef x) const;
  std::vector<double> unit_of(ConstVectorRef x) const;  // as Region has it
  void move(VectorRef x, void (Region::*how)(std::span<double>) const) const;
  Point decode_unit(std::span<const double> u) const;

  Space space_;
  std::vector<Axis> axes_;  // of all parameters
  std::vector<Block> blocks_;
  Eigen::Index dimension_ = 0;
};

}  // namespace vbo
