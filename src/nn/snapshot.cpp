// SPDX-License-Identifier: MIT
#include "nn/snapshot.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "numerics/platform.hpp"

namespace vbo::nn {
namespace {

constexpr std::string_view kMagic = "vbo-nn\n";
constexpr std::uint8_t kVersion = 1;
constexpr std::uint16_t kByteOrder = 0x0102;

struct Header {
  char magic[7];
  std::uint8_t version;
  char kind;
  std::uint8_t value_bytes;
  std::uint16_t byte_order;
  std::uint32_t shape, state, zero;
  std::uint64_t values;
};
static_assert(sizeof(Header) == 32);

using Integers = std::vector<std::int64_t>;

// What is stored may come from a stranger: within these bounds all that a network and Adam compute
// stays finite, and no training comes near them.
constexpr double kLargestWeight = 1e6;
constexpr std::int64_t kMostSteps = std::int64_t{1} << 53;

template <class T>
bool within(std::span<const T> values, double low, double high) {
  return std::ranges::all_of(values, [&](T v) { return v >= low && v <= high; });
}

void append(std::string& out, const void* data, std::size_t bytes) {
  out.append(static_cast<const char*>(data), bytes);
}

// One record; the values may come in several arrays.
template <class T>
void write(std::string& out, char kind, const Integers& shape, const Integers& state,
           std::initializer_list<std::span<const T>> arrays) {
  Header header = {{}, kVersion, kind, sizeof(T), kByteOrder, 0, 0, 0, 0};
  std::copy(kMagic.begin(), kMagic.end(), header.magic);
  header.shape = static_cast<std::uint32_t>(shape.size());
  header.state = static_cast<std::uint32_t>(state.size());
  for (const auto& array : arrays) header.values += array.size();
  append(out, &header, sizeof header);
  append(out, shape.data(), shape.size() * sizeof(std::int64_t));
  append(out, state.data(), state.size() * sizeof(std::int64_t));
  for (const auto& array : arrays) append(out, array.data(), array.size_bytes());
}

Error damaged(std::string what) {
  return {ErrorKind::damaged, "network snapshot: " + std::move(what) + "."};
}
Error conflict(std::string what) {
  return {ErrorKind::conflict, "network snapshot: " + std::move(what) + "."};
}

std::string text(const Integers& shape) {
  std::string out;
  for (const std::int64_t entry : shape) out += (out.empty() ? "" : ",") + std::to_string(entry);
  return "(" + out + ")";
}

// Where the parts of an intact, matching record lie; `in` moves past it.
struct Parts {
  const char* state = nullptr;
  const char* values = nullptr;

  std::int64_t integer(std::size_t i) const {
    std::int64_t value = 0;
    std::memcpy(&value, state + i * sizeof value, sizeof value);
    return value;
  }
  double number(std::size_t i) const { return std::bit_cast<double>(integer(i)); }
  template <class T>
  std::vector<T> copy(std::size_t count) const {
    std::vector<T> out(count);
    std::memcpy(out.data(), values, count * sizeof(T));
    return out;
  }
};

Result<Parts> read(std::string_view& in, char kind, std::size_t value_bytes, const Integers& shape,
                   std::size_t states, std::size_t values) {
  Header header{};
  if (in.size() < sizeof header) return damaged("ends inside a header");
  std::memcpy(&header, in.data(), sizeof header);
  if (std::string_view(header.magic, sizeof header.magic) != kMagic) {
    return damaged("these bytes are not a network snapshot");
  }
  if (header.byte_order != kByteOrder) {
    return damaged("written on a machine with another byte order");
  }
  if (header.version != kVersion) {
    return Error{ErrorKind::unsupported, "network snapshot: format version " +
                                             std::to_string(header.version) +
                                             ", this program reads version 1."};
  }
  if (header.kind != kind) {
    return conflict(std::string("holds kind ") + header.kind + ", expected " + kind);
  }
  if (header.value_bytes != value_bytes) {
    return conflict("has " + std::to_string(header.value_bytes) + "-byte values, expected " +
                    std::to_string(value_bytes));
  }
  const std::size_t shape_bytes = shape.size() * sizeof(std::int64_t);
  // Compared entry by entry with what the object has, so nothing here trusts the counts.
  if (header.shape == shape.size() && in.size() < sizeof header + shape_bytes) {
    return damaged("ends inside its shape");
  }
  if (header.shape != shape.size() ||
      in.substr(sizeof header, shape_bytes) !=
          std::string_view(reinterpret_cast<const char*>(shape.data()), shape_bytes)) {
    return conflict("was saved from another shape than " + text(shape));
  }
  if (header.state != states || header.values != values) {
    return damaged("has " + std::to_string(header.values) + " values, expected " +
                   std::to_string(values));
  }
  const std::size_t state_bytes = states * sizeof(std::int64_t);
  const std::size_t total = sizeof header + shape_bytes + state_bytes + values * value_bytes;
  if (in.size() < total) {
    return damaged("ends after " + std::to_string(in.size()) + " of " + std::to_string(total) +
                   " bytes");
  }
  const char* const state = in.data() + sizeof header + shape_bytes;
  in.remove_prefix(total);
  return Parts{state, state + state_bytes};
}

Integers shape_of(const MlpShape& shape) {
  Integers out = {shape.inputs()};
  for (const DenseLayer& layer : shape.layers()) {
    out.push_back(layer.outputs);
    out.push_back(static_cast<std::int64_t>(layer.activation));
  }
  return out;
}

template <class Network>
Result<void> load_parameters(std::string_view& in, char kind, const Integers& shape, Network& net) {
  const auto parameters = net.parameters();
  using T = std::remove_cvref_t<decltype(parameters[0])>;
  std::string_view rest = in;
  const Result<Parts> parts = read(rest, kind, sizeof(T), shape, 0, parameters.size());
  if (!parts) return parts.error();
  const std::vector<T> values = parts->copy<T>(parameters.size());
  if (!within(std::span<const T>(values), -kLargestWeight, kLargestWeight)) {
    return damaged("a weight is not a number between -1e6 and 1e6");
  }
  std::ranges::copy(values, parameters.begin());
  in = rest;
  return {};
}

template <class T>
std::span<const T> view(const VectorOf<T>& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

}  // namespace

template <class T>
void save(const Mlp<T>& net, std::string& out) {
  write<T>(out, 'M', shape_of(net.shape()), {}, {net.parameters()});
}

template <class T>
Result<void> load(std::string_view& in, Mlp<T>& net) {
  return load_parameters(in, 'M', shape_of(net.shape()), net);
}

template <class T>
void save(const ModifiedLstm<T>& lstm, std::string& out) {
  write<T>(out, 'L', {lstm.shape().inputs, lstm.shape().hidden}, {}, {lstm.parameters()});
}

template <class T>
Result<void> load(std::string_view& in, ModifiedLstm<T>& lstm) {
  return load_parameters(in, 'L', {lstm.shape().inputs, lstm.shape().hidden}, lstm);
}

template <class T>
void save(const Adam<T>& adam, std::string& out) {
  const auto bits = [](double x) { return std::bit_cast<std::int64_t>(x); };
  const AdamOptions& o = adam.options();
  write<T>(
      out, 'A', {adam.mean().size(), o.amsgrad ? 1 : 0},
      {adam.steps(), bits(o.learning_rate), bits(o.beta1), bits(o.beta2), bits(o.epsilon),
       bits(o.weight_decay)},
      {view<T>(adam.mean()), view<T>(adam.second_moment()), view<T>(adam.largest_second_moment())});
}

template <class T>
Result<void> load(std::string_view& in, Adam<T>& adam) {
  const auto n = static_cast<std::size_t>(adam.mean().size());
  const auto largest = static_cast<std::size_t>(adam.largest_second_moment().size());
  std::string_view rest = in;
  const Result<Parts> parts =
      read(rest, 'A', sizeof(T), {adam.mean().size(), adam.options().amsgrad ? 1 : 0}, 6,
           2 * n + largest);
  if (!parts) return parts.error();
  AdamOptions options = {.learning_rate = parts->number(1),
                         .beta1 = parts->number(2),
                         .beta2 = parts->number(3),
                         .epsilon = parts->number(4),
                         .weight_decay = parts->number(5),
                         .amsgrad = adam.options().amsgrad};
  const bool known = parts->integer(0) >= 0 && parts->integer(0) <= kMostSteps;
  if (!known || !options.validate() || options.learning_rate > 1.0 || options.epsilon > 1.0 ||
      options.weight_decay > 1.0) {
    return damaged("Adam's options make no sense");
  }
  const std::vector<T> values = parts->copy<T>(2 * n + largest);
  const std::span<const T> all(values);
  const auto m = all.first(n);
  if (!are_moments(m, all.subspan(n, n)) || (largest > 0 && !are_moments(m, all.subspan(2 * n)))) {
    return damaged("the moments of Adam make no sense");
  }
  adam.restore(options, parts->integer(0), all.first(n), all.subspan(n, n), all.subspan(2 * n));
  in = rest;
  return {};
}

void save(const Rng& rng, std::string& out) {
  write<double>(out, 'R', {}, {static_cast<std::int64_t>(rng.position())}, {});
}

Result<void> load(std::string_view& in, Rng& rng) {
  const Result<Parts> parts = read(in, 'R', sizeof(double), {}, 1, 0);
  if (!parts) return parts.error();
  rng.seek(static_cast<std::uint64_t>(parts->integer(0)));
  return {};
}

template <class T>
void save(const Ensemble<T>& ensemble, std::string& out) {
  write<T>(out, 'E', {ensemble.size()}, {}, {});
  for (int k = 0; k < ensemble.size(); ++k) {
    save(ensemble[k].net, out);
    save(ensemble[k].adam, out);
    save(ensemble[k].rng, out);
  }
}

template <class T>
Result<void> load(std::string_view& in, Ensemble<T>& ensemble) {
  std::string_view rest = in;
  if (const auto parts = read(rest, 'E', sizeof(T), {ensemble.size()}, 0, 0); !parts) {
    return parts.error();
  }
  Ensemble<T> loaded = ensemble;  // an error in a later member must not leave a mixture
  for (int k = 0; k < loaded.size(); ++k) {
    Member<T>& member = loaded[k];
    if (auto done = load(rest, member.net); !done) return done;
    if (auto done = load(rest, member.adam); !done) return done;
    if (auto done = load(rest, member.rng); !done) return done;
  }
  ensemble = std::move(loaded);
  in = rest;
  return {};
}

#define VBO_INSTANTIATE(T)                                         \
  template void save(const Mlp<T>&, std::string&);                 \
  template void save(const ModifiedLstm<T>&, std::string&);        \
  template void save(const Adam<T>&, std::string&);                \
  template void save(const Ensemble<T>&, std::string&);            \
  template Result<void> load(std::string_view&, Mlp<T>&);          \
  template Result<void> load(std::string_view&, ModifiedLstm<T>&); \
  template Result<void> load(std::string_view&, Adam<T>&);         \
  template Result<void> load(std::string_view&, Ensemble<T>&);
VBO_INSTANTIATE(float)
VBO_INSTANTIATE(double)
#undef VBO_INSTANTIATE

}  // namespace vbo::nn
