// SPDX-License-Identifier: MIT
// The state of CMA-ES as bytes: the distribution, the results of the unfinished generation and the
// genotypes in flight. Bounded by the dimension, the population and the trials in flight.
#include "optim/cmaes/cmaes.hpp"

namespace vbo {
namespace {

constexpr std::uint32_t kCmaesFormat = 0x434d4101;  // "CMA", version 1

void put(StateWriter& out, const std::string& text) {
  out.put<std::int64_t>(static_cast<std::int64_t>(text.size()));
  for (const char c : text) out.put(c);
}

std::string get_text(StateReader& in) {
  std::string text;
  for (auto left = in.get<std::int64_t>(); left > 0 && in.ok(); --left) text += in.get<char>();
  return text;
}

void put(StateWriter& out, const std::vector<double>& values) {
  out.put(Eigen::Map<const Matrix>(values.data(), static_cast<Eigen::Index>(values.size()), 1));
}

std::vector<double> get_numbers(StateReader& in) {
  const Vector values = in.get_vector();
  return {values.begin(), values.end()};
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
  out.put(run_.best).put<std::uint8_t>(run_.small);
  put(out, last_end_);
  put(out, run_.best_history);
  put(out, run_.median_history);
  out.put<std::int64_t>(static_cast<std::int64_t>(run_.results.size()));
  for (const Told& result : run_.results) {
    out.put(result.id).put(result.value);
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
  const auto get_asked = [](StateReader& in) {
    Asked asked;
    asked.run = in.get<std::int64_t>();
    asked.generation = in.get<std::int64_t>();
    asked.genotype = in.get_vector();
    return asked;
  };
  StateReader in(snapshot);
  const bool known = in.get<std::uint32_t>() == kCmaesFormat;
  for (std::int64_t* count :
       {&large_restarts_, &large_evaluations_, &small_evaluations_, &designed_, &generations_,
        &run_.index, &run_.population, &run_.flat_generations}) {
    *count = in.get<std::int64_t>();
  }
  run_.best = in.get<double>();
  run_.small = in.get<std::uint8_t>() != 0;
  last_end_ = get_text(in);
  run_.best_history = get_numbers(in);
  run_.median_history = get_numbers(in);
  for (auto left = in.get<std::int64_t>(); left > 0 && in.ok(); --left) {
    Told told;
    told.id = in.get<TrialId>();
    told.value = in.get<double>();
    told.from = get_asked(in);
    run_.results.push_back(std::move(told));
  }
  for (auto left = in.get<std::int64_t>(); left > 0 && in.ok(); --left) {
    const auto id = in.get<TrialId>();
    pending_[id] = get_asked(in);
  }
  run_.strategy.reset();
  if (in.get<std::uint8_t>() != 0) run_.strategy.emplace(cmaes::Strategy::read(in));
  if (!known || !in.complete()) {
    return Error{ErrorKind::damaged, "the snapshot is not one of cmaes, or not intact"};
  }
  if (run_.strategy && run_.strategy->dimension() != encoding_.dimension()) {
    return Error{ErrorKind::damaged, "the snapshot of cmaes belongs to another space"};
  }
  for (const Trial& trial : history) remember(trial.point);
  return {};
}

}  // namespace vbo
