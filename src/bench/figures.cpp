// SPDX-License-Identifier: MIT
#include "bench/figures.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "bench/statistics.hpp"
#include "bench/summary.hpp"

namespace vbo::bench {
namespace {

using Jobs = std::vector<const JobResult*>;
using GroupKey = std::tuple<std::string, std::int64_t, std::int64_t>;  // task, batch, rounds
using Group = std::map<std::string, Jobs>;                             // by method

enum class Curve { best, reward };

std::string file_name(const std::string& text) {
  std::string name;
  for (const char c : text) {
    name += (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-') ? c : '-';
  }
  return name;
}

// The gap to the optimum is drawn, logarithmically, where it is known and never crossed.
bool draws_gap(const Group& group) {
  for (const auto& [method, jobs] : group) {
    for (const JobResult* job : jobs) {
      if (!job->task.optimum || !job->task.optimum_proven) return false;
      const double slack = 1e-9 * (1.0 + std::abs(*job->task.optimum));
      for (const RoundRecord& r : job->rounds) {
        if (best_value(r) > *job->task.optimum + slack) return false;
      }
    }
  }
  return true;
}

// Smaller gaps are rounding errors; they are drawn at this height.
constexpr double smallest_gap = 1e-10;

double height(const JobResult& job, const RoundRecord& r, Curve curve, bool gap) {
  if (curve == Curve::reward) return r.average_reward;
  if (gap) return std::max(smallest_gap, *job.task.optimum - best_value(r));
  return best_value(r);
}

Series curve_of(const std::string& method, const Jobs& jobs, Curve curve, bool gap) {
  Series s{.label = method, .style = style_of(method)};
  const std::size_t rounds = jobs.front()->rounds.size();
  for (std::size_t t = 0; t < rounds; ++t) {
    std::vector<double> values;
    for (const JobResult* job : jobs) values.push_back(height(*job, job->rounds[t], curve, gap));
    s.x.push_back(static_cast<double>(jobs.front()->rounds[t].evaluations));
    s.y.push_back(median(values));
    s.low.push_back(quantile(values, 0.25));
    s.high.push_back(quantile(values, 0.75));
  }
  return s;
}

// A few values far below all others (a simulation that blew up) would press the rest into a line:
// such an axis begins a little below its tenth percentile instead.
void cut_outliers(Panel& panel) {
  std::vector<double> values;
  for (const Series& s : panel.series) {
    std::copy_if(s.y.begin(), s.y.end(), std::back_inserter(values),
                 [](double v) { return std::isfinite(v); });
  }
  if (panel.y.log || values.size() < 10) return;
  const double low = quantile(values, 0.0), high = quantile(values, 1.0);
  const double usual = quantile(values, 0.1);
  if (usual - low <= 3.0 * (high - usual)) return;
  panel.y.low = usual - 0.1 * (high - usual);
  panel.y.high = high + 0.04 * (high - usual);
  panel.y.label += " (lowest cut off)";
}

Panel panel_of(const GroupKey& key, const Group& group, Curve curve) {
  const bool gap = curve == Curve::best && draws_gap(group);
  Panel panel{.title = std::get<0>(key),
              .x = {.label = "evaluations (batches of " + std::to_string(std::get<1>(key)) + ")"},
              .y = {.label = curve == Curve::reward ? "average reward"
                             : gap                  ? "gap to the optimum"
                                                    : "best value",
                    .log = gap},
              .series = {}};
  for (const auto& [method, jobs] : group) {
    panel.series.push_back(curve_of(method, jobs, curve, gap));
  }
  std::stable_sort(panel.series.begin(), panel.series.end(), [&](const Series& a, const Series& b) {
    return gap ? a.y.back() < b.y.back() : a.y.back() > b.y.back();
  });
  cut_outliers(panel);
  return panel;
}

// Labels by their mean position over the panels.
std::vector<std::string> common_order(const std::vector<Panel>& panels) {
  std::map<std::string, std::vector<double>> positions;
  for (const Panel& panel : panels) {
    for (std::size_t i = 0; i < panel.series.size(); ++i) {
      positions[panel.series[i].label].push_back(static_cast<double>(i));
    }
  }
  std::vector<std::string> order;
  order.reserve(positions.size());
  for (const auto& [label, unused] : positions) order.push_back(label);
  std::stable_sort(order.begin(), order.end(), [&](const std::string& a, const std::string& b) {
    return mean(positions[a]) < mean(positions[b]);
  });
  return order;
}

int columns_for(std::size_t panels) {
  if (panels <= 1) return 1;
  return panels <= 4 ? 2 : 3;
}

void add_curves(const std::map<GroupKey, Group>& groups, Curve curve,
                std::vector<NamedFigure>& figures) {
  const std::string suffix = curve == Curve::best ? "best" : "reward";
  std::set<std::pair<std::string, std::int64_t>> seen;
  std::vector<Panel> panels;
  for (const auto& [key, group] : groups) {
    const auto& [task, batch, rounds] = key;
    panels.push_back(panel_of(key, group, curve));
    std::string name = file_name(task) + "-b" + std::to_string(batch);
    if (!seen.insert({task, batch}).second) name += "-r" + std::to_string(rounds);
    figures.push_back({name + "-" + suffix, {.title = "", .panels = {panels.back()}}});
  }
  if (panels.size() < 2) return;
  const std::string title = curve == Curve::best
                                ? "Best value so far: median and quartiles over seeds"
                                : "Average reward: median and quartiles over seeds";
  figures.push_back({"overview-" + suffix,
                     {.title = title,
                      .panels = panels,
                      .legend = common_order(panels),
                      .columns = columns_for(panels.size())}});
}

// One point of a sensitivity figure: where it stands, whose line it is on.
struct Setting {
  std::string panel, line;
  double x = 0.0;
};

void add_sensitivity(const std::string& option, const Jobs& jobs,
                     const std::function<bool(const JobResult&, Setting&)>& place, Curve curve,
                     std::vector<NamedFigure>& figures) {
  std::map<std::string, std::map<std::string, std::map<double, std::vector<double>>>> found;
  std::set<double> all_x;
  for (const JobResult* job : jobs) {
    Setting s;
    if (!place(*job, s)) continue;
    all_x.insert(s.x);
    found[s.panel][s.line][s.x].push_back(curve == Curve::reward ? job->rounds.back().average_reward
                                                                 : best_value(job->rounds.back()));
  }
  if (all_x.size() < 2) return;
  const bool log = *all_x.begin() > 0.0 && *all_x.rbegin() / *all_x.begin() > 10.0;
  std::vector<double> marks;
  if (all_x.size() <= 8) marks.assign(all_x.begin(), all_x.end());
  // "hmc?acquisition=ucb" is hmc unless there is another hmc to tell it from.
  std::map<std::string, std::set<std::string>> variants;
  const auto base = [](const std::string& label) { return label.substr(0, label.find('?')); };
  for (const auto& [title, lines] : found) {
    for (const auto& [label, points] : lines) variants[base(label)].insert(label);
  }
  std::vector<Panel> panels;
  for (const auto& [title, lines] : found) {
    Panel panel{.title = title,
                .x = {.label = option, .log = log, .marks = marks},
                .y = {.label = curve == Curve::reward ? "average reward at the end" : "best value"},
                .series = {}};
    for (const auto& [label, points] : lines) {
      const bool alone = variants[base(label)].size() == 1;
      const std::string name = alone ? base(label) : label;
      Series s{.label = name, .style = style_of(name), .markers = true};
      for (const auto& [x, values] : points) {
        s.x.push_back(x);
        s.y.push_back(median(values));
        s.low.push_back(quantile(values, 0.25));
        s.high.push_back(quantile(values, 0.75));
      }
      panel.series.push_back(std::move(s));
    }
    std::stable_sort(panel.series.begin(), panel.series.end(),
                     [](const Series& a, const Series& b) {
                       return *std::max_element(a.y.begin(), a.y.end()) >
                              *std::max_element(b.y.begin(), b.y.end());
                     });
    cut_outliers(panel);
    panels.push_back(std::move(panel));
  }
  const std::vector<std::string> order = common_order(panels);
  const int columns = columns_for(panels.size());
  figures.push_back({file_name(option) + (curve == Curve::reward ? "-reward" : "-best"),
                     {.title = "Sensitivity to " + option + ": median and quartiles over seeds",
                      .panels = std::move(panels),
                      .legend = order,
                      .columns = columns}});
}

std::set<std::string> swept_options(const Jobs& jobs) {
  std::map<std::pair<std::string, std::string>, std::set<double>> values;  // (line, option)
  for (const JobResult* job : jobs) {
    const auto spec = parse_method(job->job.method);
    if (!spec) continue;
    for (const auto& [option, value] : spec->settings) {
      MethodSpec line = *spec;
      line.settings.erase(option);
      const auto* real = std::get_if<double>(&value);
      const auto* whole = std::get_if<std::int64_t>(&value);
      if (real == nullptr && whole == nullptr) continue;
      values[{to_string(line), option}].insert(real != nullptr ? *real
                                                               : static_cast<double>(*whole));
    }
  }
  std::set<std::string> swept;
  for (const auto& [key, seen] : values) {
    if (seen.size() > 1) swept.insert(key.second);
  }
  return swept;
}

bool batch_varies(const Jobs& jobs) {
  std::map<std::string, std::set<std::int64_t>> batches;
  for (const JobResult* job : jobs) batches[job->job.task].insert(job->job.batch);
  return std::any_of(batches.begin(), batches.end(),
                     [](const auto& b) { return b.second.size() > 1; });
}

}  // namespace

std::vector<NamedFigure> figures_of(const std::vector<JobResult>& jobs) {
  std::map<GroupKey, Group> groups;
  Jobs all;
  for (const JobResult& job : jobs) {
    groups[{job.job.task, job.job.batch, job.job.rounds}][job.job.method].push_back(&job);
    all.push_back(&job);
  }
  std::vector<NamedFigure> figures;
  for (const Curve curve : {Curve::best, Curve::reward}) {
    add_curves(groups, curve, figures);
    if (batch_varies(all)) {
      add_sensitivity(
          "batch size", all,
          [](const JobResult& job, Setting& s) {
            s = {job.job.task, job.job.method, static_cast<double>(job.job.batch)};
            return true;
          },
          curve, figures);
    }
    for (const std::string& option : swept_options(all)) {
      add_sensitivity(
          option, all,
          [&](const JobResult& job, Setting& s) {
            auto spec = parse_method(job.job.method);
            if (!spec || !spec->settings.contains(option)) return false;
            const OptionValue value = spec->settings.at(option);
            spec->settings.erase(option);
            const auto* real = std::get_if<double>(&value);
            const auto* whole = std::get_if<std::int64_t>(&value);
            if (real == nullptr && whole == nullptr) return false;
            s = {job.job.task + ", batch " + std::to_string(job.job.batch), to_string(*spec),
                 real != nullptr ? *real : static_cast<double>(*whole)};
            return true;
          },
          curve, figures);
    }
  }
  return figures;
}

}  // namespace vbo::bench
