// SPDX-License-Identifier: MIT
// Asking. Every trial has a source, by its number; the trials of one source are suggested together:
// candidates are drawn (draw.cpp), and the best taken that repeat nothing and keep their distance.
// Where they do not suffice the local search may know more places, and the design always does.
#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/parallel.hpp"
#include "optim/vbo/constants.hpp"
#include "optim/vbo/vbo.hpp"

namespace vbo {
namespace {

std::vector<Vector> evenly_spread(const std::vector<Vector>& codes, std::size_t count) {
  std::vector<Vector> some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(codes[i * codes.size() / count]);
  return some;
}

// Root-mean-square distance below `apart` from one of `others`.
bool is_crowded(const Vector& code, const std::vector<Vector>& others, double apart) {
  const double least = apart * std::sqrt(static_cast<double>(code.size()));
  return std::any_of(others.begin(), others.end(),
                     [&](const Vector& other) { return (other - code).norm() < least; });
}

}  // namespace

std::vector<Suggestion> Vbo::ask(std::span<const TrialId> ids) {
  std::vector<Suggestion> suggestions(ids.size());
  std::vector<Part> parts = parts_of(ids);
  const auto improving = std::ranges::find(parts, Source::improve, &Part::source);
  for (Part& part : std::span(parts.begin(), improving)) {
    draw(part, common_.threads);
    suggest(part, suggestions);
  }
  const std::span<Part> rest(improving, parts.end());
  if (!rest.empty()) draw_beside_improvements(rest);
  for (Part& part : rest) suggest(part, suggestions);
  promise(ids, suggestions);
  return suggestions;
}

// Each improvement waits for the one before, and all of them ask the process alone: the others,
// which the judge decides on, are drawn meanwhile.
void Vbo::draw_beside_improvements(std::span<Part> parts) {
  Part& improving = parts.front();
  Improvements improvements = improvements_for(improving, common_.threads);
  std::vector<Piece> pieces{
      {[&](int threads) { keep(improvements.find(threads), improving.candidates); },
       Tuning::improve_climbs}};
  if (parts.size() > 1) {
    pieces.push_back({[&](int threads) {
                        for (Part& part : parts.subspan(1)) draw(part, threads);
                      },
                      Piece::any});
  }
  side_by_side(common_.threads, pieces);
  judge(improving.candidates, 1);
}

// What is suggested before the improvements (0) is believed by them, what comes after (2) is drawn
// meanwhile. Where evaluations fail they have to know the local search's, too: without, twice as
// many crash (docs/research.md, "Sixteen threads").
int Vbo::turn_of(Source source) const {
  if (source == Source::improve) return 1;
  const bool meanwhile = source == Source::jump || (source == Source::local && !failures_.known());
  return meanwhile ? 2 : 0;
}

// By turns. Climbers keep their distance from each other, which costs the square of their number:
// many of them are several parts.
std::vector<Vbo::Part> Vbo::parts_of(std::span<const TrialId> ids) const {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Source source = source_of(ids[i]);
    auto part = std::ranges::find_if(parts, [&](const Part& p) {
      return p.source == source &&
             !(source == Source::climb && p.ids.size() == Tuning::climb_together);
    });
    if (part == parts.end()) part = parts.insert(parts.end(), Part{.source = source});
    part->ids.push_back(ids[i]);
    part->places.push_back(i);
  }
  std::ranges::stable_sort(
      parts, {}, [this](const Part& part) { return std::pair(turn_of(part.source), part.source); });
  return parts;
}

// The golden ratio's multiples spread any series of trials over the sources in their shares.
Source Vbo::source_of(TrialId id) const {
  if (round_ == 0) return Source::design;
  const double turn = static_cast<double>(id) * Tuning::golden;
  double u = turn - std::floor(turn);
  if (champion_) {
    const double polish = champion_->polish_share(), leaps = champion_->jump_share();
    if (u < polish) return Source::polish;
    if (u < polish + leaps) return Source::leap;
    u = (u - polish - leaps) / (1.0 - polish - leaps);
  }
  if (run_->rounds() == 0) return Source::design;
  const double improve = run_->improve_share(champion_ ? champion_->run_share() : 1.0);
  if (u < improve) return Source::improve;
  u = (u - improve) / (1.0 - improve);
  double sum = 0.0;
  for (const Source source : {Source::jump, Source::climb}) {
    sum += run_->share_of(source);
    if (u < sum) return source;
  }
  const bool acts = u - sum < run_->action_share() * (1.0 - sum);
  return acts ? Source::action_net : Source::local;
}

// What was drawn for it, then what the local search knows, then the design.
void Vbo::suggest(const Part& part, std::vector<Suggestion>& suggestions) {
  const std::span<const TrialId> ids = part.ids;
  std::vector<Suggestion> made;
  choose(part, made);
  if (made.size() < ids.size() && run_->rounds() > 0 && part.source != Source::local &&
      part.source != Source::design) {
    Part others{.source = Source::local, .ids = {ids.begin() + std::ssize(made), ids.end()}};
    draw(others, common_.threads);
    choose(others, made);
  }
  while (made.size() < ids.size()) {
    made.push_back(take(ids[made.size()], Source::design, unseen_design_point(), {}));
  }
  for (std::size_t j = 0; j < made.size(); ++j) suggestions[part.places[j]] = std::move(made[j]);
}

// As many of the candidates as repeat nothing, at most one per id.
void Vbo::choose(const Part& part, std::vector<Suggestion>& made) {
  const std::vector<int> chosen = keep_apart(part.candidates, part.source, part.ids.size());
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    const int i = chosen[j];
    made.push_back(take(part.ids[j], part.source,
                        part.candidates.codes[static_cast<std::size_t>(i)],
                        reasons_for(i, part.candidates)));
  }
}

// Indices of up to `wanted` candidates, the most promising first, none of them seen before.
// Climbers meet on the same tops: they keep a distance from each other and from those still
// pending, and less of it when there are not enough so far apart.
std::vector<int> Vbo::keep_apart(const Candidates& candidates, Source source,
                                 std::size_t wanted) const {
  const bool climbs = source == Source::climb;
  const double tolerance = climbs ? Tuning::repeat_single : Tuning::repeat;
  std::vector<Vector> taken = climbs ? pending_climbers() : std::vector<Vector>();
  std::vector<int> chosen;
  double apart = climbs ? Tuning::climb_apart : 0.0;
  while (chosen.size() < wanted) {
    if (apart < tolerance) apart = 0.0;
    for (const int i : candidates.order) {
      if (chosen.size() == wanted) break;
      const Vector& code = candidates.codes[static_cast<std::size_t>(i)];
      if (seen_.contains(code, tolerance)) continue;
      if (is_crowded(code, taken, std::max(apart, tolerance))) continue;
      taken.push_back(code);
      chosen.push_back(i);
    }
    if (apart == 0.0) break;
    apart *= Tuning::climb_apart_less;
  }
  return chosen;
}

// Nothing for what nobody has judged.
Rationale Vbo::reasons_for(int i, const Candidates& candidates) const {
  const Judgement& judgement = candidates.judgement;
  if (judgement.meanings.empty()) return {};
  Rationale why = rationale_of(judgement, i);
  why.add(kSqrtBeta, judgement.weight);
  if (!candidates.log_ei.empty()) why.add(kLogEi, candidates.log_ei[static_cast<std::size_t>(i)]);
  if (realized_) why.add(kRoundNats, *realized_);
  why.add(kCeilingNats, run_->ceiling());
  return why;
}

// What the run's suggestions should tell and bring, as means since the last round. Of a large batch
// a part says it for all: a variance at each of its points would cost more than suggesting it.
void Vbo::promise(std::span<const TrialId> ids, std::span<const Suggestion> made) {
  if (run_->rounds() == 0) return;
  std::vector<Vector> codes;
  double outcome = 0.0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (made[i].rationale.terms.empty()) continue;  // not judged
    codes.push_back(pending_.at(ids[i]).code);
    outcome += made[i].rationale.terms.front().value;
  }
  if (codes.empty()) return;
  if (!promise_) promise_.emplace();
  const auto before = static_cast<double>(promise_->suggestions);
  const auto added = static_cast<double>(codes.size());
  if (codes.size() > Tuning::promised) codes = evenly_spread(codes, Tuning::promised);
  const double nats = run_->expected_information(columns(codes).cast<float>());
  promise_->information = (before * promise_->information + added * nats) / (before + added);
  promise_->outcome = (before * promise_->outcome + outcome) / (before + added);
  promise_->suggestions += static_cast<std::int64_t>(added);
}

// The next point of the design that nobody has tried. A finite space can run out of them: then a
// repeat is all there is to suggest. Where evaluations fail, a new run's design keeps away from
// what will likely fail; where nothing is likely to succeed the likeliest of some tries is taken.
Vector Vbo::unseen_design_point() {
  const int tries = encoding_.dimension() > 0 ? Tuning::design_tries : 1;
  Vector code, likeliest;
  double most = 0.0;
  for (int i = 0, risky = 0; i < tries && risky < Tuning::design_risky; ++i) {
    code = design_.code(designed_++);
    encoding_.snap(code);
    if (seen_.contains(code)) continue;
    const double p = failures_.happened() ? failures_.success_probability({code})[0] : 1.0;
    if (p >= Tuning::success_wanted) return code;
    ++risky;
    if (p > most || likeliest.size() == 0) {
      most = p;
      likeliest = code;
    }
  }
  return likeliest.size() > 0 ? likeliest : code;
}

Suggestion Vbo::take(TrialId id, Source source, ConstVectorRef code, Rationale rationale) {
  rationale.source = to_string(source);
  Point point = encoding_.decode(code);
  const Vector known = encoding_.encode(point);  // as it will be read back on resuming
  seen_.add(known);
  pending_[id] = {source, known};
  newest_id_ = std::max(newest_id_, id);
  return {std::move(point), std::move(rationale)};
}

// The newest climbed suggestions that have no result yet.
std::vector<Vector> Vbo::pending_climbers() const {
  std::vector<Vector> codes;
  for (auto asked = pending_.rbegin(); asked != pending_.rend(); ++asked) {
    if (codes.size() == Tuning::climb_together) break;
    if (asked->second.source == Source::climb) codes.push_back(asked->second.code);
  }
  return codes;
}

}  // namespace vbo
