// SPDX-License-Identifier: MIT
// Writes the report.html of a made-up study of any size:
//   sample_report TRIALS PARAMETERS FILE [OBJECTIVES]
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>

#include "vbo/random.hpp"
#include "vbo/report.hpp"
#include "web/page.hpp"
#include "web/payload.hpp"

namespace {

// Distances from as many centres as there are objectives: the front is what lies between them.
std::vector<double> distances(const vbo::Point& point, std::size_t objectives, vbo::Rng& rng) {
  std::vector<double> values(objectives, 0.0);
  for (std::size_t m = 0; m < objectives; ++m) {
    for (std::size_t p = 0; p < point.size(); ++p) {
      const double centre = p % objectives == m ? 0.8 : 0.4;
      values[m] += std::pow(std::get<double>(point[p]) - centre, 2.0);
    }
    values[m] = std::sqrt(values[m]) + 0.01 * rng.uniform();
    if (m % 2 == 1) values[m] = 10.0 - values[m];
  }
  return values;
}

vbo::Trial trial(vbo::TrialId id, std::int64_t trials, std::size_t parameters,
                 std::size_t objectives, vbo::Rng& rng) {
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
  made.values = objectives > 1 ? distances(made.point, objectives, rng) : std::vector{value};
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
  if (argc != 4 && argc != 5) {
    std::cerr << "usage: sample_report TRIALS PARAMETERS FILE [OBJECTIVES]\n";
    return 2;
  }
  const std::int64_t trials = std::atoll(argv[1]);
  const auto parameters = static_cast<std::size_t>(std::atoll(argv[2]));
  const auto objectives = argc > 4 ? static_cast<std::size_t>(std::atoll(argv[4])) : 1;
  std::vector<vbo::Parameter> space;
  for (std::size_t p = 0; p < parameters; ++p) {
    space.push_back(vbo::Parameter::real("x" + std::to_string(p + 1), 0.0, 1.0));
  }
  vbo::StudyRecord record;
  record.name = "sample";
  record.budget = trials;
  for (std::size_t m = 0; m < objectives && objectives > 1; ++m) {
    record.objectives.resize(m + 1);
    record.objectives[m] = {"objective " + std::to_string(m + 1),
                            m % 2 == 1 ? vbo::Goal::maximize : vbo::Goal::minimize};
  }
  record.space = vbo::Space::make(space).value();
  record.optimizer = {.method = "vbo", .seed = 1, .batch = 64};
  vbo::Rng rng(1, "sample-report");
  std::vector<vbo::Trial> all;
  std::vector<vbo::RoundReport> rounds;
  for (vbo::TrialId id = 1; id <= trials; ++id) {
    all.push_back(trial(id, trials, parameters, objectives, rng));
    if ((id - 1) % 64 == 0) {
      vbo::AskReport report;
      report.round = static_cast<std::int64_t>(rounds.size()) + 1;
      rounds.push_back({all.back().asked_in, report});
    }
  }
  const vbo::StudyReport report = vbo::make_report(record, std::move(all), rounds);
  const std::vector<vbo::Importance> importances = vbo::importances(record, report.trials);
  vbo::web::PayloadParts parts;
  parts.url = "sample.db";
  parts.importances = &importances;
  std::ofstream(argv[3]) << vbo::web::report_page({vbo::web::payload_of(report, parts)});
  return 0;
}
