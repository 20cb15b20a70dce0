// SPDX-License-Identifier: MIT
// A constraint: parsed and evaluated over numbers, whole numbers, choices and odd names; a
// violation is never negative.
#include "core/expression.hpp"

#include <array>
#include <limits>
#include <string>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vbo;
  static const std::array<Parameter, 6> parameters = {
      Parameter::real("x", -1.0, 1.0),
      Parameter::integer("n", 1, 9),
      Parameter::categorical("solver", {std::string("adam"), std::int64_t{3}, true}),
      Parameter::categorical("flag", {true, false}),
      Parameter::ordinal("width", {std::int64_t{16}, std::int64_t{32}}),
      Parameter::real("odd name", 0.0, 1.0)};
  const std::string_view text = fuzz::text_of(data, size);
  const Result<Expression> read = Expression::parse(text, parameters);
  if (read) {
    constexpr double huge = std::numeric_limits<double>::max();
    for (const auto& numbers : {std::array<double, 6>{0.0, 1.0, 0.0, 0.0, 0.0, 0.0},
                                {-1.0, 9.0, 2.0, 1.0, 1.0, 1.0},
                                {huge, -huge, 1.0, 0.0, 1.0, 1e-300}}) {
      REQUIRE_THAT(!(read->violation(numbers) < 0.0));
    }
    for (const std::size_t used : read->parameters()) REQUIRE_THAT(used < parameters.size());
  }
  return 0;
}
