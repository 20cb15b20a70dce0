// SPDX-License-Identifier: MIT
#include "numerics/parallel.hpp"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "numerics/flops.hpp"

namespace vbo {
namespace {

thread_local bool inside = false;

constexpr int spins = 4000;  // some tens of microseconds: longer than between two loops of a fit

// Waits until `ready`, politely after a while.
template <class Ready>
void spin_until(const Ready& ready) {
  for (int i = 0; !ready(); ++i) {
    if (i < spins) {
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    } else {
      std::this_thread::yield();
    }
  }
}

// One loop in progress.
struct Loop {
  int n = 0;
  const std::function<void(int)>* work = nullptr;
  bool counting = false;
  std::atomic<int> next{0};
  std::atomic<std::uint64_t> counted{0};
  std::exception_ptr failure;
  std::mutex failure_mutex;

  void drain() {
    inside = true;
    try {
      if (counting) {
        const flops::Scope scope;
        for (int i = next++; i < n; i = next++) (*work)(i);
        counted += scope.count();
      } else {
        for (int i = next++; i < n; i = next++) (*work)(i);
      }
    } catch (...) {
      next = n;
      const std::lock_guard lock(failure_mutex);
      if (!failure) failure = std::current_exception();
    }
    inside = false;
  }
};

}  // namespace

int thread_count(int threads) {
  return threads > 0 ? threads
                     : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

// A loop is open from its start until the caller finds nothing left to do. A helper enters, looks
// whether a loop is open, and leaves; the caller closes and waits until nobody is in. One of the
// two sees the other (both use sequential consistency), so no helper touches a loop that has ended,
// and the caller need not wait for helpers that are still waking up.
struct Team::Shared {
  std::atomic<std::uint32_t> epoch{0};  // changes with every loop and at the end
  std::atomic<Loop*> open{nullptr};
  std::atomic<int> entered{0};
  std::atomic<bool> ending{false};
  std::vector<std::thread> helpers;

  void help() {
    for (std::uint32_t seen = 0;;) {
      for (int i = 0; i < spins && epoch.load() == seen; ++i) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
      }
      epoch.wait(seen);
      seen = epoch.load();
      if (ending) return;
      ++entered;
      if (Loop* const loop = open.load()) loop->drain();
      --entered;
    }
  }
};

Team::Team(int threads) : Team(threads, std::numeric_limits<int>::max()) {}

Team::Team(int threads, int most) : shared_(std::make_unique<Shared>()) {
  threads = thread_count(threads);
  threads = std::min(threads, most);
  if (inside) threads = 1;
  for (int t = 1; t < threads; ++t) {
    try {
      shared_->helpers.emplace_back([shared = shared_.get()] { shared->help(); });
    } catch (const std::system_error&) {
      break;  // the machine gives no more threads; those there are do the work
    }
  }
}

Team::~Team() {
  shared_->ending = true;
  ++shared_->epoch;
  shared_->epoch.notify_all();
  for (std::thread& helper : shared_->helpers) helper.join();
}

int Team::size() const { return static_cast<int>(shared_->helpers.size()) + 1; }

void Team::for_each(int n, const std::function<void(int)>& work) {
  if (n <= 1 || size() == 1 || inside) {
    for (int i = 0; i < n; ++i) work(i);
    return;
  }
  Loop loop;
  loop.n = n;
  loop.work = &work;
  loop.counting = flops::sink != nullptr;
  shared_->open = &loop;
  ++shared_->epoch;
  shared_->epoch.notify_all();
  // The caller's own share must not reach its outer scope twice.
  std::uint64_t* const outer = std::exchange(flops::sink, nullptr);
  loop.drain();
  flops::sink = outer;
  shared_->open = nullptr;
  spin_until([&] { return shared_->entered == 0; });
  flops::add(loop.counted);
  if (loop.failure) std::rethrow_exception(loop.failure);
}

void Flag::await() const {
  spin_until([&] { return raised_.load(std::memory_order_acquire); });
}

namespace {

// Kept from loop to loop: to start threads takes longer than many loops. After a fork the helpers
// are gone, and there is nobody to wait for.
class KeptTeams {
 public:
  ~KeptTeams() { forget_if_forked(); }

  // As many as the loop can use; more, as long as `threads` allows it, where they are there
  // already. Callers that allow different numbers in turn have a team each.
  Team& of(int threads, int n) {
    forget_if_forked();
    auto kept = std::ranges::find(kept_, threads, &Kept::threads);
    if (kept == kept_.end()) {
      if (kept_.size() == most_kept) kept_.erase(kept_.begin());
      kept = kept_.insert(kept_.end(), {threads, nullptr});
    }
    if (!kept->team || kept->team->size() < std::min(threads, n)) {
      kept->team.reset();
      kept->team = std::make_unique<Team>(std::min(threads, n));
      process_ = getpid();
    }
    return *kept->team;
  }

 private:
  static constexpr std::size_t most_kept = 3;
  struct Kept {
    int threads;
    std::unique_ptr<Team> team;
  };

  void forget_if_forked() {
    if (kept_.empty() || process_ == getpid()) return;
    for (Kept& kept : kept_) (void)kept.team.release();
    kept_.clear();
  }

  std::vector<Kept> kept_;
  pid_t process_ = 0;
};

// A thread's loops, unless it does somebody else's piece: then they are those of the piece's place.
// Pieces go from thread to thread; teams that stayed with the threads would become ever more.
thread_local KeptTeams own_teams;
thread_local KeptTeams* teams_of_place = nullptr;

// For as long as a piece with loops of its own is done.
class AtPlace {
 public:
  explicit AtPlace(KeptTeams& teams)
      : teams_before_(std::exchange(teams_of_place, &teams)),
        inside_before_(std::exchange(inside, false)) {}
  ~AtPlace() {
    teams_of_place = teams_before_;
    inside = inside_before_;
  }
  AtPlace(const AtPlace&) = delete;
  AtPlace& operator=(const AtPlace&) = delete;

 private:
  KeptTeams* teams_before_;
  bool inside_before_;
};

}  // namespace

void parallel_for(int threads, int n, const std::function<void(int)>& work) {
  threads = thread_count(threads);
  if (threads == 1 || n <= 1 || inside) {
    for (int i = 0; i < n; ++i) work(i);
    return;
  }
  (teams_of_place ? *teams_of_place : own_teams).of(threads, n).for_each(n, work);
}

namespace {

// One for each, and equal parts of the others for those that can use them.
std::vector<int> shared_out(int threads, const std::vector<Piece>& pieces) {
  std::vector<int> given(pieces.size(), 1);
  const auto wants = [&](std::size_t i) { return given[i] < pieces[i].most; };
  for (int left = threads - static_cast<int>(std::ssize(pieces)); left > 0;) {
    int wanting = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) wanting += wants(i) ? 1 : 0;
    const int each = wanting > 0 ? left / wanting : 0;
    if (each == 0) break;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const int more = wants(i) ? std::min(each, pieces[i].most - given[i]) : 0;
      given[i] += more;
      left -= more;
    }
  }
  return given;
}

}  // namespace

void side_by_side(int threads, const std::vector<Piece>& pieces) {
  threads = thread_count(threads);
  const auto n = static_cast<int>(std::ssize(pieces));
  const bool may_divide = !inside && !teams_of_place;  // within a piece the teams are taken
  const std::vector<int> given = shared_out(may_divide ? threads : n, pieces);
  static thread_local std::deque<KeptTeams> places;  // of the pieces that divide
  std::vector<KeptTeams*> place_of(pieces.size(), nullptr);
  std::size_t used = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (given[i] == 1) continue;
    if (used == places.size()) places.emplace_back();
    place_of[i] = &places[used++];
  }
  parallel_for(threads, n, [&](int i) {
    const auto at = static_cast<std::size_t>(i);
    if (!place_of[at]) return pieces[at].work(1);
    const AtPlace scope(*place_of[at]);
    pieces[at].work(given[at]);
  });
}

}  // namespace vbo
