// SPDX-License-Identifier: MIT
// Space-filling points of a space with parameters of every kind, from a scrambled Sobol sequence
// with one dimension per free parameter: a categorical parameter cuts its coordinate into equal
// shares, one per choice, so that choices too are balanced. Not thread-safe.
#pragma once

#include <optional>

#include "numerics/sobol.hpp"
#include "optim/encoding.hpp"

namespace vbo {

class SobolDesign {
 public:
  // `encoding` must outlive the design. The same seed gives the same points in every method.
  SobolDesign(const Encoding& encoding, std::uint64_t seed);

  Vector code(std::uint64_t index);  // x (D) of point `index`, counted from 0; blocks one-hot

 private:
  const Encoding& encoding_;
  std::optional<SobolSequence> sequence_;  // none when every parameter is fixed
};

}  // namespace vbo
