// SPDX-License-Identifier: MIT
#include "optim/options.hpp"

#include <algorithm>
#include <cmath>

#include "vbo/space.hpp"

namespace vbo {
namespace {

std::string text_of(double value) { return to_string(Value(value)); }

std::string text_of(const std::vector<std::int64_t>& widths) {
  std::string text = "[";
  for (std::size_t i = 0; i < widths.size(); ++i) {
    text += (i ? ", " : "") + std::to_string(widths[i]);
  }
  return text + "]";
}

std::string range_text(const std::string& low, const std::string& high) {
  return low + " to " + high;
}

struct Renamed {
  std::string_view earlier, now;
};
// Until 0.2.
constexpr Renamed kRenamed[] = {{"screening", "preselection"}, {"imagined", "model_generations"}};

}  // namespace

std::string_view earlier_name(std::string_view name) {
  const auto* found = std::ranges::find(kRenamed, name, &Renamed::now);
  return found == std::end(kRenamed) ? std::string_view() : found->earlier;
}

std::vector<std::string> renamed_options(const OptionMap& given) {
  std::vector<std::string> notes;
  for (const Renamed& renamed : kRenamed) {
    if (given.find(renamed.earlier) == given.end()) continue;
    notes.push_back("option \"" + std::string(renamed.earlier) + "\" is now called \"" +
                    std::string(renamed.now) + "\"; the earlier name works until 0.2");
  }
  return notes;
}

std::string to_string(const OptionValue& value) {
  struct {
    std::string operator()(bool v) const { return v ? "true" : "false"; }
    std::string operator()(std::int64_t v) const { return std::to_string(v); }
    std::string operator()(double v) const { return text_of(v); }
    std::string operator()(const std::string& v) const { return "\"" + v + "\""; }
    std::string operator()(const std::vector<double>& v) const {
      std::string text = "[";
      for (std::size_t i = 0; i < v.size(); ++i) text += (i ? ", " : "") + text_of(v[i]);
      return text + "]";
    }
  } printer;
  return std::visit(printer, value);
}

const OptionValue* OptionBinder::take(std::string_view name) {
  auto found = given_.find(name);
  const std::string_view earlier = earlier_name(name);
  if (!earlier.empty()) {
    const auto renamed = given_.find(earlier);
    if (found == given_.end()) {
      found = renamed;
    } else if (renamed != given_.end()) {
      wrong(earlier, renamed->second, "\"" + std::string(name) + "\" alone: both names are given");
    }
  }
  return found == given_.end() ? nullptr : &found->second;
}

bool OptionBinder::knows(std::string_view name) const {
  return std::ranges::any_of(infos_, [name](const OptionInfo& info) {
    return info.name == name || earlier_name(info.name) == name;
  });
}

void OptionBinder::wrong(std::string_view name, const OptionValue& found, std::string expected) {
  if (first_error_) return;
  first_error_ = Error{ErrorKind::invalid_input,
                       "option \"" + std::string(name) + "\": found " + to_string(found) +
                           ", expected " + std::move(expected),
                       std::string(name)};
}

void OptionBinder::number(std::string_view name, double& field, double low, double high,
                          std::string_view summary) {
  const std::string range = range_text(text_of(low), text_of(high));
  infos_.push_back({std::string(name), text_of(field), range, std::string(summary)});
  const OptionValue* found = take(name);
  if (!found) return;
  double value = std::nan("");
  if (const auto* real = std::get_if<double>(found)) value = *real;
  if (const auto* whole = std::get_if<std::int64_t>(found)) value = static_cast<double>(*whole);
  if (!(value >= low && value <= high)) return wrong(name, *found, "a number from " + range);
  field = value;
}

void OptionBinder::integer(std::string_view name, std::int64_t& field, std::int64_t low,
                           std::int64_t high, std::string_view summary) {
  const std::string range = range_text(std::to_string(low), std::to_string(high));
  infos_.push_back({std::string(name), std::to_string(field), range, std::string(summary)});
  const OptionValue* found = take(name);
  if (!found) return;
  const auto* whole = std::get_if<std::int64_t>(found);
  if (!whole || *whole < low || *whole > high) {
    return wrong(name, *found, "a whole number from " + range);
  }
  field = *whole;
}

void OptionBinder::flag(std::string_view name, bool& field, std::string_view summary) {
  infos_.push_back(
      {std::string(name), field ? "true" : "false", "true | false", std::string(summary)});
  const OptionValue* found = take(name);
  if (!found) return;
  const auto* value = std::get_if<bool>(found);
  if (!value) return wrong(name, *found, "true or false");
  field = *value;
}

std::size_t OptionBinder::choose(std::string_view name, std::span<const std::string_view> words,
                                 std::size_t chosen, std::string_view summary) {
  std::string range;
  for (const std::string_view w : words) range += (range.empty() ? "" : " | ") + std::string(w);
  infos_.push_back({std::string(name), std::string(words[chosen]), range, std::string(summary)});
  const OptionValue* found = take(name);
  if (!found) return chosen;
  const auto* value = std::get_if<std::string>(found);
  const auto word = value ? std::ranges::find(words, *value) : words.end();
  if (word == words.end()) {
    wrong(name, *found, "one of " + range);
    return chosen;
  }
  return static_cast<std::size_t>(word - words.begin());
}

void OptionBinder::widths(std::string_view name, std::vector<std::int64_t>& field, std::int64_t low,
                          std::int64_t high, std::string_view summary) {
  const std::string range =
      "a list of whole numbers from " + range_text(std::to_string(low), std::to_string(high));
  infos_.push_back({std::string(name), text_of(field), range, std::string(summary)});
  const OptionValue* found = take(name);
  if (!found) return;
  const auto* values = std::get_if<std::vector<double>>(found);
  const auto fits = [&](double v) {
    return std::trunc(v) == v && v >= static_cast<double>(low) && v <= static_cast<double>(high);
  };
  if (!values || values->empty() || !std::all_of(values->begin(), values->end(), fits)) {
    return wrong(name, *found, range);
  }
  field.assign(values->size(), 0);
  std::transform(values->begin(), values->end(), field.begin(),
                 [](double v) { return static_cast<std::int64_t>(v); });
}

Result<void> OptionBinder::finish(std::string_view method) const {
  const std::string who = "method \"" + std::string(method) + "\": ";
  if (first_error_)
    return Error{first_error_->kind, who + first_error_->message, first_error_->field};
  for (const auto& [name, value] : given_) {
    if (knows(name)) continue;
    std::string message = who + "unknown option \"" + name + "\"";
    const auto closest =
        std::min_element(infos_.begin(), infos_.end(), [&name = name](auto& a, auto& b) {
          return edit_distance(a.name, name) < edit_distance(b.name, name);
        });
    if (closest == infos_.end()) {
      message += ", expected none";
    } else if (edit_distance(closest->name, name) <= 3) {
      message += ", did you mean \"" + closest->name + "\"?";
    } else {
      message += ", expected one of";
      for (const OptionInfo& info : infos_) message += " " + info.name;
    }
    return Error{ErrorKind::invalid_input, message, name};
  }
  return {};
}

}  // namespace vbo
