// SPDX-License-Identifier: MIT
#include "cli/front_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cli/braille.hpp"
#include "cli/trial_json.hpp"
#include "core/one_line.hpp"

namespace vbo::cli {
namespace {

constexpr int kAcross = 60, kDown = 16;  // in characters
constexpr double kRoom = 0.05;           // around the front, of its range
constexpr double kBehind = 1.0;  // how far dominated results are shown, in ranges of the front
constexpr const char* kDiamond = "\u25c6";

// One objective, from the left or the bottom to the other end.
struct Scale {
  double low = 0.0, high = 1.0;
  double place(double value) const { return (value - low) / (high - low); }
  bool shows(double value) const { return value >= low && value <= high; }
};

// The front with some room, and what it dominates as far as its range once more.
Scale scale_of(const StudyReport& report, std::size_t m) {
  const Front& front = *report.front;
  const double sign = front.objectives[m].goal == Goal::minimize ? 1.0 : -1.0;
  const auto cost = [&](const Trial& trial) { return sign * trial.values[m]; };
  const auto [least, most] = std::ranges::minmax(front.trials, {}, cost);
  const double best = cost(least), worst = cost(most);
  const double range = worst > best ? worst - best : std::max(std::abs(worst), 1.0);
  double far = worst;
  for (const std::size_t position : report.results) {
    const Trial& trial = report.trials[position];
    if (trial.values.empty() || cost(trial) > worst + range) continue;
    far = std::max(far, cost(trial));
  }
  const double low = best - kRoom * range, high = far + kRoom * range;
  return sign > 0.0 ? Scale{low, high} : Scale{-high, -low};
}

class Picture {
 public:
  Picture(Scale x, Scale y) : x_(x), y_(y), behind_(kAcross, kDown) {}

  void dot(double x, double y) {
    if (x_.shows(x) && y_.shows(y)) behind_.dot(x_.place(x), y_.place(y));
  }
  void mark(double x, double y, std::string sign) {
    const auto at = [](double share, int cells) {
      return std::clamp(static_cast<int>(std::floor(share * cells)), 0, cells - 1);
    };
    marks_[static_cast<std::size_t>(kDown - 1 - at(y_.place(y), kDown))]
          [static_cast<std::size_t>(at(x_.place(x), kAcross))] = std::move(sign);
  }

  std::string row(int index, const Console& console) const {
    const std::string dots = behind_.row(index);
    std::string text, pale;
    std::size_t at = 0;  // a cell without dots is a space, others have three bytes
    const auto flush = [&] {
      if (!pale.empty()) text += console.paint(1, Style::dim, pale);
      pale.clear();
    };
    for (const std::string& sign : marks_[static_cast<std::size_t>(index)]) {
      const std::size_t size = dots[at] == ' ' ? 1 : 3;
      if (sign.empty()) {
        pale += dots.substr(at, size);
      } else {
        flush();
        text += console.paint(1, sign == kDiamond ? Style::good : Style::bold, sign);
      }
      at += size;
    }
    flush();
    return text;
  }

 private:
  Scale x_, y_;
  BrailleCanvas behind_;
  std::array<std::array<std::string, kAcross>, kDown> marks_;
};

const Trial& member(const Front& front, TrialId id) {
  return *std::ranges::find(front.trials, id, &Trial::id);
}

std::string name_of(const Front& front, std::size_t m) {
  return one_line(front.objectives[m].name) +
         (front.objectives[m].goal == Goal::minimize ? " (minimize)" : " (maximize)");
}

// The power of ten that a person would count a difference in: at most a third of it.
double natural_unit(double difference) {
  const double size = std::abs(difference);
  return size > 0.0 && std::isfinite(size) ? std::pow(10.0, std::floor(std::log10(size / 3.0)))
                                           : 1.0;
}

// "K: the knee, trial 45; 1: best error, trial 12; ...".
std::string legend(const Front& front, const TradeOffs& trade_offs) {
  std::string text;
  if (trade_offs.knee) text = fmt::format("K: the knee, trial {}", *trade_offs.knee);
  for (std::size_t m = 0; m < trade_offs.extremes.size(); ++m) {
    text += fmt::format("{}{}: best {}, trial {}", text.empty() ? "" : "; ", m + 1,
                        one_line(front.objectives[m].name), trade_offs.extremes[m]);
  }
  return text;
}

}  // namespace

Result<std::array<std::size_t, 2>> pair_of(const std::vector<Objective>& objectives,
                                           const std::vector<std::string>& names) {
  if (names.empty()) return std::array<std::size_t, 2>{0, 1};
  std::string all;
  for (const Objective& objective : objectives) {
    all += (all.empty() ? "\"" : ", \"") + one_line(objective.name) + '"';
  }
  std::vector<std::size_t> found;
  for (const std::string& name : names) {
    const auto at = std::ranges::find(objectives, name, &Objective::name);
    if (at == objectives.end()) {
      return Error{ErrorKind::invalid_input,
                   "--objectives: found \"" + one_line(name) + "\", expected two of " + all,
                   "--objectives"};
    }
    found.push_back(static_cast<std::size_t>(at - objectives.begin()));
  }
  if (found.size() != 2 || found[0] == found[1]) {
    return Error{ErrorKind::invalid_input,
                 "--objectives: found " + std::to_string(found.size()) +
                     (found.size() == 2 ? " times the same" : "") + ", expected two of " + all,
                 "--objectives"};
  }
  return std::array{found[0], found[1]};
}

std::string front_picture(const StudyReport& report, const TradeOffs& trade_offs,
                          const std::array<std::size_t, 2>& pair, const Console& console) {
  const Front& front = *report.front;
  const auto [a, b] = pair;
  const Scale across = scale_of(report, a), up = scale_of(report, b);
  Picture picture(across, up);
  for (const std::size_t position : report.results) {
    const Trial& trial = report.trials[position];
    if (!trial.values.empty()) picture.dot(trial.values[a], trial.values[b]);
  }
  for (const Trial& trial : front.trials) picture.mark(trial.values[a], trial.values[b], kDiamond);
  for (std::size_t m = 0; m < trade_offs.extremes.size(); ++m) {
    const Trial& best = member(front, trade_offs.extremes[m]);
    picture.mark(best.values[a], best.values[b], std::to_string(m + 1));
  }
  if (trade_offs.knee) {
    const Trial& knee = member(front, *trade_offs.knee);
    picture.mark(knee.values[a], knee.values[b], "K");
  }
  const std::string top = fmt::format("{:.4g}", up.high), bottom = fmt::format("{:.4g}", up.low);
  const std::size_t margin = std::max(top.size(), bottom.size());
  std::string text = fmt::format("{}\n", name_of(front, b));
  for (int row = 0; row < kDown; ++row) {
    const std::string& label = row == 0 ? top : row == kDown - 1 ? bottom : std::string();
    text += fmt::format("{:>{}} ┤{}\n", label, margin, picture.row(row, console));
  }
  const std::string left = fmt::format("{:.4g}", across.low);
  text += fmt::format("{:>{}} └{:─<{}}\n", "", margin, "", kAcross);
  text += fmt::format("{:>{}}  {}{:>{}.4g}\n", "", margin, left, across.high,
                      static_cast<std::size_t>(kAcross) - left.size());
  text += fmt::format("{:>{}}  {:^{}}\n", "", margin, name_of(front, a), kAcross);
  return text + legend(front, trade_offs) + "\n";
}

std::string trade_off_text(const Front& front, const TradeOffs& trade_offs,
                           const std::array<std::size_t, 2>& pair) {
  const std::size_t a = std::min(pair[0], pair[1]), b = std::max(pair[0], pair[1]);
  const auto found = std::ranges::find_if(
      trade_offs.pairs, [&](const TradeOff& pair) { return pair.first == a && pair.second == b; });
  if (found == trade_offs.pairs.end() || found->stops.size() < 2) return {};
  const std::string first = one_line(front.objectives[a].name);
  const std::string second = one_line(front.objectives[b].name);
  std::string text = fmt::format("\nWhat {} costs in {}:\n", second, first);
  for (std::size_t k = 0; k < found->stops.size(); ++k) {
    const TradeOff::Stop& stop = found->stops[k];
    text += fmt::format("  trial {:<6} {:>12} {:>12}", stop.id, short_number(stop.first),
                        short_number(stop.second));
    if (stop.buys) {
      const double unit = natural_unit(found->stops[k + 1].first - stop.first);
      text += fmt::format("   then {:.1g} of {} buys {:.3g} of {}", unit, first, unit * *stop.buys,
                          second);
    }
    text += "\n";
  }
  return text;
}

}  // namespace vbo::cli
