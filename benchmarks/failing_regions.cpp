// SPDX-License-Identifier: MIT
// Objectives that crash in about half of the box and have their optimum on the border: how much of
// a batch still crashes after ten rounds, and how good the best result is
// (research/constraints.md).
//   failing_regions [--methods vbo,turbo] [--problems NAME,...|tuned|held-out|all] [--seeds 1:5]
//                   [--rounds 12] [--batch 32] [--whole|--known|--paired] [--games]
// --whole: nothing crashes, what the border costs; --known: it is a constraint of the space, what
// not knowing it costs; --paired: every game also without crashes, as long as it takes to get as
// many results, what the border costs beyond the evaluations it takes; --games: a line per game.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iomanip>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "vbo/optimizer.hpp"
#include "vbo/random.hpp"

namespace {

using namespace vbo;
using Codes = std::vector<double>;

struct Problem {
  std::string name;
  bool tuned;  // looked at while constants were chosen
  int dimension;
  std::function<double(const Codes&)> cost;   // 0 at the best point that does not crash
  std::function<double(const Codes&)> depth;  // > 0: crashes
  std::string safe;                           // the same as a constraint; empty: there is none
};

// The optimum's coordinates, between 0.25 and 0.75.
double place(std::size_t i) {
  if (i == 0) return 0.5;
  const double u = 0.37 + 0.618034 * static_cast<double>(i);
  return 0.25 + 0.5 * (u - std::floor(u));
}

double sphere(const Codes& x) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += std::pow(x[i] - place(i), 2.0);
  return sum;
}

double ellipsoid(const Codes& x) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += std::pow(10.0, 0.5 * static_cast<double>(i)) * std::pow(x[i] - place(i), 2.0);
  }
  return sum;
}

double rosenbrock(const Codes& x) {  // at place(), in units of a fourth of the box
  double sum = 0.0;
  const auto at = [&](std::size_t i) { return 1.0 + 4.0 * (x[i] - place(i)); };
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    sum += 100.0 * std::pow(at(i + 1) - at(i) * at(i), 2.0) + std::pow(1.0 - at(i), 2.0);
  }
  return sum;
}

double ackley(const Codes& x) {  // box of width 20
  double squares = 0.0, waves = 0.0;
  const auto n = static_cast<double>(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = 20.0 * (x[i] - place(i));
    squares += t * t / n;
    waves += std::cos(2.0 * 3.14159265358979323846 * t) / n;
  }
  return 20.0 - 20.0 * std::exp(-0.2 * std::sqrt(squares)) + std::exp(1.0) - std::exp(waves);
}

std::string variable(std::size_t i) { return "x" + std::to_string(i); }
std::string exact(double value) {
  std::ostringstream out;
  out << std::setprecision(17) << value;
  return out.str();
}

double axis(const Codes& x) { return x[0] - 0.5; }
std::string axis_kept() { return variable(0) + " <= 0.5"; }

double oblique(const Codes& x) {
  double side = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) side += (x[i] - place(i)) * (i % 2 == 1 ? 1.0 : -1.0);
  return side / std::sqrt(static_cast<double>(x.size()));
}

std::string oblique_kept(std::size_t dimension) {
  std::string side = "0";
  for (std::size_t i = 0; i < dimension; ++i) {
    side += (i % 2 == 1 ? " + (" : " - (") + variable(i) + " - " + exact(place(i)) + ")";
  }
  return side + " <= 0";
}

// A plane with waves that reach into what succeeds: no quadric.
double waves(const Codes& x) {
  return oblique(x) + 0.1 * (1.0 - std::cos(8.0 * (x[1] - place(1))));
}

// Of a ball that has the optimum on its surface: from there towards the middle of the box.
double ball_centre(std::size_t i, std::size_t dimension, double radius) {
  const double step = radius / std::sqrt(static_cast<double>(dimension));
  return place(i) + (place(i) < 0.5 ? step : -step);
}

std::string ball_kept(std::size_t dimension, double radius) {
  std::string square = "0";
  for (std::size_t i = 0; i < dimension; ++i) {
    square += " + (" + variable(i) + " - " + exact(ball_centre(i, dimension, radius)) + ")^2";
  }
  return square + " <= " + exact(radius * radius);
}

// Outside of a ball of this radius that has the optimum on its surface.
std::function<double(const Codes&)> outside_ball(double radius) {
  return [radius](const Codes& x) {
    double square = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      square += std::pow(x[i] - ball_centre(i, x.size(), radius), 2.0);
    }
    return std::sqrt(square) - radius;
  };
}

// Falls towards the border and beyond: its optimum in the box crashes. Zero at place().
double slope(const Codes& x) {
  return sphere(x) - std::sqrt(static_cast<double>(x.size())) * 0.2 * oblique(x);
}

// The same towards a ball's surface: the nearest point of the ball to one outside of it.
double beyond(const Codes& x) {
  double square = 0.0, gap = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double out = place(i) + (place(i) < 0.5 ? -0.1 : 0.1);
    square += std::pow(x[i] - out, 2.0);
    gap += 0.01;
  }
  return square - gap;
}

std::vector<Problem> problems() {
  return {
      {"sphere-axis-5", true, 5, sphere, axis, axis_kept()},
      {"ellipsoid-oblique-5", true, 5, ellipsoid, oblique, oblique_kept(5)},
      {"slope-ball-3", true, 3, beyond, outside_ball(0.45), ball_kept(3, 0.45)},
      {"rosenbrock-axis-2", true, 2, rosenbrock, axis, axis_kept()},
      {"slope-oblique-8", false, 8, slope, oblique, oblique_kept(8)},
      {"ackley-ball-4", false, 4, ackley, outside_ball(0.55), ball_kept(4, 0.55)},
      {"rosenbrock-oblique-4", false, 4, rosenbrock, oblique, oblique_kept(4)},
      {"sphere-ball-2", false, 2, sphere, outside_ball(0.4), ball_kept(2, 0.4)},
      {"ellipsoid-ball-6", false, 6, ellipsoid, outside_ball(0.7), ball_kept(6, 0.7)},
      {"sphere-oblique-10", false, 10, sphere, oblique, oblique_kept(10)},
      {"slope-waves-3", true, 3, slope, waves, ""},
      {"sphere-waves-4", true, 4, sphere, waves, ""},
  };
}

enum class Border { hidden, known, none };

struct Game {
  std::vector<double> crashed;  // share of each batch
  double best = INFINITY;
  std::vector<double> best_after;                      // 1, 2, ... evaluations that did not crash
  std::map<std::string, std::pair<int, int>> sources;  // crashed and all after ten rounds
};

Game play(const Problem& problem, const std::string& method, std::uint64_t seed, int rounds,
          int batch, Border border) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < problem.dimension; ++i) {
    parameters.push_back(Parameter::real(variable(static_cast<std::size_t>(i)), 0, 1));
  }
  std::vector<std::string> constraints;
  if (border == Border::known) constraints.push_back(problem.safe);
  const Space space = Space::make(std::move(parameters), std::move(constraints)).value();
  OptimizerOptions options;
  options.method = method;
  options.seed = seed;
  options.batch = batch;
  options.budget = static_cast<std::int64_t>(batch) * rounds;
  options.threads = 1;
  auto optimizer = make_optimizer(space, options).value();
  Game game;
  TrialId next = 1;
  EventId event = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<TrialId> ids(static_cast<std::size_t>(batch));
    std::iota(ids.begin(), ids.end(), next);
    next += batch;
    const std::vector<Suggestion> suggested = optimizer->ask(ids);
    ++event;
    std::vector<Trial> trials;
    int crashed = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      Codes x;
      for (const Value& value : suggested[i].point) x.push_back(std::get<double>(value));
      Trial trial{.id = ids[i], .point = suggested[i].point, .rationale = suggested[i].rationale};
      trial.asked_in = event;
      const bool crashes = border == Border::hidden && problem.depth(x) > 0.0;
      trial = ended_by(
          std::move(trial),
          crashes ? Outcome::failed(FailureCause::crash, "crashed") : Outcome::of(-problem.cost(x)),
          {});
      trial.told_in = event + 1;
      crashed += crashes;
      if (!crashes) {
        game.best = std::min(game.best, problem.cost(x));
        game.best_after.push_back(game.best);
      }
      if (round >= 10) {
        auto& [bad, all] = game.sources[suggested[i].rationale.source];
        bad += crashes;
        ++all;
      }
      trials.push_back(std::move(trial));
    }
    ++event;
    game.crashed.push_back(static_cast<double>(crashed) / batch);
    optimizer->tell(trials);
  }
  return game;
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all;
  std::stringstream in(text);
  for (std::string word; std::getline(in, word, ',');) all.push_back(word);
  return all;
}

}  // namespace

int main(int count, char** values) {
  std::string methods = "vbo,gp-logei,turbo", which = "all";
  int first = 1, last = 5, rounds = 12, batch = 32;
  Border border = Border::hidden;
  bool games = false, paired = false;
  for (int i = 1; i < count; ++i) {
    const std::string option = values[i];
    const auto value = [&]() -> std::string { return i + 1 < count ? values[++i] : ""; };
    if (option == "--methods")
      methods = value();
    else if (option == "--problems")
      which = value();
    else if (option == "--seeds")
      std::sscanf(value().c_str(), "%d:%d", &first, &last);
    else if (option == "--rounds")
      rounds = std::stoi(value());
    else if (option == "--batch")
      batch = std::stoi(value());
    else if (option == "--whole")
      border = Border::none;
    else if (option == "--known")
      border = Border::known;
    else if (option == "--paired")
      paired = true;
    else if (option == "--games")
      games = true;
    else
      return std::fprintf(stderr, "failing_regions: unknown option %s\n", values[i]), 2;
  }
  std::printf("%-22s %-9s %5s %8s %8s %8s %10s %10s\n", "problem", "method", "seeds", "crash",
              "worst", ">10%", "best", "worst best");
  for (const Problem& problem : problems()) {
    const std::vector<std::string> named = words(which);
    if (which == "tuned" ? !problem.tuned
        : which == "held-out"
            ? problem.tuned
            : which != "all" && std::ranges::find(named, problem.name) == named.end())
      continue;
    if (border == Border::known && problem.safe.empty()) continue;
    for (const std::string& method : words(methods)) {
      std::vector<double> late, bests, bests_whole;
      int wins = 0;  // games that end better than their counterparts without crashes
      std::map<std::string, std::pair<int, int>> sources;
      for (int seed = first; seed <= last; ++seed) {
        const Game game =
            play(problem, method, static_cast<std::uint64_t>(seed), rounds, batch, border);
        late.insert(late.end(), game.crashed.begin() + std::min(rounds, 10), game.crashed.end());
        bests.push_back(game.best);
        if (paired && !game.best_after.empty()) {
          const Game whole =
              play(problem, method, static_cast<std::uint64_t>(seed), rounds, batch, Border::none);
          bests_whole.push_back(whole.best_after[game.best_after.size() - 1]);
          wins += game.best < bests_whole.back();
        }
        for (const auto& [source, seen] : game.sources) {
          sources[source].first += seen.first;
          sources[source].second += seen.second;
        }
        if (!games) continue;
        std::printf("  seed %d: %.3g  crash %%:", seed, game.best);
        for (const double share : game.crashed) std::printf(" %.0f", 100.0 * share);
        std::printf("\n");
      }
      std::ranges::sort(bests);
      std::ranges::sort(bests_whole);
      const auto n = static_cast<double>(late.size());
      const auto above = std::ranges::count_if(late, [](double share) { return share > 0.1; });
      std::printf("%-22s %-9s %5d %7.1f%% %7.1f%% %7.0f%% %10.2g %10.2g", problem.name.c_str(),
                  method.c_str(), last - first + 1,
                  100.0 * std::accumulate(late.begin(), late.end(), 0.0) / n,
                  100.0 * (late.empty() ? 0.0 : std::ranges::max(late)),
                  100.0 * static_cast<double>(above) / n, bests[bests.size() / 2], bests.back());
      if (!bests_whole.empty()) {
        std::printf("  whole %.2g, better in %d of %zu", bests_whole[bests_whole.size() / 2], wins,
                    bests_whole.size());
      }
      if (games) {
        for (const auto& [source, seen] : sources) {
          std::printf("  %s %d/%d", source.c_str(), seen.first, seen.second);
        }
      }
      std::printf("\n");
      std::fflush(stdout);
    }
  }
  return 0;
}
