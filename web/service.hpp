// SPDX-License-Identifier: MIT
// A study behind the HTTP interface: keeps its report fresh while others write, answers requests
// from it, and tells followers what changed. Reads through the Storage interface only, so it never
// blocks a running study. One thread watches; requests may come from another.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "vbo/report.hpp"
#include "web/http.hpp"
#include "web/telling.hpp"
#include "web/work_queue.hpp"

namespace vbo::web {

// What may be changed through the interface; all empty = read only. Called from a thread of the
// service's own, one at a time.
struct StudyWriter {
  std::function<Result<std::vector<Trial>>(std::int64_t count, bool over_budget)> ask;
  std::function<Result<Trial>(const Telling& telling)> tell;  // the trial as it is stored then
  std::function<Result<void>(const std::vector<TrialId>& ids, const std::string& reason)> drop;
};

class StudyService {
 public:
  // `open` opens the study to read, again after an error.
  StudyService(std::string url, std::function<Result<std::unique_ptr<Storage>>()> open,
               Ledger ledger, StudyWriter writer);
  ~StudyService();

  Result<void> load();  // the first time; errors are the caller's to show

  void handle(const Request& request, const HttpServer::Respond& respond);
  std::string greeting() const;  // {"instance","version","writable"}

  // Looks every so often until stopped; publishes (event, data).
  void watch(const std::function<void(const std::string&, const std::string&)>& publish,
             const std::atomic<bool>& stop);

 private:
  using Publish = std::function<void(const std::string&, const std::string&)>;
  Result<bool> refresh();  // whether something changed
  Result<bool> reload();   // everything, from nothing
  void publish_changes(const Publish& publish);
  void refresh_importance(const Publish& publish);
  bool importance_is_old() const;
  void rest(std::chrono::steady_clock::duration time, const std::atomic<bool>& stop);
  void look_again() const;
  void tell_problem(const Publish& publish, const std::string& problem);

  Response study() const;
  Response trials(const Request& request);
  // Where a trial is in the order of events.
  using Place = std::pair<EventId, TrialId>;
  std::string trials_after(const Place& place) const;  // REQUIRES: the lock
  Response trial(const std::string& id_text);
  Response page();
  void report_changed();  // REQUIRES: the lock
  Response ask(const Request& request) const;
  Response tell(const Request& request);
  Response drop(const Request& request) const;
  Response pending(const Request& request) const;
  Response front();
  StudyRecord record() const;
  void later(std::function<Response()> work, const HttpServer::Respond& respond);

  const std::string url_;
  const std::function<Result<std::unique_ptr<Storage>>()> open_;
  const Ledger ledger_;  // what the numbers of the study's method mean
  const StudyWriter writer_;
  const std::string instance_;

  std::unique_ptr<Storage> storage_;  // the watching thread's
  mutable std::mutex mutex_;          // guards what follows
  StudyReport report_;
  std::vector<Importance> importances_;  // one per objective
  Estimate estimate_;                    // of as many results
  std::int64_t importance_results_ = -1;
  std::int64_t version_ = 0;
  std::set<TrialId> open_ids_;        // open, or ended and not yet told to the method
  std::vector<std::size_t> changed_;  // rows changed since the last publish
  // What everybody is sent, made when the first one asks and as long as the report is the same.
  std::shared_ptr<const std::string> page_, front_;
  std::map<Place, std::shared_ptr<const std::string>> pieces_;  // of the list of trials
  std::string problem_;                                         // why the study cannot be read now
  mutable std::condition_variable looked_;
  std::int64_t looks_ = 0;      // of the watching thread
  mutable bool hurry_ = false;  // somebody waits for the next one
  bool watching_ = false;

  std::unique_ptr<WorkQueue> queue_;  // what takes time; last, so that it ends first
};

}  // namespace vbo::web
