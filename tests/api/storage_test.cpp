// SPDX-License-Identifier: MIT
#include "vbo/storage.hpp"

#include <gtest/gtest.h>

namespace {

TEST(Api, StoragesKeepTrialsForWorkers) {
  const auto storage = vbo::open_storage("memory:", vbo::Access::coordinate).value();
  vbo::StudyRecord record{.name = "small", .budget = 2};
  record.space = vbo::Space::make({vbo::Parameter::real("x", 0, 1)}).value();
  record.optimizer.method = "random";
  ASSERT_TRUE(storage->create_study(record));
  const vbo::Trial waiting{.id = 1, .point = {0.5}, .asked_in = 1};
  ASSERT_TRUE(storage->add_trials({&waiting, 1}, std::nullopt));
  const std::vector<vbo::Claim> claims = storage->claim({.name = "me"}, 1).value();
  ASSERT_EQ(claims.size(), 1U);
  const vbo::Trial ended = vbo::ended_by(claims[0].trial, vbo::Outcome::of(1.0));
  EXPECT_EQ(storage->complete(ended, claims[0].token).value(), vbo::Completion::recorded);
  EXPECT_EQ(storage->counts().value().completed, 1);
}

}  // namespace
