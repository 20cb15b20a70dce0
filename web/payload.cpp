// SPDX-License-Identifier: MIT
#include "web/payload.hpp"

#include "report/why.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <set>
#include <unordered_map>

#include "core/axis.hpp"
#include "core/checksum.hpp"
#include "core/expression.hpp"
#include "core/limits.hpp"
#include "report/history.hpp"
#include "web/drawn.hpp"

namespace vbo::web {
namespace {

constexpr std::size_t kMostSentences = 400;  // each takes time that grows with the study
constexpr std::size_t kLatestSentences = 50;
constexpr std::size_t kMostChanges = 400;
constexpr std::size_t kMostTerms = 32;        // different names in ledgers; the rest is left out
constexpr std::size_t kMostMessages = 20000;  // different texts of failures
constexpr std::size_t kLongestMessage = 400;
constexpr std::size_t kMostOutputs = 100;
constexpr std::size_t kLongestOutput = 2000;
// The highest level takes ten times as long on rounded numbers, for 3% less.
constexpr int kCompression = 6;
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

static_assert(std::endian::native == std::endian::little,
              "columns are written as they lie in memory");

class Columns {
 public:
  template <class T>
  void add(const std::string& name, const char* type, const std::vector<T>& values) {
    names_.push_back({{"name", name}, {"type", type}});
    const std::size_t n = values.size();
    const std::size_t start = bytes_.size();
    bytes_.resize(start + n * sizeof(T));
    for (std::size_t i = 0; i < n; ++i) {
      unsigned char raw[sizeof(T)];
      std::memcpy(raw, &values[i], sizeof(T));
      for (std::size_t b = 0; b < sizeof(T); ++b) {
        bytes_[start + b * n + i] = static_cast<char>(raw[b]);
      }
    }
  }
  Json& names() { return names_; }
  const std::string& bytes() const { return bytes_; }

 private:
  Json names_ = Json::array();
  std::string bytes_;
};

// Texts by number, each once.
class Texts {
 public:
  explicit Texts(std::size_t most) : most_(most) {}
  int code(const std::string& text) {
    const auto it = codes_.find(text);
    if (it != codes_.end()) return it->second;
    if (codes_.size() >= most_) return -1;
    list_.push_back(text);
    return codes_.emplace(text, static_cast<int>(codes_.size())).first->second;
  }
  Json take() { return std::move(list_); }

 private:
  std::size_t most_;
  std::unordered_map<std::string, int> codes_;
  Json list_ = Json::array();
};

// A float of which only the leading 12 bits of the mantissa are kept (3.6 digits): enough for a
// ledger on a page, and it compresses to half.
float rounded(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (!std::isfinite(value)) return static_cast<float>(value);
  return std::bit_cast<float>((bits + 0x400U) & ~0x7FFU);
}

using Rows = std::vector<const Trial*>;

template <class T, class F>
std::vector<T> column(const Rows& rows, F&& of) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (const Trial* trial : rows) values.push_back(static_cast<T>(of(*trial)));
  return values;
}

// The same with the row's number, for what is rounded row by row.
template <class T, class F>
std::vector<T> drawn_column(const Rows& rows, F&& of) {
  std::vector<T> values;
  values.reserve(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) values.push_back(static_cast<T>(of(k, *rows[k])));
  return values;
}

// "o0", "o1", ...: the values of several objectives.
void add_objectives(Columns& columns, std::size_t objectives, const Rows& rows,
                    const Drawn& drawn) {
  for (std::size_t m = 0; m < objectives && objectives > 1; ++m) {
    columns.add("o" + std::to_string(m), "f64",
                drawn_column<double>(rows, [&](std::size_t row, const Trial& t) {
                  return m < t.values.size() ? drawn.value(row, t.values[m], m) : kUnknown;
                }));
  }
}

void add_parameters(Columns& columns, const Space& space, const Rows& rows, const Drawn& drawn) {
  for (std::size_t i = 0; i < space.size(); ++i) {
    const Parameter& p = space[i];
    const std::string name = "p" + std::to_string(i);
    if (p.has_choices()) {
      std::map<Value, int> codes;
      for (const Value& choice : p.choices) codes.emplace(choice, static_cast<int>(codes.size()));
      columns.add(name, "u16", column<std::uint16_t>(rows, [&](const Trial& t) {
                    const auto it = codes.find(t.point[i]);
                    return it == codes.end() ? 0xFFFF : it->second;
                  }));
    } else if (p.kind == ParameterKind::integer) {
      columns.add(name, "f64", drawn_column<double>(rows, [&](std::size_t row, const Trial& t) {
                    return drawn.parameter(row, p,
                                           static_cast<double>(std::get<std::int64_t>(t.point[i])));
                  }));
    } else {
      columns.add(name, "f32", drawn_column<float>(rows, [&](std::size_t row, const Trial& t) {
                    return drawn.parameter(row, p, std::get<double>(t.point[i]));
                  }));
    }
  }
}

Json add_ledgers(Columns& columns, const Rows& rows, const Ledger& ledger, const Drawn& drawn) {
  std::vector<std::string> names;  // in order of appearance
  std::unordered_map<std::string, std::size_t> index;
  std::vector<std::vector<float>> values;
  std::vector<bool> is_note;
  const auto put = [&](const std::vector<Term>& terms, std::size_t row, bool note) {
    for (const Term& term : terms) {
      const auto [it, fresh] = index.emplace((note ? "n" : "t") + term.name, names.size());
      if (fresh) {
        if (names.size() == kMostTerms) {
          index.erase(it);
          continue;
        }
        names.push_back(term.name);
        is_note.push_back(note);
        values.emplace_back(rows.size(), static_cast<float>(kUnknown));
      }
      values[it->second][row] = rounded(term.value);
    }
  };
  std::vector<float> acquisition;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (!drawn.has_ledger(row)) {
      acquisition.push_back(static_cast<float>(kUnknown));
      continue;
    }
    const Rationale& why = rows[row]->rationale;
    put(why.terms, row, false);
    put(why.notes, row, true);
    acquisition.push_back(rounded(why.acquisition.value_or(kUnknown)));
  }
  columns.add("acquisition", "f32", acquisition);
  Json list = Json::array();
  for (std::size_t k = 0; k < names.size(); ++k) {
    columns.add("t" + std::to_string(k), "f32", values[k]);
    const TermInfo* info = ledger.find_term(names[k]);
    list.push_back({{"name", names[k]},
                    {"note", bool(is_note[k])},
                    {"unit", info ? Json(to_string(info->unit)) : Json()},
                    {"meaning", info ? Json(info->meaning) : Json()}});
  }
  return list;
}

void add_metrics(Columns& columns, const std::vector<std::string>& names, const Rows& rows,
                 const Drawn& drawn) {
  for (std::size_t k = 0; k < names.size(); ++k) {
    columns.add("m" + std::to_string(k), "f32", column<float>(rows, [&](const Trial& t) {
                  const auto it = t.metrics.find(names[k]);
                  if (it == t.metrics.end()) return static_cast<float>(kUnknown);
                  return drawn.thinned() > 1 ? rounded(it->second) : static_cast<float>(it->second);
                }));
  }
}

// "c0", "c1", ...: the room each point has left within the constraints known beforehand; unknown
// where room means nothing.
void add_rooms(Columns& columns, const Space& space, const Rows& rows) {
  if (space.constraints().empty()) return;
  const std::vector<Axis> axes(space.parameters().begin(), space.parameters().end());
  std::vector<double> numbers(space.size());
  for (std::size_t c = 0; c < space.constraints().size(); ++c) {
    const Result<Expression> rule = Expression::parse(space.constraints()[c], space.parameters());
    columns.add("c" + std::to_string(c), "f32", column<float>(rows, [&](const Trial& t) {
                  for (std::size_t i = 0; i < axes.size(); ++i) {
                    numbers[i] = axes[i].number_of(t.point[i]);
                  }
                  return rule ? rule->room(numbers).value_or(kUnknown) : kUnknown;
                }));
  }
}

void add_times(Columns& columns, double base, const Rows& rows, const Drawn& drawn) {
  const auto add = [&](const char* name, double Trial::*at) {
    columns.add(name, "f32", drawn_column<float>(rows, [&](std::size_t row, const Trial& t) {
                  return t.*at > 0.0 ? drawn.seconds_since(row, t.*at - base) : kUnknown;
                }));
  };
  add("asked_at", &Trial::asked_at);
  add("started_at", &Trial::started_at);
  add("finished_at", &Trial::finished_at);
}

std::string clipped(const std::string& text, std::size_t longest) {
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

std::string little_endian(std::uint32_t value) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &value, 4);
  return bytes;
}

}  // namespace

Json parameters_json(const Space& space) {
  Json json = json_of(space);
  return json.is_object() ? json["parameters"] : json;
}

Json importance_json(const std::vector<Importance>& importances) {
  if (importances.size() > 1) {
    Json all = Json::array();
    for (const Importance& importance : importances) all.push_back(importance_json({importance}));
    return {{"objectives", std::move(all)}};
  }
  const Importance& importance = importances.front();
  Json pairs = Json::array();
  for (const PairImportance& pair : importance.pairs) {
    pairs.push_back({{"first", pair.first},
                     {"second", pair.second},
                     {"nats", pair.nats},
                     {"low", pair.low},
                     {"high", pair.high}});
  }
  return {{"parameters", json_of(importance)},
          {"pairs", std::move(pairs)},
          {"results", importance.results},
          {"used", importance.used},
          {"remark", importance.remark}};
}

std::string payload_of(const StudyReport& report, const std::vector<std::size_t>& positions,
                       const PayloadParts& parts) {
  Rows rows;
  rows.reserve(positions.size());
  for (const std::size_t position : positions) rows.push_back(&report.trials[position]);
  // Evaluations count ended trials in the order of telling; 0 while open.
  std::vector<std::int32_t> number(report.trials.size(), 0);
  for (std::size_t k = 0; k < report.results.size(); ++k) {
    number[report.results[k]] = static_cast<std::int32_t>(k + 1);
  }
  std::vector<std::int32_t> evaluation;
  evaluation.reserve(positions.size());
  for (const std::size_t position : positions) evaluation.push_back(number[position]);

  const Drawn drawn(report, positions);
  Columns columns;
  Texts sources(65535), workers(65535), messages(kMostMessages);
  columns.add("id", "i32", column<std::int32_t>(rows, [](const Trial& t) { return t.id; }));
  columns.add("state", "u8",
              column<std::uint8_t>(rows, [](const Trial& t) { return static_cast<int>(t.state); }));
  columns.add("value", "f64", drawn_column<double>(rows, [&](std::size_t row, const Trial& t) {
                return t.value() ? drawn.value(row, *t.value()) : kUnknown;
              }));
  add_objectives(columns, report.record.objectives.size(), rows, drawn);
  columns.add("evaluation", "i32", evaluation);
  columns.add("asked_in", "i32",
              column<std::int32_t>(rows, [](const Trial& t) { return t.asked_in; }));
  columns.add("seconds", "f32", column<float>(rows, [&](const Trial& t) {
                return drawn.thinned() > 1 ? rounded(t.seconds) : static_cast<float>(t.seconds);
              }));
  columns.add("attempts", "u8", column<std::uint8_t>(rows, [](const Trial& t) {
                return std::clamp(t.attempts, 0, 255);
              }));
  columns.add("source", "u16", column<std::uint16_t>(rows, [&](const Trial& t) {
                return sources.code(t.rationale.source);
              }));
  columns.add("worker", "u16", column<std::uint16_t>(rows, [&](const Trial& t) {
                return workers.code(parts.places ? t.worker : shown_worker(t.worker));
              }));
  columns.add("cause", "u8", column<std::uint8_t>(rows, [](const Trial& t) {
                return t.failure ? static_cast<int>(t.failure->cause) : 255;
              }));
  columns.add("message", "i32", column<std::int32_t>(rows, [&](const Trial& t) {
                return t.failure ? messages.code(clipped(t.failure->message, kLongestMessage)) : -1;
              }));
  // Only where there is anything of it.
  const auto any = [&](auto&& has) { return std::ranges::any_of(report.trials, has); };
  if (any([](const Trial& t) { return t.rationale.repeat_of != 0; })) {
    columns.add("repeat_of", "i32",
                column<std::int32_t>(rows, [](const Trial& t) { return t.rationale.repeat_of; }));
    columns.add("repeat", "i32",
                column<std::int32_t>(rows, [](const Trial& t) { return t.rationale.repeat; }));
  }
  if (any([](const Trial& t) { return !t.standard_error.empty(); })) {
    const std::size_t objectives = report.record.objectives.size();
    for (std::size_t m = 0; m < objectives; ++m) {
      columns.add(objectives > 1 ? "sem" + std::to_string(m) : "sem", "f32",
                  column<float>(rows, [m](const Trial& t) {
                    return m < t.standard_error.size() ? t.standard_error[m] : kUnknown;
                  }));
    }
  }
  add_times(columns, report.pace.first_asked, rows, drawn);
  add_parameters(columns, report.record.space, rows, drawn);
  add_metrics(columns, report.metrics, rows, drawn);
  add_rooms(columns, report.record.space, rows);
  if (!report.record.space.limits().empty()) {
    // 0 = feasible
    columns.add("violation", "f32", column<float>(rows, [&](const Trial& t) {
                  return t.value() ? violation(report.record.space.limits(), t.metrics) : kUnknown;
                }));
  }
  static const Ledger unknown;
  Json terms = add_ledgers(columns, rows, parts.ledger ? *parts.ledger : unknown, drawn);

  Json causes = Json::array();
  for (int c = 0; c <= static_cast<int>(FailureCause::reported); ++c) {
    causes.push_back(to_string(static_cast<FailureCause>(c)));
  }
  // To the page an ordinal parameter is one with choices, in order.
  Json space = parameters_json(report.record.space);
  for (Json& parameter : space) {
    if (parameter["type"] == "ordinal") {
      parameter["choices"] = parameter["values"];
      parameter["type"] = "categorical";
    }
  }
  Json outputs = Json::object();
  for (const auto& [id, text] : parts.outputs) outputs[std::to_string(id)] = text;
  Json status = parts.places ? status_json(report, parts.url) : shown_status(report, parts.url);
  Json sentences = Json::object();
  for (const auto& [id, text] : parts.sentences) sentences[std::to_string(id)] = text;
  Json histories = Json::object();
  for (const auto& [id, history] : parts.histories) histories[std::to_string(id)] = history;
  Json header = {{"format", 1},
                 {"rows", rows.size()},
                 {"time_base", report.pace.first_asked},
                 {"status", std::move(status)},
                 {"space", std::move(space)},
                 {"constraints", report.record.space.constraints()},
                 {"limits", limits_json(report.record.space)},
                 {"importance", parts.importances ? importance_json(*parts.importances) : Json()},
                 {"sources", sources.take()},
                 {"workers", workers.take()},
                 {"messages", messages.take()},
                 {"causes", std::move(causes)},
                 {"metrics", report.metrics},
                 {"terms", std::move(terms)},
                 {"thinned", drawn.thinned()},
                 {"outputs", std::move(outputs)},
                 {"sentences", std::move(sentences)},
                 {"histories", std::move(histories)},
                 {"columns", std::move(columns.names())}};
  // Points of the front are in the columns.
  if (report.front) {
    Json ids = Json::array();
    for (const Trial& trial : report.front->trials) ids.push_back(trial.id);
    header["status"]["front"]["ids"] = std::move(ids);
    header["status"]["front"].erase("trials");
  }
  const std::string text = dump(header);
  return little_endian(static_cast<std::uint32_t>(text.size())) + text + columns.bytes();
}

std::string payload_of(const StudyReport& report, const PayloadParts& parts) {
  std::vector<std::size_t> all(report.trials.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return payload_of(report, all, parts);
}

std::string shown_storage(const std::string& url) {
  if (url.find("://") == std::string::npos) return url.substr(url.find_last_of('/') + 1);
  constexpr std::string_view key = "study=";
  const auto begin = url.find(key, std::min(url.find('?'), url.size()));
  if (begin == std::string::npos) return "PostgreSQL";
  const auto name = begin + key.size();
  return "PostgreSQL, study " + url.substr(name, url.find('&', name) - name);
}

std::string shown_worker(const std::string& name) {
  constexpr std::string_view digits = "0123456789";
  const auto colon = name.find_last_of(':');
  const bool by_machine = colon != std::string::npos && colon + 1 < name.size() &&
                          name.find_first_not_of(digits, colon + 1) == std::string::npos;
  if (!by_machine) return name;
  constexpr std::uint64_t most = 1'000'000;
  return "worker " + std::to_string(checksum(name) % most);
}

Json shown_status(const StudyReport& report, const std::string& url) {
  Json status = status_json(report, shown_storage(url));
  for (Json& worker : status["workers"]) worker["name"] = shown_worker(worker["name"]);
  return status;
}

std::map<TrialId, std::string> outputs_worth_showing(Storage& storage, const StudyReport& report) {
  std::vector<TrialId> ids;
  if (report.best) ids.push_back(report.best->id);
  for (const FailureGroup& group : report.failures) {
    ids.insert(ids.end(), group.examples.begin(), group.examples.end());
  }
  ids.resize(std::min(ids.size(), kMostOutputs));
  std::map<TrialId, std::string> outputs;
  for (const TrialId id : ids) {
    const Result<std::optional<Trial>> trial = storage.load_trial(id);
    if (!trial || !*trial || (*trial)->stderr_tail.empty()) continue;
    const std::string& tail = (*trial)->stderr_tail;
    outputs[id] = tail.substr(tail.size() - std::min(tail.size(), kLongestOutput));
  }
  return outputs;
}

std::map<TrialId, std::string> sentences_worth_showing(const StudyReport& report) {
  const std::size_t n = report.trials.size();
  const std::size_t step = std::max<std::size_t>(1, n / kMostSentences);
  std::set<std::size_t> chosen;
  for (std::size_t i = 0; i < n; i += step) chosen.insert(i);
  for (std::size_t i = n - std::min(n, kLatestSentences); i < n; ++i) chosen.insert(i);
  const auto choose = [&](TrialId id) {
    const auto found = std::ranges::lower_bound(report.trials, id, {}, &Trial::id);
    if (found != report.trials.end()) {
      chosen.insert(static_cast<std::size_t>(found - report.trials.begin()));
    }
  };
  for (const Improvement& improvement : report.curve) choose(improvement.id);
  if (report.best) choose(report.best->id);
  if (report.luckiest) choose(report.luckiest->id);
  if (report.front) {
    const auto& front = report.front->trials;
    for (std::size_t i = 0; i < std::min(front.size(), kLatestSentences); ++i) choose(front[i].id);
  }
  std::map<TrialId, std::string> sentences;
  for (const std::size_t i : chosen) {
    const Trial& trial = report.trials[i];
    sentences[trial.id] = why_shown(report, trial);
  }
  return sentences;
}

std::map<TrialId, Json> histories_worth_showing(Storage& storage, const StudyReport& report) {
  std::map<TrialId, Json> histories;
  const Result<std::vector<report::HistoryEntry>> changes =
      report::changes_of(storage, report.record);
  if (!changes) return histories;
  const std::size_t n = changes->size();
  for (std::size_t i = n - std::min(n, kMostChanges); i < n; ++i) {
    const report::HistoryEntry& change = (*changes)[i];
    if (!change.after) continue;  // dropped, or of the settings: no trial of the page
    Json& history = histories.try_emplace(change.after->id, Json::array()).first->second;
    history.push_back(report::history_json(report.record, {change}).front());
  }
  return histories;
}

std::string why_shown(const StudyReport& report, const Trial& trial) {
  Prediction prediction = prediction_of(report.record, report.trials, trial, BestBefore::observed);
  prediction.single_before = report.estimate.noise.verdict == Noise::present;
  return why_text(report.record, prediction, trial);
}

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  // Fails only for lack of memory or room, and compressBound() is room enough.
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()),
                kCompression) != Z_OK) {
    throw std::bad_alloc();
  }
  out.resize(size);
  return out;
}

Result<std::string> inflated(std::string_view bytes) {
  std::string out;
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  int status = Z_OK;
  while (status == Z_OK) {
    char buffer[65536];
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    status = inflate(&stream, Z_NO_FLUSH);
    out.append(buffer, sizeof buffer - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END) return Error{ErrorKind::damaged, "not a whole zlib stream"};
  return out;
}

std::string base64(std::string_view bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](std::size_t k) {
      return i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U;
    };
    const unsigned word = at(0) << 16U | at(1) << 8U | at(2);
    out += digits[word >> 18U & 63U];
    out += digits[word >> 12U & 63U];
    out += i + 1 < bytes.size() ? digits[word >> 6U & 63U] : '=';
    out += i + 2 < bytes.size() ? digits[word & 63U] : '=';
  }
  return out;
}

}  // namespace vbo::web
