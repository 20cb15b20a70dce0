// SPDX-License-Identifier: MIT
// The state of CMA-ES as bytes: the distribution, the results of the unfinished generation and the
// genotypes in flight. Bounded by the dimension, the population and the trials in flight.
#include <iterator>

#include "optim/cmaes/cmaes.hpp"

namespace vbo {
namespace {

constexpr std::uint32_t kCmaesFormat = 0x434d4102;  // "CMA", version 2

void put(StateWriter& out, const std::string& text) {
  out.put<std::int64_t>(static_cast<std::int64_t>(text.size()));
  for (const char c : text) out.put(c);
}

void put(StateWriter& out, const Standing& standing) {
  out.put(static_cast<std::int32_t>(standing.kind)).put(standing.amount);
}

Standing get_standing(StateReader& in) {
  const auto kind = static_cast<Standing::Kind>(in.get_small(0, 2));
  return {kind, in.get_outcome()};
}

void put(StateWriter& out, const std::vector<Standing>& standings) {
  out.put<std::int64_t>(static_cast<std::int64_t>(standings.size()));
  for (const Standing& standing : standings) put(out, standing);
}

// Of generations, best or median.
std::vector<Standing> get_standings(StateReader& in, std::int64_t most) {
  std::vector<Standing> standings(static_cast<std::size_t>(in.get_length(most, sizeof(double))));
  for (Standing& standing : standings) standing = get_standing(in);
  return standings;
}

}  // namespace

std::string Cmaes::snapshot() const {
  const auto put_asked = [](StateWriter& out, const Asked& asked) {
    out.put(asked.run).put(asked.generation).put(asked.genotype);
  };
  StateWriter out;
  out.put(kCmaesFormat);
  for (const std::int64_t count :
       {large_restarts_, large_evaluations_, small_evaluations_, designed_, generations_,
        run_.index, run_.population, run_.flat_generations}) {
    out.put(count);
  }
  put(out, run_.best);
  out.put<std::uint8_t>(run_.small);
  put(out, last_end_);
  put(out, run_.best_history);
  put(out, run_.median_history);
  out.put<std::int64_t>(static_cast<std::int64_t>(run_.results.size()));
  for (const Told& result : run_.results) {
    out.put(result.id);
    put(out, result.standing);
    put_asked(out, result.from);
  }
  out.put<std::int64_t>(static_cast<std::int64_t>(pending_.size()));
  for (const auto& [id, asked] : pending_) {
    out.put(id);
    put_asked(out, asked);
  }
  out.put<std::uint8_t>(run_.strategy.has_value());
  if (run_.strategy) run_.strategy->write(out);
  return out.take();
}

Result<void> Cmaes::restore(std::string_view snapshot, std::span<const Trial> history) {
  constexpr double farthest = 1e9;           // genotypes, in widths of the box
  constexpr std::int64_t longest_end = 200;  // characters
  const auto trials = std::ssize(history);
  const auto get_asked = [&](StateReader& in) {
    Asked asked;
    asked.run = in.get_count();
    asked.generation = in.get_count(StateReader::kMostCount, -1);  // -1: nobody of ours asked
    asked.genotype = in.get_vector(encoding_.dimension(), farthest);
    return asked;
  };
  StateReader in(snapshot);
  in.expect(kCmaesFormat);
  for (std::int64_t* count : {&large_restarts_, &large_evaluations_, &small_evaluations_,
                              &designed_, &generations_, &run_.index}) {
    *count = in.get_count();
  }
  run_.population = in.get_count(population_ << kMostDoublings, population_);
  run_.flat_generations = in.get_count();
  run_.best = get_standing(in);
  run_.small = in.get_flag();
  last_end_ = in.get_text(longest_end);
  run_.best_history = get_standings(in, generations_);
  run_.median_history = get_standings(in, generations_);
  if (run_.best_history.size() != run_.median_history.size()) in.fail();
  run_.results.clear();
  for (auto left = in.get_length(trials, sizeof(TrialId)); left > 0 && in.ok(); --left) {
    Told told;
    told.id = in.get_count();
    told.standing = get_standing(in);
    told.from = get_asked(in);
    run_.results.push_back(std::move(told));
  }
  for (auto left = in.get_length(trials, sizeof(TrialId)); left > 0 && in.ok(); --left) {
    const TrialId id = in.get_count();
    pending_[id] = get_asked(in);
  }
  run_.strategy.reset();
  const bool started = in.get_flag();
  if (started != (run_.index > 0)) in.fail();
  if (started) {
    run_.strategy.emplace(cmaes::Strategy::read(in, encoding_.dimension(), diagonal_));
  }
  if (!in.complete()) {
    return Error{ErrorKind::damaged, "the snapshot is not one of cmaes and this space, or damaged"};
  }
  if (box_.is_discrete()) history_.restore(history);
  return {};
}

}  // namespace vbo
