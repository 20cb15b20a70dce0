// SPDX-License-Identifier: MIT
// TensorBoard's event files: TFRecords of Event messages, in the wire format of protocol buffers.
// Field numbers are those of tensorflow/core/util/event.proto, framework/summary.proto and
// tensorboard/plugins/hparams/plugin_data.proto.
#include <fmt/format.h>

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "cli/export.hpp"
#include "cli/trial_json.hpp"

namespace vbo::cli {
namespace {

namespace fs = std::filesystem;

// A message in the wire format: each field with its number.
class Message {
 public:
  Message& number(int field, std::int64_t value) {
    key(field, 0);
    varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  Message& real(int field, double value) {
    key(field, 1);
    little_endian(std::bit_cast<std::uint64_t>(value), 8);
    return *this;
  }
  Message& single(int field, float value) {
    key(field, 5);
    little_endian(std::bit_cast<std::uint32_t>(value), 4);
    return *this;
  }
  Message& text(int field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& message(int field, const Message& value) { return text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }
  void little_endian(std::uint64_t bits, int size) {
    for (int i = 0; i < size; ++i) bytes_ += static_cast<char>(bits >> (8 * i) & 0xffU);
  }

 private:
  void key(int field, int type) { varint(static_cast<std::uint64_t>(field << 3 | type)); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80U; value >>= 7U) bytes_ += static_cast<char>((value & 0x7fU) | 0x80U);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1U ^ (crc & 1U ? 0x82f63b78U : 0U);
    table[i] = crc;
  }
  return table;
}

// CRC-32C (Castagnoli), rotated and shifted as TFRecords have it.
std::uint32_t masked_crc(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> table = crc_table();
  std::uint32_t crc = 0xffffffffU;
  for (const char c : bytes) crc = table[(crc ^ static_cast<unsigned char>(c)) & 0xffU] ^ crc >> 8U;
  crc = ~crc;
  return std::rotr(crc, 15) + 0xa282ead8U;
}

class Events {
 public:
  explicit Events(double wall_time) { add(Message().real(1, wall_time).text(3, "brain.Event:2")); }
  void scalar(double wall_time, std::int64_t step, const std::string& tag, double value) {
    summary(wall_time, step, Message().text(1, tag).single(2, static_cast<float>(value)));
  }
  // What the HParams page reads. It wants a tensor with every summary: [0.0].
  void hparams(double wall_time, const std::string& tag, const Message& data) {
    Message shape = Message().message(2, Message().number(1, 1));
    Message zero;
    zero.little_endian(0, 4);
    const Message tensor = Message().number(1, 1).message(2, shape).message(5, zero);
    const Message plugin = Message().text(1, "hparams").message(2, data);
    summary(wall_time, 0,
            Message().text(1, tag).message(9, Message().message(1, plugin)).message(8, tensor));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void summary(double wall_time, std::int64_t step, const Message& value) {
    add(Message().real(1, wall_time).number(2, step).message(5, Message().message(1, value)));
  }
  void add(const Message& event) {
    Message length;
    length.little_endian(event.bytes().size(), 8);
    Message record = length;
    record.little_endian(masked_crc(length.bytes()), 4);
    bytes_ += record.bytes() + event.bytes();
    Message end;
    end.little_endian(masked_crc(event.bytes()), 4);
    bytes_ += end.bytes();
  }
  std::string bytes_;
};

// google.protobuf.Value
Message value_message(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return Message().text(3, *text);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    return Message().real(2, static_cast<double>(*whole));
  }
  return Message().real(2, std::get<double>(value));
}

std::string run_of_trial(const StudyRecord& record, const Trial& trial) {
  const double ended = trial.finished_at;
  Events events(ended);
  Message start;
  for (std::size_t i = 0; i < record.space.size(); ++i) {
    start.message(
        1, Message().text(1, record.space[i].name).message(2, value_message(trial.point[i])));
  }
  start.text(4, fmt::format("trial {}", trial.id)).real(5, ended - trial.seconds);
  events.hparams(ended, "_hparams_/session_start_info", Message().number(1, 0).message(3, start));
  for (std::size_t m = 0; m < trial.values.size(); ++m) {
    const std::string tag = plain_name(record.objectives[m].name, true);
    std::int64_t last = -1;
    for (const Step& step : trial.steps) {
      if (m < step.values.size()) events.scalar(ended, last = step.step, tag, step.values[m]);
    }
    events.scalar(ended, last + 1, tag, trial.values[m]);
  }
  for (const auto& [name, value] : trial.metrics) {
    events.scalar(ended, 0, "metrics/" + plain_name(name, true), value);
  }
  const Message end = Message().number(1, trial.values.empty() ? 2 : 1).real(2, ended);
  events.hparams(ended, "_hparams_/session_end_info", Message().number(1, 0).message(4, end));
  return events.bytes();
}

std::string run_of_study(const StudyRecord& record, std::span<const Trial> trials) {
  Events events(trials.empty() ? 0.0 : trials.front().asked_at);
  std::optional<double> best;
  for (const Trial& trial : trials) {
    if (trial.state != TrialState::completed) continue;
    for (std::size_t m = 0; m < trial.values.size(); ++m) {
      events.scalar(trial.finished_at, trial.id, plain_name(record.objectives[m].name, true),
                    trial.values[m]);
    }
    for (const auto& [name, value] : trial.metrics) {
      events.scalar(trial.finished_at, trial.id, "metrics/" + plain_name(name, true), value);
    }
    if (record.objectives.size() > 1) continue;
    const double value = trial.values.front();
    const bool up = record.goal() == Goal::maximize;
    if (!best || (up ? value > *best : value < *best)) best = value;
    events.scalar(trial.finished_at, trial.id, "best", *best);
  }
  return events.bytes();
}

}  // namespace

Result<void> export_tensorboard(const StudyRecord& record, std::span<const Trial> trials,
                                const fs::path& folder) {
  const fs::path home = folder / plain_name(record.name);
  if (fs::exists(home)) {
    return Error{ErrorKind::conflict,
                 home.string() + " exists already; remove it or name another folder"};
  }
  const std::string file = "events.out.tfevents.0.vbo";
  if (const auto written = write_new_file(home / file, run_of_study(record, trials)); !written) {
    return written.error();
  }
  for (const Trial& trial : trials) {
    if (!trial.has_ended()) continue;
    const fs::path run = home / fmt::format("trial_{}", trial.id);
    const auto written = write_new_file(run / file, run_of_trial(record, trial));
    if (!written) return written.error();
  }
  return {};
}

}  // namespace vbo::cli
