// SPDX-License-Identifier: MIT
#include "core/scan.hpp"

#include "core/from_chars.hpp"

namespace vbo {
namespace {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  bool literal(std::string_view expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(expected.size());
    return true;
  }

  // from_chars alone would also take "inf" and "nan".
  template <class Number>
  bool number(Number& value) {
    const std::size_t first = rest_.starts_with('-') ? 1 : 0;
    if (rest_.size() <= first || rest_[first] < '0' || rest_[first] > '9') return false;
    const auto [end, status] = from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (status != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }

  // A string without escapes.
  bool text(std::string& value) {
    if (!literal("\"")) return false;
    const std::size_t end = rest_.find_first_of("\"\\");
    if (end == std::string_view::npos || rest_[end] != '"') return false;
    value.assign(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return true;
  }

 private:
  std::string_view rest_;
};

template <class T>
bool scan_value(Scanner& scanner, Value& value) {
  T held{};
  if constexpr (std::is_same_v<T, std::string>) {
    if (!scanner.text(held)) return false;
  } else {
    if (!scanner.number(held)) return false;
  }
  value = std::move(held);
  return true;
}

}  // namespace

std::optional<Point> scan_point(const Space& space, std::string_view text) {
  Scanner scanner(text);
  Point point(space.size());
  std::string name;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const Parameter& p = space[i];
    if (!scanner.literal(i == 0 ? "{" : ",") || !scanner.text(name) || name != p.name ||
        !scanner.literal(":")) {
      return std::nullopt;
    }
    if (p.kind == ParameterKind::real) {
      if (!scan_value<double>(scanner, point[i])) return std::nullopt;
    } else if (p.kind == ParameterKind::integer) {
      if (!scan_value<std::int64_t>(scanner, point[i])) return std::nullopt;
    } else if (!scan_value<std::string>(scanner, point[i])) {
      return std::nullopt;  // choices that are numbers or booleans too
    }
  }
  if (!scanner.literal("}") || !scanner.at_end() || !space.check(point)) return std::nullopt;
  return point;
}

std::optional<Rationale> scan_rationale(std::string_view text) {
  Scanner scanner(text);
  Rationale rationale;
  const auto scan_terms = [&scanner](std::vector<Term>& terms) {  // after the opening bracket
    while (!scanner.literal("]")) {
      Term term;
      if (!terms.empty() && !scanner.literal(",")) return false;
      if (!scanner.literal("[") || !scanner.text(term.name) || !scanner.literal(",") ||
          !scanner.number(term.value) || !scanner.literal("]")) {
        return false;
      }
      terms.push_back(std::move(term));
    }
    return true;
  };
  const auto scan_acquisition = [&] {
    return scanner.literal("null") || scanner.number(rationale.acquisition.emplace());
  };
  if (!scanner.literal("{\"source\":") || !scanner.text(rationale.source) ||
      !scanner.literal(",\"acquisition\":") || !scan_acquisition() ||
      !scanner.literal(",\"terms\":[") || !scan_terms(rationale.terms)) {
    return std::nullopt;
  }
  if (scanner.literal(",\"notes\":[") && !scan_terms(rationale.notes)) return std::nullopt;
  if (scanner.literal(",\"origin\":")) {
    std::string name;
    if (!scanner.text(name)) return std::nullopt;
    const std::optional<Origin> origin = origin_from(name);
    if (!origin) return std::nullopt;
    rationale.origin = *origin;
  }
  if (scanner.literal(",\"part\":") && !scanner.number(rationale.part)) return std::nullopt;
  if (scanner.literal(",\"repeat_of\":") &&
      (!scanner.number(rationale.repeat_of) || !scanner.literal(",\"repeat\":") ||
       !scanner.number(rationale.repeat))) {
    return std::nullopt;
  }
  if (!scanner.literal("}") || !scanner.at_end()) return std::nullopt;
  forget_idle_score(rationale);
  return rationale;
}

}  // namespace vbo
