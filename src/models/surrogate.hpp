// SPDX-License-Identifier: MIT
// What an optimizer knows about an unknown function f on [0,1]^D: a probabilistic regression model
// behind one interface, so that every model gets every acquisition (optim/surrogate).
// Letters: D inputs, N observations, q points asked about together, S draws. One point = one
// column. All results are in the units of the y that was fitted; standardizing is the model's own
// business. A const Surrogate may be used from several threads at once. A model never throws on
// finite data: duplicates, constant y or N = 1 give a usable, if vague, posterior.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "numerics/linalg.hpp"
#include "vbo/random.hpp"
#include "vbo/trial.hpp"

namespace vbo {

// How a fit ended. Not converging is normal: the posterior is usable whatever the status.
struct FitReport {
  enum class Status {
    converged,  // the optimizer or sampler met its own criterion
    stopped,    // out of iterations
    fallback,   // fell back on safe hyper-parameters; `message` says why
  };
  Status status = Status::converged;
  int iterations = 0;
  double objective = 0.0;    // what was maximized, e.g. the log marginal likelihood; 0 if none
  std::string message;       // empty when there is nothing to say
  std::vector<Term> values;  // diagnostics for the ask report, e.g. {"acceptance", 0.81}
};

// The random numbers a set of S joint draws at q points is made of. Keeping them fixed while x
// moves
// ("common random numbers") makes a Monte Carlo acquisition a deterministic function of x.
// Gaussian posteriors use the normals; ensembles choose members with the uniforms, one per draw.
struct BaseSamples {
  Matrix normals;   // (q,S)
  Vector uniforms;  // (S)
  static BaseSamples make(Eigen::Index q, Eigen::Index S, Rng& rng);
};

// The posterior of the latent f (observation noise not included) at X (D,q), together with what is
// needed to go back from derivatives of a loss to derivatives with respect to X (adjoint style).
// It refers to the Surrogate it came from, which must outlive it unchanged.
class Posterior {
 public:
  virtual ~Posterior() = default;

  virtual const Vector& mean() const = 0;      // (q)
  virtual const Vector& variance() const = 0;  // (q), > 0
  // dL/dmean (q), dL/dvariance (q) -> dL/dX (D,q). Point by point: correlations play no part.
  virtual Matrix pullback(ConstVectorRef dmean, ConstVectorRef dvariance) const = 0;

  // The rest REQUIRES a posterior made with Surrogate::posterior(), not marginals().
  virtual const Matrix& covariance() const = 0;  // (q,q)
  // dL/dcovariance is symmetric; L changes by the sum over all i,j of dcovariance_ij dSigma_ij.
  virtual Matrix pullback_joint(ConstVectorRef dmean, ConstMatrixRef dcovariance) const = 0;
  virtual Matrix draws(const BaseSamples& base) const = 0;  // (q,S), one joint draw per column
  // dL/ddraws (q,S), of the draws made from the same base -> dL/dX (D,q).
  virtual Matrix pullback_draws(const BaseSamples& base, ConstMatrixRef ddraws) const = 0;
};

class Surrogate {
 public:
  virtual ~Surrogate() = default;

  // Variances of the observations that the next fit() or update() is given, beside the noise that
  // is learned: (N) in units of y squared, or empty. Kept until it is set again. Models that cannot
  // use them ignore them.
  virtual void set_known_variances(ConstVectorRef variances) { (void)variances; }

  // Learns hyper-parameters or weights from X (D,N) in [0,1]^D and y (N), N >= 1, all finite, and
  // conditions on the data. May start from what the last fit found (see state()).
  // All randomness comes from `rng`.
  virtual FitReport fit(ConstMatrixRef X, ConstVectorRef y, Rng rng) = 0;

  // Conditions on data whose first columns are those of the last fit() or update(), keeping
  // hyper-parameters. Cheaper than fit() where the model can; models that cannot, fit.
  virtual FitReport update(ConstMatrixRef X, ConstVectorRef y, Rng rng) { return fit(X, y, rng); }

  // REQUIRES: fit() was called. X (D,q).
  virtual std::unique_ptr<Posterior> posterior(ConstMatrixRef X) const = 0;
  // The same without correlations between the points: for scoring many candidates, q in the 1000s.
  virtual std::unique_ptr<Posterior> marginals(ConstMatrixRef X) const = 0;

  // S functions drawn from the posterior, evaluated at X (D,m) -> (m,S); m up to a few thousand.
  // `with_noise` draws observations instead of the latent function.
  virtual Matrix sample_functions(ConstMatrixRef X, Eigen::Index S, bool with_noise,
                                  Rng rng) const = 0;

  // Whether conditioned_on() answers; without, Monte Carlo acquisitions join pending points to x.
  virtual bool has_fantasies() const { return false; }
  // This model after also having seen y at X (D,k), hyper-parameters kept: fantasies of pending
  // results. Null when the model has none. The result may refer to *this.
  virtual std::unique_ptr<Surrogate> conditioned_on(ConstMatrixRef X, ConstVectorRef y) const {
    (void)X, (void)y;
    return nullptr;
  }

  // Variance of an observation around f, in units of y squared; 0 when the model has none.
  virtual double noise_variance() const { return 0.0; }

  // What the next fit() depends on besides its arguments (warm starts); empty when nothing.
  // Does not grow with N. set_state() accepts what state() of a model with equal options gave; an
  // empty one makes the next fit start cold. So does any other, and then it returns false.
  virtual Vector state() const { return {}; }
  virtual bool set_state(ConstVectorRef state) { return state.size() == 0; }
};

}  // namespace vbo
