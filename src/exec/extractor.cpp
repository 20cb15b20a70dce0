// SPDX-License-Identifier: MIT
#include "exec/extractor.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>

#include "core/csv.hpp"
#include "core/json.hpp"
#include "core/spelling.hpp"
#include "exec/output_file.hpp"
#include "exec/program_files.hpp"

namespace vbo::exec {
namespace {

constexpr const char* kStandardOutput = "standard output";

// A number that was found, and the line or place that a person would look at.
struct Found {
  double number = 0.0;
  std::string where;
};

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// As C, Python or Fortran write it: 1.5, nan, 1.5D+03.
std::optional<double> number_in(std::string_view text) {
  text = without_blanks(text);
  if (const auto number = parse_number(text)) return number;
  std::string fortran(text);
  std::ranges::replace(fortran, 'D', 'e');
  std::ranges::replace(fortran, 'd', 'e');
  return parse_number(fortran);
}

Error not_found(std::string message) { return {ErrorKind::not_found, std::move(message)}; }

Result<Found> number_at(std::string_view text, std::string where) {
  if (const auto number = number_in(text)) return Found{*number, std::move(where)};
  return Error{ErrorKind::invalid_input,
               "found " + excerpt(text) + " where a number should be, in " + where};
}

Result<Found> by_pattern(const core::Pattern& pattern, const Extraction& what,
                         const OutputText& output) {
  // The first line of a cut text may lack its beginning: "-12.5" may look like "2.5".
  std::string_view text = output.text;
  if (output.cut) text.remove_prefix(std::min(text.find('\n'), text.size()));
  const auto match = pattern.last_in(text);
  if (match)
    return number_at(match->group, output.name + ": " + excerpt(without_blanks(match->line)));
  const auto lines =
      std::count(text.begin(), text.end(), '\n') + (text.empty() || text.ends_with('\n') ? 0 : 1);
  return not_found("none of the " + std::to_string(lines) + " lines of " + output.name +
                   " matches " + what.pattern);
}

std::string keys_of(const Json& object, const std::string& wanted) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) {
    if (keys.size() < 20) keys.push_back(item.key());
  }
  return keys.empty() ? ", it is empty" : suggestion(wanted, keys);
}

Result<Found> by_json(const Extraction& what, const OutputText& output) {
  const Result<Json> root = parse_json(output.text);
  if (!root || output.cut) {
    return Error{ErrorKind::invalid_input, output.name + " is not JSON: " +
                                               (output.cut ? "too large" : root.error().message)};
  }
  const Json* at = &*root;
  std::string way;
  for (std::size_t start = 0; start <= what.json.size();) {
    const std::size_t end = std::min(what.json.find('.', start), what.json.size());
    const std::string key = what.json.substr(start, end - start);
    start = end + 1;
    const std::string where = output.name + (way.empty() ? "" : ", in " + way + ",");
    if (at->is_array()) {
      std::int64_t index = 0;
      const auto [rest, status] = std::from_chars(key.data(), key.data() + key.size(), index);
      const auto size = static_cast<std::int64_t>(at->size());
      const bool is_index = status == std::errc() && rest == key.data() + key.size();
      if (index < 0) index += size;
      if (!is_index || index < 0 || index >= size) {
        return not_found(where + " has a list of " + std::to_string(size) + ", and no element \"" +
                         key + "\"");
      }
      at = &(*at)[static_cast<std::size_t>(index)];
    } else if (at->is_object()) {
      const auto found = at->find(key);
      if (found == at->end()) {
        return not_found(where + " has no \"" + key + "\"" + keys_of(*at, key));
      }
      at = &*found;
    } else {
      return not_found(where + " has " + excerpt(*at) + ", and so no \"" + key + "\"");
    }
    way += (way.empty() ? "" : ".") + key;
  }
  const std::string place = output.name + ": " + what.json + " = " + excerpt(*at);
  if (at->is_number()) return Found{at->get<double>(), place};
  return number_at(at->is_string() ? at->get<std::string>() : "", place);
}

Result<Found> by_column(const Extraction& what, const OutputText& output) {
  if (output.cut) return Error{ErrorKind::invalid_input, output.name + " is too large"};
  const Result<core::CsvTable> table = core::parse_csv(output.text, output.name);
  if (!table) return table.error();
  std::vector<std::string> names;
  for (const core::CsvCell& cell : table->header) names.push_back(cell.text);
  const auto at = std::ranges::find(names, what.column);
  if (at == names.end()) {
    return not_found(output.name + " has no column \"" + what.column + "\"" +
                     suggestion(what.column, names));
  }
  if (table->rows.empty()) return not_found(output.name + " has no row below its header");
  const core::CsvCell& cell = table->rows.back()[static_cast<std::size_t>(at - names.begin())];
  return number_at(cell.text, output.name + ":" + std::to_string(cell.line) + ": " + what.column +
                                  " = " + excerpt(std::string_view(cell.text)));
}

}  // namespace

Extractor::Extractor(const ProcessOptions& options) : objectives_(options.objectives) {
  for (const Extraction& what : options.files.extractions) {
    Place place{
        .what = what, .pattern = std::nullopt, .objective = objective_named(what.metric, options)};
    if (!what.pattern.empty()) place.pattern = core::Pattern::make(what.pattern).value();
    gives_values_ = gives_values_ || place.objective;
    places_.push_back(std::move(place));
  }
}

Outcome Extractor::outcome_of(const Tail& output, const std::string& folder) const {
  Outcome outcome;
  if (!gives_values_) {
    outcome = find_value(output, objectives_);
    if (outcome.failure) return outcome;
  } else {
    outcome.values.resize(std::max<std::size_t>(1, objectives_.size()));
  }
  std::map<std::string, Result<OutputText>> read;  // each file once
  for (const Place& place : places_) {
    const Extraction& what = place.what;
    auto [entry, is_new] = read.try_emplace(what.file, OutputText{});
    if (is_new) {
      entry->second = what.file.empty()
                          ? OutputText{kStandardOutput, std::string(output.text()), output.cut()}
                          : read_output(folder, what.file);
    }
    const Result<OutputText>& text = entry->second;
    Result<Found> found = !text                ? Result<Found>(text.error())
                          : place.pattern      ? by_pattern(*place.pattern, what, *text)
                          : !what.json.empty() ? by_json(what, *text)
                                               : by_column(what, *text);
    if (!found && found.error().kind == ErrorKind::not_found && what.otherwise) {
      found = Found{*what.otherwise, "default, for " + found.error().message};
    }
    if (!found) {
      return Outcome::failed(FailureCause::no_value, what.metric + ": " + found.error().message);
    }
    if (!std::isfinite(found->number)) {
      return Outcome::failed(FailureCause::non_finite,
                             what.metric + " is not a finite number, in " + found->where);
    }
    (place.objective ? outcome.values[*place.objective] : outcome.metrics[what.metric]) =
        found->number;
    outcome.line += (outcome.line.empty() ? "" : "\n") + what.metric + " from " + found->where;
  }
  if (outcome.metrics.size() > kMostMetrics) {
    return Outcome::failed(FailureCause::no_value, "more than " + std::to_string(kMostMetrics) +
                                                       " metrics were printed and extracted");
  }
  return outcome;
}

}  // namespace vbo::exec
