// SPDX-License-Identifier: MIT
#include "report/edges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

#include "core/axis.hpp"
#include "core/limits.hpp"
#include "core/one_line.hpp"

namespace vbo {
namespace {

constexpr double kClose = 0.01;  // share of a range, or of a bound

std::string exact(double value) { return to_string(Value(value)); }

// A distance needs fewer digits than what is measured.
std::string distance(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

double room_of(const Limit& limit, double measured) {
  double room = std::numeric_limits<double>::infinity();
  if (limit.at_most) room = std::min(room, *limit.at_most - measured);
  if (limit.at_least) room = std::min(room, measured - *limit.at_least);
  return room;
}

double range_of(const Limit& limit) {
  const bool both = limit.at_most && limit.at_least && *limit.at_most > *limit.at_least;
  return both ? *limit.at_most - *limit.at_least : scale_of(limit);
}

}  // namespace

std::vector<LimitAt> limits_at(const Space& space, const Metrics& metrics) {
  std::vector<LimitAt> all;
  for (const Limit& limit : space.limits()) {
    LimitAt& at = all.emplace_back(LimitAt{.limit = limit, .measured = {}});
    const auto found = metrics.find(limit.metric);
    if (found == metrics.end()) continue;
    at.measured = found->second;
    at.room = room_of(limit, found->second);
    at.active = at.room >= 0.0 && at.room <= kClose * range_of(limit);
  }
  return all;
}

std::vector<AtBound> at_bounds(const Space& space, const Point& point) {
  std::vector<AtBound> all;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const Parameter& p = space[i];
    if (p.has_choices() || p.is_fixed()) continue;
    const Axis axis(p);
    double place = axis.position_of(axis.number_of(point[i]));
    if (axis.is_discrete()) {
      const std::int64_t index = axis.index_of(axis.number_of(point[i]));
      place = index == 0 ? 0.0 : index == axis.count() - 1 ? 1.0 : 0.5;
    }
    if (place > kClose && place < 1.0 - kClose) continue;
    all.push_back({p.name, place < 0.5 ? p.low : p.high, place > 0.5});
  }
  return all;
}

std::string limit_text(const Limit& limit) {
  if (limit.at_least && limit.at_most) {
    return "in [" + exact(*limit.at_least) + ", " + exact(*limit.at_most) + "]";
  }
  return limit.at_least ? "at least " + exact(*limit.at_least)
                        : "at most " + exact(limit.at_most.value_or(0.0));
}

std::string text_of(const LimitAt& at) {
  const std::string text = one_line(at.limit.metric) + " = " +
                           (at.measured ? exact(*at.measured) : "missing") + ", " +
                           limit_text(at.limit);
  if (!at.measured) return text + ": violated";
  if (!at.holds()) return text + ": violated by " + distance(-at.room);
  return text + ": holds by " + distance(at.room) + (at.active ? ", active" : "");
}

Json json_of(const LimitAt& at) {
  return {{"metric", at.limit.metric},
          {"at_least", at.limit.at_least ? Json(*at.limit.at_least) : Json()},
          {"at_most", at.limit.at_most ? Json(*at.limit.at_most) : Json()},
          {"measured", at.measured ? Json(*at.measured) : Json()},
          {"holds", at.holds()},
          {"room", at.measured ? Json(at.room) : Json()},
          {"active", at.active}};
}

Json json_of(const AtBound& at) {
  return {{"parameter", at.parameter}, {"bound", at.bound}, {"side", at.upper ? "high" : "low"}};
}

void add_edges(Json& json, const Space& space, const Trial& trial) {
  json["limits"] = Json::array();
  json["at_bounds"] = Json::array();
  for (const LimitAt& at : limits_at(space, trial.metrics)) json["limits"].push_back(json_of(at));
  for (const AtBound& at : at_bounds(space, trial.point)) json["at_bounds"].push_back(json_of(at));
}

}  // namespace vbo
