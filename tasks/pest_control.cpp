// SPDX-License-Identifier: MIT
#include "tasks/pest_control.hpp"

#include <cmath>

#include "tasks/numpy_random.hpp"

namespace vbo::tasks::pest {
namespace {

struct Product {
  double price, discount, tolerance, beta;
};
constexpr Product products[4] = {{1.0, 0.2, 1.0 / 7.0, 2.0 / 7.0},
                                 {0.8, 0.3, 2.5 / 7.0, 3.0 / 7.0},
                                 {0.7, 0.3, 2.0 / 7.0, 3.0 / 7.0},
                                 {0.5, 0.0, 0.5 / 7.0, 5.0 / 7.0}};
constexpr double initial_beta = 30.0, spread_beta = 17.0 / 3.0;

template <class Beta>  // Beta(b) draws one Beta(1, b)
void fill(Draws& draws, double b, Beta&& beta) {
  for (double& draw : draws) draw = beta(b);
}

// Beta parameter of the control rate after `uses` earlier uses, accumulated as the original does.
double control_beta(const Product& product, int uses) {
  double b = product.beta;
  for (int i = 0; i < uses; ++i) b += product.tolerance / stages;
  return b;
}

// One season. spread() and control(type, uses) give the 100 rates of a stage.
template <class Spread, class Control>
double season(const Plan& plan, Draws infested, Spread&& spread, Control&& control, Trace* trace) {
  std::array<int, 5> planned{}, used{};
  for (const int type : plan) ++planned[type];
  double cost = 0.0;
  for (int stage = 0; stage < stages; ++stage) {
    int above = 0;
    for (const double x : infested) above += x > threshold;
    cost += static_cast<double>(above) / simulations;
    double price = 0.0;
    if (trace) {
      double sum = 0.0;
      for (const double x : infested) sum += x;
      trace->infested[stage] = infested;
      trace->above[stage] = above;
      trace->mean[stage] = sum / simulations;
    }
    const int type = plan[stage];
    if (type == 0) {
      const Draws& rate = spread();
      for (int i = 0; i < simulations; ++i) infested[i] += rate[i] * (1.0 - infested[i]);
    } else {
      const Product& product = products[type - 1];
      const Draws& rate = control(type, used[type]++);
      for (int i = 0; i < simulations; ++i) infested[i] *= 1.0 - rate[i];
      price = product.price * (1.0 - product.discount / stages * planned[type]);
    }
    if (trace) trace->price[stage] = price;
    cost += price;
  }
  return cost;
}

class PestControl final : public BasicTask {
 public:
  explicit PestControl(TaskOptions& options)
      : fresh_(options.flag("fresh", false, "new random numbers in every evaluation (COMBO)")) {
    std::vector<Parameter> parameters;
    for (int i = 1; i <= stages; ++i) {
      parameters.push_back(
          Parameter::categorical("x" + std::to_string(i), {"0", "1", "2", "3", "4"}));
    }
    Point best(stages, Value(std::string("3")));
    best.back() = std::string("0");
    space_ = Space::make(std::move(parameters)).value();
    random_inside_ = fresh_;
    // Best of 120 annealing runs; for fresh=1 the mean of 20,000 evaluations at the same plan.
    info_ = {
        .name = "pest-control",
        .summary = "Choose a pesticide or none at each of 25 stages: prices against infestation",
        .source = "Oh et al. 2019 (COMBO); Li et al. 2024",
        .noise = fresh_ ? 0.17 : 0.0,
        .optimum = Optimum{{std::move(best)}, fresh_ ? -12.0084 : -11.9916, false}};
  }

 private:
  double value(const Point& point, Rng& rng) const override {
    const Plan plan = to_plan(point);
    return fresh_ ? -fresh_cost(plan, rng) : -seeded_cost(plan);
  }

  bool fresh_;
};

}  // namespace

// Every vector comes from a generator newly seeded with 1.
const SeededDraws& seeded_draws() {
  static const SeededDraws draws = [] {
    SeededDraws all;
    const auto draw = [](Draws& into, double b) {
      NumpyLegacyRandom random(1);
      fill(into, b, [&random](double beta) { return random.beta(1.0, beta); });
    };
    draw(all.initial, initial_beta);
    draw(all.spread, spread_beta);
    for (int type = 0; type < 4; ++type) {
      for (int uses = 0; uses < stages; ++uses) {
        draw(all.control[type][uses], control_beta(products[type], uses));
      }
    }
    return all;
  }();
  return draws;
}

double seeded_cost(const Plan& plan, Trace* trace) {
  const SeededDraws& draws = seeded_draws();
  return season(
      plan, draws.initial, [&]() -> const Draws& { return draws.spread; },
      [&](int type, int uses) -> const Draws& { return draws.control[type - 1][uses]; }, trace);
}

// Beta(1,b) by its inverse distribution function, 1 - (1-U)^(1/b).
double fresh_cost(const Plan& plan, Rng& rng, Trace* trace) {
  Draws draws;
  const auto draw = [&](double b) -> const Draws& {
    fill(draws, b, [&rng](double beta) { return 1.0 - std::pow(1.0 - rng.uniform(), 1.0 / beta); });
    return draws;
  };
  const Draws initial = draw(initial_beta);
  return season(
      plan, initial, [&]() -> const Draws& { return draw(spread_beta); },
      [&](int type, int uses) -> const Draws& {
        return draw(control_beta(products[type - 1], uses));
      },
      trace);
}

Plan to_plan(const Point& point) {
  Plan plan{};
  for (int i = 0; i < stages; ++i) plan[i] = std::get<std::string>(point[i])[0] - '0';
  return plan;
}

std::unique_ptr<BasicTask> make_pest_control(TaskOptions& options) {
  return std::make_unique<PestControl>(options);
}

}  // namespace vbo::tasks::pest
