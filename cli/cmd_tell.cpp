// SPDX-License-Identifier: MIT
#include "cli/ask_and_tell.hpp"
#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "exec/value_line.hpp"

namespace vbo::cli {
namespace {

struct Options {
  std::string study;
  TrialId id = 0;
  std::string value;
  std::string reason;
  double wait = kWaitSeconds;
  bool json = false;
};

// A number as an evaluator would print it; nullopt when it is none.
std::optional<Outcome> parse_value(const std::string& text) {
  if (text.find('{') != std::string::npos) return std::nullopt;
  return parse_value_line(text);
}

int tell(const Options& options) {
  const bool failed = !options.reason.empty();
  if (failed && !options.value.empty()) {
    return fail(kWrongUsage, "found both a value and --fail, expected one of them");
  }
  if (!failed && options.value.empty()) {
    return fail(kWrongUsage,
                "found neither a value nor --fail, expected one of them, as in: "
                "vbo tell study.db 7 1.25");
  }
  Outcome outcome = Outcome::failed(FailureCause::reported, options.reason);
  if (!failed) {
    std::optional<Outcome> parsed = parse_value(options.value);
    if (!parsed) {
      return fail(kWrongUsage, "VALUE: found \"" + options.value + "\", expected a number");
    }
    outcome = *std::move(parsed);
  }
  outcome.id = options.id;
  const Result<void> stored = tell_result(options.study, outcome, options.wait);
  if (!stored) return fail(stored.error());
  if (options.json) {
    print_json({{"id", options.id},
                {"state", outcome.value ? "completed" : "failed"},
                {"value", outcome.value ? Json(*outcome.value) : Json()},
                {"error", outcome.failure ? Json(outcome.failure->message) : Json()}});
  } else if (outcome.value) {
    print_out("trial " + std::to_string(options.id) + " completed: " + number_text(*outcome.value) +
              "\n");
  } else {
    print_out("trial " + std::to_string(options.id) + " failed: " + outcome.failure->message +
              "\n");
  }
  return kDone;
}

}  // namespace

Action define_tell(CLI::App& app, const Console&) {
  auto options = std::make_shared<Options>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Storage (.db) or study file (.toml)");
  arguments.positional("ID", options->id, "The suggestion's id");
  arguments.optional_positional("VALUE", options->value, "The result, a number");
  arguments.option("--fail", options->reason, "REASON", "The evaluation failed, and why");
  arguments.option("--wait", options->wait, "SECONDS", "How long to wait for others who write", 0.0,
                   kLongestWait);
  arguments.flag("--json", options->json, "Print JSON");
  return [options] { return tell(*options); };
}

}  // namespace vbo::cli
