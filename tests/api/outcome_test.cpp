// SPDX-License-Identifier: MIT
#include "vbo/outcome.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Api, OutcomesHaveValuesOrAFailure) {
  EXPECT_EQ(vbo::Outcome::of(0.5).value(), 0.5);
  const vbo::Outcome failed = vbo::Outcome::failed(vbo::FailureCause::infeasible, "too thin");
  EXPECT_EQ(failed.value(), std::nullopt);
  EXPECT_EQ(vbo::to_string(failed.failure->cause), "infeasible");
}

}  // namespace
