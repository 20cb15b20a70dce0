// SPDX-License-Identifier: MIT
#include "optim/vbo_paper/vbo_paper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/normal.hpp"

namespace vbo {
namespace {

constexpr double kTolerance = 1e-9;       // two codes closer than this repeat
constexpr Eigen::Index kFewestSlots = 8;  // the bound contrasts outcomes of one round
constexpr Eigen::Index kMostSlots = 1024;
constexpr Eigen::Index kMostReferences = 65'536;  // columns of one update, over rounds and slots
constexpr int kTries = 100;                       // actions before a repeat is given up

constexpr TermInfo kHelperInformation{
    "helper_information", Unit::nats, TermRole::beside,
    "the helper's bound on I(X;Y), on the rounds it was trained on"};
constexpr TermInfo kHelperCeiling{"helper_ceiling", Unit::nats, TermRole::beside,
                                  "the most that bound can show"};

double value_of(const Trial& trial) {
  return trial.value && std::isfinite(*trial.value) ? *trial.value
                                                    : -std::numeric_limits<double>::infinity();
}

VboOptions action_options(const VboPaperOptions& options) {
  VboOptions o;
  o.hidden = {options.hidden, options.hidden};
  o.action_steps = options.action_steps;
  o.action_rate = options.learning_rate;
  o.beta = options.beta;
  return o;
}

Helper<float>::Shape helper_shape(const Encoding& encoding, const VboPaperOptions& options) {
  return {std::max<Eigen::Index>(1, encoding.dimension()), options.hidden,
          options.helper == "lstm"};
}

}  // namespace

VboPaper::VboPaper(const Space& space, const OptimizerOptions& common,
                   const VboPaperOptions& options)
    : encoding_(space),
      common_(common),
      options_(options),
      slots_(std::clamp<Eigen::Index>(common.batch, kFewestSlots, kMostSlots)),
      design_(encoding_, common.seed),
      archive_(encoding_.dimension()),
      seen_(kTolerance),
      helper_(helper_shape(encoding_, options), options.learning_rate,
              Rng(common.seed, "helper-init")),
      judge_(helper_),
      action_net_(encoding_, action_options(options), common.seed) {}

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
  update_helper();
  read_out();
  if (round_ > warm_up()) update_action_net();
}

// K_a steps up the bound over the last rounds; more of them while warming up.
void VboPaper::update_helper() {
  Rng rng(common_.seed, "negatives", static_cast<std::uint64_t>(round_));
  const Rounds rounds = last_rounds();
  const Estimator estimator = options_.bound == "dv" ? Estimator::dv : Estimator::self_normalized;
  const std::int64_t steps = round_ <= warm_up() ? options_.warm_up_steps : options_.critic_steps;
  for (std::int64_t step = 0; step < steps; ++step) {
    bound_ = helper_.bound_gradient(window(rounds, rng), estimator);
    helper_.ascend();
  }
}

// K_b steps up mean_i m(x_i) + sqrt(beta) I(X;Y), the helper frozen.
void VboPaper::update_action_net() {
  gauge_ = action_net_.train(judge_, static_cast<int>(slots_), round_, common_.threads);
}

// The levels are a sample of the outcomes the helper has just been trained against.
void VboPaper::read_out() {
  const Rounds rounds = last_rounds();
  std::vector<float> sorted(rounds.y.begin(), rounds.y.end());
  std::sort(sorted.begin(), sorted.end());
  VectorOf<float> levels(options_.levels);
  for (Eigen::Index j = 0; j < levels.size(); ++j) {
    const double place = (static_cast<double>(j) + 0.5) / static_cast<double>(levels.size());
    levels[j] = sorted[static_cast<std::size_t>(place * static_cast<double>(sorted.size()))];
  }
  judge_.move(helper_.remember(rounds.X, rounds.y, slots_), std::move(levels));
}

// z = Phi^{-1} of the rank among all results so far; a failure has the lowest rank.
double VboPaper::score_of(int index) const {
  return -normal_quantile((archive_.shared_rank(index) + 0.5) / archive_.size());
}

VboPaper::Rounds VboPaper::last_rounds() const {
  const std::int64_t steps = std::min(round_, options_.window);
  Rounds rounds{MatrixOf<float>(encoding_.dimension(), steps * slots_),
                VectorOf<float>(steps * slots_)};
  Eigen::Index column = 0;
  for (std::int64_t r = round_ - steps; r < round_; ++r) {
    std::vector<int> slots(static_cast<std::size_t>(slots_));
    for (std::size_t i = 0; i < slots.size(); ++i)
      slots[i] = static_cast<int>(r * slots_ + static_cast<std::int64_t>(i));
    std::sort(slots.begin(), slots.end(),
              [&](int a, int b) { return archive_.id(a) < archive_.id(b); });
    for (const int index : slots) {
      rounds.X.col(column) = archive_.code(index).cast<float>();
      rounds.y[column++] = static_cast<float>(score_of(index));
    }
  }
  return rounds;
}

Eigen::Index VboPaper::references() const {
  if (options_.negatives == "shuffle") return 1;
  const Eigen::Index wanted = options_.negatives == "all-pairs" ? slots_ : slots_ - 1;
  const std::int64_t steps = std::min(round_, options_.window);
  return std::clamp<Eigen::Index>(kMostReferences / std::max<std::int64_t>(1, steps * slots_), 2,
                                  wanted);
}

// References of slot i in round t: the same input with an outcome of slot i + offset, each from a
// round of the window drawn at random, so that inputs are contrasted with all that has been seen
// lately and not only with their own round, in which every outcome may be bad. For all-pairs the
// first reference is the outcome itself. Where not all offsets fit, they are drawn in every round.
HelperWindow<float> VboPaper::window(const Rounds& rounds, Rng& rng) const {
  const Eigen::Index D = encoding_.dimension(), B = slots_, R = references();
  const Eigen::Index steps = rounds.X.cols() / B;
  const bool shuffle = options_.negatives == "shuffle", all = options_.negatives == "all-pairs";
  HelperWindow<float> w{{.steps = steps, .batch = B, .references = R}, {}};
  w.U.resize(D + 1, w.sequence.columns());
  for (Eigen::Index t = 0; t < steps; ++t) {
    auto step = w.U.middleCols(t * w.sequence.step_columns(), w.sequence.step_columns());
    for (Eigen::Index branch = 0; branch <= R; ++branch) {
      step.topRows(D).middleCols(branch * B, B).array() =
          2.0F * rounds.X.middleCols(t * B, B).array() - 1.0F;
    }
    step.row(D).head(B) = rounds.y.segment(t * B, B).transpose();
    // One permutation of slots for shuffle, else of the offsets 1..B-1.
    const std::vector<std::size_t> pi =
        rng.permutation(static_cast<std::size_t>(shuffle ? B : B - 1));
    for (Eigen::Index r = 0; r < R; ++r) {
      const bool own = all && r == 0;
      const Eigen::Index from =
          own ? t : static_cast<Eigen::Index>(rng.below(static_cast<std::uint64_t>(steps)));
      for (Eigen::Index i = 0; i < B; ++i) {
        const auto drawn = static_cast<Eigen::Index>(
            pi[static_cast<std::size_t>(shuffle ? i : std::max<Eigen::Index>(0, r - all))]);
        const Eigen::Index slot = own ? i : shuffle ? drawn : (i + 1 + drawn) % B;
        step(D, (1 + r) * B + i) = rounds.y[from * B + slot];
      }
    }
  }
  return w;
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
// as there are slots.
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
  X.rightCols(slots_) = action_net_.act(static_cast<int>(slots_), rng);
  for (Eigen::Index slot = 0; slot < slots_; ++slot) slots.push_back(slot);
  const double weight = std::sqrt(options_.beta);
  const Judgement& said = judge_.judge(X, slots, weight);
  for (Eigen::Index i = 0; i < N; ++i) {
    Rationale& why = suggestions[static_cast<std::size_t>(i)].rationale;
    std::string source = std::move(why.source);
    why = rationale_of(said, i, weight);
    why.source = std::move(source);
  }
}

// Plain sampling, except that a repeat is drawn again.
std::optional<Vector> VboPaper::unseen_action(TrialId id) {
  Rng rng(common_.seed, "action-net", static_cast<std::uint64_t>(id));
  for (int i = 0; i < kTries; ++i) {
    Vector code = action_net_.act(1, rng).col(0).cast<double>();
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

void VboPaper::remember(std::vector<const Trial*> trials) {
  for (const Trial* trial : trials) {
    const Vector code = encoding_.encode(trial->point);
    if (pending_.erase(trial->id) == 0 && encoding_.dimension() > 0) seen_.add(code);
    archive_.add(trial->id, code, value_of(*trial));
  }
  archive_.sort();
}

const Ledger& VboPaper::declared() {
  static const Ledger all{
      {kExpectedOutcome.weighted, kInputInformation.weighted, *kInputInformation.plain},
      {kHelperInformation, kHelperCeiling}};
  return all;
}

AskReport VboPaper::report() const {
  AskReport report;
  report.round = round_;
  if (round_ == 0) return report;
  const auto outcomes = static_cast<double>(std::min<std::int64_t>(slots_, options_.levels));
  report.information = RoundInformation{
      .expected = gauge_.input_information, .realized = {}, .ceiling = std::log(outcomes)};
  report.exploitation = gauge_.exploitation;
  report.values = {kHelperInformation.of(bound_)};
  // With its own outcome among the references, a bound cannot exceed the logarithm of their number.
  if (options_.negatives == "all-pairs") {
    report.values.push_back(kHelperCeiling.of(std::log(static_cast<double>(references()))));
  }
  if (warming_up()) {
    report.message = "warming up: round " + std::to_string(round_ + 1) + " of " +
                     std::to_string(warm_up()) + " space-filling ones";
  }
  return report;
}

// ---- state --------------------------------------------------------------------------------------

namespace {
constexpr std::uint32_t kVersion = 1;
}

std::string VboPaper::snapshot() const {
  StateWriter out;
  out.put(kVersion).put(round_).put(designed_).put<std::int64_t>(archive_.size());
  helper_.write(out);
  action_net_.write(out);
  judge_.write(out);
  out.put(gauge_.exploitation).put(gauge_.input_information).put(bound_);
  return out.take();
}

Result<void> VboPaper::restore(std::string_view snapshot, std::span<const Trial> history) {
  const Error damaged{ErrorKind::damaged, "the stored state of method \"vbo-paper\" is damaged"};
  StateReader in(snapshot);
  if (in.get<std::uint32_t>() != kVersion) {
    return Error{ErrorKind::damaged,
                 "the stored state of method \"vbo-paper\" is of another version"};
  }
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
  round_ = in.get<std::int64_t>();
  designed_ = in.get<std::uint64_t>();
  if (in.get<std::int64_t>() != archive_.size() || round_ < 0 ||
      round_ > archive_.size() / slots_) {
    return damaged;
  }
  helper_.read(in);
  action_net_.read(in);
  judge_.read(in);
  gauge_.exploitation = in.get<double>();
  gauge_.input_information = in.get<double>();
  bound_ = in.get<double>();
  const bool whole = in.complete() && (round_ == 0 || judge_.fits(slots_, options_.levels));
  return whole ? Result<void>() : damaged;
}

}  // namespace vbo
