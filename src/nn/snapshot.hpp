// SPDX-License-Identifier: MIT
// Networks, optimizer state and ensembles as bytes, exactly: what is loaded continues as what was
// saved would have, bit for bit. save() appends one record (an ensemble several) to `out`; load()
// reads it from the front of `in` into an object built with the same shape, and advances `in`.
// A record that does not match the object, or is not intact, is an error that changes nothing;
// nothing is allocated by what the bytes claim.
//
//   offset  size  field
//        0     7  "vbo-nn\n"
//        7     1  version, 1
//        8     1  kind: M (Mlp), L (ModifiedLstm), A (Adam), E (Ensemble), R (Rng)
//        9     1  bytes per value, 4 or 8
//       10     2  0x0102 in the byte order of the writing machine
//       12     4  n, number of shape entries
//       16     4  s, number of state entries
//       20     4  0
//       24     8  v, number of values
//       32    8n  shape: integers that must equal the object's
//             8s  state: integers to restore (steps, options as bits of doubles, stream position)
//              v  values, bytes per value each: parameters, or moments
#pragma once

#include <string>
#include <string_view>

#include "nn/ensemble.hpp"
#include "nn/lstm.hpp"
#include "vbo/error.hpp"

namespace vbo::nn {

template <class T>
void save(const Mlp<T>& net, std::string& out);
template <class T>
Result<void> load(std::string_view& in, Mlp<T>& net);

template <class T>
void save(const ModifiedLstm<T>& lstm, std::string& out);
template <class T>
Result<void> load(std::string_view& in, ModifiedLstm<T>& lstm);

// Moments, steps and options. Shape: number of parameters, and whether AMSGrad.
template <class T>
void save(const Adam<T>& adam, std::string& out);
template <class T>
Result<void> load(std::string_view& in, Adam<T>& adam);

// The position of a stream; its name belongs to whoever built it.
void save(const Rng& rng, std::string& out);
Result<void> load(std::string_view& in, Rng& rng);

template <class T>
void save(const Ensemble<T>& ensemble, std::string& out);
template <class T>
Result<void> load(std::string_view& in, Ensemble<T>& ensemble);

}  // namespace vbo::nn
