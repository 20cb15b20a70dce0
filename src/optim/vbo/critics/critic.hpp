// SPDX-License-Identifier: MIT
// A critic: a surrogate of the panel. Its predictive distribution q(y|x) of outcomes, with m(y)
// their marginal, gives
//   T(x,y) = log q(y|x) / m(y),
// and since q is normalized, the mean of T over results that it has not seen is a lower bound of
// the mutual information I(X;Y): its log score above the marginal, in nats. By this number critics
// are weighed (panel_weights.hpp). Not thread-safe.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "numerics/parallel.hpp"
#include "optim/state_bytes.hpp"
#include "optim/vbo/archive.hpp"
#include "optim/vbo/critics/calibration.hpp"

namespace vbo {

// The training of a critic: pieces that may run in any order or at once with those of others, and
// what remains when all are done.
struct Learning {
  std::vector<Piece> pieces = {};
  std::function<void()> conclude = [] {};
};

class Critic {
 public:
  virtual ~Critic() = default;

  virtual std::string_view name() const = 0;  // of its weight in reports
  // Once per round. Depends on its arguments and what write() stores alone.
  virtual Learning learning(const Archive& archive, const Replay& replay, std::int64_t round) = 0;
  virtual bool is_fitted() const = 0;
  // Whether write() stores the model itself; a resumed study then does not train it again.
  virtual bool is_stored() const { return false; }
  // Which of the codes X (D,N) its predictions are valid for. REQUIRES (and below): is_fitted().
  virtual std::vector<bool> covers(ConstMatrixRef X) const {
    return std::vector<bool>(static_cast<std::size_t>(X.cols()), true);
  }
  // q over `levels` (G,N) at codes X (D,N): columns add up to one.
  virtual Matrix predict(const OutcomeLevels& levels, ConstMatrixRef X, int threads) const = 0;
  // Expected outcomes in normal scores (N); where `slope` is not null it becomes their derivative
  // by the codes (D,N).
  virtual Vector mean(ConstMatrixRef X, int threads, Matrix* slope) const = 0;

  virtual void write(StateWriter& out) const = 0;
  virtual void read(StateReader& in) = 0;
};

// Of a normal distribution: the mass between the edges of the levels, already on its scale (G).
Vector normal_over_levels(double mean, double deviation, ConstVectorRef edges);

}  // namespace vbo
