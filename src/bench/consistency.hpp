// SPDX-License-Identifier: MIT
// Do the helper's estimates approach the truth as samples grow? The paper proves it for the losses
// of its networks; here the LSTM helper of vbo-paper is trained on N samples of channels whose
// information is known, independent ones and one with memory, and scored on the samples themselves
// and on fresh ones. Between them lies the truth: the first overfit, the second pay for it.
//
//   iid          y = rho x + sqrt(1 - rho^2) w                 I(x;y) = -1/2 ln(1 - rho^2)
//   autoregressive  y_t = x_t + z_t,  z_t = a z_{t-1} + sqrt(1 - a^2) w_t,  x_t, w_t, z_1 ~ N(0,1)
// On the second, over sequences of T steps, per step:
//   joint     I(x^t, y^{t-1}; y_t)          what input and past tell about the outcome
//   past      I(y^{t-1}; y_t)               the same by a helper that never sees an input
//   directed  I(x^t; y_t | y^{t-1}) = joint - past
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/chart.hpp"
#include "vbo/error.hpp"

namespace vbo::bench {

struct ConsistencyOptions {
  std::vector<std::int64_t> samples = {256, 1024, 4096, 16384};  // N, in sequences of `length`
  std::int64_t length = 8;                                       // T
  std::int64_t seeds = 3;
  std::int64_t steps = 1500;   // of Adam, each on 32 sequences
  std::int64_t fresh = 16384;  // held-out samples
  std::int64_t hidden = 32;
  double rho = 0.8, a = 0.8;
  int jobs = 0;  // at a time; 0 = one per core
};

struct ConsistencyRow {
  std::string channel, quantity;  // "iid" "information"; "autoregressive" "joint", ...
  std::int64_t samples = 0;
  std::uint64_t seed = 0;
  double truth = 0.0, own = 0.0, fresh = 0.0;  // nats per step
};

struct TrueInformation {
  double iid = 0.0, joint = 0.0, past = 0.0;  // nats per step, mean over the steps
  double directed() const { return joint - past; }
};
// past by the Kalman filter of z, whose prediction variance p follows p_1 = 1,
//   p_{t+1} = a^2 p_t / (p_t + 1) + 1 - a^2,  Var(y_t | y^{t-1}) = p_t + 1.
TrueInformation true_information(const ConsistencyOptions& options);

// By channel, quantity, samples and seed. `on_row` is called by one thread at a time.
Result<std::vector<ConsistencyRow>> check_consistency(
    const ConsistencyOptions& options,
    const std::function<void(const ConsistencyRow&)>& on_row = {});

std::string to_markdown(const std::vector<ConsistencyRow>& rows);
std::string to_json(const std::vector<ConsistencyRow>& rows);
Result<std::vector<ConsistencyRow>> consistency_from(const std::string& json);
Figure figure_of(const std::vector<ConsistencyRow>& rows);

}  // namespace vbo::bench
