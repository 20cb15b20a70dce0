// SPDX-License-Identifier: MIT
#include "storage/row.hpp"

#include <bit>

#include "core/json.hpp"
#include "core/scan.hpp"

namespace vbo {
namespace {

// FNV-1a in 64 bits, each field after its length, so that fields cannot run into each other.
class Digest {
 public:
  Digest& add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    for (const char c : text) step(static_cast<unsigned char>(c));
    return *this;
  }
  Digest& add(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    for (unsigned shift = 0; shift < 64; shift += 8) step(bits >> shift & 0xffU);
    return *this;
  }
  Digest& add(double number) { return add(std::bit_cast<std::int64_t>(number)); }
  std::int64_t value() const { return static_cast<std::int64_t>(hash_); }

 private:
  void step(std::uint64_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::string metrics_text(const std::map<std::string, double>& metrics) {
  if (metrics.empty()) return "";
  Json json = Json::object();
  for (const auto& [name, value] : metrics) json[name] = json_of(value);
  return dump(json);
}

Result<std::map<std::string, double>> metrics_from(std::string_view text) {
  std::map<std::string, double> metrics;
  if (text.empty()) return metrics;
  const Result<Json> json = parse_json(text);
  if (!json) return json.error();
  for (const auto& item : json->items()) {
    if (!item.value().is_number()) {
      return Error{ErrorKind::damaged, "metric \"" + item.key() + "\" is not a number"};
    }
    metrics[item.key()] = item.value().get<double>();
  }
  return metrics;
}

Result<Point> stored_point(const Space& space, std::string_view text) {
  if (std::optional<Point> point = scan_point(space, text)) return std::move(*point);
  const Result<Json> json = parse_json(text);
  if (!json) return json.error();
  return point_from(space, *json);
}

Result<Rationale> stored_rationale(std::string_view text) {
  if (std::optional<Rationale> rationale = scan_rationale(text)) return std::move(*rationale);
  const Result<Json> json = parse_json(text);
  if (!json) return json.error();
  return rationale_from(*json);
}

std::int64_t ask_check(TrialId id, std::string_view params, std::string_view rationale,
                       EventId asked_in) {
  return Digest().add(id).add(params).add(rationale).add(asked_in).value();
}

std::int64_t end_check(const Trial& trial) {
  Digest digest;
  digest.add(trial.id).add(to_string(trial.state));
  if (trial.value) digest.add(*trial.value);
  if (trial.failure) digest.add(to_string(trial.failure->cause)).add(trial.failure->message);
  digest.add(metrics_text(trial.metrics)).add(trial.seconds);
  return digest.add(static_cast<std::int64_t>(trial.attempts)).add(trial.told_in).value();
}

std::int64_t bytes_check(std::string_view bytes) { return Digest().add(bytes).value(); }

}  // namespace vbo
