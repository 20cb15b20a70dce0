// SPDX-License-Identifier: MIT
// Candidates for suggestions: what the sources propose, where it will likely succeed, and what the
// judge thinks of it.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "numerics/parallel.hpp"
#include "optim/success_bar.hpp"
#include "optim/vbo/climb.hpp"
#include "optim/vbo/constants.hpp"
#include "optim/vbo/vbo.hpp"

namespace vbo {
namespace {

std::vector<int> best_first(const VectorOf<float>& scores) {
  std::vector<int> order(static_cast<std::size_t>(scores.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return scores[a] > scores[b]; });
  return order;
}

bool is_judged(Source source) { return source != Source::polish && source != Source::leap; }

}  // namespace

void Vbo::Candidates::keep_order() {
  order.resize(codes.size());
  std::iota(order.begin(), order.end(), 0);
}

Rng Vbo::rng_of(const Part& part) const {
  return Rng(common_.seed, to_string(part.source), static_cast<std::uint64_t>(part.ids.front()));
}

// Candidates for a part of any source but the design and improvements. Changes nothing but the part
// and the room in which the judge and the action-net compute.
void Vbo::draw(Part& part, int threads) {
  if (part.source == Source::design) return;
  const auto count = static_cast<int>(part.ids.size());
  if (count < Tuning::few_suggestions) threads = 1;
  Candidates& candidates = part.candidates;
  Rng rng = rng_of(part);
  const bool climbs = part.source == Source::climb;
  const int wanted = screening_of(part.source) * count;
  const bool screened = failures_.known();
  candidates.codes =
      climbs ? climbed(count, rng, threads)
             : proposals(part.source, screened ? Tuning::failure_draws * wanted : wanted, rng,
                         threads);
  if (part.source == Source::action_net) {
    run_->action_net().act(run_->leader().search(), candidates.codes, rng);
    for (Vector& code : candidates.codes) encoding_.snap(code);
  }
  std::size_t likely = candidates.codes.size();
  if (screened)
    likely =
        keep_likely(candidates.codes, climbs ? likely : static_cast<std::size_t>(wanted), count);
  if (is_judged(part.source) && !candidates.codes.empty()) {
    judge(candidates, threads);
    candidates.order = best_first(candidates.judgement.score);
  } else {
    candidates.keep_order();
  }
  if (screened) {
    const double probing = failures_.happened() ? Tuning::probing : Tuning::probing_bounds;
    put_probes_first(candidates, likely, probing * count + rng.uniform());
  }
}

// What the process expects to improve on the best result, where that will likely succeed. Asks
// nothing of the judge.
Improvements Vbo::improvements_for(const Part& part, int threads) const {
  const auto starts = [this](Rng& from) {
    std::vector<Vector> codes = proposals(Source::jump, Tuning::improve_starts, from, 1);
    std::ranges::move(proposals(Source::local, Tuning::improve_starts, from, 1),
                      std::back_inserter(codes));
    for (int i = 0; i < Tuning::improve_starts; ++i) {
      Vector code(encoding_.dimension());
      for (double& x : code) x = from.uniform();
      encoding_.snap(code);
      codes.push_back(std::move(code));
    }
    return columns(codes);
  };
  const auto taken = [this](ConstVectorRef code) { return seen_.contains(code); };
  ImproveSearch search{encoding_, starts, taken, newest_pending(Tuning::improve_pending)};
  if (failures_.known()) {
    search.log_success = [this](ConstMatrixRef X, Matrix* slope) {
      return failures_.log_success(X, slope);
    };
    search.doubt = [boldness = failures_.boldness()](double u) {
      return boldness * std::lerp(Tuning::least_doubt, Tuning::most_doubt, u * u);
    };
  }
  return {run_->judge().process(), std::move(search), static_cast<int>(part.ids.size()),
          rng_of(part), threads};
}

void Vbo::keep(std::vector<Improvement> found, Candidates& candidates) {
  for (Improvement& top : found) {
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

void Vbo::judge(Candidates& candidates, int threads) {
  if (candidates.codes.empty()) return;
  candidates.judgement = run_->judge().judge(columns(candidates.codes).cast<float>(),
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
  const bool of_champion = source == Source::polish || source == Source::leap;
  const Archive& archive = of_champion ? history_ : run_->archive();
  if (source == Source::jump || source == Source::leap) return jump(encoding_, archive, rng);
  Vector code = archive.code(archive.at_rank(0));
  borrow_categories(encoding_, archive, code, rng);
  if (source == Source::polish) {
    champion_->search().sample(code, rng);
  } else if (source != Source::action_net && run_->leader().usable()) {
    run_->leader().search().sample(code, rng);
  }
  return code;
}

// Proposals of jumps and the leader, in shares that follow their success, after they have climbed
// the judge's opinion: more than `count` of them, snapped.
std::vector<Vector> Vbo::climbed(int count, Rng& rng, int threads) {
  constexpr Source kinds[] = {Source::jump, Source::local};
  const int starts = std::max(3, static_cast<int>(std::ceil(Tuning::climb_starts * count)));
  const double weight = std::sqrt(options_.beta);
  const LocalSearch& leader = run_->leader().search();
  const double first_step = Tuning::climb_first_step;
  const double near = leader.running() ? std::min(first_step, leader.deviation()) : first_step;
  MatrixOf<float> from(encoding_.dimension(), starts);
  int filled = 0;
  const auto success = [&](Source kind) {  // of what is not switched off
    return run_->shares().of(kind, {}) > 0.0 ? run_->shares().win_rate(kind) : 0.0;
  };
  double left = 0.0;  // success of the kinds still to come
  for (const Source kind : kinds) left += success(kind);
  for (const Source kind : kinds) {
    const double share = left > 0.0 ? success(kind) / left : 0.0;
    left -= success(kind);
    const int wanted = kind == Source::local
                           ? starts - filled
                           : static_cast<int>(std::lround(share * (starts - filled)));
    if (wanted == 0) continue;
    Candidates screened{proposals(kind, Tuning::climb_screen * wanted, rng, threads), {}, {}};
    judge(screened, threads);
    const std::vector<int> order = best_first(screened.judgement.score);
    for (int i = 0; i < wanted; ++i, ++filled) {
      const auto which = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
      from.col(filled) = screened.codes[which].cast<float>();
    }
  }
  const MatrixOf<float> X =
      climb(run_->judge(), encoding_, from, {.weight = weight, .length = near, .threads = threads});
  std::vector<Vector> codes;
  for (Eigen::Index i = 0; i < X.cols(); ++i) {
    codes.emplace_back(X.col(i).cast<double>());
    encoding_.snap(codes.back());
  }
  return codes;
}

// Proposals per suggestion. Keeping the best of S draws in few dimensions leaves a clump, from
// which the local search would learn that its steps are too long: in two dimensions the best 1/24
// fill a fifth of the width, in ten three quarters. Hence at most 2^Dn draws per suggestion. Once
// the leader is narrow, jumps are not screened at all: the judge's mean favours its basin, and
// removes exactly those that cross a valley.
int Vbo::screening_of(Source source) const {
  if (!is_judged(source)) return 1;
  auto screening = static_cast<int>(options_.screening);
  if (run_->action_share() > 0.0) screening = std::min(screening, Tuning::action_screening);
  const Leader& leader = run_->leader();
  if (source == Source::jump && options_.explore > 0.0 && leader.is_narrow()) return 1;
  if (!leader.usable() || source == Source::jump) return Tuning::categorical_screen * screening;
  const auto numbers = static_cast<int>(run_->numeric_parameters());
  if (numbers >= Tuning::full_screen_from) return screening;
  return std::min(screening, 1 << numbers);
}

// The newest suggestions without a result, at most so many, as columns (D,n).
Matrix Vbo::newest_pending(std::size_t most) const {
  std::vector<Vector> codes;
  for (auto asked = pending_.rbegin(); asked != pending_.rend(); ++asked) {
    if (codes.size() == most) break;
    codes.push_back(asked->second.code);
  }
  return codes.empty() ? Matrix(encoding_.dimension(), 0) : columns(codes);
}

}  // namespace vbo
