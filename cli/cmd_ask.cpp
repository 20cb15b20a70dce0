// SPDX-License-Identifier: MIT
#include "cli/ask_and_tell.hpp"
#include "cli/commands.hpp"
#include "cli/target.hpp"
#include "cli/trial_json.hpp"
#include "exec/command_template.hpp"

namespace vbo::cli {
namespace {

constexpr std::int64_t kMostAtOnce = 1'000'000;
constexpr std::int64_t kMostThreads = 4096;

struct AskArguments {
  std::string study;
  std::int64_t count = 1;
  std::int64_t threads = 0;
  double wait = kWaitSeconds;
  bool pending = false;
  bool over_budget = false;
  bool json = false;
};

int print_suggestions(const Space& space, const std::vector<Trial>& trials, bool json) {
  if (json) {
    Json list = Json::array();
    for (const Trial& trial : trials) list.push_back(suggestion_json(space, trial));
    print_json(list);
    return kDone;
  }
  for (const Trial& trial : trials) {
    print_out(std::to_string(trial.id) + ": " + point_text(space, trial.point) + "\n");
  }
  return kDone;
}

int list_pending(const AskArguments& options) {
  const Result<OpenedStudy> study = open_to_read(options.study);
  if (!study) return fail(study.error());
  Result<std::vector<Trial>> trials = study->storage->load_trials();
  if (!trials) return fail(trials.error());
  std::erase_if(*trials, [](const Trial& t) {
    return t.state != TrialState::waiting && t.state != TrialState::running;
  });
  return print_suggestions(study->record.space, *trials, options.json);
}

int ask(const AskArguments& options, const Console& console) {
  if (options.pending) return list_pending(options);
  const Result<Answer> answer = ask_for({.study = options.study,
                                         .count = options.count,
                                         .threads = static_cast<int>(options.threads),
                                         .wait_seconds = options.wait,
                                         .over_budget = options.over_budget,
                                         .results = {}});
  if (!answer) return fail(answer.error());
  const int code = print_suggestions(answer->space, answer->trials, options.json);
  if (answer->trials.empty()) return fail(kNoSuccess, "the space has no more points to suggest");
  if (const auto made = std::ssize(answer->trials); made < options.count) {
    print_err("vbo ask: " + std::to_string(made) + " of " + std::to_string(options.count) +
              " suggestions: the space has no more, or --wait was over\n");
  }
  if (!console.quiet && !options.json && is_terminal(2)) {
    print_err("Tell a result with: vbo tell " + shell_quoted(options.study) + " ID " +
              value_arguments(answer->objectives) + "\n");
  }
  return code;
}

}  // namespace

Action define_ask(CLI::App& app, const Console& console) {
  auto options = std::make_shared<AskArguments>();
  Arguments arguments(app);
  arguments.positional("STUDY", options->study, "Study file (.toml) or storage (.db)");
  arguments.option("-n,--count", options->count, "N", "How many suggestions", 1, kMostAtOnce);
  arguments.option("--threads", options->threads, "N", "Threads of the method; 0 = all cores", 0,
                   kMostThreads);
  arguments.option("--wait", options->wait, "SECONDS",
                   "How long to wait for other processes that ask, tell or run", 0.0, kLongestWait);
  arguments.flag("--over-budget", options->over_budget,
                 "Suggest also more than the budget has room for");
  arguments.flag("--pending", options->pending,
                 "List the open suggestions again; make no new ones");
  arguments.flag("--json", options->json, "Print JSON");
  return [options, &console] { return ask(*options, console); };
}

}  // namespace vbo::cli
