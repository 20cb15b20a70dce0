// SPDX-License-Identifier: MIT
#include "optim/auto/auto.hpp"

#include <utility>

namespace vbo {
namespace {

constexpr std::int64_t kSmallBudget = 300;
constexpr std::int64_t kSmallBatch = 16;
constexpr std::int64_t kSmallDimension = 50;

}  // namespace

Choice choose_method(std::int64_t dimension, std::int64_t batch, std::int64_t budget) {
  if (budget <= 0) return {"vbo", "the budget is not known"};
  if (budget > kSmallBudget) {
    return {"vbo",
            "a budget of " + std::to_string(budget) + " is more than a Gaussian process needs"};
  }
  if (batch > kSmallBatch) {
    return {"vbo", std::to_string(batch) + " at a time is a large batch"};
  }
  if (dimension > kSmallDimension) {
    return {"vbo", std::to_string(dimension) + " encoded dimensions are many"};
  }
  return {"gp-logei", "the budget of " + std::to_string(budget) + ", the batch of " +
                          std::to_string(batch) + " and the " + std::to_string(dimension) +
                          " encoded dimensions are small"};
}

AutoMethod::AutoMethod(Choice choice, std::unique_ptr<Optimizer> chosen)
    : choice_(std::move(choice)), chosen_(std::move(chosen)) {}

AskReport AutoMethod::report() const {
  AskReport report = chosen_->report();
  const std::string said = report.message;
  report.message = "auto chose " + choice_.method + ": " + choice_.reason;
  if (!said.empty()) report.message += "; " + said;
  return report;
}

std::string AutoMethod::snapshot() const {
  std::string inner = chosen_->snapshot();
  return inner.empty() ? inner : choice_.method + "\n" + inner;
}

Result<void> AutoMethod::restore(std::string_view snapshot, std::span<const Trial> history) {
  const std::string prefix = choice_.method + "\n";
  if (!snapshot.starts_with(prefix)) {
    return Error{ErrorKind::damaged,
                 "the stored state of method \"auto\" is damaged, or not of " + choice_.method};
  }
  return chosen_->restore(snapshot.substr(prefix.size()), history);
}

}  // namespace vbo
