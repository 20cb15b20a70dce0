// SPDX-License-Identifier: MIT
#include "optim/auto/auto.hpp"

#include <algorithm>
#include <utility>

namespace vbo {
namespace {

// research/methods/auto.md has the measurements. Up to here gp-logei is level with the best of vbo,
// gp-logei and turbo on 49 of the 60 cells of research/protocols/auto.toml, whatever the space.
// Beyond, nobody has measured it, and its time grows with the cube of the results.
constexpr std::int64_t most_results = 1024;
constexpr std::int64_t most_at_once = 64;
constexpr std::int64_t most_dimensions = 150;
// From some hundred results on vbo is the better of the two, if it has rounds to learn in: with
// many of them in any space (11 and 8 of 12 such cells, 7 and 7 of the 8 held out), with some where
// the space is small (9 and 3 of 10).
constexpr std::int64_t some_hundred = 300;
constexpr std::int64_t many_rounds = 30, some_rounds = 12;
constexpr std::int64_t few_numbers = 12, few_with_categories = 6;  // encoded dimensions

// With several objectives: a result is worth the time that gp-logehvi takes.
constexpr std::int64_t few_results = 256, few_at_once = 16;

bool is_small(const Problem& problem) {
  return problem.dimension <= (problem.categorical ? few_with_categories : few_numbers);
}

}  // namespace

Choice choose_method(const Problem& problem) {
  if (problem.objectives > 1) {
    const std::string several = "there are " + std::to_string(problem.objectives) + " objectives";
    if (problem.budget > 0 && problem.budget <= few_results && problem.batch <= few_at_once) {
      return {"gp-logehvi", several + ", and every result of so few counts"};
    }
    return {"pareto", several};
  }
  if (problem.budget <= 0) return {"vbo", "the budget is not known"};
  // gp-logei searches the box and repairs what it finds (tests/study/constraint_test.cpp).
  if (problem.constrained) return {"vbo", "the space has constraints"};
  // Better at 80, 96 and 320 results in batches of 4 and 16, tied at 40 one at a time
  // (research/constraints.md).
  if (problem.limited) return {"vbo", "metrics have limits"};
  if (problem.budget > most_results) {
    return {"vbo", "a budget of " + std::to_string(problem.budget) +
                       " is more than a Gaussian process needs"};
  }
  if (problem.batch > most_at_once) {
    return {"vbo", std::to_string(problem.batch) + " at a time is a large batch"};
  }
  if (problem.dimension > most_dimensions) {
    return {"vbo", std::to_string(problem.dimension) + " encoded dimensions are many"};
  }
  if (problem.budget >= some_hundred) {
    const std::int64_t rounds = problem.budget / std::max<std::int64_t>(1, problem.batch);
    const std::string results = std::to_string(problem.budget) + " results ";
    if (rounds >= many_rounds)
      return {"vbo", results + "in " + std::to_string(rounds) + " rounds are many"};
    if (rounds >= some_rounds && is_small(problem))
      return {"vbo", results + "are many for so few parameters"};
  }
  return {"gp-logei", "with a budget of " + std::to_string(problem.budget) +
                          " every result counts, and a Gaussian process learns most from one"};
}

AutoMethod::AutoMethod(Choice choice, std::unique_ptr<Optimizer> chosen, Make make)
    : choice_(std::move(choice)), chosen_(std::move(chosen)), make_(std::move(make)) {}

AskReport AutoMethod::report() const {
  AskReport report = chosen_->report();
  const std::string earlier = report.message;
  report.message = "auto chose " + choice_.method + ": " + choice_.reason;
  if (!earlier.empty()) report.message += "; " + earlier;
  return report;
}

std::string AutoMethod::snapshot() const {
  std::string inner = chosen_->snapshot();
  return inner.empty() ? inner : choice_.method + "\n" + inner;
}

Result<void> AutoMethod::restore(std::string_view snapshot, std::span<const Trial> history) {
  const std::size_t end = snapshot.find('\n');
  const std::string method(snapshot.substr(0, end));
  if (end == std::string_view::npos ||
      std::ranges::find(auto_candidates, method) == auto_candidates.end()) {
    return Error{ErrorKind::damaged, "the stored state of method \"auto\" is damaged"};
  }
  if (method != choice_.method) {
    auto made = make_(method);
    if (!made) return made.error();
    chosen_ = std::move(*made);
    choice_ = {method, "the study began with it"};
  }
  return chosen_->restore(snapshot.substr(end + 1), history);
}

}  // namespace vbo
