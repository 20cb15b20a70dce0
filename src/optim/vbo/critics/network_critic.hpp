// SPDX-License-Identifier: MIT
// The critic networks as a member of the panel. Refers to the networks and their inputs, which
// others own. Not thread-safe.
#pragma once

#include "optim/vbo/critics/critic.hpp"
#include "optim/vbo/critics/networks.hpp"

namespace vbo {

class NetworkCritic final : public Critic {
 public:
  NetworkCritic(Networks& networks, const LocalCoordinates& coordinates, int steps)
      : networks_(networks), coordinates_(coordinates), steps_(steps) {}

  std::string_view name() const override { return "networks"; }
  Learning learning(const Archive& archive, const Replay& replay, std::int64_t round) override;
  bool is_fitted() const override { return true; }
  bool is_stored() const override { return true; }
  Matrix predict(const OutcomeLevels& levels, ConstMatrixRef X, int threads) const override;
  Vector mean(ConstMatrixRef X, int threads, Matrix* slope) const override;

  void write(StateWriter& out) const override { networks_.write(out); }
  void read(StateReader& in) override { networks_.read(in); }

 private:
  Networks& networks_;
  const LocalCoordinates& coordinates_;
  int steps_;  // of training, per round
  mutable Networks::Workspace workspace_;
};

}  // namespace vbo
