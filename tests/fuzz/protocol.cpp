// SPDX-License-Identifier: MIT
// A protocol of benchmarks: read within bounds, or refused with a message.
#include "bench/protocol.hpp"

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vbo;
  const std::string_view text = fuzz::text_of(data, size);
  const Result<bench::Protocol> protocol = bench::parse_protocol(text, "protocol.toml");
  if (!protocol) REQUIRE_THAT(!protocol.error().message.empty());
  if (const auto seeds = bench::parse_seeds(text)) REQUIRE_THAT(seeds->size() <= 10000);
  return 0;
}
