// SPDX-License-Identifier: MIT
#include "core/pattern_parser.hpp"

#include <cctype>

namespace vbo::core {
namespace {

using Op = Pattern::Op;

constexpr std::size_t kMostInstructions = 10'000;
constexpr int kMostRepetitions = 1000;
constexpr int kDeepest = 50;  // groups in groups

void append(auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); }
int length(const auto& code) { return static_cast<int>(code.size()); }

}  // namespace

void PatternParser::fail(std::string what) {
  if (error_) return;
  error_ =
      Error{ErrorKind::invalid_input, "column " + std::to_string(at_ + 1) + ": " + std::move(what)};
  at_ = text_.size();  // nothing is read any more
}

bool PatternParser::take(char c) {
  if (at_end() || next() != c) return false;
  ++at_;
  return true;
}

Result<Pattern> PatternParser::parse() {
  if (text_.size() > kLongestPattern) {
    return Error{ErrorKind::invalid_input,
                 "it is longer than " + std::to_string(kLongestPattern) + " bytes"};
  }
  Code code = alternatives(0);
  if (!error_ && !at_end()) fail("found ) without (");
  if (error_) return *error_;
  if (groups_ != 1) {
    return Error{ErrorKind::invalid_input,
                 groups_ == 0 ? "found no group, expected ( ) around the number"
                              : "found " + std::to_string(groups_) +
                                    " groups, expected one around the number; (?: ) for others"};
  }
  code.push_back({Op::done});
  made_.code_ = std::move(code);
  return std::move(made_);
}

PatternParser::Code PatternParser::alternatives(int depth) {
  Code code = sequence(depth);
  while (take('|')) {
    Code joined{{Op::split, 1, length(code) + 2}};
    append(joined, code);
    const Code other = sequence(depth + 1);  // what it contains, a match need not
    joined.push_back({Op::jump, length(other) + 1});
    append(joined, other);
    code = std::move(joined);
    if (depth == 0) made_.literal_.clear();
    if (code.size() > kMostInstructions) fail("it is too large");
  }
  return code;
}

PatternParser::Code PatternParser::sequence(int depth) {
  Code code;
  std::string run;  // of characters that stand there once
  const auto end_run = [&] {
    if (depth == 0 && run.size() > made_.literal_.size()) made_.literal_ = run;
    run.clear();
  };
  while (!at_end() && next() != '|' && next() != ')') {
    plain_.reset();
    Code one = atom(depth);
    const std::optional<char> plain = plain_;
    const std::optional<Count> repeats = count();
    if (repeats) {
      end_run();
      if (one.size() == 1 && one.front().op != Op::set) fail("nothing to repeat before this");
      one = repeated(one, *repeats);
    } else if (plain) {
      run += *plain;
    } else {
      end_run();
    }
    append(code, one);
    if (code.size() > kMostInstructions) fail("it is too large");
  }
  end_run();
  return code;
}

PatternParser::Code PatternParser::atom(int depth) {
  const char c = text_[at_++];
  switch (c) {
    case '(':
      return group(depth);
    case '[':
      return of_set(set_in_brackets());
    case '.':
      return of_set(Set().set());
    case '^':
      return {{Op::begin}};
    case '$':
      return {{Op::end}};
    case '\\':
      return escape();
    case '*':
    case '+':
    case '?':
      --at_;
      fail("nothing to repeat before this");
      return {};
    default:
      plain_ = c;
      return of_set(Set().set(static_cast<unsigned char>(c)));
  }
}

PatternParser::Code PatternParser::group(int depth) {
  bool counts = true;
  if (take('?')) {
    counts = !take(':');
    if (counts) fail("found (? without :, expected ( ) or (?: )");
  }
  if (depth >= kDeepest) fail("more than 50 groups in groups");
  groups_ += counts;
  Code code;
  if (counts) code.push_back({Op::open});
  append(code, alternatives(depth + 1));
  if (counts) code.push_back({Op::close});
  if (!take(')')) fail("found ( without )");
  plain_.reset();
  return code;
}

PatternParser::Code PatternParser::escape() {
  if (at_end()) {
    fail("found \\ at the end");
    return {};
  }
  const char c = next();
  if (c == 'b' || c == 'B') {
    ++at_;
    return {{c == 'b' ? Op::word : Op::no_word}};
  }
  if (const std::optional<Set> set = class_of(c)) {
    ++at_;
    return of_set(*set);
  }
  plain_ = escaped_character();
  return of_set(Set().set(static_cast<unsigned char>(*plain_)));
}

char PatternParser::escaped_character() {
  if (at_end()) {
    fail("found \\ at the end");
    return ' ';
  }
  const char c = next();
  if (std::isalnum(static_cast<unsigned char>(c)) && c != 't') {
    fail("found \\" + std::string(1, c) + ", expected one of \\d \\D \\s \\S \\w \\W \\b \\B \\t");
    return ' ';
  }
  ++at_;
  return c == 't' ? '\t' : c;
}

std::optional<PatternParser::Set> PatternParser::class_of(char letter) {
  Set set;
  const auto fill = [&](auto&& belongs) {
    for (int c = 0; c < 256; ++c) set[static_cast<std::size_t>(c)] = c < 128 && belongs(c);
  };
  switch (letter) {
    case 'd':
    case 'D':
      fill([](int c) { return std::isdigit(c) != 0; });
      break;
    case 's':
    case 'S':
      fill([](int c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
      break;
    case 'w':
    case 'W':
      fill([](int c) { return std::isalnum(c) != 0 || c == '_'; });
      break;
    default:
      return std::nullopt;
  }
  return std::isupper(static_cast<unsigned char>(letter)) ? ~set : set;
}

PatternParser::Set PatternParser::set_in_brackets() {
  Set set;
  const bool negated = take('^');
  for (bool first = true; first || at_end() || next() != ']'; first = false) {
    if (at_end()) {
      fail("found [ without ]");
      return set;
    }
    char low = text_[at_++];
    if (low == '\\' && !at_end()) {
      if (const std::optional<Set> known = class_of(next())) {
        ++at_;
        set |= *known;
        continue;
      }
      low = escaped_character();
    }
    char high = low;
    if (at_ + 1 < text_.size() && next() == '-' && text_[at_ + 1] != ']') {
      ++at_;
      high = text_[at_++];
      if (high == '\\') high = escaped_character();
    }
    const auto from = static_cast<unsigned char>(low), to = static_cast<unsigned char>(high);
    if (from > to) fail("found a range whose end comes before its beginning");
    for (std::size_t c = from; c <= to; ++c) set.set(c);
  }
  take(']');
  return negated ? ~set : set;
}

std::optional<int> PatternParser::number() {
  const std::size_t start = at_;
  int value = 0;
  while (!at_end() && std::isdigit(static_cast<unsigned char>(next()))) {
    value = std::min(value * 10 + (text_[at_++] - '0'), kMostRepetitions + 1);
  }
  return at_ > start ? std::optional(value) : std::nullopt;
}

// nullopt: nothing is repeated. A brace that is no count is a character.
std::optional<PatternParser::Count> PatternParser::count() {
  Count count;
  const std::size_t start = at_;
  if (take('*')) {
    count = {0, -1};
  } else if (take('+')) {
    count = {1, -1};
  } else if (take('?')) {
    count = {0, 1};
  } else if (take('{')) {
    const std::optional<int> least = number();
    const bool range = take(',');
    const std::optional<int> most = range ? number() : least;
    if (!least || !take('}')) {
      at_ = start;
      return std::nullopt;
    }
    count = {*least, most.value_or(-1)};
    if (std::max(count.least, count.most) > kMostRepetitions) {
      fail("found more than " + std::to_string(kMostRepetitions) + " repetitions");
    } else if (count.most >= 0 && count.most < count.least) {
      fail("found a count whose end comes before its beginning");
    }
  } else {
    return std::nullopt;
  }
  count.greedy = !take('?');
  return count;
}

PatternParser::Code PatternParser::repeated(const Code& code, const Count& count) {
  Code all;
  const auto split = [&](int inside, int outside) {
    all.push_back(count.greedy ? Pattern::Instruction{Op::split, inside, outside}
                               : Pattern::Instruction{Op::split, outside, inside});
  };
  const int n = length(code);
  const int copies = count.least + (count.most < 0 ? 1 : count.most - count.least);
  if (static_cast<std::size_t>(n + 2) * static_cast<std::size_t>(copies) > kMostInstructions) {
    fail("it is too large");
  }
  if (error_) return {};
  for (int i = 0; i < count.least; ++i) append(all, code);
  if (count.most < 0) {
    split(1, n + 2);
    append(all, code);
    all.push_back({Op::jump, -(n + 1)});
  }
  for (int left = count.most - count.least; left > 0; --left) {
    split(1, left * (n + 1));
    append(all, code);
  }
  return all;
}

PatternParser::Code PatternParser::of_set(const Set& set) {
  made_.sets_.push_back(set);
  return {{Op::set, length(made_.sets_) - 1}};
}

}  // namespace vbo::core
