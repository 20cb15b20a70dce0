// SPDX-License-Identifier: MIT
#include "vbo/revision.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Api, RevisionsKeepWhatWasBefore) {
  const vbo::Revision revision{.id = 1, .reason = "wrong unit", .before = {.values = {1000.0}}};
  EXPECT_EQ(vbo::to_string(revision.kind), "replaced");
  EXPECT_EQ(revision.before.value(), 1000.0);
}

}  // namespace
