// SPDX-License-Identifier: MIT
#include "bench/metered.hpp"

#include <chrono>

#include "core/json.hpp"
#include "numerics/flops.hpp"

namespace vbo::bench {
namespace {

class MeteredOptimizer final : public Optimizer {
 public:
  MeteredOptimizer(std::unique_ptr<Optimizer> method, std::shared_ptr<Meter> meter)
      : method_(std::move(method)), meter_(std::move(meter)) {}

  std::vector<Suggestion> ask(std::span<const TrialId> ids) override {
    std::vector<Suggestion> suggestions;
    measure([&] { suggestions = method_->ask(ids); });
    return suggestions;
  }
  void tell(std::span<const Trial> finished) override {
    measure([&] { method_->tell(finished); });
  }
  AskReport report() const override { return method_->report(); }
  std::int64_t round() const override { return method_->round(); }
  const Ledger& ledger() const override { return method_->ledger(); }

  // The costs as one line of JSON, then the method's own bytes.
  std::string snapshot() const override {
    std::string bytes = method_->snapshot();
    if (bytes.empty()) return bytes;
    Json costs = Json::array();
    for (const CallCost& cost : *meter_) costs.push_back({cost.seconds, cost.flops});
    return costs.dump() + "\n" + bytes;
  }

  Result<void> restore(std::string_view snapshot, std::span<const Trial> history) override {
    const std::size_t end = snapshot.find('\n');
    const Json costs = Json::parse(snapshot.substr(0, end), nullptr, false);
    if (end == std::string_view::npos || !costs.is_array()) {
      return Error{ErrorKind::damaged, "the snapshot does not begin with costs"};
    }
    meter_->clear();
    for (const Json& cost : costs) {
      meter_->push_back({cost.at(0).get<double>(), cost.at(1).get<std::uint64_t>()});
    }
    return method_->restore(snapshot.substr(end + 1), history);
  }

 private:
  template <class Work>
  void measure(const Work& work) {
    using Clock = std::chrono::steady_clock;
    const flops::Scope scope;
    const auto start = Clock::now();
    work();
    meter_->push_back({std::chrono::duration<double>(Clock::now() - start).count(), scope.count()});
  }

  std::unique_ptr<Optimizer> method_;
  std::shared_ptr<Meter> meter_;
};

}  // namespace

Result<MeteredStudy> open_metered(StudyOptions options, StudyParts parts) {
  const auto meter = std::make_shared<Meter>();
  const auto make = parts.make_optimizer ? parts.make_optimizer : make_optimizer;
  parts.make_optimizer = [make, meter](
                             const Space& space,
                             const OptimizerOptions& given) -> Result<std::unique_ptr<Optimizer>> {
    Result<std::unique_ptr<Optimizer>> made = make(space, given);
    if (!made) return made.error();
    meter->clear();
    return std::unique_ptr<Optimizer>(std::make_unique<MeteredOptimizer>(std::move(*made), meter));
  };
  Result<Study> study = Study::open(std::move(options), std::move(parts));
  if (!study) return study.error();
  return MeteredStudy{std::move(*study), meter};
}

}  // namespace vbo::bench
