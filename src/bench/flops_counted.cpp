// SPDX-License-Identifier: MIT
#include "bench/flops_counted.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/design.hpp"
#include "bench/flops_model.hpp"
#include "bench/job.hpp"
#include "bench/metered.hpp"
#include "bench/text_table.hpp"
#include "tasks/task.hpp"

namespace vbo::bench {
namespace {

using Clock = std::chrono::steady_clock;

Outcome evaluated(const tasks::Task& task, TrialId id, const Point& point, std::uint64_t seed) {
  Rng rng(seed, "benchmark-evaluation", static_cast<std::uint64_t>(id));
  return {.id = id, .values = {task.evaluate(point, rng)}, .metrics = task.metrics(point)};
}

Result<CountedCost> one_cell(const tasks::Task& task, const std::string& method, std::int64_t n,
                             const CountOptions& options) {
  const auto spec = parse_method(method);
  if (!spec) return spec.error();
  StudyOptions study;
  study.space = task.space();
  study.objectives = {{.goal = task.info().goal}};
  study.budget = n + options.batch;
  study.optimizer = {.method = spec->name,
                     .seed = options.seed,
                     .batch = options.batch,
                     .threads = options.threads,
                     .settings = spec->settings};
  auto opened = open_metered(std::move(study));
  if (!opened) return Error{opened.error().kind, method + ": " + opened.error().message};
  // All but the last batch are space-filling points the method did not choose. The last batch it
  // chooses itself, not counted, so that the counted round begins as every later one would.
  const std::int64_t own = std::min(n, options.batch);
  std::vector<Evaluated> history;
  for (Point& point : initial_design(task.space(), n - own, options.seed)) {
    Outcome outcome = evaluated(task, std::ssize(history) + 1, point, options.seed);
    history.push_back({std::move(point), std::move(outcome)});
  }
  if (const auto added = opened->study.add(std::move(history)); !added) return added.error();
  const auto chosen = opened->study.ask(own);
  if (!chosen) return chosen.error();
  std::vector<Outcome> batch;
  for (const Trial& trial : *chosen) {
    batch.push_back(evaluated(task, trial.id, trial.point, options.seed));
  }
  CountedCost cost{.method = method, .observations = n, .measured = true};
  if (const auto told = opened->study.tell(std::move(batch)); !told) return told.error();
  cost.tell_flops = opened->meter->back().flops;
  cost.tell_seconds = opened->meter->back().seconds;
  if (const auto asked = opened->study.ask(options.batch); !asked) return asked.error();
  cost.ask_flops = opened->meter->back().flops;
  cost.ask_seconds = opened->meter->back().seconds;
  return cost;
}

// Seconds at the next size from those at the last: t n^p, with the p between 1 and 3 that the last
// two sizes show, or 1.
class GrowthGuess {
 public:
  void seen(std::int64_t n, double seconds) {
    if (n_ > 0 && n > n_ && seconds_ > 0.0 && seconds > 0.0) {
      power_ = std::clamp(std::log(seconds / seconds_) / std::log(ratio(n)), 1.0, 3.0);
    }
    n_ = n;
    seconds_ = seconds;
  }
  double seconds_at(std::int64_t n) const {
    return n_ == 0 ? 0.0 : seconds_ * std::pow(ratio(n), power_);
  }

 private:
  double ratio(std::int64_t n) const { return static_cast<double>(n) / static_cast<double>(n_); }
  std::int64_t n_ = 0;
  double seconds_ = 0.0, power_ = 1.0;
};

const CountedCost* find(const CountReport& report, const std::string& method, std::int64_t n) {
  for (const CountedCost& row : report.rows) {
    if (row.method == method && row.observations == n && row.measured) return &row;
  }
  return nullptr;
}

}  // namespace

Result<CountReport> count_operations(const CountOptions& options,
                                     const std::function<void(const CountedCost&)>& on_cell) {
  const auto task = tasks::make_task(options.task);
  if (!task) return task.error();
  std::vector<std::int64_t> sizes = options.observations;
  std::sort(sizes.begin(), sizes.end());
  CountReport report{.options = options, .origin = this_origin(), .rows = {}};
  for (const std::string& method : options.methods) {
    GrowthGuess guess;
    for (const std::int64_t n : sizes) {
      CountedCost cell{.method = method, .observations = n};
      if (guess.seconds_at(n) <= options.limit_seconds) {
        const auto start = Clock::now();
        const auto counted = one_cell(**task, method, n, options);
        if (!counted) return counted.error();
        cell = *counted;
        guess.seen(n, std::chrono::duration<double>(Clock::now() - start).count());
      }
      report.rows.push_back(cell);
      if (on_cell) on_cell(cell);
    }
  }
  return report;
}

std::string to_markdown(const CountReport& report) {
  TextTable table({"method", "observations", "FLOP tell", "FLOP ask", "FLOP round", "/ vbo",
                   "s tell", "s ask", "ms per suggestion"});
  for (const CountedCost& r : report.rows) {
    if (!r.measured) {
      table.add({r.method, std::to_string(r.observations), "-", "-", "-", "-", "-", "-", "-"});
      continue;
    }
    const CountedCost* reference = find(report, "vbo", r.observations);
    const bool has_ratio = reference != nullptr && reference->flops() > 0;
    table.add({r.method, std::to_string(r.observations),
               number_text(static_cast<double>(r.tell_flops), 4),
               number_text(static_cast<double>(r.ask_flops), 4),
               number_text(static_cast<double>(r.flops()), 4),
               has_ratio ? number_text(static_cast<double>(r.flops()) /
                                           static_cast<double>(reference->flops()),
                                       3)
                         : "-",
               number_text(r.tell_seconds, 3), number_text(r.ask_seconds, 3),
               number_text(1e3 * r.ask_seconds / static_cast<double>(report.options.batch), 3)});
  }
  return "### FLOPs and seconds of one round, counted\n\n" + report.options.task + ", batch " +
         std::to_string(report.options.batch) + ", " + std::to_string(report.options.threads) +
         " thread(s), commit " + report.origin.commit + ", " + report.origin.machine + "\n\n" +
         table.markdown() +
         "\nA round takes the results of one batch (tell) and suggests the next (ask), with so "
         "many observations in all. A line of dashes would have taken longer than the limit of " +
         number_text(report.options.limit_seconds, 4) + " s.\n";
}

std::string to_json(const CountReport& report) {
  nlohmann::ordered_json json = {
      {"task", report.options.task},       {"batch", report.options.batch},
      {"threads", report.options.threads}, {"seed", report.options.seed},
      {"version", report.origin.version},  {"commit", report.origin.commit},
      {"machine", report.origin.machine},  {"rows", nlohmann::ordered_json::array()}};
  for (const CountedCost& r : report.rows) {
    nlohmann::ordered_json row = {
        {"method", r.method}, {"observations", r.observations}, {"measured", r.measured}};
    if (r.measured) {
      row.update({{"tell_flops", r.tell_flops},
                  {"ask_flops", r.ask_flops},
                  {"flops", r.flops()},
                  {"tell_seconds", r.tell_seconds},
                  {"ask_seconds", r.ask_seconds}});
    }
    json["rows"].push_back(std::move(row));
  }
  return json.dump(2) + "\n";
}

Result<CountReport> count_report_from(const std::string& text) {
  CountReport report;
  try {
    const auto json = nlohmann::json::parse(text);
    json.at("task").get_to(report.options.task);
    json.at("batch").get_to(report.options.batch);
    json.at("threads").get_to(report.options.threads);
    json.at("seed").get_to(report.options.seed);
    json.at("version").get_to(report.origin.version);
    json.at("commit").get_to(report.origin.commit);
    json.at("machine").get_to(report.origin.machine);
    std::set<std::int64_t> sizes;
    for (const auto& row : json.at("rows")) {
      CountedCost cost;
      row.at("method").get_to(cost.method);
      row.at("observations").get_to(cost.observations);
      row.at("measured").get_to(cost.measured);
      sizes.insert(cost.observations);
      if (cost.measured) {
        row.at("tell_flops").get_to(cost.tell_flops);
        row.at("ask_flops").get_to(cost.ask_flops);
        row.at("tell_seconds").get_to(cost.tell_seconds);
        row.at("ask_seconds").get_to(cost.ask_seconds);
      }
      report.rows.push_back(std::move(cost));
    }
    report.options.observations.assign(sizes.begin(), sizes.end());
  } catch (const std::exception& e) {
    return Error{ErrorKind::damaged, std::string("not a count of operations: ") + e.what()};
  }
  return report;
}

namespace {

// The closed forms of a model as curves over n, under the names our methods have.
Panel closed_forms(const std::string& title, CostModel (*model)(const std::vector<std::int64_t>&),
                   const std::vector<double>& marks) {
  static const std::map<std::string, std::string> ours = {
      {"GP (exact)", "gp-ei"}, {"HMC-BNN", "hmc"}, {"DKL", "dkl"},       {"LLA", "laplace"},
      {"VBO-MI", "vbo-paper"}, {"I-BNN", "ibnn"},  {"FocalBO", "focal"}, {"SGHMC", "sghmc"}};
  constexpr int points = 33;
  std::vector<std::int64_t> n;
  n.reserve(points);
  for (int i = 0; i < points; ++i) {
    n.push_back(std::llround(marks.front() * std::pow(marks.back() / marks.front(),
                                                      i / static_cast<double>(points - 1))));
  }
  Panel panel{.title = title,
              .x = {.label = "observations", .log = true, .marks = marks},
              .y = {.label = "operations per round", .log = true},
              .series = {}};
  for (const CostRow& row : model(n).rows) {
    const auto name = ours.find(row.method);
    const std::string label = name == ours.end() ? row.method : name->second;
    Series series{.label = label, .style = style_of(label)};
    for (const Cost& cost : row.costs) {
      series.x.push_back(static_cast<double>(cost.T));
      series.y.push_back(static_cast<double>(cost.total()));
    }
    panel.series.push_back(std::move(series));
  }
  std::stable_sort(panel.series.begin(), panel.series.end(),
                   [](const Series& a, const Series& b) { return a.y.back() < b.y.back(); });
  return panel;
}

}  // namespace

Figure figure_of(const CountReport& report) {
  std::vector<double> sizes(report.options.observations.begin(), report.options.observations.end());
  std::sort(sizes.begin(), sizes.end());
  const auto panel = [&](const std::string& title, const std::string& label, auto value) {
    Panel p{.title = title,
            .x = {.label = "observations", .log = true, .marks = sizes},
            .y = {.label = label, .log = true},
            .series = {}};
    for (const CountedCost& r : report.rows) {
      if (!r.measured) continue;
      if (p.series.empty() || p.series.back().label != r.method) {
        p.series.push_back({.label = r.method, .style = style_of(r.method), .markers = true});
      }
      p.series.back().x.push_back(static_cast<double>(r.observations));
      p.series.back().y.push_back(value(r));
    }
    std::stable_sort(p.series.begin(), p.series.end(),
                     [](const Series& a, const Series& b) { return a.y.back() < b.y.back(); });
    return p;
  };
  return {.title = "One round (tell " + std::to_string(report.options.batch) + ", ask " +
                   std::to_string(report.options.batch) + "): on paper, counted and timed",
          .panels = {closed_forms("On paper: the published closed forms", published_model, sizes),
                     closed_forms("On paper: constants put back", realistic_model, sizes),
                     panel("Counted", "operations per round",
                           [](const CountedCost& r) { return static_cast<double>(r.flops()); }),
                     panel("Time on one core", "seconds per round",
                           [](const CountedCost& r) { return r.tell_seconds + r.ask_seconds; })},
          .columns = 2};
}

}  // namespace vbo::bench
