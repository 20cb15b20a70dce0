// SPDX-License-Identifier: MIT
// Candidates for suggestions: what the sources propose, where it will likely succeed, and what the
// surrogate thinks of it.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "numerics/parallel.hpp"
#include "optim/success_bar.hpp"
#include "optim/vbo/batch/constrained_optima.hpp"
#include "optim/vbo/constants.hpp"
#include "optim/vbo/critics/quadratic_critic.hpp"
#include "optim/vbo/vbo.hpp"

namespace vbo {
namespace {

std::vector<int> best_first(const VectorOf<float>& scores) {
  std::vector<int> order(static_cast<std::size_t>(scores.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return scores[a] > scores[b]; });
  return order;
}

// Whether the surrogate's score says anything about why it was suggested.
bool is_assessed(Source source) {
  return source != Source::refinement && source != Source::incumbent_mutation;
}

}  // namespace

void Vbo::Candidates::keep_order() {
  order.resize(codes.size());
  std::iota(order.begin(), order.end(), 0);
}

Rng Vbo::rng_of(const Part& part) const {
  return Rng(common_.seed, "suggestions", static_cast<std::uint64_t>(part.ids.front()));
}

// Candidates for a part of any source but the design and improvements. Changes nothing but the part
// and the workspace in which the surrogate and the action-net compute.
void Vbo::draw(Part& part, int threads) {
  if (part.source == Source::design) return;
  const auto count = static_cast<int>(part.ids.size());
  if (count < Tuning::few_suggestions) threads = 1;
  Candidates& candidates = part.candidates;
  Rng rng = rng_of(part);
  const int wanted = preselection_of(part.source) * count;
  // Constrained optima choose their own distance from the border.
  const bool constrained = part.source == Source::constrained_optimum;
  const bool preselected = constrained ? failures_.happened() : failures_.known();
  const auto turn = static_cast<std::uint64_t>(part.ids.front());
  if (constrained) {
    candidates.codes = constrained_optima(encoding_, failures_.limited(history_), count, turn, rng);
  } else if (part.source == Source::quadratic_optimum) {
    candidates.codes = optima_of_quadratics(count, turn);
  } else {
    candidates.codes =
        proposals(part.source, preselected ? Tuning::failure_draws * wanted : wanted, rng, threads);
  }
  if (candidates.codes.empty()) return;  // too few results for a model
  if (part.source == Source::action_net) {
    restart_->action_net().act(restart_->local_search().search(), candidates.codes, rng);
    for (Vector& code : candidates.codes) encoding_.snap(code);
  }
  std::size_t likely = candidates.codes.size();
  if (preselected) likely = keep_likely(candidates.codes, static_cast<std::size_t>(wanted), count);
  if (is_assessed(part.source) && !candidates.codes.empty()) {
    assess(candidates, threads);
    if (part.source == Source::mutation) {
      candidates.keep_order();
    } else {
      candidates.order = best_first(candidates.assessment.score);
    }
  } else {
    candidates.keep_order();
  }
  if (preselected) {
    const double probing = failures_.happened() ? Tuning::probing : Tuning::probing_bounds;
    put_probes_first(candidates, likely, probing * count + rng.uniform());
  }
}

// Maximizes the expected improvement, where that will likely succeed. Uses only the GP, not the
// critics.
EiMaximizer Vbo::ei_maximizer_for(const Part& part, int threads) const {
  const auto starts = [this](Rng& from) {
    std::vector<Vector> codes = proposals(Source::mutation, Tuning::ei_starts, from, 1);
    std::ranges::move(proposals(Source::local, Tuning::ei_starts, from, 1),
                      std::back_inserter(codes));
    for (int i = 0; i < Tuning::ei_starts; ++i) {
      Vector code(encoding_.dimension());
      for (double& x : code) x = from.uniform();
      encoding_.snap(code);
      codes.push_back(std::move(code));
    }
    return columns(codes);
  };
  const auto taken = [this](ConstVectorRef code) { return seen_.contains(code); };
  EiProblem search{encoding_, starts, taken, newest_pending(Tuning::ei_pending)};
  if (failures_.known()) {
    search.log_success = [this](ConstMatrixRef X, Matrix* slope) {
      return failures_.log_success(X, slope);
    };
    search.doubt = [boldness = failures_.boldness()](double u) {
      return boldness * std::lerp(Tuning::least_doubt, Tuning::most_doubt, u * u);
    };
  }
  return {restart_->panel().gp_member(), std::move(search), static_cast<int>(part.ids.size()),
          rng_of(part), threads};
}

// Expected improvements that are worth their predicted loss within the evaluations left, in units
// of outcomes: the Gaussian process's targets are warped, and near the best result they stretch
// what hardly matters.
void Vbo::keep_what_pays(std::vector<EiPoint>& found) const {
  const GpMember gp = restart_->panel().gp_member();
  const TargetScale& scale = restart_->panel().gp_scale();
  const double best = scale.outcome(gp.best);
  if (!scale.keeps_value(best)) return;  // ranks alone: nothing says what is lost
  const double gain = horizon() * std::exp(-scale.log_slope(best));  // of a unit of targets
  std::erase_if(found, [&](const EiPoint& point) {
    const double mean = gp.model->mean((*gp.view)(point.code))[0];
    return gain * std::exp(point.log_ei) <= best - scale.outcome(mean);
  });
}

void Vbo::keep(std::vector<EiPoint> found, Candidates& candidates) {
  for (EiPoint& top : found) {
    candidates.codes.push_back(std::move(top.code));
    candidates.log_ei.push_back(top.log_ei);
  }
  candidates.keep_order();
}

// Of the candidates behind the first `likely`, which may fail, the best few go first, to learn
// where the border is; the others are left out.
void Vbo::put_probes_first(Candidates& candidates, std::size_t likely, double few) {
  std::vector<int>& order = candidates.order;
  const auto safe = std::stable_partition(
      order.begin(), order.end(), [&](int i) { return static_cast<std::size_t>(i) >= likely; });
  const auto probes = std::min(safe - order.begin(), static_cast<std::ptrdiff_t>(few));
  order.erase(order.begin() + probes, safe);
}

// The best result that would likely succeed again; the likeliest of the best where none would.
Vector Vbo::safe_place() const {
  std::vector<Vector> best;
  for (int rank = 0; rank < std::min(history_.succeeded(), Tuning::partners); ++rank) {
    best.emplace_back(history_.code(history_.at_rank(rank)));
  }
  const Vector p = failures_.success_probability(best);
  Eigen::Index likeliest = 0;
  p.maxCoeff(&likeliest);
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    if (p[i] >= Tuning::success_wanted) return best[static_cast<std::size_t>(i)];
  }
  return best[static_cast<std::size_t>(likeliest)];
}

// Keeps the first `wanted` that will likely succeed, in their order; where there are not enough,
// others are moved half the way to a safe place, several times if they have to be. Behind them come
// those that may fail. Returns how many will likely succeed.
std::size_t Vbo::keep_likely(std::vector<Vector>& codes, std::size_t wanted, int count) const {
  Vector p = failures_.success_probability(codes);
  const auto at = [&p](std::size_t i) -> double& { return p[static_cast<Eigen::Index>(i)]; };
  std::vector<Vector> kept, probes;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (at(i) >= Tuning::success_least && at(i) < Tuning::success_wanted)
      probes.push_back(codes[i]);
  }
  const Vector anchor = safe_place();
  for (int retreat = 0; retreat < Tuning::retreats; ++retreat) {
    std::vector<std::size_t> risky;
    std::vector<Vector> nearer;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (at(i) >= Tuning::success_wanted) continue;
      risky.push_back(i);
      nearer.push_back(0.5 * (codes[i] + anchor));
      encoding_.snap(nearer.back());
    }
    if (risky.empty() || codes.size() - risky.size() >= wanted) break;
    const Vector found = failures_.success_probability(nearer);
    for (std::size_t k = 0; k < risky.size(); ++k) {
      codes[risky[k]] = std::move(nearer[k]);
      at(risky[k]) = found[static_cast<Eigen::Index>(k)];
    }
  }
  const double bar =
      success_bar(p, std::min<Eigen::Index>(count, p.size()), Tuning::success_wanted);
  for (std::size_t i = 0; i < codes.size() && kept.size() < wanted; ++i) {
    if (at(i) >= bar) kept.push_back(std::move(codes[i]));
  }
  const std::size_t likely = kept.size();
  std::ranges::move(probes, std::back_inserter(kept));
  codes = std::move(kept);
  return likely;
}

void Vbo::assess(Candidates& candidates, int threads) {
  if (candidates.codes.empty()) return;
  candidates.assessment = restart_->panel().assess(columns(candidates.codes).cast<float>(),
                                                   std::sqrt(options_.beta), threads);
}

// `count` snapped codes, in blocks whose random streams are their own.
std::vector<Vector> Vbo::proposals(Source source, int count, Rng& rng, int threads) const {
  std::vector<Vector> codes(static_cast<std::size_t>(count));
  const std::uint64_t streams = rng();
  const int block = Tuning::proposal_block, blocks = (count + block - 1) / block;
  parallel_for(threads < Tuning::many_threads ? 1 : threads, blocks, [&](int b) {
    Rng stream(streams, "proposals", static_cast<std::uint64_t>(b));
    for (int i = block * b; i < std::min(count, block * (b + 1)); ++i) {
      codes[static_cast<std::size_t>(i)] = proposal(source, stream);
    }
  });
  for (Vector& code : codes) encoding_.snap(code);
  return codes;
}

Vector Vbo::proposal(Source source, Rng& rng) const {
  const bool of_champion = source == Source::refinement || source == Source::incumbent_mutation;
  const Archive& archive = of_champion ? history_ : restart_->archive();
  if (source == Source::mutation || source == Source::incumbent_mutation)
    return mutate(encoding_, archive, rng);
  Vector code = archive.code(archive.at_rank(0));
  borrow_categories(encoding_, archive, code, rng);
  if (source == Source::refinement) {
    incumbent_->search().sample(code, rng);
  } else if (source != Source::action_net && restart_->local_search().usable()) {
    restart_->local_search().search().sample(code, rng);
  }
  return code;
}

std::vector<Vector> Vbo::optima_of_quadratics(int count, std::uint64_t turn) const {
  const GaussianActor& search = best_search();
  if (!search.usable() || !search.running()) return {};
  LocalCoordinates coordinates(encoding_);
  search.set_coordinates(coordinates);
  return quadratic_optima(encoding_, history_, coordinates.neighbourhood(), count, turn);
}

// Proposals per suggestion. Keeping the best of S draws in few dimensions leaves a clump, from
// which the local search would learn that its steps are too long: in two dimensions the best 1/24
// fill a fifth of the width, in ten three quarters. Hence at most 2^Dn draws per suggestion. Once
// the local search is narrow, and without one, mutations are not preselected: the surrogate's mean
// favours its basin, and removes exactly those that cross a valley, or change what only matters
// once something else is right. Several are drawn for each, since some repeat what is known.
int Vbo::preselection_of(Source source) const {
  if (source == Source::mutation) return Tuning::mutation_draws;
  if (!is_assessed(source)) return 1;
  auto preselection = static_cast<int>(options_.preselection);
  if (restart_->action_net_works())
    preselection = std::min(preselection, Tuning::action_preselection);
  if (!restart_->local_search().usable()) return Tuning::categorical_preselection * preselection;
  preselection = std::max(
      1, static_cast<int>(std::lround(restart_->trust() * static_cast<double>(preselection))));
  const auto numeric = static_cast<int>(restart_->numeric_parameters());
  if (numeric >= Tuning::full_preselection_from) return preselection;
  return std::min(preselection, 1 << numeric);
}

// The newest suggestions without a result, at most so many, as columns (D,n).
Matrix Vbo::newest_pending(std::size_t most) const {
  std::vector<Vector> codes;
  for (const Asked& asked : newest_open()) {
    if (codes.size() == most) break;
    codes.push_back(asked.code);
  }
  return codes.empty() ? Matrix(encoding_.dimension(), 0) : columns(codes);
}

}  // namespace vbo
