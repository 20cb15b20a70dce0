// SPDX-License-Identifier: MIT
// What a study did, does and why, as plain values: the one source of what the terminal, JSON, the
// page and the bindings show. Computed from a storage alone, in one pass over its trials; never
// changes a study and never looks at a clock. Values are in the user's own sign.
// Stability: a minor version of 0.x may change it.
// Threads: plain values; make_report() uses a storage, which belongs to one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/front.hpp"
#include "vbo/storage.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// A result that was better than all before it. Evaluations count ended trials, 1, 2, 3, ..., in the
// order in which they were told; failures count too.
struct Improvement {
  std::int64_t evaluation = 0;
  TrialId id = 0;
  double value = 0.0;
};

// What the method expected of a training round, and what came of it.
struct RoundSummary {
  std::int64_t round = 0;
  EventId event = 0;  // the round's first ask
  std::int64_t suggested = 0, completed = 0, failed = 0;
  std::int64_t first_trial = 0, last_trial = 0;  // ids; 0 when nothing was suggested
  std::optional<double> best;                    // among the round's own results
  std::optional<double> predicted;               // nats predicted for the next results
  std::optional<double> observed;                // nats of its outcomes; known a round later
  std::optional<double> ceiling;                 // nats the estimate can show at most
  std::string message;                           // the method's message
};

// One source of suggestions ("design", "local", ...) and what it is worth.
struct SourceSummary {
  std::string name;
  std::int64_t suggested = 0, completed = 0, failed = 0;
  std::int64_t improvements = 0;  // results better than all before
  std::optional<double> best;
};

// Failures that read alike: same cause, same message but for its numbers; those of exit codes and
// signals count.
struct FailureGroup {
  FailureCause cause = FailureCause::crash;
  std::string message;  // of the first example
  std::int64_t count = 0;
  std::vector<TrialId> examples;  // the first few
  std::string last_line;          // of its standard error; see add_last_lines()
};

struct WorkerSummary {
  std::string name;  // "" = unknown
  std::int64_t evaluations = 0, failed = 0, lost = 0, running = 0;
  double busy_seconds = 0.0;
  double first_start = 0.0, last_end = 0.0;  // seconds since 1970; 0 = unknown
  // Between its evaluations, without pauses of the study; of each of the evaluations that it makes
  // at the same time.
  double idle_seconds = 0.0;
};

// Where results as good as the best one lie; under noise, as good as its estimate.
struct Neighbourhood {
  double threshold = 0.0;  // results at least this good belong to it, and the recommended one
  std::string reason;      // how the threshold was chosen
  std::int64_t count = 0;
  struct Range {
    double low = 0.0, high = 0.0;      // numbers
    std::vector<std::string> choices;  // categories seen, most frequent first
  };
  std::vector<Range> ranges;  // one per parameter, in the order of the space
};

// How fast results come, where the storage knows the times.
struct Pace {
  double first_asked = 0.0, last_finished = 0.0;  // seconds since 1970; 0 = unknown
  double seconds_per_result = 0.0;  // of the latest results, without pauses; 0 = unknown
  double seconds_left = 0.0;        // until the budget is spent at that rate
};

enum class Noise {
  unknown,  // too few results to tell
  none,     // what the results say against noise is evidence
  present,
};
std::string_view to_string(Noise noise);  // "unknown", "none", "present"

struct NoiseEstimate {
  Noise verdict = Noise::unknown;
  // Where noise is present: standard deviation of a single result at the recommended point, and the
  // share of noise in the variance of the results around it.
  double deviation = 0.0, share = 0.0;
};

// An evaluated point under noise.
struct PointEstimate {
  TrialId id = 0;  // of its first result
  std::int64_t evaluations = 0;
  double observed = 0.0;         // mean of its results
  double mean = 0.0;             // of the objective there, given all results
  double low = 0.0, high = 0.0;  // 90% interval
  double chance = 0.0;           // of being the best of those tried
};

struct Estimate {
  NoiseEstimate noise;
  std::optional<PointEstimate> best;  // with noise: the point to use; else that is the best result
};

// Where a study stands, in the order in which they are looked for.
enum class StudyState {
  too_early,               // fewer than 20 results with values, or most of the latest failed
  every_evaluation_fails,  // nothing has succeeded
  nothing_feasible,        // no result is within all limits
  noise_dominates,         // around the recommended point noise is most of the variance
  still_improving,         // the last third of the results brought more than 1% of the spread
  converged,               // it brought less
};
std::string_view to_string(StudyState state);  // "too early to say", "still improving", ...

// What another batch may bring, judged by what the batches before have brought.
struct Outlook {
  std::int64_t batch = 0;  // evaluations
  double chance = 0.0;     // that one of them is better than the best so far
  double gain = 0.0;       // by how much then, to an order of magnitude; 0 = unknown
  double share = 0.0;      // of the gain in the spread of the results

  double expected_gain() const { return chance * gain; }
};

struct StudyReport {
  StudyRecord record;
  TrialCounts counts;
  std::vector<Trial> trials;  // all, in the order of ids, without stderr_tail
  // Ended trials in the order in which they were told, as positions in `trials`.
  std::vector<std::size_t> results;
  std::vector<Improvement> curve;
  // The best feasible result; the least violating one while none is; the lowest id among equals.
  // Where add_estimate() found noise: the trial of estimate.best.
  std::optional<Trial> best;
  std::optional<Trial> luckiest;  // with noise: the best single result, where that is another one
  // Results within all limits; nothing for a study without limits. The curve, the bests of rounds
  // and sources and `as_good` concern feasible results alone.
  std::optional<std::int64_t> feasible;
  // Of several objectives, instead of curve, best and as_good, and of the bests of rounds and
  // sources.
  std::optional<Front> front;
  std::vector<FrontStep> front_steps;
  Estimate estimate;  // of add_estimate()
  std::optional<Neighbourhood> as_good;
  std::string message;  // the method's last message
  std::vector<RoundSummary> rounds;
  std::vector<SourceSummary> sources;  // most suggestions first
  std::vector<FailureGroup> failures;  // most frequent first
  std::vector<WorkerSummary> workers;  // by name; empty when no worker is known
  std::vector<std::string> metrics;    // names seen, sorted
  Pace pace;
  StudyState state = StudyState::too_early;  // noise_dominates: of add_estimate()
  // Nothing for several objectives, with noise, without a feasible result, before three batches.
  std::optional<Outlook> outlook;
};

// Errors: what the storage says; not_found when it holds no study.
Result<StudyReport> make_report(Storage& storage);
// The same from what has been read already. Trials in the order of ids.
StudyReport make_report(StudyRecord record, std::vector<Trial> trials,
                        const std::vector<RoundReport>& reports);

// Fills in FailureGroup::last_line of the most frequent groups; one trial is read for each.
void add_last_lines(StudyReport& report, Storage& storage);

// What the results say about noise, and which point to use: for every method the same, and a
// function of the results alone. Fits Gaussian processes to some hundred results: takes up to a
// second. Nothing for a study of several objectives.
Estimate estimate(const StudyRecord& record, const std::vector<Trial>& trials);
// Fills in what depends on it.
void add_estimate(StudyReport& report, Estimate estimate);
void add_estimate(StudyReport& report);

// The trial to use of a study of one objective, the same as that of its report.
struct Recommended {
  std::optional<Trial> best, luckiest;  // as in StudyReport
  Estimate estimate;
};
Recommended recommend(const StudyRecord& record, const std::vector<Trial>& trials);

// The newest round whose outcomes have been compared with the prediction; null when there is
// none.
const RoundSummary* last_tested(const std::vector<RoundSummary>& rounds);

// How much one parameter tells about the rank of the outcome, in nats.
struct ParameterImportance {
  std::string parameter;
  double nats = 0.0;             // not below 0
  double low = 0.0, high = 0.0;  // 95% interval, not below 0
};

// What two parameters tell together beyond what each tells alone: I(a,b;Y) - I(a;Y) - I(b;Y).
struct PairImportance {
  std::string first, second;
  double nats = 0.0;
  double low = 0.0, high = 0.0;
};

struct Importance {
  std::vector<ParameterImportance> parameters;  // in the order of the space; empty: see `remark`
  std::vector<PairImportance> pairs;            // of the parameters asked for, largest first
  std::int64_t results = 0;                     // completed trials there were
  std::int64_t used = 0;                        // and how many of them were looked at
  std::string remark;  // why there is no or little evidence; empty when all is well
};

struct ImportanceOptions {
  std::int64_t most_results = 2000;  // a random sample of so many; more cost more than linear time
  int pair_parameters = 6;           // pairs among the so many strongest parameters; 0 = no pairs
  std::uint64_t seed = 1;
  int threads = 0;            // 0 = all cores; the answer does not depend on it
  std::size_t objective = 0;  // about whose values, by its position
};

// The fewest completed trials about which anything is said.
inline constexpr std::int64_t kFewestForImportance = 20;

Importance importance(const Space& space, const std::vector<Trial>& trials,
                      const ImportanceOptions& options = {});

// One per objective, in their order; options.objective is not looked at.
std::vector<Importance> importances(const StudyRecord& record, const std::vector<Trial>& trials,
                                    ImportanceOptions options = {});

}  // namespace vbo
