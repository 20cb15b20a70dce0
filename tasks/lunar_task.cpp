// SPDX-License-Identifier: MIT
#include "numerics/parallel.hpp"
#include "tasks/lunar_lander.hpp"

namespace vbo::tasks::lunar {
namespace {

class LunarLander final : public BasicTask {
 public:
  explicit LunarLander(TaskOptions& options)
      : threads_(static_cast<int>(
            options.integer("threads", 0, 0, 1024, "episodes flown at once; 0: all cores"))) {
    std::vector<Parameter> weights;
    for (int i = 1; i <= parameters; ++i) {
      weights.push_back(Parameter::real("w" + std::to_string(i), 0.0, 2.0));
    }
    space_ = Space::make(std::move(weights)).value();
    info_ = description();
    // From a local random search; more search finds a little more.
    info_.optimum = Optimum{{to_point({0.66615, 0.97597, 0.40775, 0.53468, 0.62960, 1.00295,
                                       0.49359, 0.71709, 0.01410, 0.50623, 0.09572, 0.02772})},
                            282.996702,
                            false};
  }

 private:
  double value(const Point& point, Rng&) const override {
    return fly_many(to_weights(point), 0, episodes, threads_).mean;
  }

  int threads_;
};

}  // namespace

Statistics fly_many(const Weights& w, std::uint32_t first, int count, int threads) {
  Statistics statistics;
  statistics.flights.resize(static_cast<std::size_t>(count));
  parallel_for(threads, count, [&](int i) {
    statistics.flights[i] = fly(w, first + static_cast<std::uint32_t>(i));
  });
  for (const Flight& flight : statistics.flights) statistics.mean += flight.total;
  statistics.mean /= count;
  return statistics;
}

Weights to_weights(const Point& point) {
  Weights w;
  for (int i = 0; i < parameters; ++i) w[i] = std::get<double>(point[i]);
  return w;
}

std::unique_ptr<BasicTask> make_lunar_lander(TaskOptions& options) {
  return std::make_unique<LunarLander>(options);
}

}  // namespace vbo::tasks::lunar
