// SPDX-License-Identifier: MIT
#include "report/json.hpp"

#include "report/edges.hpp"
#include "vbo/trade_offs.hpp"

namespace vbo {
namespace {

constexpr std::size_t kTrendRounds = 16;  // rounds in "trend"

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json or_null(const std::optional<double>& value) { return value ? json_of(*value) : Json(); }

template <class Range>
Json array_of(const Range& items) {
  Json json = Json::array();
  for (const auto& item : items) json.push_back(json_of(item));
  return json;
}

Json terms_json(const Ledger& ledger, const std::vector<Term>& terms) {
  Json json = Json::array();
  for (const Term& term : terms) {
    const TermInfo* info = ledger.find_term(term.name);
    json.push_back({{"name", term.name},
                    {"value", json_of(term.value)},
                    {"unit", info ? Json(to_string(info->unit)) : Json()},
                    {"meaning", info ? Json(info->meaning) : Json()}});
  }
  return json;
}

// Predicted and observed information of the last rounds, when the method reports it.
Json information_json(const StudyReport& report) {
  Json trend = Json::array();
  const RoundSummary* last = nullptr;
  const std::size_t n = report.rounds.size();
  for (std::size_t i = n - std::min(n, kTrendRounds); i < n; ++i) {
    if (!report.rounds[i].predicted) continue;
    last = &report.rounds[i];
    trend.push_back(json_of(*last->predicted));
  }
  if (!last) return nullptr;
  const RoundSummary* tested = last_tested(report.rounds);
  return {{"nats", json_of(*last->predicted)},
          {"observed", tested ? json_of(*tested->observed) : Json()},
          {"ceiling", or_null(last->ceiling)},
          {"trend", std::move(trend)}};
}

Json recommendation_json(const StudyReport& report) {
  if (!report.estimate.best || !report.best) return nullptr;
  Json json = suggestion_json(report.record.space, *report.best);
  json.update(json_of(*report.estimate.best));
  return json;
}

Json as_good_json(const StudyReport& report) {
  if (!report.as_good) return nullptr;
  const Neighbourhood& found = *report.as_good;
  Json ranges = Json::object();
  for (std::size_t i = 0; i < found.ranges.size(); ++i) {
    const Parameter& parameter = report.record.space[i];
    const Neighbourhood::Range& range = found.ranges[i];
    ranges[parameter.name] =
        parameter.has_choices() ? Json(range.choices) : Json::array({range.low, range.high});
  }
  return {{"threshold", json_of(found.threshold)},
          {"reason", found.reason},
          {"count", found.count},
          {"ranges", std::move(ranges)}};
}

// What belongs to a front beside its trials.
Json trade_offs_json(const std::vector<Objective>& objectives, const TradeOffs& trade_offs) {
  Json extremes = Json::object();
  for (std::size_t m = 0; m < trade_offs.extremes.size(); ++m) {
    extremes[objectives[m].name] = trade_offs.extremes[m];
  }
  Json pairs = Json::array();
  for (const TradeOff& pair : trade_offs.pairs) {
    Json stops = Json::array();
    for (const TradeOff::Stop& stop : pair.stops) {
      stops.push_back(
          {{"id", stop.id}, {"first", json_of(stop.first)}, {"second", json_of(stop.second)}});
      if (stop.buys) stops.back()["buys"] = json_of(*stop.buys);
    }
    pairs.push_back({{"first", objectives[pair.first].name},
                     {"second", objectives[pair.second].name},
                     {"stops", std::move(stops)}});
  }
  return {{"extremes", std::move(extremes)},
          {"knee", trade_offs.knee ? Json(*trade_offs.knee) : Json()},
          {"trade_offs", std::move(pairs)}};
}

}  // namespace

Json json_of(const NoiseEstimate& noise) {
  const bool present = noise.verdict == Noise::present;
  return {{"verdict", to_string(noise.verdict)},
          {"deviation", present ? json_of(noise.deviation) : Json()},
          {"share", present ? json_of(noise.share) : Json()}};
}

Json json_of(const PointEstimate& point) {
  return {{"id", point.id},
          {"evaluations", point.evaluations},
          {"observed", json_of(point.observed)},
          {"mean", json_of(point.mean)},
          {"low", json_of(point.low)},
          {"high", json_of(point.high)},
          {"chance", json_of(point.chance)}};
}

Json json_of(const Improvement& step) {
  return {{"evaluation", step.evaluation}, {"id", step.id}, {"value", step.value}};
}

Json json_of(const FrontStep& step) {
  return {{"evaluation", step.evaluation},
          {"id", step.id},
          {"size", step.size},
          {"hypervolume", json_of(step.hypervolume)}};
}

Json front_json(const Space& space, const Front& front) {
  Json reference = Json::object();
  for (std::size_t m = 0; m < front.reference.size(); ++m) {
    reference[front.objectives[m].name] = json_of(front.reference[m]);
  }
  Json trials = Json::array();
  for (std::size_t i = 0; i < front.trials.size(); ++i) {
    trials.push_back(best_json(space, front.trials[i], front.objectives));
    if (front.evaluations[i] > 1) trials.back()["evaluations"] = front.evaluations[i];
  }
  Json json = {{"objectives", json_of(front.objectives)},   {"size", front.trials.size()},
               {"hypervolume", json_of(front.hypervolume)}, {"exact", front.exact},
               {"reference", std::move(reference)},         {"trials", std::move(trials)}};
  json.update(trade_offs_json(front.objectives, trade_offs_of(front)));
  return json;
}

Json json_of(const RoundSummary& round) {
  return {{"round", round.round},
          {"event", round.event},
          {"suggested", round.suggested},
          {"completed", round.completed},
          {"failed", round.failed},
          {"first_trial", round.first_trial},
          {"last_trial", round.last_trial},
          {"best", or_null(round.best)},
          {"predicted", or_null(round.predicted)},
          {"observed", or_null(round.observed)},
          {"ceiling", or_null(round.ceiling)},
          {"message", round.message}};
}

Json json_of(const SourceSummary& source) {
  return {{"name", source.name},
          {"suggested", source.suggested},
          {"completed", source.completed},
          {"failed", source.failed},
          {"improvements", source.improvements},
          {"best", or_null(source.best)}};
}

Json json_of(const FailureGroup& group) {
  return {{"cause", to_string(group.cause)},
          {"message", group.message},
          {"count", group.count},
          {"examples", group.examples},
          {"last_line", group.last_line}};
}

Json json_of(const WorkerSummary& worker) {
  return {{"name", worker.name},
          {"evaluations", worker.evaluations},
          {"failed", worker.failed},
          {"lost", worker.lost},
          {"running", worker.running},
          {"busy_seconds", worker.busy_seconds},
          {"idle_seconds", worker.idle_seconds},
          {"first_start", worker.first_start},
          {"last_end", worker.last_end}};
}

Json json_of(const Pace& pace) {
  return {{"first_asked", pace.first_asked},
          {"last_finished", pace.last_finished},
          {"seconds_per_result", pace.seconds_per_result},
          {"seconds_left", pace.seconds_left}};
}

Json json_of(const std::optional<Outlook>& outlook) {
  if (!outlook) return {};
  return {{"batch", outlook->batch},
          {"chance", outlook->chance},
          {"gain", outlook->gain},
          {"expected_gain", outlook->expected_gain()},
          {"share_of_spread", outlook->share}};
}

Json ledger_json(const Ledger& ledger, const Rationale& rationale) {
  double sum = 0.0;
  for (const Term& term : rationale.terms) sum += term.value;
  const bool adds_up = rationale.acquisition && !rationale.terms.empty();
  const std::optional<Unit> unit = acquisition_unit(ledger, rationale);
  return {{"source", rationale.source},
          {"acquisition", json_of(rationale.acquisition)},
          {"unit", unit ? Json(to_string(*unit)) : Json()},
          {"terms", terms_json(ledger, rationale.terms)},
          {"sum", adds_up ? json_of(sum) : Json()},
          {"notes", terms_json(ledger, rationale.notes)}};
}

Json status_json(const StudyReport& report, const std::string& url) {
  const StudyRecord& record = report.record;
  Json json = {{"study", record.name},
               {"method", record.optimizer.method},
               {"goal", report.front ? Json() : Json(to_string(record.goal()))},
               {"objectives", json_of(record.objectives)},
               {"completed", report.counts.completed},
               {"failed", report.counts.failed},
               {"running", report.counts.running},
               {"waiting", report.counts.waiting},
               {"budget", record.budget},
               {"seed", record.optimizer.seed},
               {"batch", record.optimizer.batch},
               {"storage", url},
               {"state", to_string(report.state)},
               {"next_batch", json_of(report.outlook)},
               {"best", best_json(record.space, report.best)},
               {"luckiest", best_json(record.space, report.luckiest)},
               {"message", report.message},
               {"information", information_json(report)},
               {"recommendation", recommendation_json(report)},
               {"noise", json_of(report.estimate.noise)},
               {"as_good", as_good_json(report)},
               {"curve", array_of(report.curve)},
               {"rounds", array_of(report.rounds)},
               {"sources", array_of(report.sources)},
               {"failures", array_of(report.failures)},
               {"workers", array_of(report.workers)},
               {"metrics", report.metrics},
               {"pace", json_of(report.pace)}};
  if (report.best) add_edges(json["best"], record.space, *report.best);
  if (report.feasible) json["feasible"] = *report.feasible;
  if (report.front) {
    json["front"] = front_json(record.space, *report.front);
    json["front"]["steps"] = array_of(report.front_steps);
  }
  return json;
}

Json json_of(const Importance& importance) {
  Json json = Json::array();
  for (const ParameterImportance& entry : importance.parameters) {
    Json together = Json::array();
    for (const PairImportance& pair : importance.pairs) {
      if (pair.first != entry.parameter && pair.second != entry.parameter) continue;
      together.push_back({{"with", pair.first == entry.parameter ? pair.second : pair.first},
                          {"nats", pair.nats},
                          {"low", pair.low},
                          {"high", pair.high}});
    }
    json.push_back({{"parameter", entry.parameter},
                    {"nats", entry.nats},
                    {"low", entry.low},
                    {"high", entry.high},
                    {"together", std::move(together)}});
  }
  return json;
}

Json importances_json(const std::vector<Objective>& objectives,
                      const std::vector<Importance>& importances) {
  if (objectives.size() == 1) return json_of(importances.front());
  Json json = Json::array();
  for (std::size_t m = 0; m < objectives.size(); ++m) {
    for (Json& entry : json_of(importances[m])) {
      entry["objective"] = objectives[m].name;
      json.push_back(std::move(entry));
    }
  }
  return json;
}

}  // namespace vbo
