// SPDX-License-Identifier: MIT
// All methods of this build. A new one is a folder, one line in registry.cpp, one page in
// research/methods/ and one row in the tests.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "optim/options.hpp"
#include "vbo/optimizer.hpp"

namespace vbo {

struct Method {
  std::string name;
  std::string summary;
  // What is wrong with the settings. Fills `infos` with what the method accepts even on error.
  std::function<Result<void>(const Space&, const OptimizerOptions&, std::vector<OptionInfo>& infos)>
      check;
  // Checks and builds.
  std::function<Result<std::unique_ptr<Optimizer>>(const Space&, const OptimizerOptions&)> make;
  std::function<const Ledger&(const Space&, const OptimizerOptions&)> ledger;
  // It has its own way with several objectives; others see a scalarization (optim/objectives).
  bool several_objectives = false;
};

inline Method with_several_objectives(Method method) {
  method.several_objectives = true;
  return method;
}

// For a method whose settings live in a struct `Options` with a free function
// bind(OptionBinder&, Options&), whose optimizer is constructed from (space, common, options), and
// whose terms are declared by Made::declared().
template <class Made, class Options>
Method method_of(std::string name, std::string summary, Options defaults = {}) {
  const auto read = [name, defaults](const OptimizerOptions& common,
                                     std::vector<OptionInfo>& infos) -> Result<Options> {
    Options options = defaults;
    OptionBinder binder(common.settings);
    bind(binder, options);
    const Result<void> checked = binder.finish(name);
    infos = std::move(binder).infos();
    if (!checked) return checked.error();
    return options;
  };
  auto check = [read](const Space&, const OptimizerOptions& common,
                      std::vector<OptionInfo>& infos) -> Result<void> {
    const Result<Options> options = read(common, infos);
    return options ? Result<void>() : options.error();
  };
  auto make = [read](const Space& space,
                     const OptimizerOptions& common) -> Result<std::unique_ptr<Optimizer>> {
    std::vector<OptionInfo> infos;
    const Result<Options> options = read(common, infos);
    if (!options) return options.error();
    return std::unique_ptr<Optimizer>(std::make_unique<Made>(space, common, *options));
  };
  const auto ledger = [](const Space&, const OptimizerOptions&) -> const Ledger& {
    return Made::declared();
  };
  return {std::move(name), std::move(summary), std::move(check), std::move(make), ledger};
}

}  // namespace vbo
