// SPDX-License-Identifier: MIT
#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "core/one_line.hpp"
#include "vbo/verify.hpp"

namespace vbo::cli {
namespace {

std::string counted(std::int64_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

int verify(const std::string& argument, bool replay, bool json) {
  const Result<OpenedStudy> study = open_to_read(argument);
  if (!study) return fail(study.error());
  const Result<Verification> found = verify_study(*study->storage, replay);
  if (!found) return fail(found.error());
  if (json) {
    print_json({{"study", study->record.name},
                {"trials", found->trials},
                {"results", found->results},
                {"corrections", found->corrections},
                {"replayed", found->replayed},
                {"problems", found->problems},
                {"notes", found->notes}});
  } else {
    for (const std::string& note : found->notes) print_out("note: " + one_line(note) + "\n");
    if (found->problems.empty()) {
      print_out(one_line(study->url) + ": " + counted(found->trials, "trial") + ", " +
                counted(found->results, "result") + ", " +
                counted(found->corrections, "correction") + ": rows and indexes agree" +
                (found->replayed ? ", and so does a replay of the log" : "") + "\n");
    }
  }
  int code = kDone;
  for (const std::string& problem : found->problems) code = fail(kStorage, problem);
  return code;
}

}  // namespace

Action define_verify(CLI::App& app, const Console&) {
  auto study = std::make_shared<std::string>();
  auto skip_replay = std::make_shared<bool>(false);
  auto json = std::make_shared<bool>(false);
  Arguments arguments(app);
  arguments.positional("STUDY", *study, "Storage (.db) or study file (.toml)");
  arguments.flag("--no-replay", *skip_replay, "Check rows and indexes alone");
  arguments.flag("--json", *json, "Print JSON");
  return [study, skip_replay, json] { return verify(*study, !*skip_replay, *json); };
}

}  // namespace vbo::cli
