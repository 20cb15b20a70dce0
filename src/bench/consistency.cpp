// SPDX-License-Identifier: MIT
#include "bench/consistency.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>
#include <tuple>

#include "bench/statistics.hpp"
#include "bench/text_table.hpp"
#include "numerics/parallel.hpp"
#include "optim/vbo_paper/helper.hpp"

namespace vbo::bench {
namespace {

using Eigen::Index;

constexpr Index kSequencesPerStep = 32, kReferences = 8;
constexpr double kLearningRate = 2e-3;

struct Sequences {
  MatrixOf<float> x, y;  // (T, sequences)
};

Sequences draw(const std::string& channel, const ConsistencyOptions& o, Index sequences, Rng& rng) {
  Sequences s{MatrixOf<float>(o.length, sequences), MatrixOf<float>(o.length, sequences)};
  for (Index j = 0; j < sequences; ++j) {
    double z = rng.normal();
    for (Index t = 0; t < o.length; ++t) {
      const double x = rng.normal();
      double y = o.rho * x + std::sqrt(1.0 - o.rho * o.rho) * z;
      if (channel != "iid") y = x + z;
      s.x(t, j) = static_cast<float>(x);
      s.y(t, j) = static_cast<float>(y);
      z = channel == "iid" ? rng.normal() : o.a * z + std::sqrt(1.0 - o.a * o.a) * rng.normal();
    }
  }
  return s;
}

// The chosen sequences, each outcome with R others of the same step, of other sequences, as
// references; without inputs when `past_only`.
HelperWindow<float> window_of(const Sequences& s, const std::vector<Index>& chosen,
                              bool past_only) {
  const auto B = static_cast<Index>(chosen.size());
  const Index R = std::min(kReferences, B - 1);
  HelperWindow<float> w;
  w.sequence = {.steps = s.x.rows(), .batch = B, .references = R};
  w.U.resize(2, w.sequence.columns());
  for (Index t = 0; t < s.x.rows(); ++t) {
    for (Index r = 0; r <= R; ++r) {
      for (Index i = 0; i < B; ++i) {
        const Index column = t * w.sequence.step_columns() + r * B + i;
        const Index own = chosen[static_cast<std::size_t>(i)];
        const Index outcome = chosen[static_cast<std::size_t>((i + r) % B)];
        w.U(0, column) = past_only ? 0.0F : s.x(t, own);
        w.U(1, column) = s.y(t, outcome);
      }
    }
  }
  return w;
}

std::vector<Index> some(Index from, Index count, Index of) {
  std::vector<Index> chosen(static_cast<std::size_t>(std::min(count, of)));
  for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = (from + static_cast<Index>(i)) % of;
  return chosen;
}

// The bound over all sequences, in blocks.
double score_of(Helper<float>& helper, const Sequences& s, bool past_only) {
  double sum = 0.0, weight = 0.0;
  for (Index from = 0; from < s.x.cols(); from += kSequencesPerStep) {
    const auto block = some(from, std::min(kSequencesPerStep, s.x.cols() - from), s.x.cols());
    if (block.size() < 2) continue;
    const auto size = static_cast<double>(block.size());
    sum += size * helper.bound(window_of(s, block, past_only), Estimator::dv);
    weight += size;
  }
  return sum / weight;
}

struct Estimate {
  double own = 0.0, fresh = 0.0;
};

Estimate estimate(const std::string& channel, bool past_only, std::int64_t samples,
                  std::uint64_t seed, const ConsistencyOptions& o) {
  Rng rng(seed, channel, static_cast<std::uint64_t>(samples));
  const Index sequences = std::max<Index>(2, samples / o.length);
  const Sequences own = draw(channel, o, sequences, rng);
  const Sequences fresh = draw(channel, o, std::max<Index>(2, o.fresh / o.length), rng);
  Helper<float>::Shape shape;
  shape.dimension = 1;
  shape.hidden = o.hidden;
  Helper<float> helper(shape, {.learning_rate = kLearningRate},
                       Rng(seed, "consistency-helper", past_only ? 1 : 0));
  for (std::int64_t step = 0; step < o.steps; ++step) {
    const auto order = rng.permutation(static_cast<std::size_t>(sequences));
    std::vector<Index> chosen;
    for (std::size_t i = 0; i < order.size() && i < kSequencesPerStep; ++i) {
      chosen.push_back(static_cast<Index>(order[i]));
    }
    helper.bound_gradient(window_of(own, chosen, past_only), Estimator::dv);
    helper.ascend();
  }
  return {score_of(helper, own, past_only), score_of(helper, fresh, past_only)};
}

using Key = std::tuple<std::string, std::string, std::int64_t>;  // channel, quantity, samples

std::map<Key, std::vector<const ConsistencyRow*>> grouped(const std::vector<ConsistencyRow>& rows) {
  std::map<Key, std::vector<const ConsistencyRow*>> groups;
  for (const ConsistencyRow& row : rows) {
    groups[{row.channel, row.quantity, row.samples}].push_back(&row);
  }
  return groups;
}

std::vector<double> values(const std::vector<const ConsistencyRow*>& rows,
                           double ConsistencyRow::*field) {
  std::vector<double> all;
  all.reserve(rows.size());
  for (const ConsistencyRow* row : rows) all.push_back(row->*field);
  return all;
}

}  // namespace

TrueInformation true_information(const ConsistencyOptions& o) {
  TrueInformation truth;
  truth.iid = -0.5 * std::log(1.0 - o.rho * o.rho);
  const double innovation = 1.0 - o.a * o.a;
  double p = 1.0;
  for (std::int64_t t = 0; t < o.length; ++t) {
    // Input and past leave only the innovation open; before the first step nothing is known of z.
    truth.joint += 0.5 * std::log(2.0 / (t == 0 ? 1.0 : innovation));
    truth.past += 0.5 * std::log(2.0 / (p + 1.0));
    p = o.a * o.a * p / (p + 1.0) + innovation;
  }
  truth.joint /= static_cast<double>(o.length);
  truth.past /= static_cast<double>(o.length);
  return truth;
}

Result<std::vector<ConsistencyRow>> check_consistency(
    const ConsistencyOptions& o, const std::function<void(const ConsistencyRow&)>& on_row) {
  if (std::abs(o.rho) >= 1.0 || std::abs(o.a) >= 1.0) {
    return Error{ErrorKind::invalid_input, "rho and a must lie between -1 and 1"};
  }
  if (o.samples.empty() || *std::min_element(o.samples.begin(), o.samples.end()) < 2 * o.length) {
    return Error{ErrorKind::invalid_input, "samples must be at least two sequences of " +
                                               std::to_string(o.length) + " steps"};
  }
  struct Cell {
    std::string channel;
    std::int64_t samples;
    std::uint64_t seed;
  };
  std::vector<Cell> cells;
  for (const std::string channel : {"iid", "autoregressive"}) {
    for (const std::int64_t samples : o.samples) {
      for (std::int64_t seed = 1; seed <= o.seeds; ++seed) {
        cells.push_back({channel, samples, static_cast<std::uint64_t>(seed)});
      }
    }
  }
  const TrueInformation truth = true_information(o);
  std::vector<std::vector<ConsistencyRow>> found(cells.size());
  std::mutex mutex;
  const int cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  parallel_for(o.jobs > 0 ? o.jobs : cores, static_cast<int>(cells.size()), [&](int index) {
    const Cell& cell = cells[static_cast<std::size_t>(index)];
    std::vector<ConsistencyRow>& rows = found[static_cast<std::size_t>(index)];
    const auto add = [&](const char* quantity, double known, Estimate e) {
      rows.push_back({cell.channel, quantity, cell.samples, cell.seed, known, e.own, e.fresh});
    };
    const Estimate joint = estimate(cell.channel, false, cell.samples, cell.seed, o);
    if (cell.channel == "iid") {
      add("information", truth.iid, joint);
    } else {
      const Estimate past = estimate(cell.channel, true, cell.samples, cell.seed, o);
      add("joint", truth.joint, joint);
      add("past", truth.past, past);
      add("directed", truth.directed(), {joint.own - past.own, joint.fresh - past.fresh});
    }
    const std::lock_guard lock(mutex);
    for (const ConsistencyRow& row : rows) {
      if (on_row) on_row(row);
    }
  });
  std::vector<ConsistencyRow> all;
  for (auto& rows : found) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

std::string to_markdown(const std::vector<ConsistencyRow>& rows) {
  TextTable table({"channel", "quantity", "N", "truth", "on its own samples", "on fresh ones",
                   "fresh - truth", "seeds"});
  for (const auto& [key, group] : grouped(rows)) {
    const double own = mean(values(group, &ConsistencyRow::own));
    const double fresh = mean(values(group, &ConsistencyRow::fresh));
    const double truth = group.front()->truth;
    table.add({std::get<0>(key), std::get<1>(key), std::to_string(std::get<2>(key)),
               number_text(truth, 4), number_text(own, 4), number_text(fresh, 4),
               number_text(fresh - truth, 2), std::to_string(group.size())});
  }
  return table.markdown();
}

std::string to_json(const std::vector<ConsistencyRow>& rows) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const ConsistencyRow& r : rows) {
    json.push_back({{"channel", r.channel},
                    {"quantity", r.quantity},
                    {"samples", r.samples},
                    {"seed", r.seed},
                    {"truth", r.truth},
                    {"own", r.own},
                    {"fresh", r.fresh}});
  }
  return json.dump(1) + "\n";
}

Result<std::vector<ConsistencyRow>> consistency_from(const std::string& text) {
  std::vector<ConsistencyRow> rows;
  try {
    for (const auto& json : nlohmann::json::parse(text)) {
      ConsistencyRow r;
      json.at("channel").get_to(r.channel);
      json.at("quantity").get_to(r.quantity);
      json.at("samples").get_to(r.samples);
      json.at("seed").get_to(r.seed);
      json.at("truth").get_to(r.truth);
      json.at("own").get_to(r.own);
      json.at("fresh").get_to(r.fresh);
      rows.push_back(std::move(r));
    }
  } catch (const std::exception& e) {
    return Error{ErrorKind::damaged, std::string("not a check of consistency: ") + e.what()};
  }
  return rows;
}

Figure figure_of(const std::vector<ConsistencyRow>& rows) {
  Figure figure{.title = "Estimates of the LSTM helper as samples grow",
                .panels = {},
                .legend = {"truth", "on its own samples", "on fresh samples"},
                .columns = 2};
  std::map<std::pair<std::string, std::string>, Panel> panels;
  for (const auto& [key, group] : grouped(rows)) {
    const auto& [channel, quantity, samples] = key;
    Panel& panel = panels[{channel == "iid" ? "0" : channel, quantity}];
    if (panel.series.empty()) {
      panel.title = channel == "iid" ? "independent: I(x;y)" : "autoregressive: " + quantity;
      panel.x = {.label = "samples", .log = true};
      panel.y = {.label = "nats per step"};
      panel.series = {{.label = "truth", .style = {"#444444", "5 3", 1.6}},
                      {.label = "on its own samples", .style = {"#D55E00", "", 1.6}},
                      {.label = "on fresh samples", .style = {"#0072B2", "", 2.4}}};
      for (Series& series : panel.series) series.markers = series.label != "truth";
    }
    const auto n = static_cast<double>(samples);
    const auto put = [&](Series& series, const std::vector<double>& found) {
      series.x.push_back(n);
      series.y.push_back(mean(found));
      series.low.push_back(quantile(found, 0.0));
      series.high.push_back(quantile(found, 1.0));
    };
    put(panel.series[0], {group.front()->truth});
    put(panel.series[1], values(group, &ConsistencyRow::own));
    put(panel.series[2], values(group, &ConsistencyRow::fresh));
    panel.x.marks.push_back(n);
  }
  // Few samples can score at minus several nats: what is far below is cut off.
  constexpr double lowest = -0.5;
  for (auto& [key, panel] : panels) {
    double low = 0.0, high = 0.0;
    for (const Series& series : panel.series) {
      low = std::min(low, quantile(series.low, 0.0));
      high = std::max(high, quantile(series.high, 1.0));
    }
    if (low < lowest) panel.y.label += " (lowest cut off)";
    panel.y.low = std::max(low, lowest);
    panel.y.high = 1.05 * high;
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

}  // namespace vbo::bench
