// SPDX-License-Identifier: MIT
#include "vbo/error.hpp"

#include <gtest/gtest.h>

namespace {

vbo::Result<int> half(int n) {
  if (n % 2 == 0) return n / 2;
  return vbo::Error{vbo::ErrorKind::invalid_input, "found an odd number", "n"};
}

TEST(Api, ErrorsAreValues) {
  EXPECT_EQ(half(4).value(), 2);
  const vbo::Result<int> odd = half(3);
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.error().field, "n");
  EXPECT_THROW((void)half(3).value(), vbo::BadResult);
}

}  // namespace
