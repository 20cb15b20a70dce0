// SPDX-License-Identifier: MIT
// Lunar Lander: the twelve numbers of a rule-based controller that lands a craft on a pad; the
// value is the mean return of 50 episodes with fixed seeds, so it is deterministic. The environment
// is Gym 0.26's LunarLander-v2 (discrete actions, no wind), here on Box2D 2.4; the controller is
// TuRBO's (Eriksson et al. 2019), the 50 seeds and [0,2]^12 are Li et al. 2024's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "tasks/basic_task.hpp"

namespace vbo::tasks::lunar {

inline constexpr int parameters = 12;
inline constexpr int episodes = 50;
inline constexpr int step_limit = 5001;

using Weights = std::array<double, parameters>;
// Position and velocity relative to the pad, angle, angular velocity, leg contacts (0 or 1), all
// scaled as in Gym and rounded to float.
using Observation = std::array<float, 8>;

enum Action { nothing = 0, left_engine = 1, main_engine = 2, right_engine = 3 };
enum class Ending { landed, crashed, out_of_sight, step_limit };

// The rule of Gym's own heuristic, as w_std, is (.5, 1, .4, .55, .5, 1, .5, .5, 0, .5, .05, .05).
Action decide(const Weights& w, const Observation& s);

// The world in metres: 20 wide, 13.3 high, the pad between x = 8 and 12 at y = 3.3.
inline constexpr double width = 600.0 / 30.0, height = 400.0 / 30.0;
struct Terrain {
  std::array<double, 11> x, y;
};

// One episode's world. Not copyable; cheap enough to build one per episode.
class Environment {
 public:
  explicit Environment(std::uint32_t seed);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  struct Outcome {
    double reward = 0.0;
    bool ended = false;
    Ending ending = Ending::step_limit;  // valid when ended
  };
  Outcome step(Action action);
  const Observation& observation() const;
  const Terrain& terrain() const;

  struct Pose {
    double x, y, angle;
  };
  Pose lander() const;
  Pose leg(int which) const;  // 0: the one at larger x, 1: the other
  // For tests of the random stream: the initial force and the dispersions drawn so far.
  std::array<double, 2> initial_force() const;

 private:
  struct World;
  std::unique_ptr<World> world_;
};

struct Frame {
  Environment::Pose lander;
  Action action;
};

struct Flight {
  double total = 0.0;  // undiscounted return
  int steps = 0;
  Ending ending = Ending::step_limit;
};
Flight fly(const Weights& w, std::uint32_t seed, std::vector<Frame>* frames = nullptr);

// Mean return over seeds first .. first + count - 1; the same for any number of threads (0 = all).
struct Statistics {
  double mean = 0.0;
  std::vector<Flight> flights;
};
Statistics fly_many(const Weights& w, std::uint32_t first, int count, int threads);

Weights to_weights(const Point& point);

// Name, summary and source, which are known even where the task itself is not built.
inline TaskInfo description() {
  return {.name = "lunar-lander",
          .summary = "Twelve numbers of a controller that lands a craft; mean of 50 episodes",
          .source = "Gym 0.26 LunarLander-v2; Eriksson et al. 2019 (TuRBO); Li et al. 2024",
          .cost = Cost::milliseconds};
}

std::unique_ptr<BasicTask> make_lunar_lander(TaskOptions& options);

}  // namespace vbo::tasks::lunar
