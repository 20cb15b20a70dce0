// SPDX-License-Identifier: MIT
#include "numerics/denormals.hpp"

#include <gtest/gtest.h>

namespace vbo {
namespace {

#if defined(__x86_64__) || defined(__aarch64__)
TEST(DenormalsAreZero, AsOperandsAndResultsAndOnlyInItsScope) {
  volatile float tiny = 1e-40F, small = 1e-30F;
  volatile double tiny_double = 1e-310;
  EXPECT_GT(tiny * 1e20F, 0.0F);
  {
    const DenormalsAreZero scope;
    EXPECT_EQ(tiny * 1e20F, 0.0F);
    EXPECT_EQ(small * 1e-10F, 0.0F);
    EXPECT_EQ(tiny_double * 1e10, 0.0);
    EXPECT_GT(small * 1e-7F, 0.0F);  // 1e-37 is a normal number
    { const DenormalsAreZero inner; }
    EXPECT_EQ(tiny * 1e20F, 0.0F);
  }
  EXPECT_GT(tiny * 1e20F, 0.0F);
  EXPECT_GT(small * 1e-10F, 0.0F);
  EXPECT_GT(tiny_double * 1e10, 0.0);
}
#endif

}  // namespace
}  // namespace vbo
