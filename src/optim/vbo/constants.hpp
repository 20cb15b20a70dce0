// SPDX-License-Identifier: MIT
// Every constant of the flagship that is not an option, in one place: what it trades, where it was
// measured (sections of docs/research.md), and how sure we are. "Sure" means several values were
// compared on the development set and the others were worse; "flat" that a factor of two either way
// changes nothing that can be seen; "guess" that nobody has looked. Lengths and deviations are in
// widths of the box unless said otherwise.
#pragma once

#include <cstddef>
#include <cstdint>

namespace vbo {

struct Tuning {
  // ---- Points --------------------------------------------------------------------------------
  static constexpr double repeat = 1e-9;  // two codes closer in every coordinate are the same
  static constexpr double repeat_single = 1e-7;  // the same after a detour in single precision
  static constexpr int design_tries = 1'000;     // before a finite space counts as used up
  static constexpr int design_risky = 32;        // points likely to fail before one is taken
  static constexpr std::int64_t fewest_design = 8, most_design = 256;  // results; guess
  // A fourth of a small budget at most goes into the design ("Thirty evaluations"; guess).
  static constexpr std::int64_t design_per_budget = 4, fewest_affordable = 4;
  static constexpr double golden = 0.6180339887498949;  // multiples of it fill [0,1) evenly

  // ---- Replay: what critics learn from -------------------------------------------------------
  // The best fifth of the results, at least a batch, make up most of a minibatch. More of them
  // slows convergence, fewer forgets the surroundings ("How the method came ...", sure).
  static constexpr int elite_part = 5, largest_elite = 400;
  static constexpr int smallest_elite = 16, smallest_elite_limit = 256;  // of a batch's size
  static constexpr int pool = 2048;            // results a round looks at: bounds its time; flat
  static constexpr int first_round_steps = 2;  // times the usual training in a run's first round

  // ---- Threads -------------------------------------------------------------------------------
  // On two busy cores a short loop waits for a helper that has been put aside longer than it takes.
  // Who allows so many has cores to spare.
  static constexpr int many_threads = 4;
  static constexpr int proposal_block = 64;  // proposals one thread draws
  static constexpr int few_suggestions = 8;  // fewer are made sooner than helpers wake up

  // ---- Judging -------------------------------------------------------------------------------
  static constexpr double gp_first_weight = 0.9;     // with few results the process is right; sure
  static constexpr double gp_weight_memory = 0.5;    // of the stacking weight, per round; flat
  static constexpr double gp_idle_weight = 0.05;     // below, the process rests ...
  static constexpr std::int64_t gp_idle_rounds = 8;  // ... but for one round in so many; flat
  static constexpr std::int64_t gp_fewest_points = 8;
  static constexpr int gp_fewest_feasible = 8;  // with fewer it learns from infeasible ones too
  static constexpr int gp_fewest_fresh = 8;     // results a weight is worth estimating from
  // Results further below the median than this times the way from there to the best are outliers to
  // the process. 3 and 100 much alike in small batches; 100 loses last digits ("Expected
  // improvement").
  static constexpr double gp_outlier = 10.0;
  static constexpr double gp_more_iterations = 6.0;          // times, with few results; sure
  static constexpr std::ptrdiff_t gp_most_parameters = 200;  // length-scales; time
  static constexpr std::ptrdiff_t gp_mean_block = 512;     // points whose means one thread computes
  static constexpr std::ptrdiff_t gp_slope_block = 16;     // and whose slopes, which climbs ask for
  static constexpr std::ptrdiff_t gp_variance_block = 16;  // and whose variances, for forecasts
  // The process near the search ("A process in the search's frame"). A length of the frame, 1.5
  // deviations of the search, is so much to the process: 0.15 to 0.6 alike.
  static constexpr double near_scale = 0.3;
  // Lengths of the frame within which it learns, and is tested on new results. 2 to 8 alike;
  // without a radius worse in small batches (sure).
  static constexpr double near_radius = 4.0;
  static constexpr std::ptrdiff_t near_fewest = 4;  // results per number, but
                                                    // half of gp_points is enough; 8 is the same
  static constexpr double near_hill = 100.0;        // bound of its mean's hill; 20 to 1,000 alike
  static constexpr double error_memory = 8.0;       // results that earlier squared errors count as

  // ---- Information ---------------------------------------------------------------------------
  static constexpr double first_sharpness = 0.65;   // b before anything is known; flat in 0.5..0.8
  static constexpr double sharpness_prior = 8.0;    // log score lost at one from it
  static constexpr double sharpness_memory = 16.0;  // results; a batch where that is more
  // Of a batch's promise that was not kept, this part is taken off the next ones; less of it for a
  // few results, whose luck it mostly is. More follows faster and makes promises noisier.
  static constexpr double surplus_rate = 0.15, surplus_results = 8.0;
  static constexpr double doubt = 1e-3;  // of a prediction is the marginal: nothing is impossible

  // ---- Proposals and screening ---------------------------------------------------------------
  static constexpr int categorical_screen = 4;       // times more proposals without numbers to move
  static constexpr int full_screen_from = 10;        // numeric parameters; below, at most 2^Dn per
                                                     // suggestion (Branin, sure)
  static constexpr int parents = 16, partners = 64;  // best results to mutate and to borrow from
  static constexpr double jump_step = 0.1;           // deviation of a moderate change; guess
  static constexpr int recommend_from = 64;          // best observations a recommendation is among

  // ---- Failures and limits (docs/constraints.md, "Borders") ----------------------------------
  // Of a suggestion, a probability. Bold improvements make the search exact, so that all others may
  // be careful: with 0.9 more batches fail as a whole ("A sixth look").
  static constexpr double success_wanted = 0.97;
  static constexpr double success_least = 0.4;  // of a suggestion that looks for the border
  // Their share of a batch once something has failed; half of it: values two times worse. Where
  // only measured bounds are broken: flat.
  static constexpr double probing = 0.1, probing_bounds = 0.08;
  static constexpr int failure_draws = 4;         // proposals drawn for each that is judged
  static constexpr int retreats = 12;             // halvings of the way to a safe place
  static constexpr int failure_points = 256;      // results the models of the whole cube look at
  static constexpr std::size_t border_from = 80;  // successes; earlier it holds the search back

  // ---- Climbing ("Climbing the models") ------------------------------------------------------
  static constexpr double climb_starts = 1.5;  // per suggestion; guess
  static constexpr int climb_screen = 8;       // proposals per start; flat
  static constexpr double climb_first_step = 0.03;
  static constexpr std::size_t climb_together = 128;  // their distances cost the square of it
  static constexpr double climb_apart = 0.02;  // wanted between suggestions; 0 wastes a batch
  static constexpr double climb_apart_less =
      0.3;  // times, when there are not enough that far apart

  // ---- The action-net in large batches ("An actor in the leader's frame") ---------------------
  static constexpr double action_penalty = 0.5;  // lambda; 0.02, 0.1, 1 and 2 are worse (sure)
  static constexpr int action_seeds = 128;       // per step
  // Rounds of a run before it speaks: at first climbers are far better (rounds 2 and 3, sure).
  static constexpr std::int64_t action_rounds = 4;
  static constexpr int action_screening = 2;  // 4: the same; 1: worse
  // Suggestions of a batch by which its information is estimated, evenly spread over it.
  static constexpr std::size_t promised = 256;

  // ---- Improving ("Expected improvement beside the searches") --------------------------------
  static constexpr double improve_most = 8.0;  // a round: 4 is less, 16 takes from the searches
  // Starts of each kind (jumps, the leader's, anywhere). 100, 4 and 40 together: nothing; 30
  // iterations: the same, 6: slower at first. Along a border climbs are longer: there 12 are too
  // few ("Sixteen threads").
  static constexpr int improve_starts = 64, improve_climbs = 3;
  static constexpr int improve_iterations = 12, improve_iterations_along_borders = 30;
  // Where evaluations fail: doubt that an improvement succeeds, from careful to bold, most of them
  // careful, less while many of the newest results fail. With one bar for all of a batch its
  // improvements lie beside each other and fail together ("A sixth look").
  static constexpr double least_doubt = 0.02, most_doubt = 0.5;
  // A climb ends a little beyond what was allowed: this times as much is accepted.
  static constexpr double improve_doubt = 1.25;
  // Of a point that is believed to have come out better than the best result; a bold one would
  // leave nothing to gain for the others.
  static constexpr double believed_success = 0.9;
  static constexpr std::size_t improve_pending = 64;  // points still out that are believed; guess

  // ---- Shares of a batch ---------------------------------------------------------------------
  static constexpr double leader_weight = 0.25;
  // A leader with less starves and ends in the wrong hollow of Ackley ("Climbing", sure).
  static constexpr double leader_least = 0.3, leader_least_narrow = 0.5;
  static constexpr double share_memory = 0.5;  // of win rates, per round; flat
  static constexpr double share_power = 1.5;   // of twice the win rate; steeper is greedy, sure
  static constexpr std::size_t share_most = 256, share_fewest = 3;  // results compared at once
  // What failure leaves of a weight.
  static constexpr double floor = 0.05, jump_floor = 0.5, leader_floor = 0.3;

  // ---- Local searches ------------------------------------------------------------------------
  static constexpr int imagined_points = 64;  // per imagined generation
  // Numbers from which on more than one generation is imagined from the beginning. With fewer a
  // generation narrows the search by much, and two of them end in the wrong ripple ("Two imagined
  // generations"); once it is narrow they end a run earlier ("The same hill again").
  static constexpr std::int64_t imagine_more_from = 8;
  static constexpr double first_sigma = 0.15;   // 0.2 is slower, 0.12 the same (sure)
  static constexpr double again_sigma = 0.05;   // around the best result
  static constexpr double narrow = 0.02;        // deviation below which a search has its basin
  static constexpr double other_region = 0.25;  // distance; Hartmann-6, sure
  static constexpr double same_region = 0.05;   // distance
  // A run whose search would draw the champion's place (in its own deviations), and whose best is
  // short of it by no more than this part of the spread, climbs the champion's hill ("The same hill
  // again").
  static constexpr double same_hill_steps = 1.5, same_hill = 0.02;
  static constexpr std::int64_t leader_patience = 12;  // generations
  static constexpr double converged = 1e-8;            // deviation
  static constexpr double frame_scale = 1.5;           // the critics' view is wider than the search
  static constexpr long largest_full = 100;            // dimensions up to which C is a full matrix
  static constexpr double largest_sigma = 0.5;

  // ---- Exploration ("Exploration that pays") -------------------------------------------------
  // Once the leader is narrow, unscreened jumps get the option's share of a batch. Without success
  // it decays by this factor a round to this floor; a success puts it back.
  static constexpr double explore_decay = 0.85, explore_floor = 0.04;
  // A better result this many deviations from a search moves it there.
  static constexpr double far_deviations = 8.0;
  // A run has ended when its leader is this narrow and half of its newest generation lies within
  // this part of what lies between the median of the design and the best ("Runs that end"; sure).
  // 1e-6 leaves Ackley's cone alone, where a gain per round of 1e-6 stopped the search 100 times
  // too early. Rosenbrock's and the ellipsoid's leaders stay above 0.002: searches that still
  // travel go on.
  static constexpr double run_narrow = 1e-3, run_reach = 1e-6;
  // Of a batch, for a new run beside the best one so far. More finds other basins sooner and costs
  // reward: Hartmann-6 40 of 40 seeds with 0.3 and with 0.65 to 0.95, mean outcome 2.88 and 2.72.
  static constexpr double run_share = 0.3;
  // Jumps from the best run get at least this: there is nothing left to polish.
  static constexpr double champion_jumps = 0.15;
  // Part of the spread below which noise does not keep the newest best result from being trusted.
  static constexpr double noise_matters = 1e-6;
};

}  // namespace vbo
