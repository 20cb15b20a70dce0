// SPDX-License-Identifier: MIT
// Every constant of the flagship that is not an option, in one place: what it trades, where it was
// measured (sections of research/log.md), and how sure we are. "Sure" means several values were
// compared on the development set and the others were worse; "flat" that a factor of two either way
// changes nothing that can be seen; "guess" that it was not measured. Lengths and deviations are in
// widths of the box unless said otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vbo {

struct Tuning {
  // ---- Points --------------------------------------------------------------------------------
  static constexpr double repeat = 1e-9;      // two codes closer in every coordinate are the same
  static constexpr int design_tries = 1'000;  // before a finite space counts as used up
  static constexpr int design_risky = 32;     // points likely to fail before one is taken
  static constexpr std::int64_t fewest_design = 8, most_design = 256;  // results; guess
  // A fourth of a small budget at most goes into the design ("Thirty evaluations"; guess).
  static constexpr std::int64_t design_per_budget = 4, fewest_affordable = 4;
  static constexpr double golden = 0.6180339887498949;  // multiples of it fill [0,1) evenly

  // ---- Replay: what critics learn from -------------------------------------------------------
  // The best fifth of the results, at least a batch, make up most of a minibatch. More of them
  // slows convergence, fewer forgets the surroundings ("How the method came ...", sure).
  static constexpr int elite_part = 5, largest_elite = 400;
  static constexpr int smallest_elite = 16, smallest_elite_limit = 256;  // of a batch's size
  static constexpr int pool = 2048;  // results a round looks at: bounds its time; flat
  static constexpr int first_round_steps =
      2;  // times the usual training in a restart's first round

  // Results of a round at least, however few are evaluated at a time: weights and decays per
  // round are estimates, worth nothing from one result.
  static constexpr std::int64_t least_round = 8;

  // ---- Threads -------------------------------------------------------------------------------
  // Parallelize short loops only above this thread count; below, waking a thread costs more than
  // the loop.
  static constexpr int many_threads = 4;
  static constexpr int proposal_block = 64;  // proposals one thread draws
  static constexpr int few_suggestions = 8;  // fewer are made sooner than helpers wake up

  // ---- Surrogates -------------------------------------------------------------------------------
  // Results by which critics are weighed, and the prior of the weights in results. 64 to 256 alike,
  // 512 slightly worse; equal priors and 16 results clearly worse ("Critics weighed by
  // information").
  static constexpr std::ptrdiff_t panel_memory = 128;
  static constexpr double panel_prior_gp = 9.0, panel_prior = 0.5;
  static constexpr std::int64_t gp_fewest_points = 8;
  static constexpr int gp_fewest_feasible = 8;  // with fewer it learns from infeasible ones too
  // Results further below the median than this times the way from there to the best are outliers to
  // the process. 3 and 100 much alike in small batches; 100 loses last digits ("Expected
  // improvement").
  static constexpr double gp_outlier = 10.0;
  static constexpr double gp_more_iterations = 6.0;          // times, with few results; sure
  static constexpr std::ptrdiff_t gp_most_parameters = 200;  // length-scales; time
  static constexpr std::ptrdiff_t gp_mean_block = 512;  // points whose means one thread computes
  static constexpr std::ptrdiff_t gp_slope_block = 16;  // and whose slopes, which ascents ask for
  static constexpr std::ptrdiff_t gp_variance_block = 16;  // and whose variances, for forecasts
  // The GP near the search ("A process in the search's frame"). A length of the
  // coordinates, 1.5 deviations of the search, is so much to the GP: 0.15 to 0.6 alike.
  static constexpr double near_scale = 0.3;
  // Lengths of the coordinates within which it learns, and is tested on new results. 2 to 8 alike;
  // without a radius worse in small batches (sure).
  static constexpr double near_radius = 4.0;
  static constexpr std::ptrdiff_t near_fewest = 4;  // results per numeric parameter, but
                                                    // half of gp_points is enough; 8 is the same
  static constexpr double near_quadratic = 100.0;  // bound of its quadratic mean; 20 to 1,000 alike
  static constexpr double error_memory = 8.0;      // results that earlier squared errors count as

  // ---- Information ---------------------------------------------------------------------------
  static constexpr double first_inverse_temperature =
      0.65;                                         // b before anything is known; flat in 0.5..0.8
  static constexpr double temperature_prior = 8.0;  // log score lost at one from it
  static constexpr double temperature_memory = 16.0;  // results; a batch where that is more
  // Rate of the bias correction per batch; less for a few results, whose deviation is mostly noise.
  // More follows faster and makes predictions noisier.
  static constexpr double bias_rate = 0.15, bias_results = 8.0;
  static constexpr double doubt = 1e-3;  // of a prediction is the marginal: nothing is impossible

  // ---- Proposals and preselection ---------------------------------------------------------------
  static constexpr int categorical_preselection =
      4;  // times more proposals without numeric parameters to move
  static constexpr int full_preselection_from = 10;  // numeric parameters; below, at most 2^Dn per
                                                     // suggestion (Branin, sure)
  static constexpr int mutation_draws = 4;           // for each mutation that is suggested
  static constexpr int parents = 16, partners = 64;  // best results to mutate and to borrow from
  static constexpr double mutation_step = 0.1;       // deviation of a moderate change; guess
  static constexpr int recommend_from = 64;          // best observations a recommendation is among

  // ---- Failures and limits (research/constraints.md, "Borders")
  // ---------------------------------- Of a suggestion, a probability. Bold improvements make the
  // search exact, so that all others may be careful: with 0.9 more batches fail as a whole ("A
  // sixth look").
  static constexpr double success_wanted = 0.97;
  static constexpr double success_least = 0.4;  // of a suggestion that looks for the border
  // Their share of a batch once something has failed; half of it: values two times worse. Where
  // only measured bounds are broken: flat.
  static constexpr double probing = 0.1, probing_bounds = 0.08;
  static constexpr int failure_draws = 4;         // proposals drawn for each that is scored
  static constexpr int retreats = 12;             // halvings of the way to a safe place
  static constexpr int failure_points = 256;      // results the models of the whole cube look at
  static constexpr std::size_t border_from = 80;  // successes; earlier it holds the search back

  // ---- The action-net in large batches ("An actor in the leader's frame")
  // ---------------------
  static constexpr double action_penalty = 0.5;  // lambda; 0.02, 0.1, 1 and 2 are worse (sure)
  static constexpr int action_seeds = 128;       // per step
  // Rounds of a restart before it is used; guess.
  static constexpr std::int64_t action_rounds = 4;
  static constexpr int action_preselection = 2;  // 4: the same; 1: worse
  // Suggestions of a batch by which its information is estimated, evenly spread over it.
  static constexpr std::size_t predicted_points = 256;

  // ---- Improving ("Expected improvement beside the searches") --------------------------------
  // Largest share of a batch; times the weight of the Gaussian process in the panel.
  static constexpr double ei_share = 0.25;
  // Starts of each kind (mutations, the local search's, anywhere). 100, 4 and 40 together: nothing;
  // 30 iterations: the same, 6: slower at first. Along a border ascents are longer: there 12 are
  // too few ("Sixteen threads").
  static constexpr int ei_starts = 64, ei_ascents = 3;
  static constexpr int ei_iterations = 12, ei_iterations_along_borders = 30;
  // Where evaluations fail: doubt that an improvement succeeds, from careful to bold, most of them
  // careful, less while many of the newest results fail. With one bar for all of a batch its
  // improvements lie beside each other and fail together ("A sixth look").
  static constexpr double least_doubt = 0.02, most_doubt = 0.5;
  // An ascent ends a little beyond what was allowed: this times as much is accepted.
  static constexpr double ei_doubt = 1.25;
  // Probability of success above which a fantasy raises the best result; a bold one would
  // leave nothing to gain for the others.
  static constexpr double fantasy_success = 0.9;
  static constexpr std::size_t ei_pending = 64;  // pending points with fantasies; guess

  // ---- The quadratic critic ("A quadratic critic") ---------------------------------------------
  // Suggestions of a batch that are optima of quadratic models, and most of their share. 8 optima:
  // no difference that few seeds can show; the share is a guess.
  static constexpr double quadratic_optima = 4.0, quadratic_share = 0.125;
  // Of the gaps to the best result the one that halves a weight twice: this part are smaller. 0.2
  // is worse, 0.5 much worse, weights that fall with the rank alone worst (8 functions, two seeds).
  static constexpr double quadratic_good = 0.1;
  // Results near a search it learns from, per coefficient; 2 and 4 alike.
  static constexpr double quadratic_results = 3.0;
  static constexpr double quadratic_growth = 2.0;  // from one neighbourhood to the next; guess
  // Deviations of the results, in the mean over coordinates, within which an optimum is looked for.
  // 1 and 4: no difference that few seeds can show.
  static constexpr double quadratic_radius = 2.0;
  static constexpr double quadratic_flat =
      1e-4;  // least length of results, of their largest; guess
  static constexpr std::ptrdiff_t quadratic_most_coefficients = 240;  // up to D = 20; time
  static constexpr int quadratic_pool = 3000;  // best results looked at; time
  // Model-based generations and pre-selection follow the rank correlation of the panel on new
  // results near the search: none up to the lower, all of them from the upper. Guesses, as are the
  // next two.
  static constexpr double least_tau = 0.3, most_tau = 0.9;
  // Results that the correlation so far counts as. 0 is worse under noise ("Severe noise").
  static constexpr double tau_memory = 32.0;
  static constexpr double tau_deviations = 3.0;  // of the search, within which results are near it
  static constexpr std::size_t tau_results = 5;  // fewest to estimate it from

  // ---- Constrained optima ("Measured limits") --------------------------------------------------
  // Of a batch in spaces with limits. 0.5 to 0.8 alike.
  static constexpr double constrained_share = 0.7;
  // Results of a neighbourhood: from the fewest, each this many times larger, to the most. 300
  // instead of 200: the same.
  static constexpr std::ptrdiff_t constrained_fewest = 12, constrained_most = 200;
  static constexpr double constrained_growth = 1.8;
  // Deviations of the results, in each coordinate, within which an optimum is looked for. 1 is
  // worse, 4 the same, while optima were still moved back from borders.
  static constexpr double constrained_radius = 2.0;
  // Distances from predicted borders, in posterior deviations. 0.5 instead of 1: the same.
  static constexpr double constrained_doubts[] = {0.0, 1.0, 0.3, 2.0};
  // A result counts as 1 / (1 + gap / g)^2 for the objective: this part of the gaps is below g.
  static constexpr double constrained_good = 0.3;  // 0.5: the same
  static constexpr double constrained_step = 0.1;  // from a point already known; 0.03 and 0.3 alike

  // ---- Local searches ------------------------------------------------------------------------
  static constexpr int model_points = 64;       // of a model-based generation
  static constexpr double first_sigma = 0.15;   // 0.2 is slower, 0.12 the same (sure)
  static constexpr double again_sigma = 0.05;   // around the best result
  static constexpr double narrow = 0.02;        // deviation below which a search has its basin
  static constexpr double other_region = 0.25;  // distance; Hartmann-6, sure
  static constexpr double same_region = 0.05;   // distance
  // A restart whose search would draw the incumbent's place (in its own deviations), and whose best
  // is short of it by no more than this part of the spread, is in the incumbent's basin ("The
  // same hill again").
  static constexpr double same_basin_steps = 1.5, same_basin = 0.02;
  static constexpr std::int64_t local_search_patience = 12;  // generations
  static constexpr double converged = 1e-8;                  // deviation
  static constexpr double local_scale = 1.5;  // the critics' window is wider than the search
  static constexpr long largest_full = 100;   // dimensions up to which C is a full matrix
  static constexpr double largest_sigma = 0.5;

  // ---- Exploration ("Exploration that pays") -------------------------------------------------
  // Suggestions by which the rates of success are estimated, and how many of a prior one success is
  // among ("Mutations by their success"); guesses.
  static constexpr double success_memory = 128.0, success_prior = 16.0;
  // A better result this many deviations from a search moves it there.
  static constexpr double far_deviations = 8.0;
  // A restart has ended when its local search is this narrow and half of its newest generation lies
  // within this part of what lies between the median of the design and the best. 1e-8 is nearly as
  // good, 1e-6 stops searches that still gain digits ("Restarts that count"). Rosenbrock's and the
  // ellipsoid's local searches stay above 0.002: searches that still travel go on.
  static constexpr double restart_narrow = 1e-3, restart_reach = 1e-10;
  // Of what mutations leave of a batch, for a new restart beside the incumbent search: while that
  // still gains digits, and once its deviation is below the lower bound. 0.5 costs digits, with 0.1
  // and no more later restarts come too late to matter in 40 rounds ("Restarts that count").
  static constexpr double restart_share = 0.3, restart_most = 0.9, restart_exact = 1e-7;
  // aim = "average": latest mutations whose gains and losses count (a guess), and what all of them
  // together are expected to gain before the first, in parts of the spread: 0.003 and 0.01 have the
  // lower average on 9 and 12 of 12 functions ("Every evaluation counts", sure).
  static constexpr double mutation_memory = 32.0, expected_gain = 0.001;
  // Deviation of suggestions beside the best result where a converged search repeats itself; guess.
  static constexpr double beside_best = 1e-3;
  static constexpr int beside_tries = 16;
  // Part of the spread below which noise does not matter for the newest best result.
  static constexpr double noise_matters = 1e-6;
};

}  // namespace vbo
