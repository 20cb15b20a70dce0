// SPDX-License-Identifier: MIT
// The hierarchy of boxes: which there are, a model for each, points inside them.
#include <algorithm>
#include <cmath>

#include "models/focal/focal_gp.hpp"
#include "models/gp/gp.hpp"
#include "models/standardize.hpp"
#include "optim/focal/focal.hpp"
#include "optim/surrogate/training.hpp"

namespace vbo {
namespace {

using Eigen::Index;

// While there are fewer results than inducing points, an exact process over the whole cube.
GpOptions exact_options(Index D) {
  GpOptions o = GpOptions::standard(D);
  o.lengthscale_prior = o.noise_prior = {};
  o.lengthscale_low = 0.005, o.lengthscale_high = 10.0, o.lengthscale_start = 0.5;
  o.noise_low = 1e-4, o.noise_start = 0.1;
  return o;
}

}  // namespace

void FocalMethod::fit(Index count) {
  const std::vector<Index> chosen = training_set(history_, count, options_.max_points, true);
  const Vector y = training_values(history_, chosen, count);
  const Standardize output = Standardize::of(y);
  offset_ = output.offset;
  scale_ = output.scale;
  const Vector z = output.apply(y);
  const Index D = encoding_.dimension();
  Matrix X(D, z.size());
  for (Index i = 0; i < z.size(); ++i)
    X.col(i) = history_.code(chosen[static_cast<std::size_t>(i)]);
  Index at = 0;
  best_z_ = z.maxCoeff(&at);
  best_ = chosen[static_cast<std::size_t>(at)];
  centre_ = X.col(at);
  fitted_ = count;
  fitted_depth_ = depth_;
  fitted_side_ = base_.side;

  levels_.clear();
  const auto blocks = static_cast<Index>(encoding_.blocks().size());
  const Vector equal = Vector::Ones(blocks);
  const auto stream = [&](std::int64_t level) {
    return Rng(seed_, "focal-fit", static_cast<std::uint64_t>(count * 64 + level));
  };
  if (z.size() < options_.inducing) {
    auto model = std::make_shared<GaussianProcess>(exact_options(D));
    model->fit(X, z, stream(0));
    levels_.push_back({Vector::Zero(D), Vector::Ones(D), 1.0, equal, std::move(model)});
    return;
  }
  Vector low = Vector::Zero(D), high = Vector::Ones(D);
  double side = around_best() ? base_.side : 1.0;
  bool alone = false;  // a box held one result only: smaller ones keep its model
  for (std::int64_t k = 0; k < depth_; ++k) {
    if (k > 0) side *= 0.5;
    if (k > 0 || around_best()) {
      low = (centre_.array() - 0.5 * side).cwiseMax(0.0);
      high = (centre_.array() + 0.5 * side).cwiseMin(1.0);
      for (const Encoding::Block& block : encoding_.blocks()) {  // choices have no neighbourhood
        if (block.kind != ParameterKind::categorical) continue;
        low.segment(block.offset, block.width).setZero();
        high.segment(block.offset, block.width).setOnes();
      }
    }
    if (alone) {
      levels_.push_back({low, high, side, levels_.back().weights, levels_.back().model});
      continue;
    }
    const FocalRegion region{low, high};
    auto model = std::make_shared<FocalGp>(
        FocalOptions{options_.inducing, static_cast<int>(options_.epochs), 0.01}, region);
    model->fit(X, z, stream(k));
    Vector logs(blocks);
    for (Index b = 0; b < blocks; ++b) {
      const Encoding::Block& block = encoding_.blocks()[static_cast<std::size_t>(b)];
      logs[b] = std::log(model->parameters().lengthscales[block.offset]);
    }
    levels_.push_back({low, high, side, (logs.array() - logs.mean()).exp(), model});
    Index inside = 0;
    for (Index i = 0; i < X.cols(); ++i) inside += region.contains(X.col(i));
    alone = inside <= 1;
  }
}

// u (blocks) in (0,1) -> a snapped point of the level's box; `weighted` stretches the box around
// the centre by the level's weights, as far as the box of level 0 goes.
Vector FocalMethod::point_in(const Level& level, ConstVectorRef u, bool weighted) const {
  Vector x = centre_;
  for (std::size_t b = 0; b < encoding_.blocks().size(); ++b) {
    const Encoding::Block& block = encoding_.blocks()[b];
    const auto k = static_cast<Index>(b);
    if (block.kind == ParameterKind::categorical) {
      const auto choice = static_cast<Index>(u[k] * static_cast<double>(block.width));
      x.segment(block.offset, block.width).setZero();
      x[block.offset + std::min(choice, block.width - 1)] = 1.0;
      continue;
    }
    double low = level.low[block.offset], high = level.high[block.offset];
    if (weighted) {
      const double half = 0.5 * level.side * level.weights[k];
      low = std::max(levels_.front().low[block.offset], centre_[block.offset] - half);
      high = std::min(levels_.front().high[block.offset], centre_[block.offset] + half);
    }
    x[block.offset] = low + (high - low) * u[k];
  }
  encoding_.snap(x);
  return x;
}

}  // namespace vbo
