// SPDX-License-Identifier: MIT
// A study that another process coordinates: it is read here, asked for suggestions, and brought
// results. When the other is gone this one takes its place.
#include <chrono>
#include <thread>

#include "core/actual.hpp"
#include "study/impl.hpp"

namespace vbo {
namespace {

using Clock = std::chrono::steady_clock;

// Whoever coordinates may be training.
constexpr std::chrono::seconds kPatience{120};
constexpr std::chrono::milliseconds kLookAgain{50};
constexpr double kWaitSeconds = 30.0;  // for other writers
// For the coordinator to store the study that it is creating at this moment.
constexpr std::chrono::seconds kCreating{10};

}  // namespace

Result<Study> Study::join(StudyOptions options) {
  Result<Study> joined = join(options.storage, options.optimizer.threads);
  if (!joined) return joined;
  if (const auto accepted = joined->impl_->accept(options); !accepted) return accepted.error();
  return joined;
}

Result<Study> Study::join(const std::string& storage_url, int threads) {
  const auto end = Clock::now() + kCreating;
  for (;;) {
    Result<Study> joined = join_now(storage_url, threads);
    const bool absent = !joined && joined.error().kind == ErrorKind::not_found;
    if (!absent || Clock::now() >= end) return joined;
    std::this_thread::sleep_for(kLookAgain);
  }
}

Result<Study> Study::join_now(const std::string& storage_url, int threads) {
  auto impl = std::make_unique<Impl>();
  impl->make_optimizer = vbo::make_optimizer;
  auto opened = open_storage(storage_url, Access::queue, kWaitSeconds);
  if (!opened) return opened.error();
  impl->storage = std::move(*opened);
  impl->joined = storage_url;
  Result<std::optional<StudyRecord>> stored = impl->storage->load_study();
  if (!stored) return stored.error();
  if (!*stored) {
    return Error{ErrorKind::not_found, "\"" + storage_url + "\" holds no study yet"};
  }
  impl->record = std::move(**stored);
  impl->record.optimizer.threads = threads;
  return Study(std::move(impl));
}

bool Study::is_joined() const { return !impl_->joined.empty(); }

Result<bool> Study::Impl::take_over() {
  // Another coordinator is noticed at once; the time is for other writers, from then on.
  auto opened = open_storage(joined, Access::coordinate, kWaitSeconds);
  if (!opened) {
    if (opened.error().kind == ErrorKind::busy) return false;
    return opened.error();
  }
  storage = std::move(*opened);
  // What the coordinator before us may have changed.
  const Result<std::optional<StudyRecord>> stored = storage->load_study();
  if (!stored) return stored.error();
  if (*stored) record.start = (*stored)->start;
  if (const auto rebuilt = rebuild(); !rebuilt) return rebuilt.error();
  joined.clear();
  return true;
}

Result<std::vector<Trial>> Study::Impl::wait_for(std::int64_t request) {
  const auto end = Clock::now() + kPatience;
  for (;;) {
    Result<std::optional<std::vector<Trial>>> answer = storage->load_answer(request);
    if (!answer) return answer.error();
    if (*answer) return std::move(**answer);
    const Result<bool> ours = take_over();
    if (!ours) return ours.error();
    if (*ours) {
      if (const auto taken = take_results(); !taken) return taken.error();
      if (const auto answered = answer_requests(); !answered) return answered.error();
      continue;
    }
    if (Clock::now() >= end) {
      // What has come until now is the answer; nothing has.
      if (const auto gone = storage->withdraw_request(request); gone) {
        answer = storage->load_answer(request);
        if (answer && *answer) return std::move(**answer);
      }
      return Error{ErrorKind::busy, "\"" + joined +
                                        "\" is being written by another process, which has not "
                                        "answered for " +
                                        std::to_string(kPatience.count()) +
                                        " s; look at it or stop it, then try again"};
    }
    if (const auto waited = storage->wait(kLookAgain); !waited) return waited.error();
  }
}

Result<std::vector<Trial>> Study::Impl::ask_coordinator(std::int64_t n) {
  const ProcessName me;
  const Result<std::int64_t> request = storage->request(n, me.text());
  if (!request) return request.error();
  Result<std::vector<Trial>> trials = wait_for(*request);
  // Its word for "the space has no more points".
  if (!trials && trials.error().kind == ErrorKind::conflict) return std::vector<Trial>();
  return trials;
}

Result<void> Study::Impl::bring_to_coordinator(std::vector<Outcome> outcomes) {
  std::vector<Claim> ended;
  for (Outcome& outcome : outcomes) {
    const std::string who = "trial " + std::to_string(outcome.id);
    Result<std::optional<Trial>> stored = storage->load_trial(outcome.id);
    if (!stored) return stored.error();
    if (!*stored) return Error{ErrorKind::not_found, who + " does not exist"};
    if ((*stored)->has_ended()) {
      return Error{ErrorKind::conflict,
                   who + " has already ended: " + std::string(to_string((*stored)->state))};
    }
    ended.push_back({told_again(std::move(**stored), std::move(outcome), record.space.limits(),
                                std::nullopt, record.objectives.size()),
                     0});
  }
  if (ended.empty()) return {};
  const auto stored = storage->complete_all(ended);
  return stored ? Result<void>() : stored.error();
}

Result<std::vector<Trial>> Study::Impl::add_through_coordinator(std::vector<Evaluated> results) {
  for (const Evaluated& result : results) {
    const auto inside = check_result(record.space, result);
    if (!inside) return inside.error();
  }
  const ProcessName me;
  const Result<std::int64_t> request =
      storage->bring(Delivery{std::move(results), false}, me.text());
  return request ? wait_for(*request) : request.error();
}

Result<void> Study::Impl::enqueue_through_coordinator(std::vector<PartialPoint> points) {
  const Result<std::int64_t> request = storage->bring(Delivery{.start = std::move(points)},
                                                      this_host() + ":" + std::to_string(getpid()));
  if (!request) return request.error();
  const Result<std::vector<Trial>> answer = wait_for(*request);
  return answer ? Result<void>() : answer.error();
}

}  // namespace vbo
