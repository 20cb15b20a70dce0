// SPDX-License-Identifier: MIT
#include "tasks/engineering.hpp"

#include <cmath>

#include "numerics/special.hpp"

namespace vbo::tasks {
namespace {

double squared(double x) { return x * x; }
double cube(double x) { return x * x * x; }

// What a design costs, and what its constraints speak of, in the order of the task's limits.
struct Design {
  double cost = 0.0;
  std::vector<double> measured;
};

struct Problem {
  const char* name;
  const char* summary;
  const char* source;
  std::vector<Parameter> parameters;
  std::vector<Limit> limits;
  Optimum optimum;
  Design (*design)(const std::vector<double>& x);
};

std::vector<double> numbers(const Point& point) {
  std::vector<double> x;
  for (const Value& value : point) {
    const auto* whole = std::get_if<std::int64_t>(&value);
    x.push_back(whole ? static_cast<double>(*whole) : std::get<double>(value));
  }
  return x;
}

class EngineeringTask final : public BasicTask {
 public:
  explicit EngineeringTask(Problem problem) : design_(problem.design) {
    info_ = {.name = problem.name,
             .summary = problem.summary,
             .source = problem.source,
             .goal = Goal::minimize,
             .optimum = std::move(problem.optimum)};
    space_ = Space::make(std::move(problem.parameters), {}, std::move(problem.limits)).value();
  }

  std::map<std::string, double> metrics(const Point& point) const override {
    const Design design = design_(numbers(point));
    std::map<std::string, double> named;
    for (std::size_t i = 0; i < design.measured.size(); ++i) {
      named[space_.limits()[i].metric] = design.measured[i];
    }
    return named;
  }

 private:
  double value(const Point& point, Rng&) const override { return design_(numbers(point)).cost; }

  Design (*design_)(const std::vector<double>&);
};

Limit at_most(std::string metric, double bound) { return {std::move(metric), bound, {}}; }
Limit at_least(std::string metric, double bound) { return {std::move(metric), {}, bound}; }

// Weld h, l and bar t, b in inches; pounds per square inch.
Design welded_beam(const std::vector<double>& x) {
  const double h = x[0], l = x[1], t = x[2], b = x[3];
  constexpr double P = 6000.0, L = 14.0, E = 30e6, G = 12e6;
  const double M = P * (L + l / 2.0);
  const double R = std::sqrt(l * l / 4.0 + squared((h + t) / 2.0));
  const double J = 2.0 * kSqrt2 * h * l * (l * l / 12.0 + squared((h + t) / 2.0));
  const double primary = P / (kSqrt2 * h * l), secondary = M * R / J;
  const double shear =
      std::sqrt(squared(primary) + primary * secondary * l / R + squared(secondary));
  const double bending = 6.0 * P * L / (b * t * t);
  const double deflection = 4.0 * P * cube(L) / (E * cube(t) * b);
  const double buckling =
      4.013 * E * t * cube(b) / (6.0 * L * L) * (1.0 - t / (2.0 * L) * std::sqrt(E / (4.0 * G)));
  const double bar = 0.04811 * t * b * (14.0 + l);
  return {1.10471 * h * h * l + bar,
          {shear, bending, deflection, buckling, h - b, 0.10471 * h * h + bar, h}};
}

// Thickness of shell and head, radius and length in inches.
Design pressure_vessel(const std::vector<double>& x) {
  const double shell = x[0], head = x[1], R = x[2], L = x[3];
  const double volume = kPi * R * R * L + 4.0 / 3.0 * kPi * cube(R);
  return {0.6224 * shell * R * L + 1.7781 * head * R * R + 3.1661 * shell * shell * L +
              19.84 * shell * shell * R,
          {0.0193 * R / shell, 0.00954 * R / head, volume, L}};
}

// Face width b, module m, teeth z, shafts' lengths l and diameters d; all limits are ratios.
Design speed_reducer(const std::vector<double>& x) {
  const double b = x[0], m = x[1], z = x[2], l1 = x[3], l2 = x[4], d1 = x[5], d2 = x[6];
  const double weight = 0.7854 * b * m * m * (3.3333 * z * z + 14.9334 * z - 43.0934) -
                        1.508 * b * (d1 * d1 + d2 * d2) + 7.4777 * (cube(d1) + cube(d2)) +
                        0.7854 * (l1 * d1 * d1 + l2 * d2 * d2);
  const auto stress = [&](double l, double d, double load, double strength) {
    return std::sqrt(squared(745.0 * l / (m * z)) + load) / (strength * cube(d));
  };
  return {
      weight,
      {27.0 / (b * m * m * z), 397.5 / (b * m * m * z * z),
       1.93 * cube(l1) / (m * z * squared(d1 * d1)), 1.93 * cube(l2) / (m * z * squared(d2 * d2)),
       stress(l1, d1, 16.9e6, 110.0), stress(l2, d2, 157.5e6, 85.0), m * z / 40.0, 5.0 * m / b,
       b / (12.0 * m), (1.5 * d1 + 1.9) / l1, (1.1 * d2 + 1.9) / l2}};
}

// Wire d, coil D in inches, N active coils; all limits are ratios.
Design tension_spring(const std::vector<double>& x) {
  const double d = x[0], D = x[1], N = x[2];
  double bend = 12566.0 * (D * cube(d) - squared(d * d));
  if (std::abs(bend) < 1e-9) bend = 1e-9;  // a coil as thin as its wire
  return {(N + 2.0) * D * d * d,
          {cube(D) * N / (71785.0 * squared(d * d)),
           (4.0 * D * D - d * D) / bend + 1.0 / (5108.0 * d * d), 140.45 * d / (D * D * N),
           (D + d) / 1.5}};
}

}  // namespace

std::unique_ptr<BasicTask> make_welded_beam(TaskOptions&) {
  return std::make_unique<EngineeringTask>(Problem{
      .name = "welded-beam",
      .summary = "Cheapest welded beam that carries its load; 7 constraints, 4 of them active",
      .source = "Rao 1996; as in Coello and Montes 2002, best known 1.724852",
      .parameters = {Parameter::real("h", 0.1, 2.0), Parameter::real("l", 0.1, 10.0),
                     Parameter::real("t", 0.1, 10.0), Parameter::real("b", 0.1, 2.0)},
      .limits = {at_most("shear_stress", 13600.0), at_most("bending_stress", 30000.0),
                 at_most("deflection", 0.25), at_least("buckling_load", 6000.0),
                 at_most("weld_beyond_bar", 0.0), at_most("bar_cost", 5.0),
                 at_least("weld", 0.125)},
      .optimum = {{to_point({0.2057296398, 3.4704889, 9.036624, 0.2057296399})},
                  1.7248523569062297,
                  false},
      .design = welded_beam});
}

std::unique_ptr<BasicTask> make_pressure_vessel(TaskOptions&) {
  return std::make_unique<EngineeringTask>(Problem{
      .name = "pressure-vessel",
      .summary = "Cheapest vessel of rolled steel, thicknesses in steps of 1/16; 4 constraints",
      .source = "Kannan and Kramer 1994; best known 6059.714335",
      .parameters = {Parameter::real("shell", 0.0625, 6.1875, false, 0.0625),
                     Parameter::real("head", 0.0625, 6.1875, false, 0.0625),
                     Parameter::real("radius", 10.0, 200.0),
                     Parameter::real("length", 10.0, 200.0)},
      .limits = {at_most("shell_load", 1.0), at_most("head_load", 1.0),
                 at_least("volume", 1296000.0), at_most("longest", 240.0)},
      .optimum = {{to_point({0.8125, 0.4375, 42.0984455958, 176.636596})},
                  6059.714338722871,
                  false},
      .design = pressure_vessel});
}

std::unique_ptr<BasicTask> make_speed_reducer(TaskOptions&) {
  return std::make_unique<EngineeringTask>(Problem{
      .name = "speed-reducer",
      .summary = "Lightest gear box; 7 parameters, one an integer, 11 constraints",
      .source = "Golinski 1970; as in Mezura-Montes 2007, best known 2994.471066",
      .parameters = {Parameter::real("face", 2.6, 3.6), Parameter::real("module", 0.7, 0.8),
                     Parameter::integer("teeth", 17, 28), Parameter::real("length1", 7.3, 8.3),
                     Parameter::real("length2", 7.3, 8.3), Parameter::real("diameter1", 2.9, 3.9),
                     Parameter::real("diameter2", 5.0, 5.5)},
      .limits = {at_most("bending", 1.0), at_most("contact", 1.0), at_most("deflection1", 1.0),
                 at_most("deflection2", 1.0), at_most("stress1", 1.0), at_most("stress2", 1.0),
                 at_most("pitch", 1.0), at_most("width_low", 1.0), at_most("width_high", 1.0),
                 at_most("shaft1", 1.0), at_most("shaft2", 1.0)},
      .optimum = {{{3.5, 0.7, std::int64_t{17}, 7.3, 7.7153199122, 3.3502146662, 5.286654465}},
                  2994.471066201616,
                  false},
      .design = speed_reducer});
}

std::unique_ptr<BasicTask> make_tension_spring(TaskOptions&) {
  return std::make_unique<EngineeringTask>(Problem{
      .name = "tension-spring",
      .summary = "Lightest spring; 3 parameters, 4 constraints, a thin feasible region",
      .source = "Arora 1989; best known 0.012665233",
      .parameters = {Parameter::real("wire", 0.05, 2.0), Parameter::real("coil", 0.25, 1.3),
                     Parameter::real("turns", 2.0, 15.0)},
      .limits = {at_least("stiffness", 1.0), at_most("shear", 1.0), at_least("surge", 1.0),
                 at_most("diameter", 1.0)},
      .optimum = {{to_point({0.0516890645, 0.356717822, 11.288961})}, 0.012665232852883863, false},
      .design = tension_spring});
}

}  // namespace vbo::tasks
