// SPDX-License-Identifier: MIT
#include "core/json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/objectives.hpp"
#include "core/scan.hpp"

namespace vbo {
namespace {

constexpr double kLargestWhole = 9007199254740992.0;  // 2^53

Error wrong(const std::string& where, const Json& found, const std::string& expected,
            const std::string& field = {}) {
  return {ErrorKind::invalid_input, where + ": found " + excerpt(found) + ", expected " + expected,
          field.empty() ? where : field};
}

Error wrong_parameter(const Parameter& p, const std::string& key, const Json& found,
                      const std::string& expected) {
  const std::string who = "parameter \"" + p.name + "\"";
  return wrong(key.empty() ? who : who + ": " + key, found, expected,
               "parameter." + p.name + (key.empty() ? "" : "." + key));
}

const Json& field(const Json& object, const char* name) {
  static const Json null;
  const auto it = object.find(name);
  return it == object.end() ? null : *it;
}

// [["name", number], ...]: keeps the order, and a name that is there twice.
Json json_of_terms(const std::vector<Term>& terms) {
  Json json = Json::array();
  for (const Term& term : terms) json.push_back(Json::array({term.name, json_of(term.value)}));
  return json;
}

Result<std::vector<Term>> terms_from(const std::string& where, const Json& json) {
  if (!json.is_array()) return wrong(where, json, "an array of [name, number]");
  std::vector<Term> terms;
  for (const Json& pair : json) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string()) {
      return wrong(where, pair, "[name, number]");
    }
    const std::optional<double> value = number_from(pair[1]);
    if (!value) return wrong(where, pair[1], "a number");
    terms.push_back({pair[0].get<std::string>(), *value});
  }
  return terms;
}

constexpr const char* kind_name(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::real:
      return "float";
    case ParameterKind::integer:
      return "int";
    case ParameterKind::categorical:
      return "categorical";
    case ParameterKind::ordinal:
      return "ordinal";
  }
  return "?";
}

// A choice in the type it has; nullopt for what cannot be one.
std::optional<Value> choice_from(const Json& json) {
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_string()) return Value(json.get<std::string>());
  if (json.is_number_float()) return Value(json.get<double>());
  const bool fits = json.is_number_integer() &&
                    !(json.is_number_unsigned() && json.get<std::uint64_t>() > (1ULL << 62U));
  if (fits) return Value(json.get<std::int64_t>());
  return std::nullopt;
}

Result<Parameter> parameter_from(const Json& json) {
  if (!json.is_object()) return wrong("a parameter", json, "an object");
  const Json& name = field(json, "name");
  if (!name.is_string()) return wrong("the name of a parameter", name, "text");
  Parameter p;
  p.name = name.get<std::string>();
  const Json& type = field(json, "type");
  if (type == "categorical" || type == "ordinal") {
    p.kind = type == "ordinal" ? ParameterKind::ordinal : ParameterKind::categorical;
    const char* key = type == "ordinal" ? "values" : "choices";
    const Json& choices = field(json, key);
    if (!choices.is_array()) return wrong_parameter(p, key, choices, "an array of choices");
    for (const Json& choice : choices) {
      const std::optional<Value> value = choice_from(choice);
      if (!value) return wrong_parameter(p, key, choice, "text, a number, true or false");
      p.choices.push_back(*value);
    }
    return p;
  }
  if (type != "float" && type != "int") {
    return wrong_parameter(p, "type", type, "\"float\", \"int\", \"categorical\" or \"ordinal\"");
  }
  p.kind = type == "int" ? ParameterKind::integer : ParameterKind::real;
  for (const auto& [key, bound] : {std::pair{"low", &p.low}, std::pair{"high", &p.high}}) {
    const Json& found = field(json, key);
    if (!found.is_number()) return wrong_parameter(p, key, found, "a number");
    *bound = found.get<double>();
  }
  const Json& step = field(json, "step");
  if (!step.is_null() && !step.is_number()) return wrong_parameter(p, "step", step, "a number");
  if (step.is_number()) p.step = step.get<double>();
  const Json& log = field(json, "log");
  if (!log.is_null() && !log.is_boolean()) return wrong_parameter(p, "log", log, "true or false");
  p.log = log.is_boolean() && log.get<bool>();
  return p;
}

// Settings keep their type: 1 is an integer, 1.0 a number. {"number": "inf"} is what a bare number
// cannot say without being taken for text.
Json json_of_option(const OptionValue& value) {
  struct Visitor {
    Json operator()(bool flag) const { return flag; }
    Json operator()(std::int64_t whole) const { return whole; }
    Json operator()(double number) const {
      return std::isfinite(number) ? Json(number) : Json{{"number", json_of(number)}};
    }
    Json operator()(const std::string& text) const { return text; }
    Json operator()(const std::vector<double>& numbers) const {
      Json json = Json::array();
      for (const double number : numbers) json.push_back(json_of(number));
      return json;
    }
  };
  return std::visit(Visitor{}, value);
}

Result<OptionValue> option_from(const std::string& name, const Json& json) {
  if (json.is_boolean()) return OptionValue(json.get<bool>());
  if (json.is_number_integer()) return OptionValue(json.get<std::int64_t>());
  if (json.is_number_float()) return OptionValue(json.get<double>());
  if (json.is_string()) return OptionValue(json.get<std::string>());
  if (json.is_object()) {
    if (const auto number = number_from(field(json, "number"))) return OptionValue(*number);
  }
  if (json.is_array()) {
    std::vector<double> numbers;
    for (const Json& item : json) {
      const auto number = number_from(item);
      if (!number) return wrong("option \"" + name + "\"", item, "a number", name);
      numbers.push_back(*number);
    }
    return OptionValue(std::move(numbers));
  }
  return wrong("option \"" + name + "\"", json, "true, false, a number, text or numbers", name);
}

// A number, or nothing where there is none or null.
Result<std::optional<double>> number_if_any(const Json& object, const char* name) {
  const Json& found = field(object, name);
  if (found.is_null()) return std::optional<double>();
  const std::optional<double> number = number_from(found);
  if (!number) return wrong(name, found, "a number or null");
  return number;
}

// Reports were written without fields for these until 0.1: they stood among the other values.
void take_fields_from_values(AskReport& report) {
  const auto take = [&](std::string_view name) -> std::optional<double> {
    const auto it = std::ranges::find(report.values, name, &Term::name);
    if (it == report.values.end()) return std::nullopt;
    const double value = it->value;
    report.values.erase(it);
    return value;
  };
  report.exploitation = take("exploitation");
  report.deviation = take("local_deviation");
  const auto observed = take("held_out_information"), ceiling = take("ceiling");
  if (const auto predicted = take("information")) {
    report.information = RoundInformation{*predicted, observed, ceiling};
  }
}

Result<void> fields_from(const Json& json, AskReport& report) {
  for (const auto& [name, member] : {std::pair{"exploitation", &report.exploitation},
                                     std::pair{"deviation", &report.deviation}}) {
    const auto number = number_if_any(json, name);
    if (!number) return number.error();
    *member = *number;
  }
  const Json& information = field(json, "information");
  if (information.is_null()) return {};
  if (!information.is_object()) return wrong("information", information, "an object or null");
  const auto predicted = number_if_any(information, "predicted");
  if (!predicted) return predicted.error();
  const auto observed = number_if_any(information, "observed");
  if (!observed) return observed.error();
  const auto ceiling = number_if_any(information, "ceiling");
  if (!ceiling) return ceiling.error();
  report.information = RoundInformation{*predicted, *observed, *ceiling};
  return {};
}

template <class Integer>
Result<Integer> whole_from(const Json& object, const char* name) {
  const Json& found = field(object, name);
  if (!found.is_number_integer()) return wrong(name, found, "a whole number");
  return found.get<Integer>();
}

}  // namespace

Json json_of(const Value& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json json_of(const Space& space) {
  Json json = Json::array();
  for (const Parameter& p : space.parameters()) {
    Json entry = {{"name", p.name}, {"type", kind_name(p.kind)}};
    if (p.has_choices()) {
      Json& choices = entry[p.kind == ParameterKind::ordinal ? "values" : "choices"];
      choices = Json::array();
      for (const Value& choice : p.choices) choices.push_back(json_of(choice));
    } else {
      entry["low"] = p.low;
      entry["high"] = p.high;
      entry["log"] = p.log;
      if (p.step > 0.0) entry["step"] = p.step;
    }
    json.push_back(std::move(entry));
  }
  if (space.constraints().empty() && space.limits().empty()) return json;
  Json constraints = Json::array();
  for (const std::string& constraint : space.constraints()) constraints.push_back(constraint);
  Json all = {{"parameters", std::move(json)}, {"constraints", std::move(constraints)}};
  if (!space.limits().empty()) all["limits"] = limits_json(space);
  return all;
}

Json limits_json(const Space& space) {
  Json limits = Json::array();
  for (const Limit& limit : space.limits()) {
    Json entry = {{"metric", limit.metric}};
    if (limit.at_most) entry["at_most"] = *limit.at_most;
    if (limit.at_least) entry["at_least"] = *limit.at_least;
    limits.push_back(std::move(entry));
  }
  return limits;
}

Json json_of(const Space& space, const Point& point) {
  Json json = Json::object();
  for (std::size_t i = 0; i < point.size(); ++i) json[space[i].name] = json_of(point[i]);
  return json;
}

Json json_of(const OptimizerOptions& options) {
  Json settings = Json::object();
  for (const auto& [name, value] : options.settings) settings[name] = json_of_option(value);
  Json json = {{"method", options.method},
               {"seed", options.seed},
               {"batch", options.batch},
               {"budget", options.budget},
               {"settings", std::move(settings)}};
  if (options.repeats == kAutoRepeats) {
    json["repeats"] = "auto";
  } else if (options.repeats != 1) {
    json["repeats"] = options.repeats;
  }
  return json;
}

Json json_of(const Rationale& rationale) {
  Json json = {{"source", rationale.source},
               {"acquisition", json_of(rationale.acquisition)},
               {"terms", json_of_terms(rationale.terms)},
               {"notes", json_of_terms(rationale.notes)}};
  if (rationale.origin != Origin::method) json["origin"] = to_string(rationale.origin);
  if (rationale.part != 0) json["part"] = rationale.part;
  if (rationale.repeat_of != 0) {
    json["repeat_of"] = rationale.repeat_of;
    json["repeat"] = rationale.repeat;
  }
  return json;
}

Json json_of(const AskReport& report) {
  Json json = {{"round", report.round},
               {"information", nullptr},
               {"exploitation", json_of(report.exploitation)},
               {"deviation", json_of(report.deviation)},
               {"values", json_of_terms(report.values)},
               {"message", report.message},
               {"recommendation", nullptr}};
  if (report.information) {
    json["information"] = {{"predicted", json_of(report.information->predicted)},
                           {"observed", json_of(report.information->observed)},
                           {"ceiling", json_of(report.information->ceiling)}};
  }
  if (report.recommendation) {
    json["recommendation"] = {{"id", report.recommendation->id},
                              {"mean", json_of(report.recommendation->mean)},
                              {"deviation", json_of(report.recommendation->deviation)}};
  }
  return json;
}

Result<Value> value_from(const Parameter& p, const Json& json) {
  if (p.has_choices()) {
    const std::optional<Value> choice = choice_from(json);
    if (!choice) return wrong_parameter(p, "", json, "text, a number, true or false");
    // 1 and 1.0 are one choice, in the type it has in the space.
    const auto known = std::find_if(p.choices.begin(), p.choices.end(), [&](const Value& value) {
      return value == *choice || (json.is_number() && to_string(value) == to_string(*choice) &&
                                  !std::holds_alternative<std::string>(value));
    });
    return known == p.choices.end() ? *choice : *known;
  }
  if (p.kind == ParameterKind::real) {
    if (!json.is_number()) return wrong_parameter(p, "", json, "a number");
    return Value(json.get<double>());
  }
  if (json.is_number_integer() &&
      !(json.is_number_unsigned() && json.get<std::uint64_t>() > (1ULL << 62U))) {
    return Value(json.get<std::int64_t>());
  }
  // 3.0 is how some programs write 3.
  const double number = json.is_number_float() ? json.get<double>() : 0.5;
  if (std::trunc(number) != number || std::abs(number) > kLargestWhole) {
    return wrong_parameter(p, "", json, "an integer");
  }
  return Value(static_cast<std::int64_t>(number));
}

namespace {

Result<std::vector<Limit>> limits_from(const Json& json) {
  constexpr const char* expected = "an object with metric, and at_most or at_least as numbers";
  if (!json.is_array()) return wrong("the limits", json, "an array of limits", "limit");
  std::vector<Limit> limits;
  for (const Json& entry : json) {
    const Json metric = entry.is_object() ? field(entry, "metric") : Json();
    if (!metric.is_string()) return wrong("a limit", entry, expected, "limit");
    Limit limit{.metric = metric.get<std::string>()};
    for (const auto& [name, bound] :
         {std::pair{"at_most", &limit.at_most}, std::pair{"at_least", &limit.at_least}}) {
      const auto found = entry.find(name);
      if (found == entry.end() || found->is_null()) continue;
      if (!found->is_number()) return wrong("a limit", entry, expected, "limit");
      *bound = found->get<double>();
    }
    limits.push_back(std::move(limit));
  }
  return limits;
}

}  // namespace

Json json_of(const std::vector<Objective>& objectives) {
  Json json = Json::array();
  for (const Objective& objective : objectives) {
    json.push_back({{"name", objective.name}, {"goal", to_string(objective.goal)}});
    if (objective.reference) json.back()["reference"] = json_of(*objective.reference);
  }
  return json;
}

Result<std::vector<Objective>> objectives_from(const Json& json) {
  if (!json.is_array() || json.empty()) return wrong("objectives", json, "a list of objectives");
  if (json.size() > kMostObjectives) {
    return Error{ErrorKind::invalid_input,
                 "found " + std::to_string(json.size()) + " objectives, expected at most " +
                     std::to_string(kMostObjectives),
                 "objective"};
  }
  std::vector<Objective> objectives;
  for (const Json& entry : json) {
    const std::string where = "objective " + std::to_string(objectives.size() + 1);
    if (!entry.is_object()) return wrong(where, entry, "an object");
    const Json& name = field(entry, "name");
    const Json& goal = field(entry, "goal");
    if (!name.is_string() || !is_objective_name(name.get<std::string>())) {
      return wrong(where + ": name", name, kObjectiveNames);
    }
    const auto known = goal.is_string() ? goal_from(goal.get<std::string>()) : std::nullopt;
    if (!known) return wrong(where + ": goal", goal, "\"minimize\" or \"maximize\"");
    const auto same = [&](const Objective& other) {
      return other.name == name.get_ref<const std::string&>();
    };
    if (std::ranges::any_of(objectives, same)) return wrong(where + ": name", name, "another name");
    objectives.push_back({name.get<std::string>(), *known, {}});
    const Json& reference = field(entry, "reference");
    if (reference.is_null()) continue;
    const std::optional<double> number = number_from(reference);
    if (!number || !std::isfinite(*number)) {
      return wrong(where + ": reference", reference, "a finite number");
    }
    objectives.back().reference = *number;
  }
  return objectives;
}

Result<Space> space_from(const Json& json) {
  const Json& list = json.is_object() ? field(json, "parameters") : json;
  if (!list.is_array()) return wrong("the space", list, "an array of parameters", "parameter");
  std::vector<Parameter> parameters;
  for (const Json& entry : list) {
    Result<Parameter> parameter = parameter_from(entry);
    if (!parameter) return parameter.error();
    parameters.push_back(std::move(*parameter));
  }
  std::vector<std::string> constraints;
  if (json.is_object()) {
    const Json& found = field(json, "constraints");
    if (!found.is_array()) return wrong("the constraints", found, "an array of text", "constraint");
    for (const Json& constraint : found) {
      if (!constraint.is_string()) return wrong("a constraint", constraint, "text", "constraint");
      constraints.push_back(constraint.get<std::string>());
    }
  }
  std::vector<Limit> limits;
  if (json.is_object() && json.contains("limits")) {
    Result<std::vector<Limit>> found = limits_from(json["limits"]);
    if (!found) return found.error();
    limits = std::move(*found);
  }
  return Space::make(std::move(parameters), std::move(constraints), std::move(limits));
}

Result<Point> point_from(const Space& space, const Json& json) {
  if (!json.is_object()) return wrong("a point", json, "an object with a value per parameter");
  Point point;
  point.reserve(space.size());
  auto next = json.begin();  // usually the parameters are in the order of the space
  for (const Parameter& p : space.parameters()) {
    const auto it = next != json.end() && next.key() == p.name ? next++ : json.find(p.name);
    if (it == json.end()) {
      return Error{ErrorKind::invalid_input, "parameter \"" + p.name + "\" has no value",
                   "parameter." + p.name};
    }
    Result<Value> value = value_from(p, *it);
    if (!value) return value.error();
    point.push_back(std::move(*value));
  }
  if (json.size() != space.size()) {
    for (const auto& item : json.items()) {
      if (!space.index_of(item.key())) {
        return Error{ErrorKind::invalid_input,
                     "unknown parameter \"" + excerpt(std::string_view(item.key())) + "\"",
                     "parameter." + item.key()};
      }
    }
  }
  if (const Result<void> checked = space.check(point); !checked) return checked.error();
  return point;
}

Result<OptimizerOptions> optimizer_options_from(const Json& json) {
  if (!json.is_object()) return wrong("the optimizer", json, "an object");
  OptimizerOptions options;
  const Json& method = field(json, "method");
  if (!method.is_string()) return wrong("method", method, "text");
  options.method = method.get<std::string>();
  const auto seed = whole_from<std::uint64_t>(json, "seed");
  const auto batch = whole_from<std::int64_t>(json, "batch");
  const auto budget = whole_from<std::int64_t>(json, "budget");
  if (!seed) return seed.error();
  if (!batch) return batch.error();
  if (!budget) return budget.error();
  options.seed = *seed;
  options.batch = *batch;
  options.budget = *budget;
  if (json.contains("repeats") && json["repeats"] == "auto") {
    options.repeats = kAutoRepeats;
  } else if (json.contains("repeats")) {
    const auto repeats = whole_from<std::int64_t>(json, "repeats");
    if (!repeats) return repeats.error();
    options.repeats = *repeats;
  }
  const Json& settings = field(json, "settings");
  if (!settings.is_object()) return wrong("settings", settings, "an object");
  for (const auto& item : settings.items()) {
    Result<OptionValue> value = option_from(item.key(), item.value());
    if (!value) return value.error();
    options.settings[item.key()] = std::move(*value);
  }
  return options;
}

Result<Rationale> rationale_from(const Json& json) {
  if (!json.is_object()) return wrong("a rationale", json, "an object");
  const Json& source = field(json, "source");
  if (!source.is_string()) return wrong("source", source, "text");
  const auto acquisition = number_if_any(json, "acquisition");
  if (!acquisition) return acquisition.error();
  Result<std::vector<Term>> terms = terms_from("terms", field(json, "terms"));
  if (!terms) return terms.error();
  Rationale rationale{source.get<std::string>(), *acquisition, std::move(*terms), {}};
  if (json.contains("notes")) {
    Result<std::vector<Term>> notes = terms_from("notes", json["notes"]);
    if (!notes) return notes.error();
    rationale.notes = std::move(*notes);
  }
  if (const Json& origin = field(json, "origin"); !origin.is_null()) {
    const auto known = origin.is_string() ? origin_from(origin.get<std::string>()) : std::nullopt;
    if (!known) return wrong("origin", origin, "method, start, unseen, added or repeat");
    rationale.origin = *known;
  }
  if (json.contains("part")) {
    const auto part = whole_from<std::int64_t>(json, "part");
    if (!part) return part.error();
    rationale.part = *part;
  }
  if (json.contains("repeat_of")) {
    const auto repeat_of = whole_from<std::int64_t>(json, "repeat_of");
    const auto repeat = whole_from<std::int64_t>(json, "repeat");
    if (!repeat_of) return repeat_of.error();
    if (!repeat) return repeat.error();
    rationale.repeat_of = *repeat_of;
    rationale.repeat = *repeat;
  }
  forget_idle_score(rationale);
  return rationale;
}

Result<AskReport> ask_report_from(const Json& json) {
  if (!json.is_object()) return wrong("a report", json, "an object");
  AskReport report;
  const auto round = whole_from<std::int64_t>(json, "round");
  if (!round) return round.error();
  report.round = *round;
  Result<std::vector<Term>> values = terms_from("values", field(json, "values"));
  if (!values) return values.error();
  report.values = std::move(*values);
  if (json.contains("information")) {
    if (const Result<void> read = fields_from(json, report); !read) return read.error();
  } else {
    take_fields_from_values(report);
  }
  const Json& message = field(json, "message");
  if (!message.is_string()) return wrong("message", message, "text");
  report.message = message.get<std::string>();
  const Json& recommendation = field(json, "recommendation");
  if (recommendation.is_null()) return report;
  if (!recommendation.is_object()) return wrong("recommendation", recommendation, "an object");
  const auto id = whole_from<TrialId>(recommendation, "id");
  const auto mean = number_from(field(recommendation, "mean"));
  const auto deviation = number_from(field(recommendation, "deviation"));
  if (!id || !mean || !deviation) {
    return wrong("recommendation", recommendation, "id, mean and deviation");
  }
  report.recommendation = Recommendation{*id, *mean, *deviation};
  return report;
}

}  // namespace vbo
