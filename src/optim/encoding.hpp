// SPDX-License-Identifier: MIT
// Between the user's units and the unit cube in which every optimizer works.
//   real         one coordinate, affine to [0,1] (log scale: affine in the logarithm)
//   integer      one coordinate; each integer owns an equal share of [0,1] (of the log-range)
//   categorical  a one-hot block of K coordinates, decoded by its largest entry
//   fixed        no coordinate at all
// Decoded values are always inside their bounds. Immutable: may be shared between threads.
#pragma once

#include <span>
#include <vector>

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
    ParameterKind kind = ParameterKind::real;
  };

  explicit Encoding(Space space);

  const Space& space() const { return space_; }
  Eigen::Index dimension() const { return dimension_; }  // D
  std::span<const Block> blocks() const { return blocks_; }

  Vector encode(const Point& point) const;  // -> x (D). REQUIRES: space().check(point)
  Point decode(ConstVectorRef x) const;     // x (D), clamped to [0,1] first
  // Moves x (D) to the code of the point it decodes to: centre of the integer's cell, one-hot.
  void snap(VectorRef x) const;

 private:
  Space space_;
  std::vector<Block> blocks_;
  Eigen::Index dimension_ = 0;
};

}  // namespace vbo
