// SPDX-License-Identifier: MIT
// A method whose every suggestion depends on all that happened before: which ids were asked
// together, which trials were told together, in which order, with which values. Replay that is not
// exact shows at once. It also checks what it is given when a snapshot is restored.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>

#include "vbo/optimizer.hpp"
#include "vbo/random.hpp"
#include "vbo/study.hpp"

namespace vbo::testing {

struct ScriptedOptions {
  bool snapshots = true;
  std::uint64_t salt = 0;  // another salt stands for another build
};

class ScriptedOptimizer final : public Optimizer {
 public:
  ScriptedOptimizer(const Space& space, const OptimizerOptions& common, ScriptedOptions options)
      : space_(space), common_(common), options_(options), hash_(options.salt) {}

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override {
    mix(0xa5);
    std::vector<Suggestion> suggestions;
    for (const TrialId id : ids) {
      mix(static_cast<std::uint64_t>(id));
      pending_ += id;
    }
    for (const TrialId id : ids) {
      Rng rng(hash_, "scripted", static_cast<std::uint64_t>(id));
      suggestions.push_back({random_point(rng), {"scripted", rng.uniform(), {}}});
    }
    return suggestions;
  }

  void tell(std::span<const Trial> finished) override {
    mix(0x7e);
    for (const Trial& trial : finished) {
      mix(digest(trial));
      told_sum_ += digest(trial);
      if (trial.asked_in != trial.told_in) pending_ -= trial.id;  // else nobody asked for it
      if (++told_ % common_.batch == 0) ++round_;
    }
  }

  std::int64_t round() const override { return round_; }
  AskReport report() const override {
    if (round_ == 0) return {};
    const auto round = static_cast<double>(round_);
    return {.round = round_,
            .information = RoundInformation{1.0 / round, std::nullopt, std::nullopt},
            .exploitation = 2.0,
            .deviation = std::nullopt,
            .values = {},
            .message = "",
            .recommendation = Recommendation{1, round, 0.5}};
  }

  std::string snapshot() const override {
    if (!options_.snapshots) return {};
    std::ostringstream text;
    text << options_.salt << ' ' << hash_ << ' ' << told_ << ' ' << told_sum_ << ' ' << pending_
         << ' ' << round_;
    return text.str();
  }

  Result<void> restore(std::string_view snapshot, std::span<const Trial> history) override {
    std::istringstream text{std::string(snapshot)};
    std::uint64_t salt = 0;
    text >> salt >> hash_ >> told_ >> told_sum_ >> pending_ >> round_;
    if (salt != options_.salt) return Error{ErrorKind::unsupported, "the salt is another one"};
    std::uint64_t sum = 0;
    std::int64_t told = 0;
    TrialId pending = 0;
    for (const Trial& trial : history) {
      if (trial.told_in == 0) {
        if (trial.state != TrialState::waiting || trial.value() || trial.failure) {
          return Error{ErrorKind::damaged, "an open trial has an outcome"};
        }
        pending += trial.id;
      } else {
        sum += digest(trial);
        ++told;
      }
    }
    if (sum != told_sum_ || told != told_ || pending != pending_) {
      return Error{ErrorKind::damaged, "the history is not the one of the snapshot"};
    }
    return {};
  }

 private:
  static std::uint64_t digest(const Trial& trial) {
    const std::uint64_t outcome = trial.value() ? std::bit_cast<std::uint64_t>(*trial.value())
                                                : static_cast<std::uint64_t>(trial.failure->cause);
    // Whatever depends on the clock must not reach a method.
    const bool clockless = trial.seconds == 0.0 && trial.attempts == 0 && trial.stderr_tail.empty();
    return Rng(outcome, clockless ? "told" : "clock", static_cast<std::uint64_t>(trial.id))();
  }

  void mix(std::uint64_t word) { hash_ = Rng(hash_, "mix", word)(); }

  Point random_point(Rng& rng) const {
    Point point;
    for (const Parameter& p : space_.parameters()) {
      if (p.kind == ParameterKind::categorical) {
        point.emplace_back(p.choices[rng.below(p.choices.size())]);
      } else if (p.kind == ParameterKind::integer) {
        point.emplace_back(
            static_cast<std::int64_t>(p.low) +
            static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(p.high - p.low) + 1)));
      } else {
        point.emplace_back(rng.uniform(p.low, p.high));
      }
    }
    return point;
  }

  Space space_;
  OptimizerOptions common_;
  ScriptedOptions options_;
  std::uint64_t hash_;
  std::int64_t told_ = 0;
  std::uint64_t told_sum_ = 0;
  TrialId pending_ = 0;  // sum of the ids asked and not told
  std::int64_t round_ = 0;
};

inline StudyParts scripted(std::unique_ptr<Storage> storage = nullptr,
                           ScriptedOptions options = {}) {
  return {std::move(storage),
          [options](const Space& space,
                    const OptimizerOptions& common) -> Result<std::unique_ptr<Optimizer>> {
            return std::unique_ptr<Optimizer>(
                std::make_unique<ScriptedOptimizer>(space, common, options));
          }};
}

}  // namespace vbo::testing
