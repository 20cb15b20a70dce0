// SPDX-License-Identifier: MIT
#include "optim/vbo/critics/networks.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/normal.hpp"
#include "nn/init.hpp"
#include "nn/loss.hpp"
#include "nn/snapshot.hpp"
#include "numerics/flops.hpp"
#include "numerics/parallel.hpp"
#include "optim/vbo/constants.hpp"

namespace vbo {
namespace {

int threads_for(Eigen::Index columns, int threads) {
  constexpr Eigen::Index few = 256;  // a short loop
  return columns < few && threads < Tuning::many_threads ? 1 : threads;
}

// Columns that are scored at a time. The same whatever the threads: the last bits of a product
// depend on its width.
Eigen::Index together(Eigen::Index columns) { return columns < 512 ? 32 : 64; }

nn::MlpShape critic_shape(Eigen::Index inputs, const VboOptions& options) {
  std::vector<int> widths{static_cast<int>(std::max<Eigen::Index>(1, inputs))};
  for (const std::int64_t width : options.hidden) widths.push_back(static_cast<int>(width));
  widths.push_back(static_cast<int>(options.order));
  return nn::MlpShape(widths, nn::Activation::relu);
}

// Where mass `above` of the mixture lies above an outcome: its place among the M levels, 0..M-1.
float level_place(double above, Eigen::Index M) {
  const double place = (1.0 - above) * static_cast<double>(M) - 0.5;
  return static_cast<float>(std::clamp(place, 0.0, static_cast<double>(M - 1)));
}

// A level between j and j+1 is shared by both: P (M,N) += the target distribution of column i.
void set_target(float place, Eigen::Index i, MatrixOf<float>& P) {
  const auto j = std::min(static_cast<Eigen::Index>(place), P.rows() - 2);
  const float upper = place - static_cast<float>(j);
  P(j, i) = 1.0F - upper;
  P(j + 1, i) = upper;
}

}  // namespace

// The results of one round's minibatches: features and level places, the elite first.
struct Networks::Pool {
  MatrixOf<float> Z;          // (F,P)
  std::vector<float> places;  // (P)
  int elite = 0;              // columns [0, elite)
  int uniform_from = 0;       // a uniform draw comes from [uniform_from, P)
  double uniform_share = 0;   // of all draws
};

Networks::Networks(Eigen::Index inputs, const VboOptions& options, std::uint64_t seed)
    : options_(options),
      seed_(seed),
      levels_(options.levels),
      powers_(levels_.size(), options.order) {
  const auto M = static_cast<double>(options.levels);
  for (Eigen::Index j = 0; j < levels_.size(); ++j) {
    levels_[j] = static_cast<float>(normal_quantile((static_cast<double>(j) + 0.5) / M));
  }
  powers_.col(0) = levels_;
  for (Eigen::Index f = 1; f < powers_.cols(); ++f) {
    powers_.col(f) = powers_.col(f - 1).cwiseProduct(levels_) / static_cast<float>(f + 1);
  }
  ensemble_ = nn::Ensemble<float>(critic_shape(inputs, options), static_cast<int>(options.critics),
                                  {.learning_rate = options.critic_rate}, seed);
  // Uniform fan-in weights have a third of the variance that keeps a ReLU network's signal alive.
  for (int k = 0; k < size(); ++k) {
    nn::Mlp<float>& net = ensemble_[k].net;
    for (int l = 0; l < static_cast<int>(net.shape().layers().size()); ++l) net.weights(l) *= 1.7F;
  }
}

double Networks::ceiling() const { return std::log(static_cast<double>(levels_.size())); }

Networks::Pool Networks::draw_pool(const Archive& archive, const Replay& replay,
                                   const LocalCoordinates& coordinates, std::int64_t round) const {
  std::vector<int> indices;
  Pool pool;
  pool.elite = std::min(replay.elite, Tuning::pool / 2);
  pool.uniform_share = replay.uniform_share;
  if (archive.size() <= Tuning::pool) {
    for (int rank = 0; rank < archive.size(); ++rank) indices.push_back(archive.at_rank(rank));
  } else {
    Rng rng(seed_, "critic-pool", static_cast<std::uint64_t>(round));
    for (int rank = 0; rank < pool.elite; ++rank) indices.push_back(archive.at_rank(rank));
    while (static_cast<int>(indices.size()) < Tuning::pool) {
      indices.push_back(static_cast<int>(rng.below(static_cast<std::uint64_t>(archive.size()))));
    }
    pool.uniform_from = pool.elite;
  }
  MatrixOf<float> X(archive.code(0).size(), static_cast<Eigen::Index>(indices.size()));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    X.col(static_cast<Eigen::Index>(i)) = archive.code(indices[i]).cast<float>();
    const double above = replay.quantile(archive.shared_rank(indices[i]));
    pool.places.push_back(level_place(above, levels_.size()));
  }
  coordinates.features(X, pool.Z);
  return pool;
}

void Networks::train(const Archive& archive, const Replay& replay,
                     const LocalCoordinates& coordinates, int steps, std::int64_t round,
                     int threads) {
  side_by_side(threads, training(archive, replay, coordinates, steps, round));
}

std::vector<Piece> Networks::training(const Archive& archive, const Replay& replay,
                                      const LocalCoordinates& coordinates, int steps,
                                      std::int64_t round) {
  const auto pool = std::make_shared<const Pool>(draw_pool(archive, replay, coordinates, round));
  std::vector<Piece> pieces;
  for (int k = 0; k < size(); ++k) {
    ensemble_[k].rng = Rng(seed_, "critic-batch", static_cast<std::uint64_t>(round * size() + k));
    ensemble_[k].X.resize(pool->Z.rows(), options_.minibatch);
    pieces.push_back({[this, pool, steps, k](int) {
      MatrixOf<float> P, logits;
      ensemble_.train_member(k, steps, [&](int, nn::Member<float>& member) {
        return loss_of_minibatch(*pool, member, P, logits);
      });
    }});
  }
  return pieces;
}

// Of a minibatch the member draws, with its gradient left in member.net. P and logits are workspace
// for the target distributions and the scores of all levels.
double Networks::loss_of_minibatch(const Pool& pool, nn::Member<float>& member, MatrixOf<float>& P,
                                   MatrixOf<float>& logits) const {
  const Eigen::Index N = options_.minibatch;
  const auto columns = static_cast<std::uint64_t>(pool.places.size());
  P.setZero(levels_.size(), N);
  for (Eigen::Index i = 0; i < N; ++i) {
    const bool uniform = member.rng.uniform() < pool.uniform_share;
    const std::uint64_t from = uniform ? static_cast<std::uint64_t>(pool.uniform_from) : 0;
    const std::uint64_t to = uniform ? columns : static_cast<std::uint64_t>(pool.elite);
    const auto column = static_cast<Eigen::Index>(from + member.rng.below(to - from));
    member.X.col(i) = pool.Z.col(column);
    set_target(pool.places[static_cast<std::size_t>(column)], i, P);
  }
  logits.resize(levels_.size(), N);
  add_up(member.net.forward(member.X), logits);
  const double loss = nn::softmax_cross_entropy<float>(logits, P, &member.dY);
  member.net.backward(pull_back(member.dY));
  return loss;
}

// The scores of the levels from a network's coefficients (F,N), and the way back for gradients.
void Networks::add_up(nn::InputRef<float> coefficients, Eigen::Ref<MatrixOf<float>> logits) const {
  flops::add(flops::gemm(powers_.rows(), coefficients.cols(), powers_.cols()));
  logits.noalias() = powers_ * coefficients;
}

MatrixOf<float> Networks::pull_back(nn::InputRef<float> d_logits) const {
  flops::add(flops::gemm(powers_.cols(), d_logits.cols(), powers_.rows()));
  return powers_.transpose() * d_logits;
}

// Logits of all critics for some of N inputs, those from `first` on.
void Networks::score(const LocalCoordinates& coordinates, nn::InputRef<float> X, Eigen::Index first,
                     Eigen::Index N, MatrixOf<float>& logits) const {
  nn::MlpWorkspace<float> pass;
  MatrixOf<float> Z, coefficients(powers_.cols(), X.cols());
  coordinates.features(X, Z);
  for (int k = 0; k < size(); ++k) {
    const nn::Mlp<float>& net = ensemble_[k].net;
    nn::predict<float>(net.shape(), net.parameters().data(), Z, pass, coefficients);
    add_up(coefficients, logits.middleCols(k * N + first, X.cols()));
  }
}

const DecompositionOf<float>& Networks::evaluate(const LocalCoordinates& coordinates,
                                                 nn::InputRef<float> X,
                                                 const DecompositionWeights& weights, int threads,
                                                 Workspace& workspace) const {
  const Eigen::Index N = X.cols();
  workspace.logits.resize(levels_.size(), N * size());
  threads = threads_for(N, threads);
  const Eigen::Index block = together(N);
  const auto blocks = static_cast<int>((N + block - 1) / block);
  parallel_for(threads, blocks, [&](int i) {
    const Eigen::Index first = block * i;
    score(coordinates, X.middleCols(first, std::min(block, N - first)), first, N, workspace.logits);
  });
  decompose_information<float>(workspace.logits, size(), levels_, weights, WithGradient::no,
                               workspace.terms, threads);
  return workspace.terms;
}

const DecompositionOf<float>& Networks::evaluate(const LocalCoordinates& coordinates,
                                                 nn::InputRef<float> X,
                                                 const DecompositionWeights& weights, int threads,
                                                 Workspace& workspace, MatrixOf<float>& dX) const {
  const Eigen::Index N = X.cols();
  threads = threads_for(N, threads);
  coordinates.features(X, workspace.features);
  workspace.logits.resize(levels_.size(), N * size());
  workspace.passes.resize(static_cast<std::size_t>(size()));
  workspace.slopes.resize(static_cast<std::size_t>(size()));
  parallel_for(threads, size(), [&](int k) {
    const nn::Mlp<float>& net = ensemble_[k].net;
    add_up(nn::forward(net.shape(), net.parameters().data(), workspace.features,
                       workspace.passes[static_cast<std::size_t>(k)]),
           workspace.logits.middleCols(k * N, N));
  });
  decompose_information<float>(workspace.logits, size(), levels_, weights, WithGradient::yes,
                               workspace.terms);
  parallel_for(threads, size(), [&](int k) {
    const nn::Mlp<float>& net = ensemble_[k].net;
    MatrixOf<float>& slope = workspace.slopes[static_cast<std::size_t>(k)];
    slope.resize(workspace.features.rows(), N);
    nn::backward<float>(
        net.shape(), net.parameters().data(), workspace.passes[static_cast<std::size_t>(k)],
        pull_back(workspace.terms.gradient.middleCols(k * N, N)), nullptr, slope.data());
  });
  for (int k = 1; k < size(); ++k)
    workspace.slopes[0] += workspace.slopes[static_cast<std::size_t>(k)];
  coordinates.features_backward(workspace.features, workspace.slopes[0], dX);
  return workspace.terms;
}

void Networks::write(StateWriter& out) const {
  std::string bytes;
  nn::save(ensemble_, bytes);
  out.put_array(std::span<const char>(bytes));
}

void Networks::read(StateReader& in) {
  std::string bytes;
  nn::save(ensemble_, bytes);  // the same shape takes the same room
  in.get_bytes(bytes);
  std::string_view rest = bytes;
  if (in.ok() && !nn::load(rest, ensemble_)) in.fail();
}

}  // namespace vbo
