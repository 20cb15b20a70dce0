// SPDX-License-Identifier: MIT
// What one round really costs: the operations our kernels execute, and the seconds they take, to
// tell one batch and ask for the next, with n observations on a 10-dimensional function.
// Evaluating the function is neither counted nor timed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/chart.hpp"
#include "bench/record.hpp"
#include "vbo/error.hpp"

namespace vbo::bench {

struct CountOptions {
  std::string task = "ackley?dim=10&shift=1";
  std::vector<std::string> methods;
  std::vector<std::int64_t> observations = {100, 500, 1000, 5000};
  std::int64_t batch = 64;
  std::uint64_t seed = 1;
  int threads = 1;
  // A cell is left out when, by how the method's time grew with n so far, it would take longer than
  // so many seconds.
  double limit_seconds = 600.0;
};

struct CountedCost {
  std::string method;
  std::int64_t observations = 0;
  bool measured = false;  // false: left out, see limit_seconds
  std::uint64_t tell_flops = 0, ask_flops = 0;
  double tell_seconds = 0.0, ask_seconds = 0.0;
  std::uint64_t flops() const { return tell_flops + ask_flops; }
};

struct CountReport {
  CountOptions options;
  Origin origin;
  std::vector<CountedCost> rows;  // by method, then n
};

// `on_cell` is called for each finished cell. The error names an unknown task, method or option.
Result<CountReport> count_operations(const CountOptions& options,
                                     const std::function<void(const CountedCost&)>& on_cell = {});

std::string to_markdown(const CountReport& report);  // with ratios to `vbo` where it took part
std::string to_json(const CountReport& report);
// Reads what to_json wrote; the error says what is wrong with it.
Result<CountReport> count_report_from(const std::string& json);
// Four panels over n: the paper's closed forms, the same with constants put back, counted
// operations, seconds.
Figure figure_of(const CountReport& report);

}  // namespace vbo::bench
