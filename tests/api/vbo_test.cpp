// SPDX-License-Identifier: MIT
#include "vbo/vbo.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Api, OneIncludeHasItAll) {
  EXPECT_EQ(std::string(VBO_VERSION).substr(0, 2), std::to_string(VBO_VERSION_MAJOR) + ".");
  EXPECT_FALSE(vbo::methods().empty());
}

}  // namespace
