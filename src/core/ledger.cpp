// SPDX-License-Identifier: MIT
#include "vbo/ledger.hpp"

#include <algorithm>

namespace vbo {
namespace {

const TermInfo* find_in(const std::vector<TermInfo>& declared, std::string_view name) {
  const auto it = std::ranges::find(declared, name, &TermInfo::name);
  return it == declared.end() ? nullptr : &*it;
}

}  // namespace

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::method:
      return "method";
    case Origin::start:
      return "start";
    case Origin::unseen:
      return "unseen";
    case Origin::added:
      return "added";
    case Origin::repeat:
      return "repeat";
    case Origin::resampled:
      return "resampled";
  }
  return "?";
}

std::optional<Origin> origin_from(std::string_view text) {
  for (const Origin origin : {Origin::method, Origin::start, Origin::unseen, Origin::added,
                              Origin::repeat, Origin::resampled}) {
    if (to_string(origin) == text) return origin;
  }
  return std::nullopt;
}

std::string_view to_string(Unit unit) {
  switch (unit) {
    case Unit::objective:
      return "objective";
    case Unit::spread:
      return "spread of the objective";
    case Unit::deviations:
      return "deviations";
    case Unit::log_improvement:
      return "log improvement";
    case Unit::probability:
      return "probability";
    case Unit::normal_score:
      return "normal score";
    case Unit::nats:
      return "nats";
    case Unit::length:
      return "box widths";
    case Unit::count:
      return "count";
    case Unit::number:
      return "number";
  }
  return "?";
}

const TermInfo* Ledger::find_term(std::string_view name) const { return find_in(terms, name); }
const TermInfo* Ledger::find_value(std::string_view name) const { return find_in(values, name); }

std::optional<Unit> acquisition_unit(const Ledger& ledger, const Rationale& rationale) {
  if (!rationale.acquisition || rationale.terms.empty()) return std::nullopt;
  const TermInfo* first = ledger.find_term(rationale.terms.front().name);
  return first ? std::optional(first->unit) : std::nullopt;
}

}  // namespace vbo
