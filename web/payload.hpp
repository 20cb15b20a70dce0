// SPDX-License-Identifier: MIT
// A study as the page reads it: one JSON header (what is small and has names) and then columns of
// numbers (what is long). The same bytes stand in a report.html, answer GET /api/page and come with
// every live update, which holds the changed trials only. web/js/payload.js is the reader.
//
//   bytes 0-3   length H of the header, little endian
//   next H      header, JSON: {"format":1,"rows":n,"status":{...},"columns":[{"name","type"}],...}
//   then        the columns one after the other, each with its bytes transposed: first the lowest
//               byte of every number, then the next, ... (little endian), which compresses better
//
// Types: u8, u16, i32, f32, f64. Times are seconds after "time_base"; NaN is "unknown".
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/json.hpp"
#include "vbo/report.hpp"

namespace vbo::web {

struct PayloadParts {
  std::string url;      // where the study was read from, for display
  bool places = false;  // say the whole of it, and the machines in the names of workers
  const std::vector<Importance>* importances = nullptr;  // one per objective; left out when null
  const Ledger* ledger = nullptr;            // what the numbers of rationales mean; null = unknown
  std::map<TrialId, std::string> outputs{};  // ends of standard error worth showing
  std::map<TrialId, std::string>
      sentences{};                      // why trials were suggested, where nobody can be asked
  std::map<TrialId, Json> histories{};  // what people changed of trials, likewise
};

// `rows` are positions in report.trials.
std::string payload_of(const StudyReport& report, const std::vector<std::size_t>& rows,
                       const PayloadParts& parts);
std::string payload_of(const StudyReport& report, const PayloadParts& parts);  // all trials

// What a page may carry elsewhere: a file's name without its folder, a study's without its server,
// and for a worker named by its machine and process a number that stands for both.
std::string shown_storage(const std::string& url);
std::string shown_worker(const std::string& name);
Json shown_status(const StudyReport& report, const std::string& url);

// The ends of standard error of the trials one would click first: examples of failures, the best.
std::map<TrialId, std::string> outputs_worth_showing(Storage& storage, const StudyReport& report);

// Why trials were suggested, in sentences: of all of a small study; of a larger one of the best,
// the latest and some between.
std::map<TrialId, std::string> sentences_worth_showing(const StudyReport& report);

// What people changed of trials afterwards, each as history_json() says it: the latest some
// hundred changes.
std::map<TrialId, Json> histories_worth_showing(Storage& storage, const StudyReport& report);

// Why a trial was suggested, without fitting a model: under noise compared with the best single
// result.
std::string why_shown(const StudyReport& report, const Trial& trial);

Json parameters_json(const Space& space);  // the parameters alone, an array
// {"parameters","pairs","results",...}; of several objectives {"objectives":[...]} of these.
Json importance_json(const std::vector<Importance>& importances);

std::string deflated(std::string_view bytes);          // zlib format
Result<std::string> inflated(std::string_view bytes);  // the reverse, for what we deflated
std::string base64(std::string_view bytes);

}  // namespace vbo::web
