// SPDX-License-Identifier: MIT
#include "storage/best.hpp"

#include "core/order.hpp"

namespace vbo {

Result<std::optional<Trial>> best_result(Storage& storage, const StudyRecord& record) {
  if (record.space.limits().empty()) return storage.best_trial(record.goal());
  const Result<std::vector<Trial>> history = storage.load_history();
  if (!history) return history.error();
  const Order order(record.objectives, record.space.limits());
  const std::optional<std::size_t> best = order.best(*history);
  if (!best) return std::optional<Trial>();
  return storage.load_trial((*history)[*best].id);
}

}  // namespace vbo
