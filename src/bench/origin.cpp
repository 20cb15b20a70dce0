// SPDX-License-Identifier: MIT
#include <fstream>
#include <string>
#include <thread>

#include "bench/commit.hpp"
#include "bench/record.hpp"
#include "vbo/version.hpp"

namespace vbo::bench {
namespace {

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

Origin this_origin() {
  Origin origin{.version = VBO_VERSION,
                .commit = VBO_COMMIT,
                .compiler = "",
                .build_type = VBO_BUILD_TYPE,
                .machine = processor(),
                .cores = static_cast<int>(std::thread::hardware_concurrency())};
#if defined(__clang__)
  origin.compiler = "clang " __clang_version__;
#else
  origin.compiler = "gcc " __VERSION__;
#endif
#ifdef __OPTIMIZE__
  origin.optimized = true;
#else
  origin.optimized = false;
#endif
  return origin;
}

}  // namespace vbo::bench
