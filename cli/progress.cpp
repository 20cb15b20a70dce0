// SPDX-License-Identifier: MIT
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "cli/trial_json.hpp"
#include "core/one_line.hpp"
#include "vbo/front.hpp"

namespace vbo::cli {
namespace {

constexpr auto kLiveEvery = std::chrono::milliseconds(100);
constexpr auto kPlainEvery = std::chrono::seconds(10);
constexpr auto kEstimateEvery = std::chrono::seconds(10);
constexpr int kRestAfterEstimate = 100;  // times as long as the estimate took
constexpr int kRestAfterMeasuring = 10;  // times as long as the hypervolume took
constexpr std::int64_t kFailuresShown = 3;
constexpr int kStderr = 2;
constexpr int kWidestBar = 40;
constexpr int kNarrowestBar = 8;

bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (!value || !*value) continue;
    const std::string_view text = value;
    return text.find("UTF-8") != std::string_view::npos ||
           text.find("utf8") != std::string_view::npos;
  }
  return false;
}

int terminal_width() {
  winsize size{};
  const bool known = ioctl(kStderr, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

std::string bar(double fraction, int width, bool unicode) {
  const int full = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * width);
  std::string text;
  for (int i = 0; i < width; ++i) {
    text += unicode ? (i < full ? "█" : "░") : (i < full ? "#" : "-");
  }
  return text;
}

std::int64_t ended(const ProgressState& s) { return s.completed + s.failed; }

double rate(const ProgressState& s) {
  const double evaluating = s.seconds - s.startup;
  return evaluating > 0.0 ? static_cast<double>(s.ended_here) / evaluating : 0.0;
}

std::string rate_text(double per_second) {
  if (per_second <= 0.0) return "";
  if (per_second >= 1.0) return fmt::format("{:.1f}/s", per_second);
  if (per_second * 60.0 >= 1.0) return fmt::format("{:.1f}/min", per_second * 60.0);
  return fmt::format("{:.1f}/h", per_second * 3600.0);
}

std::string left_text(const ProgressState& s) {
  const double per_second = rate(s);
  const auto left = static_cast<double>(s.budget - ended(s));
  if (per_second <= 0.0 || left <= 0.0) return "";
  return duration_text(std::max(1.0, left / per_second)) + " left";
}

std::string elapsed_text(const ProgressState& s) {
  return s.seconds >= 1.0 ? duration_text(std::floor(s.seconds)) + " elapsed" : "";
}

std::string best_text(const ProgressState& s) {
  if (s.front > 0) {
    return fmt::format("{} trade-offs, hypervolume {}", s.front, short_number(s.hypervolume));
  }
  if (s.front == 0) return s.completed > 0 ? "nothing feasible yet" : "no result yet";
  if (s.estimated) {
    return "best estimate " + short_number(*s.estimated) + " (trial " +
           std::to_string(s.estimated_id) + ")";
  }
  if (!s.best) return "no result yet";
  return (s.best_feasible ? "best " : "nothing feasible yet, closest ") + short_number(*s.best) +
         " (trial " + std::to_string(s.best_id) + ")";
}

// As many parts as fit into the width, most important first, two spaces between them.
std::string fitted(const std::vector<std::string>& parts, std::size_t width) {
  std::string line;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    const std::size_t gap = line.empty() ? 0 : 2;
    if (line.size() + gap + part.size() > width) continue;
    line += std::string(gap, ' ') + part;
  }
  return line;
}

void show_estimate(ProgressState& state, const Estimate& estimate) {
  state.estimated.reset();
  if (!estimate.best) return;
  state.estimated = estimate.best->mean;
  state.estimated_id = estimate.best->id;
}

}  // namespace

std::string progress_lines(const ProgressState& s, int width, bool unicode) {
  const auto columns = static_cast<std::size_t>(std::max(width - 1, 1));  // never wrap
  const double fraction =
      s.budget > 0 ? static_cast<double>(ended(s)) / static_cast<double>(s.budget) : 0.0;
  const std::string counts = fmt::format("{}/{}", ended(s), s.budget);
  // On a narrow terminal a short bar is worth more than the rate.
  const std::size_t reserved = columns >= 30 ? kNarrowestBar + 2 : 0;
  const std::string right = fitted({counts, fmt::format("{:.0f}%", std::floor(100.0 * fraction)),
                                    left_text(s), elapsed_text(s), rate_text(rate(s))},
                                   columns - reserved);
  // The bar takes what is left, if that is worth looking at.
  const int room = static_cast<int>(columns) - static_cast<int>(right.size()) - 2;
  const std::string first = room >= kNarrowestBar
                                ? bar(fraction, std::min(room, kWidestBar), unicode) + "  " + right
                                : right;
  const std::string second =
      fitted({best_text(s), fmt::format("{} running", s.running),
              fmt::format("{} failed", s.failed), s.interrupts == 1 ? "finishing" : "", s.study},
             columns);
  return first + "\n" + second + "\n";
}

std::string progress_sentence(const ProgressState& s) {
  std::string text = fmt::format("{}: {}/{} evaluated, {} failed, {} running, {}", s.study,
                                 ended(s), s.budget, s.failed, s.running, best_text(s));
  for (const std::string& part : {rate_text(rate(s)), elapsed_text(s), left_text(s)}) {
    if (!part.empty()) text += ", " + part;
  }
  return text;
}

Progress::Progress(const Console& console, ProgressState start, const std::atomic<int>& interrupts,
                   const StudyRecord& record, std::vector<Trial> results,
                   std::function<Estimate()> estimate)
    : console_(console),
      interrupts_(interrupts),
      begin_(std::chrono::steady_clock::now()),
      unicode_(locale_is_utf8()),
      state_(std::move(start)),
      record_(record),
      order_(record.objectives, record.space.limits()),
      estimate_(std::move(estimate)),
      estimate_at_(begin_ + kEstimateEvery) {
  if (record_.objectives.size() > 1) state_.front = 0;
  for (const Trial& trial : results) take(trial);
  measure_front(true);
  if (!console.quiet) kind_ = is_terminal(kStderr) ? Kind::live : Kind::plain;
  if (kind_ == Kind::live) print_err("\x1b[?25l");  // hide the cursor
  if (kind_ == Kind::plain) say(progress_sentence(state_));
  try {
    ticker_ = std::thread([this] { tick(); });
  } catch (const std::system_error&) {
    // No thread to be had: progress is shown when something ends.
  }
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  wake_.notify_all();
  if (ticker_.joinable()) ticker_.join();
  update_clock();
  measure_front(true);
  if (kind_ == Kind::plain) say(progress_sentence(state_));
  if (kind_ == Kind::live) {
    erase();
    print_err("\x1b[?25h");
  }
}

// What neither is on the front nor the worst in an objective says nothing about either.
void Progress::measure_front(bool at_once) {
  const auto begin = std::chrono::steady_clock::now();
  if (!front_changed_ || (!at_once && begin < measure_at_)) return;
  Front front = make_front(record_, on_front_);
  front_changed_ = false;
  state_.front = std::ssize(front.trials);
  state_.hypervolume = front.hypervolume;
  // The mean of a repeated point may change with its next result.
  const bool repeats =
      std::ranges::any_of(on_front_, [](const Trial& t) { return t.rationale.repeat_of != 0; });
  if (!repeats && record_.optimizer.repeats == 1) drop_what_is_behind(std::move(front.trials));
  const auto end = std::chrono::steady_clock::now();
  measure_at_ = end + kRestAfterMeasuring * (end - begin);
}

void Progress::drop_what_is_behind(std::vector<Trial> front) {
  for (std::size_t m = 0; m < record_.objectives.size(); ++m) {
    const Trial* worst = nullptr;
    for (const Trial& trial : on_front_) {
      const auto gain = [&](const Trial& t) {
        return record_.objectives[m].goal == Goal::minimize ? -t.values[m] : t.values[m];
      };
      if (!worst || gain(trial) < gain(*worst)) worst = &trial;
    }
    const bool is_there = worst && std::ranges::find(front, worst->id, &Trial::id) != front.end();
    if (worst && !is_there) front.push_back(*worst);
  }
  on_front_ = std::move(front);
}

void Progress::take(const Trial& trial) {
  if (record_.objectives.size() > 1) {
    // Whether a repeated point is feasible is a matter of its mean.
    if (record_.optimizer.repeats == 1 && !order_.feasible(trial)) return;
    on_front_.push_back(trial);
    front_changed_ = true;
    return;
  }
  const Standing found = order_.standing(trial);
  if (!(found > best_)) return;
  best_ = found;
  state_.best = trial.value();
  state_.best_id = trial.id;
  state_.best_feasible = found.is_feasible();
}

void Progress::set_estimate(const Estimate& estimate) {
  const std::lock_guard lock(mutex_);
  show_estimate(state_, estimate);
}

// Outside of the lock: nobody waits for it but who looks.
void Progress::look_at_noise(std::unique_lock<std::mutex>& lock) {
  const auto begin = std::chrono::steady_clock::now();
  if (!estimate_ || kind_ == Kind::none || begin < estimate_at_) return;
  lock.unlock();
  const Estimate found = estimate_();
  lock.lock();
  show_estimate(state_, found);
  const auto end = std::chrono::steady_clock::now();
  estimate_at_ = end + std::max<std::chrono::steady_clock::duration>(
                           kEstimateEvery, kRestAfterEstimate * (end - begin));
}

void Progress::started(const Trial&) {
  const std::lock_guard lock(mutex_);
  note_begin();
  ++state_.running;
}

void Progress::finished(const Trial& trial) {
  const std::lock_guard lock(mutex_);
  state_.running = std::max<std::int64_t>(0, state_.running - 1);
  ++state_.ended_here;
  if (!trial.values.empty()) {
    ++state_.completed;
    take(trial);
    return;
  }
  ++state_.failed;
  if (kind_ == Kind::none || !trial.failure) return;
  if (++failures_shown_ <= kFailuresShown) {
    say(console_.paint(kStderr, Style::bad, "trial " + std::to_string(trial.id) + " failed: ") +
        one_line(trial.failure->message));
  }
  if (failures_shown_ == kFailuresShown) say("further failures are only counted here");
}

void Progress::set_running(std::int64_t count) {
  const std::lock_guard lock(mutex_);
  if (count > 0) note_begin();
  state_.running = count;
}

void Progress::tick() {
  std::unique_lock lock(mutex_);
  auto next_plain = begin_ + kPlainEvery;
  while (!done_) {
    update_clock();
    measure_front(false);
    look_at_noise(lock);
    if (state_.interrupts >= 1 && !interrupt_announced_ && kind_ != Kind::none) {
      interrupt_announced_ = true;
      if (state_.interrupts == 1) {
        say(fmt::format("finishing {} running evaluations; Ctrl-C again stops at once",
                        state_.running));
      }
    }
    if (kind_ == Kind::live) draw();
    if (kind_ == Kind::plain && std::chrono::steady_clock::now() >= next_plain) {
      say(progress_sentence(state_));
      next_plain += kPlainEvery;
    }
    wake_.wait_for(lock, kLiveEvery, [this] { return done_; });
  }
}

void Progress::update_clock() {
  state_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  state_.interrupts = interrupts_;
}

void Progress::note_begin() {
  if (std::exchange(evaluates_, true)) return;
  update_clock();
  state_.startup = state_.seconds;
}

void Progress::draw() {
  // One write per picture, over the old one: no flicker.
  std::string picture = drawn_ ? "\x1b[2A\r" : "\r";
  const std::string lines = progress_lines(state_, terminal_width(), unicode_);
  const std::size_t end = lines.find('\n');
  picture += "\x1b[2K" + console_.paint(kStderr, Style::good, lines.substr(0, end)) + "\n\x1b[2K" +
             lines.substr(end + 1);
  print_err(picture);
  drawn_ = true;
}

void Progress::erase() {
  if (drawn_) print_err("\x1b[2A\r\x1b[2K\n\x1b[2K\x1b[1A\r");
  drawn_ = false;
}

void Progress::say(const std::string& line) {
  if (kind_ == Kind::live) erase();
  print_err((kind_ == Kind::plain ? "vbo: " : "") + line + "\n");
  if (kind_ == Kind::live) draw();
}

}  // namespace vbo::cli
