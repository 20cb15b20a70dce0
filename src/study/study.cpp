// SPDX-License-Identifier: MIT
#include "vbo/study.hpp"

#include "core/json.hpp"
#include "core/quietly.hpp"
#include "storage/best.hpp"
#include "study/impl.hpp"
#include "study/start.hpp"

namespace vbo {
namespace {

Result<void> check_options(const StudyOptions& options) {
  const auto invalid = [](std::string message, std::string field) {
    return Error{ErrorKind::invalid_input, std::move(message), std::move(field)};
  };
  if (options.space.size() == 0) return invalid("the study has no parameters", "parameter");
  if (options.budget < 1) {
    return invalid("budget is " + std::to_string(options.budget) + ", expected at least 1",
                   "study.budget");
  }
  if (options.optimizer.batch < 1) {
    return invalid("batch is " + std::to_string(options.optimizer.batch) + ", expected at least 1",
                   "study.batch");
  }
  if (const auto objectives = objectives_from(json_of(options.objectives)); !objectives) {
    return objectives.error();
  }
  for (const Objective& objective : options.objectives) {
    // They are columns of one table.
    if (options.objectives.size() < 2 || !options.space.index_of(objective.name)) continue;
    return invalid("\"" + objective.name + "\" is the name of an objective and of a parameter, " +
                       "expected different names",
                   "objective." + objective.name + ".name");
  }
  return check_start(options.space, options.start);
}

}  // namespace

Study::Study(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Study::Study(Study&&) noexcept = default;
Study& Study::operator=(Study&& other) noexcept {
  if (this != &other) {
    quietly([&] { (void)close(); });
    impl_ = std::move(other.impl_);
  }
  return *this;
}
// Results are stored already; without its snapshot the next start takes longer.
Study::~Study() {
  quietly([&] { (void)close(); });
}

Result<Study> Study::open(StudyOptions options, StudyParts parts) {
  if (const auto checked = check_options(options); !checked) return checked.error();
  auto impl = std::make_unique<Impl>();
  impl->make_optimizer = parts.make_optimizer ? parts.make_optimizer : vbo::make_optimizer;
  if (!parts.storage) {
    // Check the method's options first, so that a misspelt one leaves no empty file behind.
    if (!parts.make_optimizer) {
      const StudyRecord record = record_of(options);
      const auto checked = check_optimizer(record.space, record.method_options());
      if (!checked) return checked.error();
    }
    auto opened = open_storage(options.storage, Access::coordinate);
    if (!opened) return opened.error();
    parts.storage = std::move(*opened);
  }
  impl->storage = std::move(parts.storage);
  Result<std::optional<StudyRecord>> stored = impl->storage->load_study();
  if (!stored) return stored.error();
  if (*stored) impl->record = std::move(**stored);
  const auto ready = *stored ? impl->resume(&options) : impl->create(options);
  if (!ready) return ready.error();
  return Study(std::move(impl));
}

Result<Study> Study::open_existing(const std::string& storage_url, int threads) {
  auto impl = std::make_unique<Impl>();
  impl->make_optimizer = vbo::make_optimizer;
  // A reader first: asking for a study that is not there must not create a file.
  if (storage_url != "memory:") {
    const auto look = open_storage(storage_url, Access::read);
    if (!look) return look.error();
  }
  auto opened = open_storage(storage_url, Access::coordinate);
  if (!opened) return opened.error();
  impl->storage = std::move(*opened);
  Result<std::optional<StudyRecord>> stored = impl->storage->load_study();
  if (!stored) return stored.error();
  if (!*stored) {
    return Error{ErrorKind::not_found, "\"" + storage_url + "\" holds no study yet"};
  }
  impl->record = std::move(**stored);
  impl->record.optimizer.threads = threads;
  if (const auto ready = impl->resume(nullptr); !ready) return ready.error();
  return Study(std::move(impl));
}

Result<void> Study::go_on_with(const StudyOptions& options) {
  if (const auto checked = check_options(options); !checked) return checked.error();
  if (impl_->joined.empty() || !options.unstated.start) {
    if (const auto ready = impl_->require_ready(); !ready) return ready.error();
  }
  if (const auto accepted = impl_->accept(options); !accepted) return accepted.error();
  if (impl_->joined.empty()) {
    if (const auto ready = impl_->require_ready(); !ready) return ready.error();
  }
  return options.unstated.start ? Result<void>() : impl_->set_start(options);
}

Result<void> Study::enqueue(std::vector<PartialPoint> points) {
  if (!impl_->storage) return study_closed();
  if (const auto checked = check_start(impl_->record.space, points); !checked) {
    return checked.error();
  }
  if (points.empty()) return {};
  return impl_->joined.empty() ? impl_->enqueue(points)
                               : impl_->enqueue_through_coordinator(std::move(points));
}

Result<void> Study::close() {
  if (!impl_ || !impl_->storage) return {};
  Result<void> saved;
  if (impl_->optimizer) saved = impl_->save_snapshot();
  impl_->storage.reset();
  return saved;
}

Result<std::vector<Trial>> Study::ask(std::int64_t n, Durability durability) {
  if (!impl_->joined.empty()) return impl_->ask(n, 0, durability);
  if (const auto taken = impl_->take_results(); !taken) return taken.error();
  return impl_->ask(n, 0, durability);
}

Result<bool> Study::answer_requests(double seconds) {
  if (!impl_->joined.empty()) return false;
  if (const auto taken = impl_->take_results(); !taken) return taken.error();
  return impl_->answer_for(seconds, [] { return false; });
}

Result<std::int64_t> Study::answer_requests() {
  if (!impl_->joined.empty()) return 0;
  if (const auto taken = impl_->take_results(); !taken) return taken.error();
  return impl_->answer_requests();
}

Result<std::unique_ptr<Storage>> Study::connect(Access access) {
  if (!impl_->storage) return study_closed();
  return impl_->storage->connect(access);
}

Result<void> Study::tell(TrialId id, double value) {
  return impl_->tell({Outcome{.id = id, .values = {value}, .attempts = 0}});
}

Result<void> Study::tell_failure(TrialId id, Failure failure) {
  return impl_->tell({Outcome{.id = id, .failure = std::move(failure), .attempts = 0}});
}

Result<void> Study::tell(Outcome outcome) {
  std::vector<Outcome> outcomes;
  outcomes.push_back(std::move(outcome));
  return impl_->tell(std::move(outcomes));
}

Result<void> Study::tell(std::vector<Outcome> outcomes) { return impl_->tell(std::move(outcomes)); }

Result<std::vector<Trial>> Study::add(std::vector<Evaluated> results) {
  return impl_->add(std::move(results));
}

const StudyRecord& Study::record() const { return impl_->record; }

Result<std::optional<Trial>> Study::best() const {
  if (!impl_->storage) return study_closed();
  if (impl_->record.objectives.size() > 1) {
    return Error{ErrorKind::invalid_input,
                 "the study has " + std::to_string(impl_->record.objectives.size()) +
                     " objectives and therefore a front instead of one best result; give a weight "
                     "to each, or look at the front",
                 "weights"};
  }
  return best_result(*impl_->storage, impl_->record);
}

Result<std::optional<Trial>> Study::best(const std::map<std::string, double>& weights) const {
  const auto numbers = weights_of(impl_->record.objectives, weights);
  if (!numbers) return numbers.error();
  const Result<Front> found = front();
  if (!found) return found.error();
  return best_by_weights(*found, *numbers);
}

Result<Front> Study::front() const {
  if (!impl_->storage) return study_closed();
  const Result<std::vector<Trial>> history = impl_->storage->load_history();
  if (!history) return history.error();
  return make_front(impl_->record, *history);
}

Result<std::vector<Trial>> Study::trials() const {
  if (!impl_->storage) return study_closed();
  return impl_->storage->load_trials();
}

Result<TrialCounts> Study::counts() const {
  if (!impl_->storage) return study_closed();
  return impl_->storage->counts();
}

AskReport Study::report() const { return impl_->report(); }
const std::string& Study::warning() const { return impl_->warning; }
const std::string& Study::change() const { return impl_->change; }

}  // namespace vbo
