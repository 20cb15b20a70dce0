// SPDX-License-Identifier: MIT
#include "vbo/random.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Api, StreamsAreNamedAndGoOnAnywhere) {
  vbo::Rng one(7, "noise", 1), same(7, "noise", 1), other(7, "noise", 2);
  const double first = one.uniform();
  EXPECT_EQ(first, same.uniform());
  EXPECT_NE(first, other.uniform());
  same.seek(0);
  EXPECT_EQ(first, same.uniform());
}

}  // namespace
