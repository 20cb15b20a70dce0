// SPDX-License-Identifier: MIT
// Asking. Every trial has a source, by its number; the trials of one source are suggested together:
// candidates are drawn (draw.cpp), and the best taken that repeat nothing.
// Where they do not suffice the local search is sampled, then the design.
#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/parallel.hpp"
#include "optim/vbo/constants.hpp"
#include "optim/vbo/vbo.hpp"

namespace vbo {
namespace {

std::vector<std::size_t> evenly_spread(const std::vector<std::size_t>& all, std::size_t count) {
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(all[i * all.size() / count]);
  return some;
}

bool repeats_one_of(const Vector& code, const std::vector<Vector>& others) {
  return std::ranges::any_of(others, [&](const Vector& other) {
    return (other - code).cwiseAbs().maxCoeff() <= Tuning::repeat;
  });
}

}  // namespace

std::vector<Suggestion> Vbo::ask(std::span<const TrialId> ids) {
  std::vector<Suggestion> suggestions(ids.size());
  std::vector<Part> parts = parts_of(ids);
  const auto improving = std::ranges::find(parts, Source::expected_improvement, &Part::source);
  for (Part& part : std::span(parts.begin(), improving)) {
    draw(part, common_.threads);
    suggest(part, suggestions);
  }
  const std::span<Part> rest(improving, parts.end());
  if (!rest.empty()) draw_beside_ei(rest);
  for (Part& part : rest) suggest(part, suggestions);
  predict_round(ids, suggestions);
  return suggestions;
}

// Each point of expected improvement depends on the one before, and all of them use the GP alone:
// candidates of other sources are drawn meanwhile.
void Vbo::draw_beside_ei(std::span<Part> parts) {
  Part& improving = parts.front();
  EiMaximizer improvements = ei_maximizer_for(improving, common_.threads);
  std::vector<Piece> pieces{{[&](int threads) {
                               std::vector<EiPoint> found = improvements.find(threads);
                               if (averages()) keep_what_pays(found);
                               keep(std::move(found), improving.candidates);
                             },
                             Tuning::ei_ascents}};
  if (parts.size() > 1) {
    pieces.push_back({[&](int threads) {
                        for (Part& part : parts.subspan(1)) draw(part, threads);
                      },
                      Piece::any});
  }
  side_by_side(common_.threads, pieces);
  assess(improving.candidates, 1);
}

// What is suggested before the improvements (0) enters them as fantasies, what comes after (2) is
// drawn meanwhile. Where evaluations fail they need the local search's, too: without, twice as many
// crash (research/log.md, "Sixteen threads").
int Vbo::turn_of(Source source) const {
  if (source == Source::expected_improvement) return 1;
  const bool meanwhile =
      source == Source::mutation || (source == Source::local && !failures_.known());
  return meanwhile ? 2 : 0;
}

// By turns.
std::vector<Vbo::Part> Vbo::parts_of(std::span<const TrialId> ids) const {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Source source = source_of(ids[i]);
    auto part = std::ranges::find(parts, source, &Part::source);
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
  const bool limited = !encoding_.space().limits().empty();
  const double optima = limited ? Tuning::constrained_share : quadratic_share();
  if (options_.quadratic && u < optima) {
    return limited ? Source::constrained_optimum : Source::quadratic_optimum;
  }
  if (options_.quadratic) u = (u - optima) / (1.0 - optima);
  const double mutations = mutation_share();
  if (u < mutations) return incumbent_ ? Source::incumbent_mutation : Source::mutation;
  u = (u - mutations) / (1.0 - mutations);
  if (incumbent_) {
    const double refinement = 1.0 - incumbent_->restart_share();
    if (u < refinement) return Source::refinement;
    u = (u - refinement) / (1.0 - refinement);
  }
  if (restart_->rounds() == 0) return Source::design;
  const double ei = restart_->ei_share(incumbent_ ? incumbent_->restart_share() : 1.0);
  if (u < ei) return Source::expected_improvement;
  return restart_->action_net_works() ? Source::action_net : Source::local;
}

// Of a batch. Before the local search is narrow mutations only delay it; where there are no numeric
// parameters there is none.
double Vbo::mutation_share() const {
  const LocalSearch& search = restart_->local_search();
  const bool useful = incumbent_ || !search.usable() || search.is_narrow();
  if (!useful || options_.explore <= 0.0) return 0.0;
  const double share =
      batch::share_by_success(options_.explore, successes_of_mutations_, successes_of_others_);
  if (!averages()) return share;
  return std::min(share, mutations_that_pay() / static_cast<double>(common_.batch));
}

// The candidates drawn for it, then samples of the local search, then the design.
void Vbo::suggest(const Part& part, std::vector<Suggestion>& suggestions) {
  const std::span<const TrialId> ids = part.ids;
  std::vector<Suggestion> made;
  choose(part, made);
  if (made.size() < ids.size() && restart_->rounds() > 0 && part.source != Source::local &&
      part.source != Source::design) {
    Part others{.source = Source::local, .ids = {ids.begin() + std::ssize(made), ids.end()}};
    draw(others, common_.threads);
    choose(others, made);
  }
  while (made.size() < ids.size()) {
    const TrialId id = ids[made.size()];
    const std::optional<Vector> beside = averages() ? beside_the_best(id) : std::nullopt;
    made.push_back(beside ? take(id, Source::local, *beside, {})
                          : take(id, Source::design, unseen_design_point(), {}));
  }
  for (std::size_t j = 0; j < made.size(); ++j) suggestions[part.places[j]] = std::move(made[j]);
}

// As many of the candidates as repeat nothing, at most one per id.
void Vbo::choose(const Part& part, std::vector<Suggestion>& made) {
  const std::vector<int> chosen = unseen(part.candidates, part.ids.size());
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    const int i = chosen[j];
    made.push_back(take(part.ids[j], part.source,
                        part.candidates.codes[static_cast<std::size_t>(i)],
                        reasons_for(i, part.candidates)));
  }
}

// Indices of up to `wanted` candidates, the best-scored first, none of them seen before.
std::vector<int> Vbo::unseen(const Candidates& candidates, std::size_t wanted) const {
  std::vector<Vector> taken;
  std::vector<int> chosen;
  for (const int i : candidates.order) {
    if (chosen.size() == wanted) break;
    const Vector& code = candidates.codes[static_cast<std::size_t>(i)];
    if (seen_.contains(code) || repeats_one_of(code, taken)) continue;
    taken.push_back(code);
    chosen.push_back(i);
  }
  return chosen;
}

// Empty for what has no score.
Rationale Vbo::reasons_for(int i, const Candidates& candidates) const {
  const Assessment& assessment = candidates.assessment;
  if (assessment.meanings.empty()) return {};
  Rationale why = rationale_of(assessment, i);
  why.add(kSqrtBeta, assessment.weight);
  if (!candidates.log_ei.empty()) why.add(kLogEi, candidates.log_ei[static_cast<std::size_t>(i)]);
  if (observed_) why.add(kRoundNats, *observed_);
  why.add(kCeilingNats, restart_->ceiling());
  return why;
}

// Predicted information and outcome of the restart's suggestions, as means since the last round,
// and what is predicted of each. A large batch is represented by a part: a variance at each of its
// points would cost more than suggesting it.
void Vbo::predict_round(std::span<const TrialId> ids, std::span<Suggestion> made) {
  if (restart_->rounds() == 0) return;
  std::vector<std::size_t> scored;
  double outcome = 0.0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (made[i].rationale.terms.empty()) continue;
    scored.push_back(i);
    outcome += made[i].rationale.terms.front().value;
  }
  if (scored.empty()) return;
  if (!predicted_) predicted_.emplace();
  const auto before = static_cast<double>(predicted_->suggestions);
  const auto added = static_cast<double>(scored.size());
  if (scored.size() > Tuning::predicted_points)
    scored = evenly_spread(scored, Tuning::predicted_points);
  std::vector<Vector> codes;
  for (const std::size_t i : scored) codes.push_back(pending_.at(ids[i]).code);
  const Restart::Forecast forecast = restart_->forecast(columns(codes));
  note_forecast(forecast, codes, scored, made);
  predicted_->information =
      (before * predicted_->information + added * forecast.information) / (before + added);
  predicted_->outcome = (before * predicted_->outcome + outcome) / (before + added);
  predicted_->suggestions += static_cast<std::int64_t>(added);
}

// Beside the reasons of suggestions; those at `which` have these codes.
void Vbo::note_forecast(const Restart::Forecast& forecast, const std::vector<Vector>& codes,
                        std::span<const std::size_t> which, std::span<Suggestion> made) const {
  const bool is_limited = failures_.known();
  const Vector feasible = is_limited ? failures_.success_probability(codes) : Vector();
  for (std::size_t k = 0; k < which.size(); ++k) {
    Rationale& why = made[which[k]].rationale;
    if (const Vector& range = forecast.ranges[k]; range.size() > 0) {
      why.add(kLow, range[0]);
      why.add(kMedian, range[1]);
      why.add(kHigh, range[2]);
    }
    if (is_limited) why.add(kFeasible, feasible[static_cast<Eigen::Index>(k)]);
  }
}

// A new point that costs next to nothing; nothing where all of them are known, as with categories.
std::optional<Vector> Vbo::beside_the_best(TrialId id) const {
  if (restart_->rounds() == 0) return std::nullopt;
  Rng rng(common_.seed, "beside-best", static_cast<std::uint64_t>(id));
  for (int i = 0; i < Tuning::beside_tries; ++i) {
    Vector code = history_.code(history_.at_rank(0));
    for (const Eigen::Index j : encoding_.numeric_coordinates()) {
      code[j] = std::clamp(code[j] + Tuning::beside_best * rng.normal(), 0.0, 1.0);
    }
    encoding_.snap(code);
    if (!seen_.contains(code)) return code;
  }
  return std::nullopt;
}

// The next point of the design that has not been suggested. A finite space can run out of them:
// then a repeat is all there is to suggest. Where evaluations fail, a new restart's design keeps
// away from what will likely fail; where nothing is likely to succeed the likeliest of some tries
// is taken.
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

// Of a batch: a few optima are all that its results can tell apart.
double Vbo::quadratic_share() const {
  return std::min(Tuning::quadratic_share,
                  Tuning::quadratic_optima / static_cast<double>(common_.batch));
}

const GaussianActor& Vbo::best_search() const {
  return incumbent_ ? incumbent_->search() : restart_->local_search().search();
}

Suggestion Vbo::take(TrialId id, Source source, ConstVectorRef code, Rationale rationale) {
  rationale.source = to_string(source);
  rationale.part = part_of(source);
  Point point = encoding_.decode(code);
  const Vector known = encoding_.encode(point);  // as it will be read back on resuming
  seen_.add(known);
  pending_[id] = {source, known};
  newest_id_ = std::max(newest_id_, id);
  return {std::move(point), std::move(rationale)};
}

// Suggestions that no model has learned the results of, the newest first.
std::vector<Vbo::Asked> Vbo::newest_open() const {
  std::map<TrialId, Asked> open = untrained_;
  open.insert(pending_.begin(), pending_.end());
  std::vector<Asked> newest;
  for (auto asked = open.rbegin(); asked != open.rend(); ++asked) newest.push_back(asked->second);
  return newest;
}

}  // namespace vbo
