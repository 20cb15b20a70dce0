// SPDX-License-Identifier: MIT
// All methods of this build. A new one is a folder, one line in registry.cpp, one page in
// docs/algorithms/ and one row in the tests.
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
  // Checks the settings and builds. Fills `infos` with what the method accepts even on error.
  std::function<Result<std::unique_ptr<Optimizer>>(const Space&, const OptimizerOptions&,
                                                   std::vector<OptionInfo>& infos)>
      make;
  std::function<const Ledger&(const Space&, const OptimizerOptions&)> ledger;
};

// For a method whose settings live in a struct `Options` with a free function
// bind(OptionBinder&, Options&), whose optimizer is constructed from (space, common, options), and
// whose terms are declared by Made::declared().
template <class Made, class Options>
Method method_of(std::string name, std::string summary, Options defaults = {}) {
  auto make = [name, defaults](
                  const Space& space, const OptimizerOptions& common,
                  std::vector<OptionInfo>& infos) -> Result<std::unique_ptr<Optimizer>> {
    Options options = defaults;
    OptionBinder binder(common.settings);
    bind(binder, options);
    const Result<void> checked = binder.finish(name);
    infos = std::move(binder).infos();
    if (!checked) return checked.error();
    return std::unique_ptr<Optimizer>(std::make_unique<Made>(space, common, options));
  };
  const auto ledger = [](const Space&, const OptimizerOptions&) -> const Ledger& {
    return Made::declared();
  };
  return {std::move(name), std::move(summary), std::move(make), ledger};
}

}  // namespace vbo
