// SPDX-License-Identifier: MIT
// Numbers too small to be normal (below 1e-38 in single precision) take processors a hundred times
// as long as others, and trained networks are full of them: probabilities of e^-90, running means
// of gradients that have been zero for long. Where this is in scope they count as zero.
#pragma once

#include <cstdint>

namespace vbo {

// For the thread that makes it, as long as it lives; threads started meanwhile may or may not
// follow. Does nothing on processors other than x86-64 and 64-bit ARM.
class DenormalsAreZero {
 public:
  DenormalsAreZero();
  ~DenormalsAreZero();
  DenormalsAreZero(const DenormalsAreZero&) = delete;
  DenormalsAreZero& operator=(const DenormalsAreZero&) = delete;

 private:
  std::uint64_t before_;  // the control register
};

}  // namespace vbo
