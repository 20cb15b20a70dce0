// SPDX-License-Identifier: MIT
#include "optim/design.hpp"

#include <algorithm>

namespace vbo {

SobolDesign::SobolDesign(const Encoding& encoding, std::uint64_t seed) : encoding_(encoding) {
  const auto parameters = static_cast<int>(encoding.blocks().size());
  if (parameters > 0) sequence_.emplace(parameters, Rng(seed, "design"));
}

Vector SobolDesign::code(std::uint64_t index) {
  Vector x = Vector::Zero(encoding_.dimension());
  if (!sequence_) return x;
  std::vector<double> u(encoding_.blocks().size());
  if (sequence_->index() != index) sequence_->skip_to(index);
  sequence_->next(u);
  for (std::size_t i = 0; i < u.size(); ++i) {
    const Encoding::Block& block = encoding_.blocks()[i];
    if (block.kind != ParameterKind::categorical) {
      x[block.offset] = u[i];
      continue;
    }
    const auto choice = static_cast<Eigen::Index>(u[i] * static_cast<double>(block.width));
    x[block.offset + std::min(choice, block.width - 1)] = 1.0;
  }
  encoding_.spread(x);
  return x;
}

}  // namespace vbo
