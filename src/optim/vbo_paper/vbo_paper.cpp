// SPDX-License-Identifier: MIT
#include "optim/vbo_paper/vbo_paper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/normal.hpp"

namespace vbo {
namespace {

constexpr double kTolerance = 1e-9;       // two codes closer than this repeat
constexpr Eigen::Index kFewestSlots = 8;  // the bound contrasts outcomes of one round
constexpr Eigen::Index kMostSlots = 1024;
constexpr int kTries = 100;  // actions before a repeat is given up

constexpr TermInfo kHelperInformation{
    "helper_information", Unit::nats, TermRole::beside,
    "the helper's bound on I(X;Y), on the rounds it was trained on"};
constexpr TermInfo kHelperCeiling{"helper_ceiling", Unit::nats, TermRole::beside,
                                  "the most that bound can show"};

HistoryOptions history_options(const VboPaperOptions& o) {
  return {.negatives = o.negatives,
          .shuffled = o.histories == VboPaperOptions::Histories::shuffled,
          .window = o.window,
          .pairs = o.pairs,
          .references = o.references};
}

Helper<float>::Shape helper_shape(const Lens& lens, const VboPaperOptions& options) {
  return {std::max<Eigen::Index>(1, lens.coordinates().inputs()), options.hidden,
          options.helper == VboPaperOptions::Network::lstm,
          options.memory == VboPaperOptions::Memory::full};
}

}  // namespace

VboPaper::VboPaper(const Space& space, const OptimizerOptions& common,
                   const VboPaperOptions& options)
    : VboPaper(space, common, VboPaperGpOptions{.paper = options}) {}

VboPaper::VboPaper(const Space& space, const OptimizerOptions& common,
                   const VboPaperGpOptions& options)
    : encoding_(space),
      common_(common),
      options_(options.paper),
      gp_(options.replaced == GpTerm::none
              ? std::nullopt
              : std::optional<GpReplacement>(std::in_place, encoding_, options, common)),
      slots_(std::clamp<Eigen::Index>(common.batch, kFewestSlots, kMostSlots)),
      design_(encoding_, common.seed),
      archive_(encoding_.dimension()),
      seen_(kTolerance),
      lens_(encoding_, options_.lens),
      helper_(helper_shape(lens_, options_), {.learning_rate = options_.learning_rate},
              Rng(common.seed, "helper-init")),
      objective_(helper_, lens_, gp_ ? &*gp_ : nullptr),
      actor_(encoding_,
             {.map = options_.actions,
              .hidden = options_.hidden,
              .learning_rate = options_.action_rate,
              .logit_scale = options_.logit_scale},
             common.seed) {}

std::int64_t VboPaper::warm_up() const {
  if (common_.budget <= 0) return options_.warm_up;
  return std::clamp<std::int64_t>(common_.budget / (2 * slots_), 1, options_.warm_up);
}

// ---- the round: Algorithm 1, lines 4-6 and 11-18 ------------------------------------------------

void VboPaper::tell(std::span<const Trial> finished) {
  std::vector<const Trial*> trials;
  for (const Trial& trial : finished) trials.push_back(&trial);
  std::stable_sort(trials.begin(), trials.end(),
                   [](const Trial* a, const Trial* b) { return a->id < b->id; });
  remember(trials);
  if (encoding_.dimension() == 0) return;
  while (archive_.size() >= (round_ + 1) * slots_) play_round();
}

void VboPaper::play_round() {
  ++round_;
  const Histories all = histories();
  lens_.move(all);
  const Histories seen = lens_.seen(all);
  update_helper(seen);
  read_out(seen);
  if (gp_) gp_->learn(all, round_);
  if (round_ > warm_up() || (options_.head_start && round_ == warm_up())) update_action_net();
}

// K_a steps up the bound; more of them while warming up. Training goes on from the weights of the
// last step; their average over the last updates is what the action-net meets.
void VboPaper::update_helper(const Histories& histories) {
  Rng rng(common_.seed, "negatives", static_cast<std::uint64_t>(round_));
  const Estimator estimator = options_.bound;
  const HistoryOptions drawn = history_options(options_);
  const std::int64_t steps = round_ <= warm_up() ? options_.warm_up_steps : options_.critic_steps;
  if (trained_.size() > 0) helper_.set_parameters(trained_);
  for (std::int64_t step = 0; step < steps; ++step) {
    bound_ = helper_.bound_gradient(histories.draw(drawn, rng), estimator);
    helper_.ascend();
    if (options_.average == 0.0) continue;
    const VectorOf<float> now = helper_.parameter_vector();
    if (averaged_.size() == 0) averaged_ = now;
    averaged_ += static_cast<float>(1.0 - options_.average) * (now - averaged_);
  }
  if (options_.average == 0.0) return;
  trained_ = helper_.parameter_vector();
  helper_.set_parameters(averaged_);
}

// K_b steps up mean_i m(x_i) + sqrt(beta) I(X;Y), the helper frozen.
void VboPaper::update_action_net() {
  Rng rng(common_.seed, "action-net-seeds", static_cast<std::uint64_t>(round_));
  std::vector<Eigen::Index> slots(static_cast<std::size_t>(slots_));
  std::iota(slots.begin(), slots.end(), 0);
  for (std::int64_t step = 0; step < options_.action_steps; ++step) {
    if (options_.context == VboPaperOptions::Context::shared) {
      std::fill(slots.begin(), slots.end(),
                static_cast<Eigen::Index>(rng.below(static_cast<std::uint64_t>(slots_))));
    }
    MatrixOf<float> dX;
    const Assessment& assessment = objective_.assess(actor_.act(actor_.seeds(slots_, rng)), slots,
                                                     std::sqrt(options_.beta), &dX);
    predicted_ = PredictedMeans{assessment.exploitation, assessment.input_information};
    actor_.ascend(dX);
  }
}

void VboPaper::read_out(const Histories& histories) {
  objective_.move(helper_.remember(histories.X, histories.y, slots_),
                  histories.levels(options_.levels));
}

// Outcomes are normal scores, z = Phi^{-1} of the rank among the results of all complete rounds; a
// failure has the lowest rank, equal results share theirs.
Histories VboPaper::histories() const {
  const auto N = static_cast<int>(round_ * slots_);
  std::vector<int> order(static_cast<std::size_t>(N));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return archive_.value(a) < archive_.value(b); });
  Vector score(N);
  for (int from = 0, to = 0; from < N; from = to) {
    const auto value = [&](int i) { return archive_.value(order[static_cast<std::size_t>(i)]); };
    while (to < N && value(to) == value(from)) ++to;
    const double z = normal_quantile(0.5 * (from + to) / N);  // of the mean rank, (from + to - 1)/2
    for (int i = from; i < to; ++i) score[order[static_cast<std::size_t>(i)]] = z;
  }
  Histories all{MatrixOf<float>(encoding_.dimension(), N), VectorOf<float>(N), slots_};
  std::vector<int> slots(static_cast<std::size_t>(slots_));
  for (int first = 0; first < N; first += static_cast<int>(slots_)) {
    std::iota(slots.begin(), slots.end(), first);
    std::sort(slots.begin(), slots.end(),
              [&](int a, int b) { return archive_.id(a) < archive_.id(b); });
    for (Eigen::Index i = 0; i < slots_; ++i) {
      const int index = slots[static_cast<std::size_t>(i)];
      all.X.col(first + i) = archive_.code(index).cast<float>();
      all.y[first + i] = static_cast<float>(score[index]);
    }
  }
  return all;
}

// ---- asking: Algorithm 1, lines 3 and 10 --------------------------------------------------------

std::vector<Suggestion> VboPaper::ask(std::span<const TrialId> ids) {
  std::vector<Suggestion> suggestions;
  std::vector<Vector> codes;
  const bool design = warming_up();
  for (const TrialId id : ids) {
    const std::optional<Vector> action = design ? std::nullopt : unseen_action(id);
    codes.push_back(action ? *action : unseen_design_point());
    suggestions.push_back(
        {encoding_.decode(codes.back()), {.source = action ? "action-net" : "design"}});
    // The code of the point, as it will be read back on resuming.
    if (encoding_.dimension() > 0) seen_.add(encoding_.encode(suggestions.back().point));
    pending_.insert(id);
  }
  if (!design && !ids.empty()) explain(ids, codes, suggestions);
  return suggestions;
}

// The information of one input is relative to a batch: the one asked for, and as many more actions
// as there are slots. With a shared context the slots take turns.
void VboPaper::explain(std::span<const TrialId> ids, const std::vector<Vector>& codes,
                       std::vector<Suggestion>& suggestions) {
  const auto N = static_cast<Eigen::Index>(ids.size());
  Rng rng(common_.seed, "company", static_cast<std::uint64_t>(round_));
  MatrixOf<float> X(encoding_.dimension(), N + slots_);
  std::vector<Eigen::Index> slots;
  for (Eigen::Index i = 0; i < N; ++i) {
    X.col(i) = codes[static_cast<std::size_t>(i)].cast<float>();
    slots.push_back(slot_of(ids[static_cast<std::size_t>(i)]));
  }
  X.rightCols(slots_) = actor_.act(actor_.seeds(slots_, rng));
  for (Eigen::Index slot = 0; slot < slots_; ++slot) slots.push_back(slot);
  if (options_.context == VboPaperOptions::Context::shared)
    std::fill(slots.begin(), slots.end(), round_ % slots_);
  const double weight = std::sqrt(options_.beta);
  const Assessment& assessment = objective_.assess(X, slots, weight);
  for (Eigen::Index i = 0; i < N; ++i) {
    Rationale& why = suggestions[static_cast<std::size_t>(i)].rationale;
    std::string source = std::move(why.source);
    why = rationale_of(assessment, i);
    why.source = std::move(source);
  }
}

// Plain sampling. After a repeat, further draws with something changed, ever more freely.
std::optional<Vector> VboPaper::unseen_action(TrialId id) {
  Rng rng(common_.seed, "action-net", static_cast<std::uint64_t>(id));
  for (int i = 0; i < kTries; ++i) {
    const MatrixOf<float> S = actor_.seeds(1, rng);
    Vector code = (i == 0 ? actor_.act(S) : actor_.act_anew(S, i, rng)).col(0).cast<double>();
    encoding_.snap(code);
    if (!seen_.contains(code)) return code;
  }
  return std::nullopt;
}

Vector VboPaper::unseen_design_point() {
  Vector code;
  for (int i = 0; i < 100 * kTries; ++i) {
    code = design_.code(designed_++);
    encoding_.snap(code);
    if (encoding_.dimension() == 0 || !seen_.contains(code)) break;
  }
  return code;
}

void VboPaper::remember(const std::vector<const Trial*>& trials) {
  for (const Trial* trial : trials) {
    const Vector code = encoding_.encode(trial->point);
    if (pending_.erase(trial->id) == 0 && encoding_.dimension() > 0) seen_.add(code);
    archive_.add(trial->id, code, archive_value(encoding_, *trial));
  }
}

const Ledger& VboPaper::declared() {
  static const Ledger all{{kExpectedOutcome.weighted, kInputInformation.weighted,
                           kGpDeviation.weighted, *kInputInformation.plain},
                          {kHelperInformation, kHelperCeiling}};
  return all;
}

AskReport VboPaper::report() const {
  AskReport report;
  report.round = round_;
  if (round_ == 0) return report;
  const auto distinct = static_cast<double>(std::min<std::int64_t>(slots_, options_.levels));
  if (predicted_) {
    report.information = RoundInformation{
        .predicted = predicted_->information, .observed = {}, .ceiling = std::log(distinct)};
    report.exploitation = predicted_->outcome;
  }
  report.values = {kHelperInformation.of(bound_)};
  // With its own outcome among the references, a bound cannot exceed the logarithm of their number.
  if (options_.negatives == Negatives::all_pairs) {
    report.values.push_back(kHelperCeiling.of(std::log(static_cast<double>(round_ * slots_))));
  }
  if (warming_up()) {
    report.message = "warming up: round " + std::to_string(round_ + 1) + " of " +
                     std::to_string(warm_up()) + " space-filling ones";
  }
  return report;
}

// ---- state --------------------------------------------------------------------------------------

namespace {
constexpr std::uint32_t kPaperVersion = 4;
}

std::string VboPaper::snapshot() const {
  StateWriter out;
  out.put(kPaperVersion).put(round_).put(designed_).put<std::int64_t>(archive_.size());
  helper_.write(out);
  if (options_.average > 0.0) out.put(trained_.cast<double>()).put(averaged_.cast<double>());
  actor_.write(out);
  objective_.write(out);
  if (gp_) gp_->write(out);
  const PredictedMeans p = predicted_.value_or(PredictedMeans{});
  out.put<std::uint8_t>(predicted_.has_value()).put(p.outcome).put(p.information).put(bound_);
  return out.take();
}

Result<void> VboPaper::restore(std::string_view snapshot, std::span<const Trial> history) {
  const std::string state = "the stored state of method \"" + common_.method + "\" is ";
  StateReader in(snapshot);
  if (!in.expect(kPaperVersion)) {
    return Error{ErrorKind::damaged, state + "of another version"};
  }
  const Error damaged{ErrorKind::damaged, state + "damaged"};
  std::vector<const Trial*> told;  // in the order they were told, by id within one tell
  for (const Trial& trial : history) {
    if (trial.told_in > 0) {
      told.push_back(&trial);
    } else {
      pending_.insert(trial.id);
      if (encoding_.dimension() > 0) seen_.add(encoding_.encode(trial.point));
    }
  }
  std::sort(told.begin(), told.end(), [](const Trial* a, const Trial* b) {
    return a->told_in != b->told_in ? a->told_in < b->told_in : a->id < b->id;
  });
  remember(told);
  constexpr double largest_weight = 1e6;
  round_ = in.get_count(archive_.size() / slots_);
  designed_ = static_cast<std::uint64_t>(in.get_count());
  if (in.get_count() != archive_.size() || !in.ok()) return damaged;
  helper_.read(in);
  if (options_.average > 0.0) {
    const nn::Index weights = round_ > 0 ? helper_.parameters() : 0;
    trained_ = in.get_vector(weights, largest_weight).cast<float>();
    averaged_ = in.get_vector(weights, largest_weight).cast<float>();
  }
  actor_.read(in);
  objective_.read(in, round_ > 0 ? slots_ : 0, round_ > 0 ? options_.levels : 0);
  if (gp_) gp_->read(in);
  const bool has_prediction = in.get_flag();
  PredictedMeans p{};
  p.outcome = in.get_any_number();
  p.information = in.get_any_number();
  if (has_prediction) predicted_ = p;
  bound_ = in.get_any_number();
  if (!in.complete()) return damaged;
  if (round_ == 0) return {};
  const Histories all = histories();
  lens_.move(all);
  if (gp_) gp_->learn_again(all, round_);
  return {};
}

}  // namespace vbo
