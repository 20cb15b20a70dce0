// SPDX-License-Identifier: MIT
// What an evaluator prints, in both modes: a finite value with finite metrics, or a failure; never
// both and never neither.
#include <cmath>

#include "core/json.hpp"
#include "exec/value_line.hpp"
#include "fuzz/fuzz.hpp"

namespace {

void check(const vbo::Outcome& outcome) {
  REQUIRE_THAT(outcome.value().has_value() != outcome.failure.has_value());
  if (outcome.value()) REQUIRE_THAT(std::isfinite(*outcome.value()));
  for (const auto& [name, value] : outcome.metrics) REQUIRE_THAT(std::isfinite(value));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vbo;
  const std::string_view text = fuzz::text_of(data, size);
  for (const std::size_t limit : {std::size_t{16}, std::size_t{1} << 18}) {
    Tail tail(limit);
    tail.append(text.substr(0, size / 2));
    tail.append(text.substr(size / 2));
    check(find_value(tail));
  }
  if (const auto outcome = parse_value_line(text)) check(*outcome);
  const Reply reply = parse_reply(text);
  if (reply.kind != Reply::Kind::other) check(reply.result);
  if (reply.kind == Reply::Kind::answer) REQUIRE_THAT(reply.id.has_value());
  if (const Result<Json> json = parse_json(text)) {
    // What we write we can read, and it is the same.
    const Result<Json> again = parse_json(dump(*json));
    REQUIRE_THAT(again);
    (void)space_from(*json);
    (void)optimizer_options_from(*json);
    (void)rationale_from(*json);
    (void)ask_report_from(*json);
  }
  return 0;
}
