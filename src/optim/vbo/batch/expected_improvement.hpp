// SPDX-License-Identifier: MIT
// Maximizes the expected improvement of a Gaussian process over the best result. Points are chosen
// one after the other, each the maximum of
//   log EI(x) = log E max(0, f(x) - best)
// with the points before it and the pending ones as fantasies at their posterior means. Expected
// improvement counts posterior variance, which a mean does not: with few results this is the
// exploration that pays. Where evaluations fail, the maximum is constrained to a probability of
// success, since the Gaussian process has no model of failures. The bound differs from point to
// point, from careful to bold: an optimum on a border is as likely to fail as not, and points at
// several distances from the estimated border locate it better than as many at one distance.
#pragma once

#include <functional>
#include <vector>

#include "models/gp/regression.hpp"
#include "optim/encoding.hpp"
#include "optim/vbo/critics/gp_window.hpp"
#include "vbo/random.hpp"

namespace vbo {

// The Gaussian process of the panel, as fitted to a study's results.
struct GpMember {
  const Regression* model = nullptr;  // null where there is none, and while it is skipped
  double best = 0.0;                  // highest mean at a result: a noisy maximum is not it
  double weight = 0.0;                // in the panel, 0 to 1
  const GpWindow* view = nullptr;     // its input transformation; null: codes as they are
};

struct EiPoint {
  Vector code;  // (D), snapped
  double log_ei = 0.0;
};

// log P(success) at X (D,m) -> (m); `slope`, where not null, becomes its derivative (D,m).
using LogSuccess = std::function<Vector(ConstMatrixRef X, Matrix* slope)>;

struct EiProblem {
  const Encoding& encoding;
  // (D,m), m >= 1, snapped: where ascents of one point may begin. Called from several threads.
  std::function<Matrix(Rng& rng)> starts;
  std::function<bool(ConstVectorRef code)> taken;  // must not be suggested (again)
  Matrix pending;                                  // (D,P) codes without a result, P >= 0
  // Where evaluations fail: ascents stay where the doubt, 1 - P(success), is at most doubt(u), u
  // from 0 to 1 evenly over the points.
  LogSuccess log_success = {};
  std::function<double(double u)> doubt = [](double) { return 1.0; };
};

// A Gaussian process conditioned on fantasized outcomes of pending points. A point that is likely
// to fail does not raise the best result.
class FantasyModel {
 public:
  // REQUIRES: gp.model. `log_success` may be empty.
  FantasyModel(const GpMember& gp, LogSuccess log_success);

  const Regression& model() const { return model_; }
  const GpWindow& view() const { return view_; }
  double best() const { return best_; }
  void condition_on(const Matrix& points);  // codes (D,k), k >= 0

 private:
  Regression model_;
  GpWindow view_;
  LogSuccess log_success_;
  double best_;
};

class EiMaximizer {
 public:
  // Draws where the ascents of `count` points may begin. REQUIRES: gp.model.
  EiMaximizer(const GpMember& gp, EiProblem search, int count, Rng rng, int threads);

  // At most `count`; fewer where ascents end on what is taken or in more doubt than allowed.
  // REQUIRES: called once.
  std::vector<EiPoint> find(int threads);

 private:
  // Where the ascents of one point may begin, and the posterior there.
  struct Starts {
    Matrix X;                            // (D,m)
    std::vector<WatchedPoints> watched;  // the same in blocks, in the GP's window
    Vector log_p;                        // (m) of success; empty where nothing fails
  };
  void draw_starts(int threads);
  Vector scores_of(Starts& starts, double bar) const;

  EiProblem search_;
  FantasyModel fantasies_;
  Rng rng_;
  std::vector<Starts> starts_;  // (count)
};

}  // namespace vbo
