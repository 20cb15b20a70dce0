// SPDX-License-Identifier: MIT
#include "vbo/ledger.hpp"

#include <gtest/gtest.h>

namespace {

constexpr vbo::TermInfo kMean{"mean", vbo::Unit::objective, vbo::TermRole::adds_up, "predicted"};

TEST(Api, TermsAreDeclaredOnce) {
  const vbo::Ledger ledger{.terms = {kMean}, .values = {}};
  vbo::Rationale rationale{.source = "local", .acquisition = 1.5};
  rationale.add(kMean, 1.5);
  EXPECT_EQ(vbo::acquisition_unit(ledger, rationale), vbo::Unit::objective);
  EXPECT_EQ(ledger.find_term("deviation"), nullptr);
}

}  // namespace
