// SPDX-License-Identifier: MIT
// The matcher follows all threads of the program at the same time, one character after the other
// (Thompson 1968, with groups as in Pike's sam): no more threads than instructions.
#include "core/pattern.hpp"

#include <algorithm>
#include <utility>

#include "core/pattern_parser.hpp"

namespace vbo::core {
namespace {

using Op = Pattern::Op;

constexpr std::size_t kNone = std::string_view::npos;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// A place in the program, with the group as this thread has it.
struct Thread {
  int at = 0;
  std::size_t open = kNone, close = kNone;
};

// The threads at one character, by preference.
class Threads {
 public:
  Threads(const std::vector<Pattern::Instruction>& code, std::string_view line)
      : code_(code), line_(line), seen_(code.size(), 0) {}

  void clear() {
    threads_.clear();
    ++generation_;
  }
  bool empty() const { return threads_.empty(); }
  auto begin() const { return threads_.begin(); }
  auto end() const { return threads_.end(); }

  // The thread, or those that it becomes before it reads the character at `position`.
  void add(Thread thread, std::size_t position) {
    waiting_.push_back(thread);
    while (!waiting_.empty()) {
      Thread next = waiting_.back();
      waiting_.pop_back();
      auto& seen = seen_[static_cast<std::size_t>(next.at)];
      if (std::exchange(seen, generation_) == generation_) continue;
      const Pattern::Instruction& here = code_[static_cast<std::size_t>(next.at)];
      const auto go = [&](int distance) {
        Thread moved = next;
        moved.at += distance;
        waiting_.push_back(moved);
      };
      switch (here.op) {
        case Op::set:
        case Op::done:
          threads_.push_back(next);
          break;
        case Op::split:
          go(here.second);
          go(here.first);  // taken from the stack first
          break;
        case Op::jump:
          go(here.first);
          break;
        case Op::open:
          next.open = position;
          go(1);
          break;
        case Op::close:
          next.close = position;
          go(1);
          break;
        case Op::begin:
          if (position == 0) go(1);
          break;
        case Op::end:
          if (position == line_.size()) go(1);
          break;
        case Op::word:
        case Op::no_word: {
          const bool before = position > 0 && is_word(line_[position - 1]);
          const bool after = position < line_.size() && is_word(line_[position]);
          if ((before != after) == (here.op == Op::word)) go(1);
          break;
        }
      }
    }
  }

 private:
  const std::vector<Pattern::Instruction>& code_;
  std::string_view line_;
  std::vector<Thread> threads_, waiting_;
  std::vector<std::uint64_t> seen_;
  std::uint64_t generation_ = 1;
};

struct Found {
  std::size_t end = 0;
  std::size_t open = kNone, close = kNone;
};

}  // namespace

Result<Pattern> Pattern::make(std::string_view text) { return PatternParser(text).parse(); }

std::optional<std::string_view> Pattern::last_in_line(std::string_view line) const {
  Threads first(code_, line), second(code_, line);
  Threads *current = &first, *next = &second;
  std::optional<std::string_view> last;
  for (std::size_t start = 0; start <= line.size();) {
    std::optional<Found> found;
    current->clear();
    for (std::size_t position = start; position <= line.size(); ++position) {
      if (!found) current->add({}, position);
      if (current->empty() && found) break;
      next->clear();
      for (const Thread& thread : *current) {
        const Instruction& here = code_[static_cast<std::size_t>(thread.at)];
        if (here.op == Op::done) {
          found = Found{position, thread.open, thread.close};
          break;  // what follows is preferred less
        }
        if (position == line.size()) continue;
        const auto c = static_cast<unsigned char>(line[position]);
        if (sets_[static_cast<std::size_t>(here.first)][c]) {
          next->add({thread.at + 1, thread.open, thread.close}, position + 1);
        }
      }
      std::swap(current, next);
    }
    if (!found) break;
    if (found->open != kNone && found->close != kNone && found->close > found->open) {
      last = line.substr(found->open, found->close - found->open);
    }
    start = found->end > start ? found->end : start + 1;
  }
  return last;
}

std::optional<Pattern::Match> Pattern::last_in(std::string_view text) const {
  std::size_t end = text.size();  // of the part that has not been looked at
  if (end > 0 && text[end - 1] == '\n') --end;
  for (;;) {
    if (!literal_.empty()) {
      // The last line that can match.
      const std::size_t at = text.substr(0, end).rfind(literal_);
      if (at == kNone) return std::nullopt;
      end = std::min(text.find('\n', at), end);
    }
    const std::size_t before = end == 0 ? kNone : text.rfind('\n', end - 1);
    const std::size_t start = before == kNone ? 0 : before + 1;
    std::string_view line = text.substr(start, end - start);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > kLongestLine) line.remove_prefix(line.size() - kLongestLine);
    if (const auto group = last_in_line(line)) return Match{*group, line};
    if (start == 0) return std::nullopt;
    end = start - 1;
  }
}

}  // namespace vbo::core
