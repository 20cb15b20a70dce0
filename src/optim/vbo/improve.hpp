// SPDX-License-Identifier: MIT
// Where a Gaussian process expects most of improving on the best result. Points are chosen one
// after the other, each the maximum of
//   log EI(x) = log E max(0, f(x) - best)
// given that those before it, and those still out, come out as the process expects. What nobody
// knows counts here, which a mean does not see: with few results this is the exploration that pays
// (docs/research.md, "Expected improvement beside the searches"). Where evaluations fail, the
// maximum is that of what will likely succeed: the process knows nothing of borders, and hopes
// beyond them. How likely differs from point to point, from careful to bold: an optimum on a border
// is as likely to fail as not, and points at several distances from where the border is thought to
// be tell more about it than as many at one.
#pragma once

#include <functional>
#include <vector>

#include "models/gp/regression.hpp"
#include "optim/encoding.hpp"
#include "optim/vbo/process_view.hpp"
#include "vbo/random.hpp"

namespace vbo {

// What is known of a process that learns a study's results.
struct Process {
  const Regression* model = nullptr;  // null where there is none, and while it rests
  double best = 0.0;                  // highest mean at a result: a lucky observation is not it
  double weight = 0.0;                // how far it is believed, 0 to 1
  const ProcessView* view = nullptr;  // how it sees codes; null: as they are
};

struct ImprovedPoint {
  Vector code;  // (D), snapped
  double log_ei = 0.0;
};

// log P(success) at X (D,m) -> (m); `slope`, where not null, becomes its derivative (D,m).
using LogSuccess = std::function<Vector(ConstMatrixRef X, Matrix* slope)>;

struct ImproveSearch {
  const Encoding& encoding;
  // (D,m), m >= 1, snapped: where climbs of one point may begin. Called from several threads.
  std::function<Matrix(Rng& rng)> starts;
  std::function<bool(ConstVectorRef code)> taken;  // must not be suggested (again)
  Matrix pending;                                  // (D,P) codes without a result, P >= 0
  // Where evaluations fail: climbs stay where the doubt, 1 - P(success), is at most doubt(u), u
  // from 0 to 1 evenly over the points.
  LogSuccess log_success = {};
  std::function<double(double u)> doubt = [](double) { return 1.0; };
};

// A process that takes what it expects for what came out. What may well fail is no result to beat.
class Believer {
 public:
  // REQUIRES: process.model. `log_success` may be empty.
  Believer(const Process& process, LogSuccess log_success);

  const Regression& model() const { return model_; }
  const ProcessView& view() const { return view_; }
  double best() const { return best_; }
  void believe(const Matrix& points);  // codes (D,k), k >= 0

 private:
  Regression model_;
  ProcessView view_;
  LogSuccess log_success_;
  double best_;
};

class Improvements {
 public:
  // Draws where the climbs of `count` points may begin. REQUIRES: process.model.
  Improvements(const Process& process, ImproveSearch search, int count, Rng rng, int threads);

  // At most `count`; fewer where climbs end on what is taken or in more doubt than allowed.
  // REQUIRES: called once.
  std::vector<ImprovedPoint> find(int threads);

 private:
  // Where the climbs of one point may begin, and what the process expects there.
  struct Starts {
    Matrix X;                            // (D,m)
    std::vector<WatchedPoints> watched;  // the same in blocks, as the process sees them
    Vector log_p;                        // (m) of success; empty where nothing fails
  };
  void draw_starts(int threads);
  Vector scores_of(Starts& starts, double bar) const;

  ImproveSearch search_;
  Believer believer_;
  Rng rng_;
  std::vector<Starts> starts_;  // (count)
};

}  // namespace vbo
