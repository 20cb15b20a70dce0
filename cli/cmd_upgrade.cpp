// SPDX-License-Identifier: MIT
#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "core/one_line.hpp"

namespace vbo::cli {

Action define_upgrade(CLI::App& app, const Console&) {
  auto study = std::make_shared<std::string>();
  auto wait = std::make_shared<double>(kWaitSeconds);
  Arguments arguments(app);
  arguments.positional("STUDY", *study, "Storage (.db) or study file (.toml)");
  arguments.option("--wait", *wait, "SECONDS", "How long to wait for other processes that write",
                   0.0, kLongestWait);
  // Whoever opens a storage to write brings it up to date first.
  return [study, wait]() -> int {
    const Result<OpenedStudy> opened = open_queue(*study, *wait);
    if (!opened) return fail(opened.error());
    print_out(one_line(opened->url) + " is up to date\n");
    return kDone;
  };
}

}  // namespace vbo::cli
