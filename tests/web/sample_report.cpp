// SPDX-License-Identifier: MIT
// Writes the report.html of a made-up study of any size: sample_report TRIALS PARAMETERS FILE
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "vbo/random.hpp"
#include "vbo/report.hpp"
#include "web/page.hpp"
#include "web/payload.hpp"

namespace {

vbo::Trial trial(vbo::TrialId id, std::int64_t trials, std::size_t parameters, vbo::Rng& rng) {
  const double t = static_cast<double>(id) / static_cast<double>(trials);
  vbo::Trial made;
  made.id = id;
  double value = 0.1 * rng.normal();
  for (std::size_t p = 0; p < parameters; ++p) {
    const double x = std::clamp(0.6 + (0.5 * (1.0 - t) + 0.03) * rng.normal(), 0.0, 1.0);
    made.point.emplace_back(x);
    value += static_cast<double>(p + 1) * (x - 0.6) * (x - 0.6);
  }
  made.asked_in = 2 * ((id - 1) / 64) + 1;
  made.told_in = made.asked_in + 1;
  made.attempts = 1;
  made.seconds = 0.5 + rng.uniform();
  made.worker = "worker-" + std::to_string(id % 16);
  made.asked_at = 1.7e9;
  made.started_at = 1.7e9 + static_cast<double>(id / 16) * 1.5;
  made.finished_at = made.started_at + made.seconds;
  made.rationale.source = id < 64 ? "design" : rng.uniform() < 0.7 ? "local" : "action-net";
  made.rationale.terms = {{"exploitation", rng.normal()},
                          {"information_inputs", rng.uniform()},
                          {"information_model", rng.uniform()}};
  made.rationale.notes = {{"I(X;Y)_nats", rng.uniform()},
                          {"I(f;Y|X)_nats", rng.uniform()},
                          {"sqrt_beta", 0.5},
                          {"round_information_nats", rng.uniform()}};
  made.state = vbo::TrialState::completed;
  made.values = {value};
  if (id % 50 == 0) {
    made.state = vbo::TrialState::failed;
    made.values.clear();
    made.failure = vbo::Failure{vbo::FailureCause::timeout,
                                "took longer than " + std::to_string(id % 7) + " s"};
  }
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: sample_report TRIALS PARAMETERS FILE\n";
    return 2;
  }
  const std::int64_t trials = std::atoll(argv[1]);
  const auto parameters = static_cast<std::size_t>(std::atoll(argv[2]));
  std::vector<vbo::Parameter> space;
  for (std::size_t p = 0; p < parameters; ++p) {
    space.push_back(vbo::Parameter::real("x" + std::to_string(p + 1), 0.0, 1.0));
  }
  vbo::StudyRecord record;
  record.name = "sample";
  record.budget = trials;
  record.space = vbo::Space::make(space).value();
  record.optimizer = {.method = "vbo", .seed = 1, .batch = 64};
  vbo::Rng rng(1, "sample-report");
  std::vector<vbo::Trial> all;
  std::vector<vbo::RoundReport> rounds;
  for (vbo::TrialId id = 1; id <= trials; ++id) {
    all.push_back(trial(id, trials, parameters, rng));
    if ((id - 1) % 64 == 0) {
      vbo::AskReport report;
      report.round = static_cast<std::int64_t>(rounds.size()) + 1;
      rounds.push_back({all.back().asked_in, report});
    }
  }
  const vbo::StudyReport report = vbo::make_report(record, std::move(all), rounds);
  const vbo::Importance importance = vbo::importance(record.space, report.trials);
  vbo::web::PayloadParts parts;
  parts.url = "sample.db";
  parts.importance = &importance;
  std::ofstream(argv[3]) << vbo::web::report_page({vbo::web::payload_of(report, parts)});
  return 0;
}
