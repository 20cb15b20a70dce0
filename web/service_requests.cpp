// SPDX-License-Identifier: MIT
// What the service answers: the interface of docs/reference/http.md.
#include <algorithm>

#include "core/limits.hpp"
#include "core/one_line.hpp"
#include "core/users_sign.hpp"
#include "report/json.hpp"
#include "web/page.hpp"
#include "web/payload.hpp"
#include "web/service.hpp"

namespace vbo::web {
namespace {

constexpr std::int64_t kMostTrials = 10000;  // in one answer of /api/trials
constexpr std::int64_t kMostAsked = 10000;

Response json_response(const Json& json, int status = 200) {
  return {status, "application/json", dump(json) + "\n"};
}

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_input:
      return 400;
    case ErrorKind::not_found:
      return 404;
    case ErrorKind::conflict:
      return 409;
    case ErrorKind::busy:
      return 503;
    case ErrorKind::damaged:
    case ErrorKind::io:
      return 500;
    case ErrorKind::unsupported:
      return 501;
  }
  return 500;
}

Response response_of(const Error& error) {
  Response response = error_response(status_of(error.kind), one_line(error.message));
  if (error.kind == ErrorKind::busy) response.headers["Retry-After"] = "1";
  return response;
}

std::optional<std::int64_t> whole_number(const std::string& text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return std::nullopt;
  }
  return std::stoll(text);
}

EventId last_event(const Trial& trial) { return std::max(trial.asked_in, trial.told_in); }

Json with_history(const Space& space, const Trial& trial) {
  Json json = trial_json(space, trial);
  json["asked_in"] = trial.asked_in;
  json["told_in"] = trial.told_in;
  json["asked_at"] = trial.asked_at;
  json["started_at"] = trial.started_at;
  json["finished_at"] = trial.finished_at;
  json["worker"] = trial.worker;
  json["metrics"] = trial.metrics;
  return json;
}

Result<Json> object_in(const std::string& body) {
  Result<Json> json = parse_json(body);
  if (!json) return json.error();
  if (!json->is_object()) return Error{ErrorKind::invalid_input, "expected a JSON object"};
  return json;
}

Error wrong_field(const std::string& field, const std::string& right) {
  return {ErrorKind::invalid_input, "field \"" + field + "\": expected " + right, field};
}

// {"id": 7, "value": 1.2, "metrics": {...}} or {"id": 7, "error": "..."}
Result<Trial> told_in_body(const std::string& body) {
  const Result<Json> json = object_in(body);
  if (!json) return json.error();
  Trial trial;
  for (const auto& item : json->items()) {
    if (item.key() != "id" && item.key() != "value" && item.key() != "error" &&
        item.key() != "metrics") {
      return Error{ErrorKind::invalid_input,
                   "field \"" + item.key() + "\" is unknown; expected id, value, metrics, error",
                   item.key()};
    }
  }
  if (!json->contains("id") || !(*json)["id"].is_number_integer()) {
    return wrong_field("id", "the id of a suggestion");
  }
  trial.id = (*json)["id"].get<TrialId>();
  if (json->contains("value") == json->contains("error")) {
    return wrong_field("value", "either a value or an error");
  }
  if (json->contains("error")) {
    if (!(*json)["error"].is_string()) return wrong_field("error", "text");
    trial.state = TrialState::failed;
    trial.failure = Failure{FailureCause::reported, (*json)["error"].get<std::string>()};
    return trial;
  }
  if (!(*json)["value"].is_number()) return wrong_field("value", "a number");
  trial.state = TrialState::completed;
  trial.values = {(*json)["value"].get<double>()};
  if (!json->contains("metrics")) return trial;
  if (!(*json)["metrics"].is_object()) return wrong_field("metrics", "an object of numbers");
  for (const auto& item : (*json)["metrics"].items()) {
    if (!item.value().is_number()) return wrong_field("metrics." + item.key(), "a number");
    trial.metrics[item.key()] = item.value().get<double>();
  }
  return trial;
}

}  // namespace

Response StudyService::study() const {
  const std::lock_guard lock(mutex_);
  if (!problem_.empty()) return error_response(503, problem_);
  Json json = status_json(report_, url_);
  EventId event = 0;
  for (const Trial& trial : report_.trials) event = std::max(event, last_event(trial));
  json["event"] = event;
  json["space"] = parameters_json(report_.record.space);
  json["constraints"] = report_.record.space.constraints();
  json["limits"] = limits_json(report_.record.space);
  return json_response(json);
}

Response StudyService::trials(const Request& request) const {
  std::int64_t after = 0;
  for (const auto& [name, value] : request.query) {
    const std::optional<std::int64_t> number = whole_number(value);
    if (name != "after" || !number) {
      return error_response(400, "expected /api/trials?after=EVENT with a whole number");
    }
    after = *number;
  }
  const std::lock_guard lock(mutex_);
  std::vector<const Trial*> found;
  for (const Trial& trial : report_.trials) {
    if (last_event(trial) > after) found.push_back(&trial);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Trial* a, const Trial* b) { return last_event(*a) < last_event(*b); });
  std::size_t many = std::min(found.size(), static_cast<std::size_t>(kMostTrials));
  // Trials of one event stay together, so that "after" never skips one.
  while (many > 0 && many < found.size() &&
         last_event(*found[many]) == last_event(*found[many - 1])) {
    ++many;
  }
  Json list = Json::array();
  for (std::size_t i = 0; i < many; ++i) {
    list.push_back(with_history(report_.record.space, *found[i]));
  }
  return json_response({{"event", many > 0 ? last_event(*found[many - 1]) : after},
                        {"more", many < found.size()},
                        {"trials", std::move(list)}});
}

Response StudyService::trial(const std::string& id_text) {
  const std::optional<std::int64_t> id = whole_number(id_text);
  if (!id) return error_response(404, "expected /api/trials/ID with a whole number");
  const Result<std::unique_ptr<Storage>> storage = open_();
  if (!storage) return response_of(storage.error());
  const Result<std::optional<Trial>> found = (*storage)->load_trial(*id);
  if (!found) return response_of(found.error());
  if (!*found) return error_response(404, "there is no trial " + id_text);
  Space space;
  Goal goal;
  {
    const std::lock_guard lock(mutex_);
    space = report_.record.space;
    goal = report_.record.score_goal();
  }
  Json json = with_history(space, **found);
  json["ledger"] = ledger_json(ledger_, in_present_form(goal, ledger_, (*found)->rationale));
  return json_response(json);
}

Response StudyService::page() {
  const std::lock_guard lock(mutex_);
  if (!problem_.empty() && version_ == 0) return error_response(503, problem_);
  PayloadParts parts;
  parts.url = url_;
  parts.ledger = &ledger_;
  parts.importances = importance_results_ >= 0 ? &importances_ : nullptr;
  Response response{200, "application/octet-stream", payload_of(report_, parts)};
  response.headers["X-Vbo-Version"] = instance_ + " " + std::to_string(version_);
  return response;
}

Response StudyService::ask(const Request& request) const {
  const Result<Json> json = object_in(request.body);
  if (!json) return response_of(json.error());
  std::int64_t count = 1;
  bool over_budget = false;
  for (const auto& item : json->items()) {
    if (item.key() == "over_budget" && item.value().is_boolean()) {
      over_budget = item.value().get<bool>();
      continue;
    }
    if (item.key() != "count" || !item.value().is_number_integer() ||
        item.value().get<double>() < 1 || item.value().get<double>() > kMostAsked) {
      return response_of(
          wrong_field(item.key(), "{\"count\": 1 to 10000, \"over_budget\": true or false}"));
    }
    count = item.value().get<std::int64_t>();
  }
  const Result<std::vector<Trial>> trials = writer_.ask(count, over_budget);
  if (!trials) return response_of(trials.error());
  look_again();
  Space space;
  {
    const std::lock_guard lock(mutex_);
    space = report_.record.space;
  }
  Json list = Json::array();
  for (const Trial& trial : *trials) list.push_back(suggestion_json(space, trial));
  return json_response(list);
}

Response StudyService::tell(const Request& request) {
  const Result<Trial> ended = told_in_body(request.body);
  if (!ended) return response_of(ended.error());
  if (ended->value()) {
    const std::lock_guard lock(mutex_);
    const Result<void> complete = check_metrics(report_.record.space, ended->metrics);
    if (!complete) return response_of(complete.error());
  }
  const Result<void> done = writer_.tell(*ended);
  if (!done) return response_of(done.error());
  look_again();
  return json_response({{"id", ended->id},
                        {"state", to_string(ended->state)},
                        {"value", ended->value() ? Json(*ended->value()) : Json()},
                        {"error", ended->failure ? Json(ended->failure->message) : Json()}});
}

void StudyService::later(std::function<Response()> work, const HttpServer::Respond& respond) {
  const bool taken = queue_->add([work = std::move(work), respond] { respond(work()); });
  if (!taken) respond(error_response(503, "too many requests are waiting"));
}

void StudyService::handle(const Request& request, const HttpServer::Respond& respond) {
  if (request.method == "GET") {
    if (request.path == "/" || request.path == "/index.html") {
      Response page{200, "text/html; charset=utf-8", live_page()};
      page.headers["Content-Security-Policy"] = live_policy();
      page.headers["X-Frame-Options"] = "DENY";
      return respond(std::move(page));
    }
    if (request.path == "/api/study") return respond(study());
    if (request.path == "/api/trials") return respond(trials(request));
    if (request.path.rfind("/api/trials/", 0) == 0) {
      return later([this, id = request.path.substr(12)] { return trial(id); }, respond);
    }
    if (request.path == "/api/importance") {
      return later(
          [this] {
            if (importance_is_old()) refresh_importance({});
            const std::lock_guard lock(mutex_);
            return json_response(importances_json(report_.record.objectives, importances_));
          },
          respond);
    }
    if (request.path == "/api/page") return respond(page());
  }
  const bool asks = request.path == "/api/ask", tells = request.path == "/api/tell";
  if (!asks && !tells) return respond(error_response(404, "nothing here by that name"));
  if (request.method != "POST") {
    Response response = error_response(405, "use POST");
    response.headers["Allow"] = "POST";
    return respond(std::move(response));
  }
  if (!writer_.tell) {
    return respond(
        error_response(403, "this server only shows the study; start it with --allow-tell"));
  }
  later([this, request, asks] { return asks ? ask(request) : tell(request); }, respond);
}

}  // namespace vbo::web
