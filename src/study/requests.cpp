// SPDX-License-Identifier: MIT
// Answers those who ask a coordinator for suggestions or bring it results. A coordinator has
// workers to feed and signals to notice, so it answers in pieces of a size that takes a moment: one
// ask of the method each, in the log like any other.
#include <algorithm>

#include "storage/process.hpp"
#include "study/impl.hpp"

namespace vbo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kLargestPiece = 1024;
constexpr double kQuick = 0.01;  // seconds of a piece: the next one is twice as large
constexpr double kSlow = 0.05;   // half as large

double elapsed(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

Result<std::int64_t> Study::Impl::answer_requests() {
  const Result<std::vector<AskRequest>> requests = storage->load_requests();
  if (!requests) return requests.error();
  for (const AskRequest& request : *requests) {
    const auto answered = answer(request, request.count);
    if (!answered) return answered.error();
  }
  return std::ssize(*requests);
}

Result<void> Study::Impl::answer(const AskRequest& request, std::int64_t most) {
  // It was withdrawn meanwhile; the method is rebuilt without what was not stored.
  const auto unless_gone = [](const Error& error) {
    return error.kind == ErrorKind::not_found ? Result<void>() : error;
  };
  if (request.delivery) {
    const auto taken = answer_delivery(request);
    return taken ? Result<void>() : unless_gone(taken.error());
  }
  const Result<std::vector<Trial>> trials = ask(std::min(request.count, most), request.id);
  if (!trials) return unless_gone(trials.error());
  if (trials->empty()) {
    return storage->refuse_request(
        request.id, open_trials.empty()
                        ? "the space has no more points to suggest"
                        : "every point of the space is being evaluated or has been; ask again when "
                          "there are results");
  }
  for (const Trial& trial : *trials) handed.insert(trial.id);
  return {};
}

Result<bool> Study::Impl::answer_for(double seconds, const std::function<bool()>& stop) {
  const auto begin = Clock::now();
  if (piece == 0) piece = std::clamp<std::int64_t>(record.optimizer.batch, 1, kLargestPiece);
  for (;;) {
    Result<std::vector<AskRequest>> requests = storage->load_requests();
    if (!requests) return requests.error();
    if (requests->empty()) return false;
    // One piece for each in turn, so that a short request does not wait for a long one.
    const auto next = std::ranges::find_if(
        *requests, [this](const AskRequest& request) { return request.id > last_answered; });
    std::rotate(requests->begin(), next, requests->end());
    for (const AskRequest& request : *requests) {
      if (stop() || elapsed(begin) >= seconds) return true;
      last_answered = request.id;
      if (!request.delivery && process_is_gone(request.who)) {
        if (const auto freed = cancel(request); !freed) return freed.error();
        continue;
      }
      const auto piece_begin = Clock::now();
      if (const auto answered = answer(request, piece); !answered) return answered.error();
      const double took = elapsed(piece_begin);
      if (took < kQuick) piece = std::min(2 * piece, kLargestPiece);
      if (took > kSlow) piece = std::max<std::int64_t>(1, piece / 2);
    }
  }
}

// What was suggested for it until now goes to the workers.
Result<void> Study::Impl::cancel(const AskRequest& request) {
  if (const auto gone = storage->withdraw_request(request.id); !gone) return gone.error();
  const Result<std::optional<std::vector<Trial>>> made = storage->load_answer(request.id);
  if (!made || !*made) return {};
  for (const Trial& trial : **made) handed.erase(trial.id);
  std::vector<TrialId> offered;
  for (const auto& [id, trial] : open_trials) {
    if (!handed.contains(id) && std::ssize(offered) < record.budget - ended) offered.push_back(id);
  }
  return storage->offer(offered);
}

}  // namespace vbo
