// SPDX-License-Identifier: MIT
// A table: imported as results of a study, each inside its space and with one outcome, and as
// columns of `vbo mi`, encoded into finite numbers.
#include "cli/csv.hpp"

#include <cmath>

#include "cli/import.hpp"
#include "core/delivery.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace vbo;
  static const Space space =
      *Space::make({Parameter::real("x", -1.0, 1.0), Parameter::integer("n", 1, 9),
                    Parameter::categorical("c", {std::string("a"), std::int64_t{3}, true})});
  const Result<cli::CsvTable> table = cli::parse_csv(fuzz::text_of(data, size), "table.csv");
  if (!table) return 0;
  for (const auto& row : table->rows) REQUIRE_THAT(row.size() == table->header.size());
  if (const Result<cli::Imported> read = cli::results_from(*table, space)) {
    for (const Evaluated& result : read->results) {
      REQUIRE_THAT(space.check(result.point));
      REQUIRE_THAT(result.outcome.value().has_value() != result.outcome.failure.has_value());
      if (result.outcome.value()) REQUIRE_THAT(std::isfinite(*result.outcome.value()));
    }
    (void)without_known(read->results, {});
  }
  cli::ColumnChoice choice;
  choice.skip_missing = size % 2 == 0;
  for (const cli::CsvCell& cell : table->header) {
    if (choice.names.size() < 3) choice.names.push_back(cell.text);
  }
  if (size % 3 == 0) choice.categorical = {choice.names.front()};
  const Result<std::vector<DataColumn>> columns = cli::select_columns(*table, choice);
  if (columns && !columns->empty() && !table->rows.empty()) {
    const EncodedColumns encoded = encode_columns(*columns);
    REQUIRE_THAT(encoded.values.allFinite());
  }
  return 0;
}
