// SPDX-License-Identifier: MIT
#include "vbo/space.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Api, SpacesNameWhatIsWrong) {
  const auto space = vbo::Space::make(
      {vbo::Parameter::real("rate", 1e-4, 1.0, /*log=*/true),
       vbo::Parameter::integer("layers", 1, 8), vbo::Parameter::categorical("kind", {"a", "b"})},
      {"layers * rate <= 4"});
  ASSERT_TRUE(space);
  EXPECT_TRUE(space->check({0.5, std::int64_t{2}, "a"}));
  EXPECT_FALSE(space->check({0.9, std::int64_t{8}, "a"}));
  EXPECT_EQ(space->index_of("layers"), 1U);
  EXPECT_FALSE(vbo::Space::make({vbo::Parameter::real("x", 1, 0)}));
}

}  // namespace
