// SPDX-License-Identifier: MIT
// What the service answers: the interface of docs/reference/http.md.
#include <algorithm>
#include <limits>

#include "core/one_line.hpp"
#include "report/history.hpp"
#include "report/json.hpp"
#include "web/page.hpp"
#include "web/payload.hpp"
#include "web/service.hpp"

namespace vbo::web {
namespace {

constexpr std::size_t kMostListed = 10000;                // in one answer with a list
constexpr std::size_t kListBytes = std::size_t{1} << 20;  // of one answer with a list, about
constexpr std::size_t kMostPieces = 16;                   // of them kept for others who ask
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

using Place = std::pair<EventId, TrialId>;
constexpr TrialId kWholeEvent = std::numeric_limits<TrialId>::max();

Place place_of(const Trial& trial) { return {last_event(trial), trial.id}; }

// "12" and "12:7" in a request: after event 12, and after trial 7 of event 12.
std::optional<Place> place_in(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::optional<std::int64_t> event = whole_number(text.substr(0, colon));
  if (!event) return std::nullopt;
  if (colon == std::string::npos) return Place{*event, kWholeEvent};
  const std::optional<std::int64_t> id = whole_number(text.substr(colon + 1));
  return id ? std::optional(Place{*event, *id}) : std::nullopt;
}

std::string text_of(const Place& place) {
  const std::string event = std::to_string(place.first);
  return place.second == kWholeEvent ? event : event + ":" + std::to_string(place.second);
}

// The texts as a list beside what is in `rest`; without a rest, the list alone.
std::string list_of(const std::vector<std::string>& texts, const Json& rest = {}) {
  std::string body;
  if (!rest.is_null()) {
    body = dump(rest);
    body.back() = ',';
    body += "\"trials\":";
  }
  body += '[';
  for (const std::string& text : texts) {
    if (&text != &texts.front()) body += ',';
    body += text;
  }
  body += rest.is_null() ? "]\n" : "]}\n";
  return body;
}

Json with_events(const StudyRecord& record, const Trial& trial) {
  Json json = trial_json(record.space, trial, record.objectives);
  json["asked_in"] = trial.asked_in;
  json["told_in"] = trial.told_in;
  json["asked_at"] = trial.asked_at;
  json["started_at"] = trial.started_at;
  json["finished_at"] = trial.finished_at;
  json["worker"] = trial.worker;
  json["metrics"] = trial.metrics;
  return json;
}

// {"ids": [7, 8], "reason": "..."}
Result<std::vector<TrialId>> ids_in(const Json& json) {
  for (const auto& item : json.items()) {
    if (item.key() == "ids" || (item.key() == "reason" && item.value().is_string())) continue;
    return wrong_field(item.key(), "{\"ids\": [ID, ...], \"reason\": \"...\"}");
  }
  std::vector<TrialId> ids;
  const auto found = json.find("ids");
  if (found != json.end() && found->is_array()) {
    for (const Json& id : *found) {
      if (!id.is_number_integer()) return wrong_field("ids", "whole numbers");
      ids.push_back(id.get<TrialId>());
    }
  }
  if (ids.empty()) return wrong_field("ids", "a list of ids of suggestions, at least one");
  return ids;
}

}  // namespace

Response StudyService::study() const {
  const std::lock_guard lock(mutex_);
  if (!problem_.empty()) return error_response(503, problem_);
  Json json = status_json(report_, shown_storage(url_));
  EventId event = 0;
  for (const Trial& trial : report_.trials) event = std::max(event, last_event(trial));
  json["event"] = event;
  json["space"] = parameters_json(report_.record.space);
  json["constraints"] = report_.record.space.constraints();
  json["limits"] = limits_json(report_.record.space);
  return json_response(json);
}

Response StudyService::trials(const Request& request) {
  std::optional<Place> after = Place{};
  for (const auto& [name, value] : request.query) {
    after = name == "after" ? place_in(value) : std::nullopt;
    if (!after) {
      return error_response(400,
                            "expected /api/trials?after=EVENT with a whole number, or with what "
                            "\"next\" of the last answer says");
    }
  }
  const std::lock_guard lock(mutex_);
  Response response{200, "application/json", {}};
  std::shared_ptr<const std::string>& piece = pieces_[*after];
  if (!piece) piece = std::make_shared<const std::string>(trials_after(*after));
  response.shared = piece;
  if (pieces_.size() > kMostPieces) pieces_.erase(pieces_.begin());
  return response;
}

std::string StudyService::trials_after(const Place& after) const {
  std::vector<const Trial*> found;
  for (const Trial& trial : report_.trials) {
    if (place_of(trial) > after) found.push_back(&trial);
  }
  const std::size_t most = std::min(found.size(), kMostListed + 1);
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(most), found.end(),
                    [](const Trial* a, const Trial* b) { return place_of(*a) < place_of(*b); });
  std::vector<std::string> texts;
  for (std::size_t bytes = 0; texts.size() < std::min(most, kMostListed) && bytes < kListBytes;) {
    texts.push_back(dump(with_events(report_.record, *found[texts.size()])));
    bytes += texts.back().size();
  }
  const bool more = texts.size() < found.size();
  if (more) {  // whole events, where one fits
    std::size_t whole = texts.size();
    while (whole > 0 && last_event(*found[whole]) == last_event(*found[whole - 1])) --whole;
    if (whole > 0) texts.resize(whole);
  }
  // Events that are known whole. "next" is further when the answer ends inside one.
  EventId event = after.second == kWholeEvent ? after.first : after.first - 1;
  Place next = after;
  if (!texts.empty()) {
    const Trial& last = *found[texts.size() - 1];
    next = place_of(last);
    const bool ends_inside = more && last_event(*found[texts.size()]) == next.first;
    event = ends_inside ? event : next.first;
    if (!ends_inside) next.second = kWholeEvent;
  }
  return list_of(texts, Json{{"event", event}, {"next", text_of(next)}, {"more", more}});
}

Response StudyService::trial(const std::string& id_text) {
  const std::optional<std::int64_t> id = whole_number(id_text);
  if (!id) return error_response(404, "expected /api/trials/ID with a whole number");
  const Result<std::unique_ptr<Storage>> storage = open_();
  if (!storage) return response_of(storage.error());
  const Result<std::optional<Trial>> found = (*storage)->load_trial(*id);
  if (!found) return response_of(found.error());
  if (!*found) return error_response(404, "there is no trial " + id_text);
  const StudyRecord study = record();
  const Result<std::vector<report::HistoryEntry>> changes =
      report::changes_of(**storage, study, *id);
  if (!changes) return response_of(changes.error());
  Json json = with_events(study, **found);
  json["history"] = report::history_json(study, *changes);
  {
    const std::lock_guard lock(mutex_);
    json["why"] = why_shown(report_, **found);
  }
  json["ledger"] = ledger_json(ledger_, (*found)->rationale);
  return json_response(json);
}

Response StudyService::page() {
  const std::lock_guard lock(mutex_);
  if (!problem_.empty() && version_ == 0) return error_response(503, problem_);
  if (!page_) {
    PayloadParts parts;
    parts.url = shown_storage(url_);
    parts.places = true;
    parts.ledger = &ledger_;
    parts.importances = importances_.empty() ? nullptr : &importances_;
    page_ = std::make_shared<const std::string>(payload_of(report_, parts));
  }
  Response response{200, "application/octet-stream", {}};
  response.shared = page_;
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
  const Space space = record().space;
  Json list = Json::array();
  for (const Trial& trial : *trials) list.push_back(suggestion_json(space, trial));
  return json_response(list);
}

Response StudyService::tell(const Request& request) {
  const StudyRecord study = record();
  const Result<Telling> telling = telling_from(request.body, study);
  if (!telling) return response_of(telling.error());
  const Result<Trial> told = writer_.tell(*telling);
  if (!told) return response_of(told.error());
  look_again();
  const Json trial = trial_json(study.space, *told, study.objectives);
  const std::string value = study.objectives.size() > 1 ? "values" : "value";
  return json_response({{"id", told->id},
                        {"state", trial["state"]},
                        {value, trial[value]},
                        {"error", trial["error"]}});
}

Response StudyService::drop(const Request& request) const {
  const Result<Json> json = object_in(request.body);
  if (!json) return response_of(json.error());
  const Result<std::vector<TrialId>> ids = ids_in(*json);
  if (!ids) return response_of(ids.error());
  const Result<void> dropped = writer_.drop(*ids, json->value("reason", ""));
  if (!dropped) return response_of(dropped.error());
  look_again();
  return json_response({{"dropped", *ids}});
}

Response StudyService::pending(const Request& request) const {
  std::int64_t after = 0;
  for (const auto& [name, value] : request.query) {
    const std::optional<std::int64_t> number = whole_number(value);
    if (name != "after" || !number) {
      return error_response(400, "expected /api/pending?after=ID with a whole number");
    }
    after = *number;
  }
  const Result<std::unique_ptr<Storage>> storage = open_();
  if (!storage) return response_of(storage.error());
  const Result<std::vector<Trial>> trials = (*storage)->load_history();
  if (!trials) return response_of(trials.error());
  const Space space = record().space;
  std::vector<std::string> texts;
  std::size_t bytes = 0;
  TrialId last = after;
  bool more = false;
  for (const Trial& trial : *trials) {
    if (trial.has_ended() || trial.id <= after) continue;
    more = texts.size() >= kMostListed || bytes >= kListBytes;
    if (more) break;
    texts.push_back(dump(suggestion_json(space, trial)));
    bytes += texts.back().size();
    last = trial.id;
  }
  Response response{200, "application/json", list_of(texts)};
  if (more) {
    response.headers["Link"] = "</api/pending?after=" + std::to_string(last) + ">; rel=\"next\"";
  }
  return response;
}

Response StudyService::front() {
  const std::lock_guard lock(mutex_);
  if (!problem_.empty()) return error_response(503, problem_);
  if (!front_) {
    const StudyRecord& study = report_.record;
    const Json json =
        front_json(study.space, report_.front ? *report_.front : make_front(study, report_.trials));
    front_ = std::make_shared<const std::string>(dump(json) + "\n");
  }
  Response response{200, "application/json", {}};
  response.shared = front_;
  return response;
}

StudyRecord StudyService::record() const {
  const std::lock_guard lock(mutex_);
  return report_.record;
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
    if (request.path == "/api/front") return later([this] { return front(); }, respond);
    if (request.path == "/api/pending") {
      return later([this, request] { return pending(request); }, respond);
    }
  }
  const bool asks = request.path == "/api/ask", tells = request.path == "/api/tell";
  const bool drops = request.path == "/api/drop";
  if (!asks && !tells && !drops) return respond(error_response(404, "nothing here by that name"));
  if (request.method != "POST") {
    Response response = error_response(405, "use POST");
    response.headers["Allow"] = "POST";
    return respond(std::move(response));
  }
  if (!writer_.tell) {
    return respond(
        error_response(403, "this server only shows the study; start it with --allow-tell"));
  }
  later(
      [this, request, asks, tells] {
        return asks ? ask(request) : tells ? tell(request) : drop(request);
      },
      respond);
}

}  // namespace vbo::web
