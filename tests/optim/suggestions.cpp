// SPDX-License-Identifier: MIT
// Writes the suggestions of every registered method on small studies into a folder, one file per
// method and study, with all digits: two builds make the same suggestions when the folders are
// equal (diff -r). A tool for changes that must not change any method.
//   suggestions FOLDER [METHOD...]
#include <filesystem>
#include <fstream>
#include <iostream>

#include "conformance.hpp"

namespace vbo::testing {
namespace {

struct Setting {
  std::string name;
  Space space;
  bool failures = false;  // about one evaluation in seven, and all of one region
};

std::vector<Parameter> reals(int count) {
  std::vector<Parameter> all;
  for (int i = 0; i < count; ++i) {
    all.push_back(Parameter::real("x" + std::to_string(i), -1.0, 2.0));
  }
  return all;
}

std::vector<Setting> settings() {
  const Space mixed = mixed_space();
  const std::vector<Parameter> parameters(mixed.parameters().begin(), mixed.parameters().end());
  const std::vector<Limit> limits = {{.metric = "load", .at_most = 0.4, .at_least = {}},
                                     {.metric = "mass", .at_most = {}, .at_least = -0.2}};
  const std::vector<Parameter> choices = {
      Parameter::categorical("a", {"p", "q", "r", "s"}), Parameter::categorical("b", {"u", "v"}),
      Parameter::ordinal("c", {1.0, 2.0, 4.0, 8.0}), Parameter::integer("n", 0, 9)};
  return {{"real", Space::make(reals(3)).value()},
          {"real-failing", Space::make(reals(2)).value(), true},
          {"mixed", mixed},
          {"mixed-failing", mixed, true},
          {"choices", Space::make(choices).value()},
          {"limited", Space::make(reals(3), {}, limits).value()},
          {"limited-failing", Space::make(parameters, {}, limits).value(), true},
          {"constrained", Space::make(reals(3), {"x0 + x1 <= 1.5", "x2 >= x0"}).value()}};
}

Trial evaluated(const Setting& setting, Trial trial) {
  double load = 0.0;
  double sign = 1.0;
  for (std::size_t i = 0; i < trial.point.size(); ++i) {
    if (const auto* real = std::get_if<double>(&trial.point[i])) load += sign * *real;
    if (const auto* whole = std::get_if<std::int64_t>(&trial.point[i])) {
      load += 0.1 * sign * static_cast<double>(*whole);
    }
    sign = -sign;
  }
  if (setting.failures && (trial.id % 7 == 3 || load > 1.0)) {
    trial.state = TrialState::failed;
    trial.failure =
        Failure{trial.id % 14 == 3 ? FailureCause::lost : FailureCause::crash, "failed"};
    return trial;
  }
  trial.state = TrialState::completed;
  trial.values = {smooth(setting.space, trial.point) + 0.01 * static_cast<double>(trial.id % 5)};
  if (!setting.space.limits().empty()) trial.metrics = {{"load", load}, {"mass", 0.5 - load}};
  return trial;
}

void write(std::ostream& out, const Suggestion& suggestion, TrialId id) {
  out << id << ' ' << suggestion.rationale.source;
  for (const Value& value : suggestion.point) out << ' ' << to_string(value);
  if (suggestion.rationale.acquisition) {
    out << " | " << to_string(Value(*suggestion.rationale.acquisition));
  }
  for (const auto* terms : {&suggestion.rationale.terms, &suggestion.rationale.notes}) {
    for (const Term& term : *terms) out << ' ' << term.name << '=' << to_string(Value(term.value));
  }
  out << '\n';
}

// Batches of several sizes; the last suggestion of each is told one round late. In the middle the
// method goes on from its snapshot, where it has one.
void play(std::ostream& out, const Setting& setting, const OptimizerOptions& options, int rounds) {
  auto optimizer = make_optimizer(setting.space, options).value();
  std::vector<Trial> trials;
  std::vector<std::size_t> open;
  EventId event = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t size = round % 4 == 3 ? options.batch / 2 : options.batch;
    std::vector<TrialId> ids(static_cast<std::size_t>(size));
    std::iota(ids.begin(), ids.end(), std::ssize(trials) + 1);
    ++event;
    const std::vector<Suggestion> made = optimizer->ask(ids);
    for (std::size_t i = 0; i < made.size(); ++i) {
      write(out, made[i], ids[i]);
      open.push_back(trials.size());
      trials.push_back({.id = ids[i], .point = made[i].point, .rationale = made[i].rationale});
      trials.back().asked_in = event;
    }
    ++event;
    std::vector<Trial> told;
    const std::size_t late = open.back();
    open.pop_back();
    for (const std::size_t i : open) {
      trials[i] = evaluated(setting, trials[i]);
      trials[i].told_in = event;
      told.push_back(trials[i]);
    }
    open = {late};
    optimizer->tell(told);
    const AskReport report = optimizer->report();
    if (report.recommendation) {
      out << "best " << report.recommendation->id << ' '
          << to_string(Value(report.recommendation->mean)) << ' '
          << to_string(Value(report.recommendation->deviation)) << '\n';
    }
    if (round != rounds / 2) continue;
    const std::string state = optimizer->snapshot();
    if (state.empty()) continue;
    optimizer = make_optimizer(setting.space, options).value();
    if (!optimizer->restore(state, trials)) out << "not restored\n";
  }
}

int run(const std::filesystem::path& folder, const std::vector<std::string>& wanted) {
  std::filesystem::create_directories(folder);
  for (const MethodInfo& info : methods()) {
    if (!wanted.empty() && std::ranges::find(wanted, info.name) == wanted.end()) continue;
    for (const Setting& setting : settings()) {
      OptimizerOptions options = quick_options(info.name);
      if (!check_optimizer(setting.space, options)) continue;
      std::ofstream quick(folder / (info.name + "." + setting.name));
      play(quick, setting, options, 9);
      // What quick settings never reach: restarts, several rounds of a trained model.
      if (info.name != "vbo" && info.name != "gp-logei" && info.name != "cmaes") continue;
      options.settings.clear();
      options.batch = 16;
      options.budget = 400;
      std::ofstream whole(folder / (info.name + ".default." + setting.name));
      play(whole, setting, options, info.name == "cmaes" ? 60 : 16);
    }
    std::cout << info.name << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace vbo::testing

int main(int count, char** arguments) {
  if (count < 2) {
    std::cerr << "usage: suggestions FOLDER [METHOD...]\n";
    return 2;
  }
  return vbo::testing::run(arguments[1], {arguments + 2, arguments + count});
}
