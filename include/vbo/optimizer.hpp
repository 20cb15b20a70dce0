// SPDX-License-Identifier: MIT
// The interface every method implements, and how to make one by name.
// Stability: a minor version of 0.x may change it.
// Threads: an Optimizer belongs to one thread; the functions may run at the same time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "vbo/error.hpp"
#include "vbo/ledger.hpp"
#include "vbo/space.hpp"
#include "vbo/trial.hpp"

namespace vbo {

struct Suggestion {
  Point point;
  Rationale rationale;
};

// The evaluated point that a method recommends; under noise it need not be the best observation.
struct Recommendation {
  TrialId id = 0;
  double mean = 0.0;       // posterior mean of the objective there, in the sign that is maximized
  double deviation = 0.0;  // its posterior standard deviation
};

// The information of a round of suggestions about the function, in nats, as the method estimates
// it.
struct RoundInformation {
  std::optional<double> predicted;  // of the next results, in nats; empty for a design
  std::optional<double> observed;   // of the latest results, scored before training on them
  std::optional<double> ceiling;    // the most that the estimate can show
  bool operator==(const RoundInformation&) const = default;
};

// What a method reports about its last ask or training round. Reports read it, never the loop,
// except for the stopping rule on information and exploitation.
struct AskReport {
  std::int64_t round = 0;  // training rounds so far
  std::optional<RoundInformation> information;
  std::optional<double> exploitation;  // predicted outcome of the next suggestions, as normal score
  std::optional<double> deviation;     // of the local search, in widths of the box
  std::vector<Term> values;            // further ones, as declared in Ledger::values
  std::string message;                 // e.g. what "auto" chose and why; often empty
  std::optional<Recommendation> recommendation;

  bool has_content() const {
    return information || exploitation || deviation || !values.empty() || !message.empty() ||
           recommendation;
  }
};

// Proposes points to evaluate and learns from the outcomes. Always maximizes: Study flips the sign
// of minimization problems once, at its boundary.
//
// An Optimizer never runs the objective, opens storage or reads a clock. What it proposes depends
// only on (space, options, the sequence of ask/tell calls), whatever the number of threads, so
// replaying a study's log rebuilds it exactly; this is how a killed study resumes. Not thread-safe.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // Returns one suggestion per id, in native units, meant to be evaluated together. They stay
  // pending, and keep influencing later asks, until told. REQUIRES: ids not asked before.
  virtual std::vector<Suggestion> ask(std::span<const TrialId> ids) = 0;

  // Learns from finished trials, in any order and number, also trials it did not suggest. A failed
  // trial carries no value, yet still ends its pending state. May refit the model: can take
  // seconds.
  virtual void tell(std::span<const Trial> finished) = 0;

  // Training rounds so far, at no cost. What happened in them is in the report, which may take a
  // prediction or two.
  virtual std::int64_t round() const { return 0; }
  virtual AskReport report() const { return {}; }
  // What the numbers of rationales and reports mean; a method without any need not say.
  virtual const Ledger& ledger() const;

  // The state that cannot be recomputed cheaply from the history: weights, moments, counters.
  // An empty string means "replay everything instead". Must not grow with the number of trials.
  virtual std::string snapshot() const { return {}; }

  // Puts back the state in which `snapshot` was taken. `history` holds all trials asked or told by
  // then, in the order of asking, the told ones with value or failure and told_in.
  // REQUIRES: freshly made with the same space and options; snapshot not empty.
  virtual Result<void> restore(std::string_view snapshot, std::span<const Trial> history);
};

using OptionValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>>;
using OptionMap = std::map<std::string, OptionValue, std::less<>>;

inline constexpr std::int64_t kMostRepeats = 1000;
inline constexpr std::int64_t kAutoRepeats = 0;  // leading points, when that is worth more than new

struct OptimizerOptions {
  std::string method = "auto";  // one of method_names()
  std::uint64_t seed = 0;
  std::int64_t batch = 1;   // results a method should expect between training rounds
  std::int64_t budget = 0;  // evaluations in all, as far as known; 0 = unknown
  int threads = 0;          // 0 = all cores; results do not depend on it
  // Evaluations of every point, each with another seed; the method learns their mean and its
  // standard error, as one result. kAutoRepeats: see src/optim/repeats/auto_repeats.hpp. batch and
  // budget count evaluations.
  std::int64_t repeats = 1;
  // What is optimized, as methods see it: every goal is maximize, references have that sign. Empty
  // = one objective without a name.
  std::vector<Objective> objectives = {};
  OptionMap settings = {};  // the method's own options, by name
};

// Builds the optimizer named by options.method. The error names an unknown method or option, or
// the option whose type or range is wrong.
Result<std::unique_ptr<Optimizer>> make_optimizer(const Space& space,
                                                  const OptimizerOptions& options);

// What make_optimizer would complain about, without building anything.
Result<void> check_optimizer(const Space& space, const OptimizerOptions& options);

struct OptionInfo {
  std::string name;
  std::string default_value;
  std::string range;    // e.g. ">= 0", "dv | self-normalized"
  std::string summary;  // what it does, and what raising it costs
};

struct MethodInfo {
  std::string name;
  std::string summary;  // one line: when to prefer it
  std::vector<OptionInfo> options;
  Ledger ledger;  // for "auto" that of "vbo"; ledger_of() knows what it chooses in a study
};

// All methods of this build, in the order a reader should meet them.
std::vector<MethodInfo> methods();

// What the numbers of a study with these options mean, without making its optimizer. Empty for a
// method that this build does not have.
const Ledger& ledger_of(const Space& space, const OptimizerOptions& options);

// One note for each option given by an earlier name, with the name to use instead.
std::vector<std::string> renamed_options(const OptionMap& given);

}  // namespace vbo
