// SPDX-License-Identifier: MIT
#include "optim/registry.hpp"

#include <algorithm>

#include "optim/auto/auto.hpp"
#include "optim/bnn/bnn_methods.hpp"
#include "optim/cmaes/cmaes.hpp"
#include "optim/focal/focal.hpp"
#include "optim/objectives/scalarized.hpp"
#include "optim/pareto/pareto.hpp"
#include "optim/random/random.hpp"
#include "optim/repeats/auto_repeats.hpp"
#include "optim/repeats/repeat_method.hpp"
#include "optim/sobol/sobol.hpp"
#include "optim/surrogate/gp_method.hpp"
#include "optim/surrogate/network_methods.hpp"
#include "optim/turbo/turbo.hpp"
#include "optim/vbo/vbo.hpp"
#include "optim/vbo_paper/vbo_paper.hpp"

namespace vbo {
namespace {

OptimizerOptions with_method(OptimizerOptions options, std::string_view method) {
  options.method = method;
  return options;
}

// The flagship's own way with several objectives is a method of its own.
std::string method_for(const OptimizerOptions& options) {
  return options.method == "vbo" && objective_count(options) > 1 ? "pareto" : options.method;
}

Problem problem_of(const Space& space, const OptimizerOptions& options) {
  return {.dimension = Encoding(space).dimension(),
          .batch = options.batch,
          .budget = options.budget,
          .objectives = objective_count(options),
          .constrained = !space.constraints().empty(),
          .limited = !space.limits().empty(),
          .categorical = std::ranges::any_of(space.parameters(), [](const Parameter& parameter) {
            return parameter.kind == ParameterKind::categorical && !parameter.is_fixed();
          })};
}

// By the rule; where options are set that only another candidate has, that one.
Choice choice_for(const Space& space, const OptimizerOptions& options) {
  Choice choice = choose_method(problem_of(space, options));
  if (options.settings.empty() || check_optimizer(space, with_method(options, choice.method))) {
    return choice;
  }
  for (const std::string_view other : auto_candidates) {
    const bool for_several = other == "pareto" || other == "gp-logehvi";
    if (for_several && objective_count(options) == 1) continue;
    if (check_optimizer(space, with_method(options, other))) {
      return {std::string(other), "the options set are its own"};
    }
  }
  return choice;
}

void add_new(std::vector<TermInfo>& all, const std::vector<TermInfo>& more) {
  for (const TermInfo& term : more) {
    const auto same = [&](const TermInfo& other) { return other.name == term.name; };
    if (std::ranges::none_of(all, same)) all.push_back(term);
  }
}

// A stored study may have been begun when the rule chose otherwise, so what any candidate says is
// declared. The first named wins: of the names that vbo shares, gp-logei says none unless its
// options are set, and then these have chosen it.
const Ledger& chosen_ledger(const Space& space, const OptimizerOptions& options) {
  if (!options.settings.empty()) {
    return ledger_of(space, with_method(options, choice_for(space, options).method));
  }
  static const Ledger all = [&] {
    Ledger of_all;
    for (const std::string_view candidate : auto_candidates) {
      const Ledger& ledger = ledger_of(space, with_method(options, candidate));
      add_new(of_all.terms, ledger.terms);
      add_new(of_all.values, ledger.values);
    }
    return of_all;
  }();
  return all;
}

Result<void> check_chosen(const Space& space, const OptimizerOptions& options,
                          std::vector<OptionInfo>&) {
  return check_optimizer(space, with_method(options, choice_for(space, options).method));
}

Result<std::unique_ptr<Optimizer>> make_chosen(const Space& space,
                                               const OptimizerOptions& options) {
  Choice choice = choice_for(space, options);
  auto made = make_optimizer(space, with_method(options, choice.method));
  if (!made) return made.error();
  auto make = [space, options](const std::string& method) {
    return make_optimizer(space, with_method(options, method));
  };
  return std::unique_ptr<Optimizer>(
      std::make_unique<AutoMethod>(std::move(choice), std::move(*made), std::move(make)));
}

const std::vector<Method>& registered() {
  static const std::vector<Method> all = {
      {"auto", "Chooses another method from objectives, budget, batch, dimension and constraints",
       check_chosen, make_chosen, chosen_ledger, true},
      method_of<GpMethod>(
          "gp-logei", "Gaussian process with LogEI: few, expensive evaluations, smooth functions",
          gp_method(Acquisition::log_ei)),
      method_of<GpMethod>("gp-ei", "Gaussian process with expected improvement",
                          gp_method(Acquisition::ei)),
      method_of<GpMethod>("gp-ucb", "Gaussian process with an upper confidence bound",
                          gp_method(Acquisition::ucb)),
      method_of<GpMethod>("gp-ts", "Gaussian process with Thompson sampling: cheap, large batches",
                          gp_method(Acquisition::thompson)),
      method_of<IbnnMethod, IbnnMethodOptions>(
          "ibnn", "Infinitely wide Bayesian network as a kernel: non-stationary functions"),
      method_of<DklMethod, DklMethodOptions>(
          "dkl", "Gaussian process on features of a trained network: structured inputs"),
      method_of<FocalMethod, FocalMethodOptions>(
          "focal", "Sparse Gaussian processes focused on ever smaller boxes: thousands of results"),
      method_of<Turbo, TurboOptions>(
          "turbo", "Gaussian process in a trust region: many parameters, large batches"),
      method_of<Vbo, VboOptions>(
          "vbo", "Actor and information critics: large batches, many results, any space"),
      with_several_objectives(method_of<pareto::Pareto, pareto::ParetoOptions>(
          "pareto", "Several objectives: models, actors and batches for the whole front")),
      with_several_objectives(method_of<pareto::Pareto, pareto::EhviOptions>(
          "gp-logehvi",
          "Gaussian processes with log expected hypervolume improvement: several "
          "objectives, few evaluations")),
      method_of<VboPaper, VboPaperOptions>("vbo-paper",
                                           "VBO-MI with its published networks, for comparisons"),
      method_of<VboPaper, VboPaperOptions>("vbo-paper-literal",
                                           "VBO-MI with its printed constants, for the record",
                                           vbo_paper_literal()),
      method_of<VboPaper, VboPaperGpOptions>(
          "vbo-paper-gp-exploration",
          "vbo-paper exploring by a Gaussian process's deviation: an ablation",
          {.replaced = GpTerm::exploration}),
      method_of<VboPaper, VboPaperGpOptions>(
          "vbo-paper-gp-exploitation",
          "vbo-paper exploiting a Gaussian process's mean: an ablation",
          {.replaced = GpTerm::exploitation}),
      method_of<Vbo, VboGpOptions>("vbo-gp-exploration",
                                   "vbo exploring by a Gaussian process's deviation: an ablation",
                                   vbo_ablation(GpRole::explores)),
      method_of<Vbo, VboGpOptions>("vbo-gp-exploitation",
                                   "vbo exploiting a Gaussian process's mean: an ablation",
                                   vbo_ablation(GpRole::exploits)),
      method_of<HmcMethod, HmcMethodOptions>(
          "hmc", "Bayesian network sampled by Hamiltonian Monte Carlo: the costly gold standard"),
      method_of<SghmcMethod, SghmcMethodOptions>(
          "sghmc", "Bayesian network sampled by stochastic-gradient HMC: cost independent of data"),
      method_of<LaplaceMethod, LaplaceMethodOptions>(
          "laplace", "Linearized Laplace network: the fastest of the Bayesian networks"),
      method_of<Cmaes, CmaesOptions>(
          "cmaes", "Evolution strategy without a model: many cheap evaluations, rank-based"),
      // They never look at a value.
      with_several_objectives(method_of<SobolSearch, SobolOptions>(
          "sobol", "Quasi-random search: covers, never learns")),
      with_several_objectives(method_of<RandomSearch, RandomOptions>(
          "random", "Uniform random search, the baseline to beat")),
  };
  return all;
}

Result<const Method*> method_named(const std::string& name) {
  const std::vector<Method>& all = registered();
  for (const Method& method : all) {
    if (method.name == name) return &method;
  }
  const auto closest = std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return edit_distance(a.name, name) < edit_distance(b.name, name);
  });
  std::string message = "unknown method \"" + name + "\"";
  if (edit_distance(closest->name, name) <= 2) {
    message += ", did you mean \"" + closest->name + "\"?";
  } else {
    message += ", expected one of";
    for (const Method& method : all) message += " " + method.name;
  }
  return Error{ErrorKind::invalid_input, message, "method"};
}

Result<void> check_objectives(const OptimizerOptions& options) {
  if (options.objectives.size() <= kMostObjectives) return {};
  return Error{ErrorKind::invalid_input,
               "found " + std::to_string(options.objectives.size()) +
                   " objectives, expected at most " + std::to_string(kMostObjectives),
               "objective"};
}

// Methods that do not know several objectives see their scalarization.
Result<std::unique_ptr<Optimizer>> make_scalarized(const Method& method, const Space& space,
                                                   const OptimizerOptions& options) {
  OptimizerOptions one = options;
  one.objectives.clear();
  if (auto made = method.make(space, one); !made) return made.error();
  // NOLINTNEXTLINE(bugprone-exception-escape): options that made one method make another
  auto make = [&method, space, one](std::uint64_t seed) mutable {
    one.seed = seed;
    return std::move(method.make(space, one)).value();
  };
  return std::unique_ptr<Optimizer>(std::make_unique<Scalarized>(space, options, std::move(make)));
}

// What a method that learns computes with in reasonable time and memory.
constexpr std::size_t kMostCoordinates = 2000;

// Coordinates as Encoding has them.
Result<void> check_size(const Space& space, const std::string& method) {
  if (method == "random" || method == "sobol") return {};
  std::size_t coordinates = 0;
  for (const Parameter& p : space.parameters()) {
    if (p.is_fixed()) continue;
    coordinates += p.kind == ParameterKind::categorical ? p.choices.size() : 1;
  }
  if (coordinates <= kMostCoordinates) return {};
  return Error{ErrorKind::invalid_input,
               "method \"" + method + "\" searches at most " + std::to_string(kMostCoordinates) +
                   " coordinates, one for each number and one for each choice; found " +
                   std::to_string(coordinates) + ", expected fewer, or method \"random\"",
               "method"};
}

Result<void> check_repeats(const OptimizerOptions& options) {
  const std::int64_t repeats = options.repeats;
  if (repeats == kAutoRepeats && objective_count(options) > 1) {
    return Error{ErrorKind::invalid_input,
                 "repeats is \"auto\", which is for one objective, expected a number of 1 to " +
                     std::to_string(kMostRepeats),
                 "repeats"};
  }
  if (repeats == kAutoRepeats || (repeats >= 1 && repeats <= kMostRepeats)) return {};
  return Error{ErrorKind::invalid_input,
               "repeats is " + std::to_string(repeats) + ", expected \"auto\" or 1 to " +
                   std::to_string(kMostRepeats),
               "repeats"};
}

Space any_space() { return *Space::make({Parameter::real("x", 0.0, 1.0)}); }

}  // namespace

const Ledger& Optimizer::ledger() const {
  static const Ledger nothing;
  return nothing;
}

Result<void> Optimizer::restore(std::string_view, std::span<const Trial>) {
  return Error{ErrorKind::unsupported, "this method has no snapshots; replay its history instead"};
}

Result<void> check_optimizer(const Space& space, const OptimizerOptions& options) {
  const auto method = method_named(method_for(options));
  if (!method) return method.error();
  if (Result<void> checked = check_size(space, options.method); !checked) return checked;
  if (Result<void> checked = check_objectives(options); !checked) return checked;
  if (Result<void> checked = check_repeats(options); !checked) return checked;
  std::vector<OptionInfo> infos;
  return (*method)->check(space, options_of_points(options), infos);
}

Result<std::unique_ptr<Optimizer>> make_optimizer(const Space& space,
                                                  const OptimizerOptions& options) {
  const auto method = method_named(method_for(options));
  if (!method) return method.error();
  if (const Result<void> checked = check_size(space, options.method); !checked) {
    return checked.error();
  }
  if (const Result<void> checked = check_objectives(options); !checked) return checked.error();
  if (const Result<void> checked = check_repeats(options); !checked) {
    return checked.error();
  }
  if (options.repeats == kAutoRepeats) {
    OptimizerOptions once = options;
    once.repeats = 1;
    auto inner = make_optimizer(space, once);
    if (!inner) return inner.error();
    return std::unique_ptr<Optimizer>(
        std::make_unique<AutoRepeats>(std::move(*inner), space, options));
  }
  if (options.repeats > 1) {
    auto inner = make_optimizer(space, options_of_points(options));
    if (!inner) return inner.error();
    return std::unique_ptr<Optimizer>(
        std::make_unique<RepeatMethod>(std::move(*inner), options.repeats));
  }
  if (objective_count(options) > 1 && !(*method)->several_objectives) {
    return make_scalarized(**method, space, options);
  }
  return (*method)->make(space, options);
}

const Ledger& ledger_of(const Space& space, const OptimizerOptions& options) {
  static const Ledger unknown;
  for (const Method& method : registered()) {
    if (method.name != method_for(options)) continue;
    const Ledger& ledger = method.ledger(space, options_of_points(options));
    if (objective_count(options) == 1 || method.several_objectives) return ledger;
    return Scalarized::scalarized_ledger(ledger);
  }
  return unknown;
}

std::vector<MethodInfo> methods() {
  std::vector<MethodInfo> all;
  for (const Method& method : registered()) {
    std::vector<OptionInfo> infos;
    (void)method.check(any_space(), {}, infos);
    all.push_back({method.name, method.summary, std::move(infos), method.ledger(any_space(), {})});
  }
  return all;
}

}  // namespace vbo
