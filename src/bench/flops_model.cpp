// SPDX-License-Identifier: MIT
#include "bench/flops_model.hpp"

#include <functional>
#include <nlohmann/json.hpp>

#include "bench/text_table.hpp"

namespace vbo::bench {
namespace {

using Formula = std::function<std::int64_t(std::int64_t)>;

CostRow row(const std::string& method, const std::string& surrogate_text, const Formula& surrogate,
            const std::string& acquisition_text, const Formula& acquisition,
            const std::string& scaling, const std::vector<std::int64_t>& T) {
  CostRow r{method, surrogate_text, acquisition_text, scaling, {}};
  for (const std::int64_t t : T) r.costs.push_back({t, surrogate(t), acquisition(t)});
  return r;
}

// 1050001000000 -> "1 050 001 000 000"
std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, " ");
  return digits;
}

// Multiply-adds C of one step of the paper's critic for one sequence, I = D + 1 inputs (x and y):
// the LSTM on the true branch 4 H (H + I), on one reference branch, which shares U h, 4 H I, and
// the head H -> H -> 1 on both, 2 (H^2 + H).
std::int64_t critic_multiply_adds(const CostConstants& c) {
  const std::int64_t I = c.D + 1;
  return 4 * c.H * (c.H + I) + 4 * c.H * I + 2 * (c.H * c.H + c.H);
}

}  // namespace

CostModel published_model(const std::vector<std::int64_t>& T) {
  const CostConstants c;
  const std::int64_t N = c.N();
  const auto cube = [](std::int64_t v) { return v * v * v; };
  CostModel model{.title = "FLOPs per iteration as published (every hidden constant is 1)",
                  .constants = c,
                  .rows = {},
                  .notes = {}};
  model.rows = {row(
                    "GP (exact)", "T^3", cube, "N T^2", [&](std::int64_t t) { return N * t * t; },
                    "cubic", T),
                row(
                    "HMC-BNN", "S L T W", [&](std::int64_t t) { return c.S * c.L * t * c.W; },
                    "N S W", [&](std::int64_t) { return N * c.S * c.W; }, "high linear", T),
                row(
                    "DKL", "T W + T^3", [&](std::int64_t t) { return t * c.W + cube(t); },
                    "N (T^2 + W)", [&](std::int64_t t) { return N * (t * t + c.W); }, "cubic", T),
                row(
                    "LLA", "T W + W^3", [&](std::int64_t t) { return t * c.W + cube(c.W); },
                    "N W^2", [&](std::int64_t) { return N * c.W * c.W; }, "linear", T),
                row(
                    "VBO-MI", "K_a T H", [&](std::int64_t t) { return c.K_a * t * c.H; }, "K_b W",
                    [&](std::int64_t) { return c.K_b * c.W; }, "low linear", T)};
  model.notes = {
      "N is not defined beside the table; the text implies N = N_starts N_steps = 500.",
      ("E (epochs of a first fit) and D (inputs) are listed among the constants but appear in no "
       "formula. With E applied, DKL as E T W + T^3 + N (T^2 + W) would be 111 000 000 / 755 000 "
       "000 / 2 505 000 000, and LLA as E T W + W^3 + N W^2 1 050 100 000 000 / 1 050 500 000 000 "
       "/ 1 051 000 000 000 at T = 100 / 500 / 1000."),
      ("K_a T H is not the cost of an LSTM step: its matrix products alone take 8 H (H + D_in) "
       "operations per step and sequence, and there are B sequences."),
      ("K_b W takes the Bayesian network's W for the action-net and leaves out the batch and the "
       "way back through the critic."),
      ("HMC counts one operation per weight and datum; a forward and backward pass take about "
       "six. GP and DKL leave out the 1/3 of a Cholesky factor, the number of likelihood "
       "evaluations, Monte-Carlo samples and the batch. The linear label of LLA hides W^3 = 10^12, "
       "which Kronecker factors or the function-space form avoid."),
      ("T counts observations here and iterations elsewhere in the paper; one round of VBO adds B "
       "observations. W also names the warm-up rounds of Algorithm 1. K_a and K_b are 1 and 5 in "
       "the paper's experiments, 5 and 10 in this table."),
      ("The claim of a near 10^2-fold reduction matches none of these ratios: see the last "
       "columns; for the acquisition alone HMC / VBO-MI is 2 500.")};
  return model;
}

CostModel realistic_model(const std::vector<std::int64_t>& T) {
  const CostConstants c;
  const std::int64_t N = c.N();
  const auto cube = [](std::int64_t v) { return v * v * v; };
  constexpr std::int64_t likelihoods = 50;      // evaluations of a likelihood with its gradient
  constexpr std::int64_t m = 50, epochs = 200;  // inducing points, epochs: FocalBO
  constexpr std::int64_t minibatch = 5, steps = 2000;  // SGHMC
  const std::int64_t C = critic_multiply_adds(c);
  const Formula gp_fit = [=](std::int64_t t) { return likelihoods * cube(t); };
  const Formula gp_ask = [=](std::int64_t t) { return N * 4 * t * t; };
  CostModel model{
      .title = "FLOPs per round with constants put back", .constants = c, .rows = {}, .notes = {}};
  model.rows = {
      row("GP (exact)", "50 T^3", gp_fit, "4 N T^2", gp_ask, "cubic", T),
      row("I-BNN", "50 T^3", gp_fit, "4 N T^2", gp_ask, "cubic", T),
      row(
          "FocalBO", "200 (T m^2 + m^3), m = 50",
          [=](std::int64_t t) { return epochs * (t * m * m + cube(m)); }, "N m^2",
          [=](std::int64_t) { return N * m * m; }, "linear", T),
      row(
          "HMC-BNN", "6 S L T W", [=](std::int64_t t) { return 6 * c.S * c.L * t * c.W; },
          "4 N S W", [=](std::int64_t) { return 4 * N * c.S * c.W; }, "linear", T),
      row(
          "SGHMC", "6 * 2000 b W, b = 5", [=](std::int64_t) { return 6 * steps * minibatch * c.W; },
          "4 N S W", [=](std::int64_t) { return 4 * N * c.S * c.W; }, "constant", T),
      row(
          "DKL", "E (6 T W + T^3)", [=](std::int64_t t) { return c.E * (6 * t * c.W + cube(t)); },
          "N (4 T^2 + 4 W)", [=](std::int64_t t) { return N * (4 * t * t + 4 * c.W); }, "cubic", T),
      row(
          "LLA", "6 E T W + W^3 / 3",
          [=](std::int64_t t) { return 6 * c.E * t * c.W + cube(c.W) / 3; }, "2 N W^2",
          [=](std::int64_t) { return 2 * N * c.W * c.W; }, "linear", T),
      row(
          "VBO-MI", "6 C K_a T B, C = 30336",
          [=](std::int64_t t) { return 6 * C * c.K_a * t * c.B; }, "K_b B (6 W + 4 C)",
          [=](std::int64_t) { return c.K_b * c.B * (6 * c.W + 4 * C); }, "linear", T)};
  model.notes = {
      ("One multiplication or addition is one operation. A network of W weights takes 2 W per "
       "datum forward, 6 W with the gradient for its weights, 4 W with the gradient for its "
       "input."),
      ("GP: one evaluation of the likelihood with gradient is a Cholesky factor (T^3 / 3) and an "
       "inverse (2 T^3 / 3); 50 evaluations per fit. A candidate's mean and variance with gradient "
       "take 4 T^2."),
      ("VBO-MI: C = 30 336 multiply-adds for one step of one sequence through the paper's critic "
       "(modified LSTM with 64 units on 11 inputs, true and one reference branch, then 64-64-1). "
       "Every round passes over the B histories of all T steps; pairing every x with every y "
       "of the batch would multiply that by B again."),
      ("VBO-MI's row buys B suggestions, the other rows one: a batch by sequential optimization "
       "multiplies their acquisition by B."),
      ("SGHMC as its authors run it: 2000 steps on minibatches of 5. FocalBO with one region, 50 "
       "inducing points and 200 epochs."),
      ("The method `vbo` of this program is none of these rows: its work per round does not grow "
       "with T. --model counted measures it.")};
  return model;
}

std::string to_markdown(const CostModel& model) {
  std::string text = "### " + model.title + "\n\n";
  const CostConstants& c = model.constants;
  text += "W = " + grouped(c.W) + ", D = " + grouped(c.D) + ", H = " + grouped(c.H) +
          ", S = " + grouped(c.S) + ", L = " + grouped(c.L) + ", E = " + grouped(c.E) +
          ", N = N_starts N_steps = " + grouped(c.N_starts) + " * " + grouped(c.N_steps) + " = " +
          grouped(c.N()) + ", K_a = " + grouped(c.K_a) + ", K_b = " + grouped(c.K_b);
  text += ", B = " + grouped(c.B) + "\n\n";
  const CostRow& reference = model.rows.back();
  TextTable formulas({"method", "surrogate update", "acquisition", "scaling"});
  TextTable numbers({"method", "T", "surrogate", "acquisition", "total", "total / VBO-MI"});
  for (const CostRow& r : model.rows) {
    formulas.add({r.method, r.surrogate_formula, r.acquisition_formula, r.scaling});
    for (std::size_t i = 0; i < r.costs.size(); ++i) {
      const Cost& cost = r.costs[i];
      numbers.add({r.method, std::to_string(cost.T), grouped(cost.surrogate),
                   grouped(cost.acquisition), grouped(cost.total()),
                   number_text(static_cast<double>(cost.total()) /
                                   static_cast<double>(reference.costs[i].total()),
                               5)});
    }
  }
  text += formulas.markdown() + "\n" + numbers.markdown() + "\nNotes\n\n";
  for (std::size_t i = 0; i < model.notes.size(); ++i) {
    text += std::to_string(i + 1) + ". " + model.notes[i] + "\n";
  }
  return text;
}

std::string to_json(const CostModel& model) {
  const CostConstants& c = model.constants;
  nlohmann::ordered_json json = {{"title", model.title},
                                 {"constants",
                                  {{"W", c.W},
                                   {"D", c.D},
                                   {"H", c.H},
                                   {"S", c.S},
                                   {"L", c.L},
                                   {"E", c.E},
                                   {"N_starts", c.N_starts},
                                   {"N_steps", c.N_steps},
                                   {"K_a", c.K_a},
                                   {"K_b", c.K_b},
                                   {"B", c.B}}},
                                 {"rows", nlohmann::ordered_json::array()},
                                 {"notes", model.notes}};
  for (const CostRow& r : model.rows) {
    for (const Cost& cost : r.costs) {
      json["rows"].push_back({{"method", r.method},
                              {"observations", cost.T},
                              {"surrogate_formula", r.surrogate_formula},
                              {"acquisition_formula", r.acquisition_formula},
                              {"scaling", r.scaling},
                              {"surrogate", cost.surrogate},
                              {"acquisition", cost.acquisition},
                              {"total", cost.total()}});
    }
  }
  return json.dump(2) + "\n";
}

}  // namespace vbo::bench
