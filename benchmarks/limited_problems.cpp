// SPDX-License-Identifier: MIT
// Methods on the problems of limited_set.hpp: 20 rounds of 16, best feasible value.
//   limited_problems SEEDS METHOD... [--only TEXT] [--rounds R] [--batch B]
// A line for each run: problem, method, seed, log10 of the gap after half of the rounds and all
// ("-" where nothing is feasible), seconds a round; then a table of medians.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "limited_set.hpp"
#include "vbo/optimizer.hpp"

namespace {

using namespace vbo;
using limited::Measured;
using limited::Numbers;
using limited::Problem;

struct Settings {
  int seeds = 5, batch = 16, rounds = 20;
  std::string only;
  std::vector<std::string> methods;
};

struct Run {
  double half = INFINITY, whole = INFINITY;  // log10 of the gap
  double seconds = 0.0;                      // a round
};

// "vbo?option=value&other=value"
OptimizerOptions options_of(const std::string& text) {
  OptimizerOptions options;
  options.method = text.substr(0, text.find('?'));
  std::string rest =
      text.size() > options.method.size() ? text.substr(options.method.size() + 1) : "";
  while (!rest.empty()) {
    const std::string item = rest.substr(0, rest.find('&'));
    const std::string value = item.substr(item.find('=') + 1);
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    OptionValue& option = options.settings[item.substr(0, item.find('='))];
    if (*end != '\0') {
      option = value;
    } else if (number == std::floor(number)) {
      option = static_cast<std::int64_t>(number);
    } else {
      option = number;
    }
    rest = rest.size() > item.size() ? rest.substr(item.size() + 1) : "";
  }
  return options;
}

double log_gap(const Problem& problem, double best) {
  if (!std::isfinite(best)) return INFINITY;
  return std::log10(std::max((best - problem.best) / std::max(1.0, std::abs(problem.best)), 1e-9));
}

Run play(const Problem& problem, const std::string& method, std::uint64_t seed,
         const Settings& settings) {
  std::vector<Parameter> parameters;
  for (std::size_t i = 0; i < problem.low.size(); ++i) {
    parameters.push_back(Parameter::real("x" + std::to_string(i), problem.low[i], problem.high[i]));
  }
  std::vector<Limit> limits;
  for (std::size_t i = 0; i < problem.limits; ++i)
    limits.push_back({"g" + std::to_string(i), 0.0, {}});
  const Space space = Space::make(std::move(parameters), {}, limits).value();
  OptimizerOptions options = options_of(method);
  options.seed = seed;
  options.batch = settings.batch;
  options.budget = settings.batch * settings.rounds;
  options.threads = 1;
  auto optimizer = make_optimizer(space, options).value();
  Run run;
  double best = INFINITY;
  for (int round = 0; round < settings.rounds; ++round) {
    std::vector<TrialId> ids(static_cast<std::size_t>(settings.batch));
    std::iota(ids.begin(), ids.end(), 1 + round * settings.batch);
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<Suggestion> suggested = optimizer->ask(ids);
    std::vector<Trial> trials;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      Numbers x;
      for (const Value& value : suggested[i].point) x.push_back(std::get<double>(value));
      const Measured measured = problem.measure(x);
      Outcome outcome = Outcome::of(-measured.cost);
      double most = -INFINITY;
      for (std::size_t k = 0; k < limits.size(); ++k) {
        outcome.metrics[limits[k].metric] = measured.excesses[k];
        most = std::max(most, measured.excesses[k]);
      }
      if (most <= 0.0) best = std::min(best, measured.cost);
      if (std::getenv("VBO_SHOW")) {
        std::printf("   %d %s cost %.6g worst %.3g\n", round, suggested[i].rationale.source.c_str(),
                    measured.cost - problem.best, most);
      }
      Trial open{.id = ids[i], .point = suggested[i].point, .rationale = suggested[i].rationale};
      open.asked_in = 2 * round + 1;
      trials.push_back(ended_by(std::move(open), std::move(outcome), limits));
      trials.back().told_in = 2 * round + 2;
    }
    optimizer->tell(trials);
    run.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() /
                   settings.rounds;
    if (round + 1 == settings.rounds / 2) run.half = log_gap(problem, best);
  }
  run.whole = log_gap(problem, best);
  return run;
}

std::string text(double gap) {
  if (!std::isfinite(gap)) return "     -";
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%6.2f", gap);
  return buffer;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

Settings settings_of(int count, char** values) {
  Settings settings;
  for (int i = 1; i < count; ++i) {
    const std::string word = values[i];
    const auto next = [&] { return i + 1 < count ? values[++i] : ""; };
    if (word == "--only") {
      settings.only = next();
    } else if (word == "--rounds") {
      settings.rounds = std::atoi(next());
    } else if (word == "--batch") {
      settings.batch = std::atoi(next());
    } else if (i == 1) {
      settings.seeds = std::atoi(word.c_str());
    } else {
      settings.methods.push_back(word);
    }
  }
  if (settings.methods.empty()) settings.methods = {"vbo", "gp-logei", "cmaes", "random"};
  return settings;
}

}  // namespace

int main(int count, char** values) {
  const Settings settings = settings_of(count, values);
  std::map<std::string, int> feasible, wins;
  std::map<std::string, double> seconds, sums;
  int played = 0;
  for (const Problem& problem : limited::problems()) {
    if (problem.name.find(settings.only) == std::string::npos) continue;
    ++played;
    std::map<std::string, double> medians;
    for (const std::string& method : settings.methods) {
      std::vector<double> halves, wholes;
      for (int seed = 1; seed <= settings.seeds; ++seed) {
        const Run run = play(problem, method, static_cast<std::uint64_t>(seed), settings);
        halves.push_back(run.half);
        wholes.push_back(run.whole);
        feasible[method] += std::isfinite(run.whole);
        seconds[method] += run.seconds / settings.seeds;
      }
      medians[method] = median(wholes);
      sums[method] += std::min(median(wholes), 3.0);
      std::printf("%-26s %-24s %s %s   worst %s\n", problem.name.c_str(), method.c_str(),
                  text(median(halves)).c_str(), text(median(wholes)).c_str(),
                  text(std::ranges::max(wholes)).c_str());
      std::fflush(stdout);
    }
    double best = INFINITY;
    for (const auto& [method, value] : medians) best = std::min(best, value);
    for (const auto& [method, value] : medians) wins[method] += value <= best && best < INFINITY;
  }
  for (const std::string& method : settings.methods) {
    std::printf(
        "%-24s feasible %d of %d runs, best median on %d of %d, mean log10 gap %.2f, "
        "%.3f s a round\n",
        method.c_str(), feasible[method], played * settings.seeds, wins[method], played,
        sums[method] / played, seconds[method] / played);
  }
  return 0;
}
