// SPDX-License-Identifier: MIT
#include "core/users_sign.hpp"

#include <algorithm>

namespace vbo {
namespace {

double negated(double value) { return 0.0 - value; }  // 0 stays 0, not -0

void negate_objective(std::vector<Term>& terms, const std::vector<TermInfo>& declared) {
  for (Term& term : terms) {
    const auto info = std::ranges::find(declared, std::string_view(term.name), &TermInfo::name);
    if (info != declared.end() && info->unit == Unit::objective) term.value = negated(term.value);
  }
}

}  // namespace

void to_users_sign(Goal goal, const Ledger& ledger, Rationale& rationale) {
  if (goal == Goal::maximize) return;
  if (acquisition_unit(ledger, rationale) == Unit::objective) {
    rationale.acquisition = negated(*rationale.acquisition);
  }
  negate_objective(rationale.terms, ledger.terms);
  negate_objective(rationale.notes, ledger.terms);
}

void to_users_sign(Goal goal, const Ledger& ledger, AskReport& report) {
  if (goal == Goal::maximize) return;
  if (report.recommendation) report.recommendation->mean = negated(report.recommendation->mean);
  negate_objective(report.values, ledger.values);
}

}  // namespace vbo
