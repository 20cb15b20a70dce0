// SPDX-License-Identifier: MIT
#include "storage/row.hpp"

#include <bit>
#include <utility>

#include "core/actual.hpp"
#include "core/json.hpp"
#include "core/scan.hpp"

namespace vbo {
namespace {

// FNV-1a in 64 bits, each field after its length, so that fields cannot run into each other.
class Digest {
 public:
  Digest& add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    for (const char c : text) step(static_cast<unsigned char>(c));
    return *this;
  }
  Digest& add(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    for (unsigned shift = 0; shift < 64; shift += 8) step(bits >> shift & 0xffU);
    return *this;
  }
  Digest& add(double number) { return add(std::bit_cast<std::int64_t>(number)); }
  std::int64_t value() const { return static_cast<std::int64_t>(hash_); }

 private:
  void step(std::uint64_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::string metrics_text(const std::map<std::string, double>& metrics) {
  if (metrics.empty()) return "";
  Json json = Json::object();
  for (const auto& [name, value] : metrics) json[name] = json_of(value);
  return dump(json);
}

Result<std::map<std::string, double>> metrics_from(std::string_view text) {
  std::map<std::string, double> metrics;
  if (text.empty()) return metrics;
  const Result<Json> json = parse_json(text);
  if (!json) return json.error();
  for (const auto& item : json->items()) {
    if (!item.value().is_number()) {
      return Error{ErrorKind::damaged, "metric \"" + item.key() + "\" is not a number"};
    }
    metrics[item.key()] = item.value().get<double>();
  }
  return metrics;
}

std::string details_text(const Trial& trial) {
  Json json = Json::object();
  if (trial.values.size() > 1) json["values"] = trial.values;
  if (!trial.standard_error.empty()) json["standard_error"] = trial.standard_error;
  for (const Step& step : trial.steps) {
    json["steps"].push_back(Json::array({step.step, step.values}));
  }
  if (!trial.attributes.empty()) {
    if (const Result<Json> attributes = parse_json(trial.attributes)) {
      json["attributes"] = *attributes;
    }
  }
  return json.empty() ? "" : dump(json);
}

Result<void> set_details(std::string_view text, Trial& trial) {
  if (text.empty()) return {};
  const Error damaged{ErrorKind::damaged, "the details of its result are not whole"};
  const Result<Json> json = parse_json(text);
  if (!json || !json->is_object()) return damaged;
  const auto numbers = [](const Json& list, std::vector<double>& into) {
    into.clear();
    if (!list.is_array()) return false;
    for (const Json& entry : list) {
      if (!entry.is_number()) return false;
      into.push_back(entry.get<double>());
    }
    return true;
  };
  for (const auto& item : json->items()) {
    if (item.key() == "values") {
      if (!numbers(item.value(), trial.values)) return damaged;
    } else if (item.key() == "standard_error") {
      if (!numbers(item.value(), trial.standard_error)) return damaged;
    } else if (item.key() == "attributes" && item.value().is_object()) {
      trial.attributes = dump(item.value());
    } else if (item.key() == "steps" && item.value().is_array()) {
      for (const Json& entry : item.value()) {
        Step& step = trial.steps.emplace_back();
        if (!entry.is_array() || entry.size() != 2 || !entry[0].is_number_integer()) return damaged;
        step.step = entry[0].get<std::int64_t>();
        if (!numbers(entry[1], step.values)) return damaged;
      }
    }
  }
  return {};
}

Result<Point> stored_point(const Space& space, std::string_view text, bool added) {
  if (std::optional<Point> point = scan_point(space, text)) return std::move(*point);
  const Result<Json> json = parse_json(text);
  if (!json) return json.error();
  Result<Point> point = point_from(space, *json);
  return point || !added ? std::move(point) : actual_from(space, *json);
}

Result<Rationale> stored_rationale(std::string_view text) {
  if (std::optional<Rationale> rationale = scan_rationale(text)) return std::move(*rationale);
  const Result<Json> json = parse_json(text);
  if (!json) return json.error();
  return rationale_from(*json);
}

std::int64_t ask_check(TrialId id, std::string_view params, std::string_view rationale,
                       EventId asked_in) {
  return Digest().add(id).add(params).add(rationale).add(asked_in).value();
}

std::int64_t end_check(const Trial& trial) {
  Digest digest;
  digest.add(trial.id).add(to_string(trial.state));
  if (!trial.values.empty()) digest.add(trial.values.front());
  if (trial.failure) digest.add(to_string(trial.failure->cause)).add(trial.failure->message);
  digest.add(metrics_text(trial.metrics)).add(trial.seconds);
  if (const std::string details = details_text(trial); !details.empty()) digest.add(details);
  if (trial.suggested) {
    for (const Value& value : trial.point) digest.add(to_string(value));
  }
  return digest.add(static_cast<std::int64_t>(trial.attempts)).add(trial.told_in).value();
}

std::int64_t bytes_check(std::string_view bytes) { return Digest().add(bytes).value(); }

std::string actual_text(const Space& space, const Trial& trial) {
  return trial.suggested ? dump(json_of(space, trial.point)) : "";
}

Result<void> set_actual(const Space& space, std::string_view text, Trial& trial) {
  if (text.empty()) return {};
  const Result<Json> json = parse_json(text);
  if (!json) return json.error();
  Result<Point> actual = actual_from(space, *json);
  if (!actual) return actual.error();
  trial.suggested = std::exchange(trial.point, std::move(*actual));
  return {};
}

Result<std::string> changes_text(const std::vector<SettingsChange>& changes) {
  if (changes.empty()) return std::string();
  Json json = Json::array();
  for (const SettingsChange& change : changes) {
    json.push_back({{"event", change.event},
                    {"made_at", change.made_at},
                    {"space", json_of(change.space)},
                    {"optimizer", json_of(change.optimizer)}});
  }
  return dump_exact(json);
}

Result<std::vector<SettingsChange>> changes_from(std::string_view text) {
  std::vector<SettingsChange> changes;
  if (text.empty()) return changes;
  const Error wrong{ErrorKind::damaged, "the changes of its settings cannot be read"};
  const Result<Json> json = parse_json(text);
  if (!json || !json->is_array()) return wrong;
  for (const Json& entry : *json) {
    if (!entry.is_object() || !entry.contains("event") || !entry["event"].is_number_integer() ||
        !entry.contains("made_at") || !entry["made_at"].is_number() || !entry.contains("space") ||
        !entry.contains("optimizer")) {
      return wrong;
    }
    Result<Space> space = space_from(entry["space"]);
    if (!space) return space.error();
    Result<OptimizerOptions> optimizer = optimizer_options_from(entry["optimizer"]);
    if (!optimizer) return optimizer.error();
    const EventId event = entry["event"];
    if (event <= (changes.empty() ? 0 : changes.back().event)) return wrong;
    changes.push_back({event, entry["made_at"], std::move(*space), std::move(*optimizer)});
  }
  return changes;
}

std::string trial_text(const Space& space, const Trial& trial) {
  Json json = {{"id", trial.id},
               {"state", to_string(trial.state)},
               {"params", json_of(space, trial.suggested.value_or(trial.point))},
               {"actual", trial.suggested ? json_of(space, trial.point) : Json()},
               {"value", json_of(trial.value())},
               {"details", details_text(trial)},
               {"cause", trial.failure ? Json(to_string(trial.failure->cause)) : Json()},
               {"message", trial.failure ? Json(trial.failure->message) : Json()},
               {"metrics", metrics_text(trial.metrics)},
               {"seconds", trial.seconds},
               {"attempts", trial.attempts},
               {"rationale", json_of(trial.rationale)},
               {"asked_in", trial.asked_in},
               {"told_in", trial.told_in},
               {"asked_at", trial.asked_at},
               {"started_at", trial.started_at},
               {"finished_at", trial.finished_at},
               {"worker", trial.worker}};
  return dump(json);
}

Result<Trial> trial_from(const Space& space, std::string_view text) {
  const Result<Json> parsed = parse_json(text);
  if (!parsed) return parsed.error();
  const Error damaged{ErrorKind::damaged, "the trial in it is not whole"};
  if (!parsed->is_object()) return damaged;
  const auto field = [&](const char* name) {
    const auto found = parsed->find(name);
    return found == parsed->end() ? Json() : *found;
  };
  const auto whole = [&](const char* name) {
    const Json json = field(name);
    return json.is_number_integer() ? json.get<std::int64_t>() : std::int64_t{0};
  };
  const auto number = [&](const char* name) { return number_from(field(name)).value_or(0.0); };
  const auto words = [&](const char* name) {
    const Json json = field(name);
    return json.is_string() ? json.get<std::string>() : std::string();
  };
  Trial trial;
  trial.id = whole("id");
  const auto state = trial_state_from(words("state"));
  Result<Point> point = point_from(space, field("params"));
  const bool added = whole("asked_in") == whole("told_in");
  if (!point && added) point = actual_from(space, field("params"));
  Result<Rationale> rationale = rationale_from(field("rationale"));
  auto metrics = metrics_from(words("metrics"));
  if (!state || !point || !rationale || !metrics) return damaged;
  trial.state = *state;
  trial.point = std::move(*point);
  if (const Json actual = field("actual"); !actual.is_null()) {
    Result<Point> set = actual_from(space, actual);
    if (!set) return set.error();
    trial.suggested = std::exchange(trial.point, std::move(*set));
  }
  if (const auto value = number_from(field("value"))) trial.values = {*value};
  if (const auto set = set_details(words("details"), trial); !set) return set.error();
  if (!field("cause").is_null()) {
    trial.failure = Failure{failure_cause_from(words("cause")).value_or(FailureCause::reported),
                            words("message")};
  }
  trial.metrics = std::move(*metrics);
  trial.seconds = number("seconds");
  trial.attempts = static_cast<int>(whole("attempts"));
  trial.rationale = std::move(*rationale);
  trial.asked_in = whole("asked_in");
  trial.told_in = whole("told_in");
  trial.asked_at = number("asked_at");
  trial.started_at = number("started_at");
  trial.finished_at = number("finished_at");
  trial.worker = words("worker");
  return trial;
}

}  // namespace vbo
