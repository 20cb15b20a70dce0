// SPDX-License-Identifier: MIT
// Why a point was suggested, in numbers that say what they are. A method declares its terms once
// (name, unit, meaning, whether they add up to its score); rationales and reports then carry names
// and values, and whoever shows them looks the rest up in the declaration.
// Stability: a minor version of 0.x may change it.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vbo {

enum class Unit {
  objective,        // a value of the objective, or a part of one: its sign is the goal's
  spread,           // a distance between values of the objective, which has no such sign
  deviations,       // standard deviations of the results that a model was fitted to
  log_improvement,  // natural logarithm of an improvement that is counted in deviations
  probability,      // from 0 to 1
  normal_score,     // a rank among results as a standard normal quantile: 0 is average, more better
  nats,             // information; 1 nat is 1.44 bits
  length,           // of the encoded box: 1 is its full width
  count,            // how many
  number,           // anything else
};
std::string_view to_string(Unit unit);  // for people: "objective", "normal score", "nats", ...

enum class TermRole {
  adds_up,  // a part of the acquisition; all parts of one acquisition have one unit, which is its
  beside,   // worth knowing, not part of the sum
};

// A named number in a ledger or report, e.g. {"exploitation", 1.2}.
struct Term {
  std::string name;
  double value = 0.0;
  bool operator==(const Term&) const = default;
};

// What a method declares about a term. The texts are literals.
struct TermInfo {
  std::string_view name;
  Unit unit = Unit::number;
  TermRole role = TermRole::beside;
  std::string_view meaning;  // one sentence, without its full stop

  Term of(double value) const { return {std::string(name), value}; }
};

// Everything a method may say.
struct Ledger {
  std::vector<TermInfo> terms;   // of its rationales
  std::vector<TermInfo> values;  // of its reports, beside what AskReport has fields for

  const TermInfo* find_term(std::string_view name) const;  // null when it is not declared
  const TermInfo* find_value(std::string_view name) const;
};

// Who decided what a suggestion is. Stored; what is done with a suggestion depends on this alone
// and never on the label.
enum class Origin : signed char {
  method,
  start,   // StudyOptions::start chose or completed it
  unseen,  // the study, because the method repeated a point of a finite space
  added,   // nobody: a result from outside
  repeat,  // an earlier suggestion, evaluated once more
  // the study, because all points of a finite space have been evaluated: one of them once more
  resampled,
};
std::string_view to_string(Origin origin);
std::optional<Origin> origin_from(std::string_view text);

// Why a point was suggested. Once Study has handed it out, what is in units of the objective is in
// the user's own sign; before, in the sign that is maximized.
struct Rationale {
  std::string source;                 // a label for people: "design", "local", "sobol", ...
  std::optional<double> acquisition;  // what candidates were compared by; none when they were not
  std::vector<Term> terms;            // add up to it
  std::vector<Term> notes;            // beside it, e.g. information in nats
  Origin origin = Origin::method;
  std::int64_t part = 0;  // which part of the method, in its own numbering; 0 = it does not say
  // The trial whose point is evaluated once more, and the how manyth evaluation of it this is.
  std::int64_t repeat_of = 0;  // 0 = this is the first
  std::int64_t repeat = 1;
  bool operator==(const Rationale&) const = default;

  void add(const TermInfo& term, double value) {
    (term.role == TermRole::adds_up ? terms : notes).push_back(term.of(value));
  }
};

// The unit of an acquisition: that of the terms that add up to it. Nothing where there is none, or
// where they are not declared.
std::optional<Unit> acquisition_unit(const Ledger& ledger, const Rationale& rationale);

}  // namespace vbo
