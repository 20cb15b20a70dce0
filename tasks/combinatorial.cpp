// SPDX-License-Identifier: MIT
#include "tasks/combinatorial.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace vbo::tasks {
namespace {

constexpr std::int64_t any_seed = std::int64_t{1} << 53;

std::vector<Parameter> spins_space(int n) {
  std::vector<Parameter> parameters;
  for (int i = 1; i <= n; ++i) {
    parameters.push_back(Parameter::categorical("s" + std::to_string(i), {"-1", "+1"}));
  }
  return parameters;
}

Value spin_value(int s) { return std::string(s > 0 ? "+1" : "-1"); }

// Best energies for lengths 3..40, and one sequence each (bit i set: s_i = +1). The energies are
// the proven optima of Packebusch and Mertens 2016; the sequences were found by tabu search.
struct LabsOptimum {
  int energy;
  std::uint64_t sequence;
};
constexpr int labs_smallest = 3, labs_largest = 40;
constexpr LabsOptimum labs_optima[] = {
    {1, 0x1},           {2, 0x2},           {2, 0x17},          {7, 0x22},         {3, 0x27},
    {8, 0xf2},          {12, 0x1a},         {13, 0x182},        {5, 0xed},         {10, 0xca},
    {6, 0x159f},        {19, 0x3d4c},       {15, 0x5bb8},       {24, 0x9afc},      {32, 0x1221e},
    {25, 0x16833},      {29, 0x39a05},      {26, 0xfa2c6},      {26, 0x180ca9},    {39, 0x2ca9c0},
    {47, 0x63f524},     {36, 0x31fab6},     {36, 0x380ad9},     {45, 0x36d5f8c},   {37, 0x70eeed2},
    {50, 0x4b7770e},    {62, 0x1ce02a4d},   {59, 0x3f6d5ce},    {67, 0x55b673f0},  {64, 0x319207d5},
    {64, 0x13355a780},  {65, 0x3cb5599},    {73, 0x7f64d4ae3},  {82, 0xe0e209b52}, {86, 0x1e1a5599},
    {87, 0x156961ff33}, {99, 0x5538725b00}, {108, 0xa5a3c43bbb}};
static_assert(std::size(labs_optima) == labs_largest - labs_smallest + 1);

class Labs final : public BasicTask {
 public:
  explicit Labs(TaskOptions& options) {
    const auto dim = static_cast<int>(
        options.integer("dim", 30, labs_smallest, labs_largest, "length of the sequence"));
    const LabsOptimum& best = labs_optima[dim - labs_smallest];
    Point point;
    for (int i = 0; i < dim; ++i) point.push_back(spin_value((best.sequence >> i & 1) ? 1 : -1));
    space_ = Space::make(spins_space(dim)).value();
    info_ = {.name = "labs",
             .summary = "Low-autocorrelation binary sequences: isolated optima, purely categorical",
             .source = "Golay 1977; optima by Packebusch and Mertens 2016",
             .goal = Goal::minimize,
             .optimum = Optimum{{std::move(point)}, static_cast<double>(best.energy)}};
  }

 private:
  double value(const Point& point, Rng&) const override {
    std::vector<int> s;
    for (const Value& v : point) s.push_back(spin(v));
    int energy = 0;
    for (std::size_t lag = 1; lag < s.size(); ++lag) {
      int correlation = 0;
      for (std::size_t i = 0; i + lag < s.size(); ++i) correlation += s[i] * s[i + lag];
      energy += correlation * correlation;
    }
    return energy;
  }
};

// Tile planting (Hamze et al. 2018): the unit squares of one colour of a checkerboard share no bond
// and cover them all. Each gets three bonds of strength 1 that the planted state satisfies and one
// of strength J < 1 that it violates. Round such a square at least one bond must be violated, so
// the planted state, which violates only the weakest of each, is a minimum of every square at once.
class Ising final : public BasicTask {
 public:
  explicit Ising(TaskOptions& options) {
    const auto half = static_cast<int>(
        options.integer("half", 3, 1, 15, "half the side: (2 half)^2 spins on a torus"));
    const auto seed = options.integer("instance", 0, 0, any_seed, "seed of the couplings");
    const int side = 2 * half;
    Rng rng(static_cast<std::uint64_t>(seed), "task ising");
    std::vector<int> planted(static_cast<std::size_t>(side * side));
    for (int& s : planted) s = rng.below(2) ? 1 : -1;
    double energy = 0.0;
    for (int row = 0; row < side; ++row) {
      for (int column = row % 2; column < side; column += 2) {
        const int below = (row + 1) % side, right = (column + 1) % side;
        const std::array<int, 4> corner = {row * side + column, row * side + right,
                                           below * side + right, below * side + column};
        const std::size_t violated = rng.below(4);
        const double weak = rng.uniform(0.5, 1.0);
        for (std::size_t k = 0; k < 4; ++k) {
          const int i = corner[k], j = corner[(k + 1) % 4];
          const double strength = k == violated ? -weak : 1.0;
          bonds_.push_back({i, j, strength * planted[i] * planted[j]});
          energy -= strength;
        }
      }
    }
    Point point;
    for (const int s : planted) point.push_back(spin_value(s));
    Point mirrored;
    for (const int s : planted) mirrored.push_back(spin_value(-s));
    space_ = Space::make(spins_space(side * side)).value();
    info_ = {.name = "ising",
             .summary = "A frustrated spin glass on a torus with a planted ground state",
             .source = "Hamze et al. 2018 (tile planting)",
             .goal = Goal::minimize,
             .optimum = Optimum{{std::move(point), std::move(mirrored)}, energy}};
  }

 private:
  struct Bond {
    int i, j;
    double coupling;
  };

  double value(const Point& point, Rng&) const override {
    double energy = 0.0;
    for (const Bond& bond : bonds_) {
      energy -= bond.coupling * spin(point[static_cast<std::size_t>(bond.i)]) *
                spin(point[static_cast<std::size_t>(bond.j)]);
    }
    return energy;
  }

  std::vector<Bond> bonds_;
};

class Mixed final : public BasicTask {
 public:
  explicit Mixed(TaskOptions& options) {
    const auto groups = options.integer("groups", 4, 1, 100, "triples of real, integer, category");
    const auto seed = options.integer("instance", 0, 0, any_seed, "seed of prices and places");
    Rng rng(static_cast<std::uint64_t>(seed), "task mixed");
    std::vector<Parameter> parameters;
    Point best;
    for (std::int64_t g = 1; g <= groups; ++g) {
      Group group;
      const std::size_t free = rng.below(categories);
      for (std::size_t c = 0; c < categories; ++c) {
        group.price[c] = c == free ? 0.0 : rng.uniform(0.5, 2.0);
        group.x[c] = rng.uniform(-4.0, 4.0);
        group.n[c] = static_cast<double>(rng.below(17)) - 8.0;
      }
      const std::string number = std::to_string(g);
      parameters.push_back(Parameter::real("x" + number, -5.0, 5.0));
      parameters.push_back(Parameter::integer("n" + number, -10, 10));
      std::vector<Value> choices;
      choices.reserve(categories);
      for (const auto& name : names) choices.emplace_back(std::string(name));
      parameters.push_back(Parameter::categorical("c" + number, std::move(choices)));
      best.insert(best.end(), {group.x[free], static_cast<std::int64_t>(group.n[free]),
                               std::string(names[free])});
      groups_.push_back(group);
    }
    space_ = Space::make(std::move(parameters)).value();
    info_ = {.name = "mixed",
             .summary = "Real, integer and categorical parameters; the category moves the optimum",
             .source = "This project",
             .goal = Goal::minimize,
             .optimum = Optimum{{std::move(best)}, 0.0}};
  }

 private:
  static constexpr std::size_t categories = 5;
  static constexpr std::array<const char*, categories> names = {"a", "b", "c", "d", "e"};
  struct Group {
    std::array<double, categories> price{}, x{}, n{};
  };

  double value(const Point& point, Rng&) const override {
    double total = 0.0, errors = 0.0;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const Group& group = groups_[g];
      const auto c = static_cast<std::size_t>(std::get<std::string>(point[3 * g + 2])[0] - 'a');
      const double e = std::get<double>(point[3 * g]) - group.x[c];
      const double n = static_cast<double>(std::get<std::int64_t>(point[3 * g + 1])) - group.n[c];
      total += group.price[c] + e * e + 1.0 - std::cos(2.0 * std::numbers::pi * e) + 0.1 * n * n;
      errors += e;
    }
    return total + 0.1 * errors * errors;
  }

  std::vector<Group> groups_;
};

// Many switches and a few reals, whose best places depend on the switches.
class Switches final : public BasicTask {
 public:
  explicit Switches(TaskOptions& options) {
    const auto switches = options.integer("binary", 24, 2, 1000, "switches, each off or on");
    const auto reals = options.integer("floats", 4, 1, 100, "real parameters");
    const auto seed = options.integer("instance", 0, 0, any_seed, "seed of weights and places");
    Rng rng(static_cast<std::uint64_t>(seed), "task switches");
    std::vector<Parameter> parameters;
    Point best;
    for (std::int64_t i = 0; i < switches; ++i) {
      switches_.push_back({rng.below(2) == 1, rng.uniform(0.2, 2.0), rng.uniform(0.2, 1.0),
                           rng.uniform(-2.0, 2.0)});
      parameters.push_back(Parameter::categorical("s" + std::to_string(i + 1), {"off", "on"}));
      best.emplace_back(std::string(switches_.back().on ? "on" : "off"));
    }
    for (std::int64_t j = 0; j < reals; ++j) {
      places_.push_back(rng.uniform(-4.0, 4.0));
      parameters.push_back(Parameter::real("x" + std::to_string(j + 1), -5.0, 5.0));
      best.emplace_back(places_.back());
    }
    space_ = Space::make(std::move(parameters)).value();
    info_ = {.name = "switches",
             .summary = "Dozens of switches and a few reals, whose best places they move",
             .source = "This project",
             .goal = Goal::minimize,
             .optimum = Optimum{{std::move(best)}, 0.0}};
  }

 private:
  struct Switch {
    bool on;  // at the optimum
    double weight, pair, shift;
  };

  double value(const Point& point, Rng&) const override {
    std::vector<double> shifts(places_.size(), 0.0);
    double total = 0.0;
    bool wrong_before = false;
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      const Switch& s = switches_[i];
      const bool wrong = (std::get<std::string>(point[i]) == "on") != s.on;
      if (wrong) {
        total += s.weight;
        shifts[i % shifts.size()] += s.shift;
      }
      if (i > 0 && wrong != wrong_before) total += s.pair;
      wrong_before = wrong;
    }
    for (std::size_t j = 0; j < places_.size(); ++j) {
      const double e = std::get<double>(point[switches_.size() + j]) - places_[j] - shifts[j];
      total += e * e;
    }
    return total;
  }

  std::vector<Switch> switches_;
  std::vector<double> places_;
};

}  // namespace

int spin(const Value& value) { return std::get<std::string>(value) == "+1" ? 1 : -1; }

std::unique_ptr<BasicTask> make_labs(TaskOptions& options) {
  return std::make_unique<Labs>(options);
}

std::unique_ptr<BasicTask> make_ising(TaskOptions& options) {
  return std::make_unique<Ising>(options);
}

std::unique_ptr<BasicTask> make_mixed(TaskOptions& options) {
  return std::make_unique<Mixed>(options);
}

std::unique_ptr<BasicTask> make_switches(TaskOptions& options) {
  return std::make_unique<Switches>(options);
}

}  // namespace vbo::tasks
