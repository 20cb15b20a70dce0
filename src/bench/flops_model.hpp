// SPDX-License-Identifier: MIT
// The cost of one round on paper. `published_model` evaluates the complexity table of the VBO-MI
// paper with every constant hidden in O(.) taken as 1 and gives exact integers; `realistic_model`
// puts the constants back. What our code really executes is measured by count_operations().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vbo::bench {

// The paper's constants (its appendix on computational complexity).
struct CostConstants {
  std::int64_t W = 10'000;     // parameters of the Bayesian network, and of the action-net
  std::int64_t D = 10;         // inputs; in no published formula
  std::int64_t H = 64;         // hidden state of the critic's LSTM
  std::int64_t S = 50;         // posterior samples
  std::int64_t L = 20;         // leapfrog steps per sample
  std::int64_t E = 100;        // epochs of a first fit (DKL, LLA); in no published formula
  std::int64_t N_starts = 10;  // of the acquisition's optimizer
  std::int64_t N_steps = 50;   // of each
  std::int64_t K_a = 5;        // gradient steps of the critic
  std::int64_t K_b = 10;       // gradient steps of the action-net
  std::int64_t B = 64;         // batch; realistic model only
  std::int64_t N() const { return N_starts * N_steps; }
};

struct Cost {
  std::int64_t T = 0;  // observations
  std::int64_t surrogate = 0, acquisition = 0;
  std::int64_t total() const { return surrogate + acquisition; }
};

struct CostRow {
  std::string method;
  std::string surrogate_formula, acquisition_formula;
  std::string scaling;  // as the paper words it
  std::vector<Cost> costs;
};

struct CostModel {
  std::string title;
  CostConstants constants;
  std::vector<CostRow> rows;  // the last one is VBO-MI
  std::vector<std::string> notes;
};

CostModel published_model(const std::vector<std::int64_t>& T = {100, 500, 1000});
CostModel realistic_model(const std::vector<std::int64_t>& T = {100, 500, 1000});

std::string to_markdown(const CostModel& model);
std::string to_json(const CostModel& model);

}  // namespace vbo::bench
