// SPDX-License-Identifier: MIT
#include "nn/mlp.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "nn/shapes.hpp"

namespace vbo::nn {
namespace {

// Batches run through all layers in slices of so many columns, whose activations stay in the cache.
constexpr Index kSlice = 256;

Index widest(const MlpShape& shape) {
  Index width = 0;
  for (const DenseLayer& layer : shape.layers()) width = std::max(width, layer.outputs);
  return width;
}

}  // namespace

MlpShape::MlpShape(const std::vector<int>& widths, Activation hidden, Activation output) {
  if (widths.size() < 2 || std::any_of(widths.begin(), widths.end(), [](int w) { return w < 1; })) {
    throw std::invalid_argument("mlp: widths needs inputs and outputs, all positive");
  }
  for (std::size_t l = 1; l < widths.size(); ++l) {
    DenseLayer layer;
    layer.inputs = widths[l - 1];
    layer.outputs = widths[l];
    layer.activation = l + 1 == widths.size() ? output : hidden;
    layer.W = parameters_;
    layer.b = layer.W + layer.outputs * layer.inputs;
    parameters_ = layer.b + layer.outputs;
    layers_.push_back(layer);
  }
}

std::vector<int> MlpShape::widths() const {
  std::vector<int> out = {static_cast<int>(inputs())};
  for (const DenseLayer& layer : layers_) out.push_back(static_cast<int>(layer.outputs));
  return out;
}

template <class T>
MlpWorkspace<T>& MlpWorkspace<T>::operator=(MlpWorkspace other) noexcept {
  std::swap(memory_, other.memory_);
  std::swap(slots_, other.slots_);
  std::swap(deltas_, other.deltas_);
  std::swap(scratch_, other.scratch_);
  std::swap(columns_, other.columns_);
  return *this;
}

template <class T>
void MlpWorkspace<T>::prepare(const MlpShape& shape, Index n) {
  const auto padded = [](Index count) { return (count + 15) / 16 * 16; };  // whole cache lines
  Index total = padded(shape.inputs() * n), transposed = 0;
  for (const DenseLayer& layer : shape.layers()) {
    total += padded(layer.outputs * n) * (needs_slope(layer.activation) ? 2 : 1);
    transposed = std::max(transposed, padded(layer.inputs * layer.outputs));
  }
  const Index delta = padded(widest(shape) * std::min(n, kSlice));
  T* next = memory_.reserve(total + 2 * delta + transposed);
  const auto take = [&](Index count) { return std::exchange(next, next + padded(count)); };

  slots_.resize(shape.layers().size() + 1);
  slots_[0] = {take(shape.inputs() * n), nullptr, shape.inputs()};
  for (std::size_t l = 0; l < shape.layers().size(); ++l) {
    const DenseLayer& layer = shape.layers()[l];
    Slot& slot = slots_[l + 1];
    slot = {take(layer.outputs * n), nullptr, layer.outputs};
    if (needs_slope(layer.activation)) slot.slope = take(layer.outputs * n);
  }
  for (T*& d : deltas_) d = take(delta);
  scratch_ = take(transposed);
  columns_ = n;
}

template <class T>
ConstMap<T> forward(const MlpShape& shape, const T* parameters, InputRef<T> X,
                    MlpWorkspace<T>& work) {
  expect_shape("mlp: X", X.rows(), X.cols(), shape.inputs(), X.cols());
  const Index n = X.cols();
  work.prepare(shape, n);
  Eigen::Map<MatrixOf<T>>(work.slots()[0].y, X.rows(), n) = X;
  for (Index j = 0; j < n; j += kSlice) {
    const Index slice = std::min(kSlice, n - j);
    for (std::size_t l = 0; l < shape.layers().size(); ++l) {
      const DenseLayer& layer = shape.layers()[l];
      const auto& in = work.slots()[l];
      const auto& out = work.slots()[l + 1];
      const Index at = j * out.rows;
      gemm_bias<T>(layer.outputs, slice, layer.inputs, {parameters + layer.W, layer.outputs},
                   {in.y + j * in.rows, in.rows}, parameters + layer.b, {out.y + at, out.rows});
      activate(layer.activation, layer.outputs * slice, out.y + at,
               out.slope ? out.slope + at : nullptr);
    }
  }
  return work.output(static_cast<int>(shape.layers().size()) - 1);
}

template <class T>
void predict(const MlpShape& shape, const T* parameters, InputRef<T> X, MlpWorkspace<T>& work,
             OutputRef<T> Y) {
  expect_shape("mlp: X", X.rows(), X.cols(), shape.inputs(), X.cols());
  expect_shape("mlp: Y", Y.rows(), Y.cols(), shape.outputs(), X.cols());
  work.prepare(shape, std::min(kSlice, X.cols()));
  for (Index j = 0; j < X.cols(); j += kSlice) {
    const Index n = std::min(kSlice, X.cols() - j);
    ConstView<T> in = {X.data() + j * X.outerStride(), X.outerStride()};
    for (std::size_t l = 0; l < shape.layers().size(); ++l) {
      const DenseLayer& layer = shape.layers()[l];
      T* const out = work.delta(static_cast<int>(l % 2));
      gemm_bias<T>(layer.outputs, n, layer.inputs, {parameters + layer.W, layer.outputs}, in,
                   parameters + layer.b, {out, layer.outputs});
      activate<T>(layer.activation, layer.outputs * n, out, nullptr);
      in = {out, layer.outputs};
    }
    Y.middleCols(j, n) = ConstMap<T>(in.data, shape.outputs(), n);
  }
}

template <class T>
void backward(const MlpShape& shape, const T* parameters, MlpWorkspace<T>& work, InputRef<T> dY,
              T* gradient, T* dX, bool add) {
  const Index n = work.columns();
  expect_shape("mlp: dY", dY.rows(), dY.cols(), shape.outputs(), n);
  if (gradient && !add && n == 0) std::fill_n(gradient, shape.parameters(), T(0));
  for (Index j = 0; j < n; j += kSlice) {
    const Index slice = std::min(kSlice, n - j);
    const bool sum = add || j > 0;
    int which = 0;
    T* delta = work.delta(which);  // dL/dY_l, turned into dL/dZ_l in place
    Eigen::Map<MatrixOf<T>>(delta, dY.rows(), slice) = dY.middleCols(j, slice);
    for (std::size_t l = shape.layers().size(); l-- > 0;) {
      const DenseLayer& layer = shape.layers()[l];
      const auto& in = work.slots()[l];
      const auto& out = work.slots()[l + 1];
      const ConstView<T> dZ = {delta, layer.outputs};
      const Index at = j * out.rows;
      activate_backward<T>(layer.activation, layer.outputs * slice, out.y + at,
                           out.slope ? out.slope + at : nullptr, delta, delta);
      if (gradient) {  // dW = dZ Y_{l-1}^T, db = dZ 1
        gemm_nt<T>(layer.outputs, layer.inputs, slice, dZ, {in.y + j * in.rows, in.rows},
                   {gradient + layer.W, layer.outputs}, sum);
        sum_columns<T>(layer.outputs, slice, dZ, gradient + layer.b, sum);
      }
      if (l == 0 && !dX) break;
      which = 1 - which;
      T* const target = l == 0 ? dX + j * layer.inputs : work.delta(which);  // dY_{l-1} = W^T dZ
      gemm_tn<T>(layer.inputs, slice, layer.outputs, {parameters + layer.W, layer.outputs}, dZ,
                 {target, layer.inputs}, work.scratch());
      delta = target;
    }
  }
}

template <class T>
Mlp<T>::Mlp(MlpShape shape)
    : shape_(std::move(shape)),
      theta_(VectorOf<T>::Zero(shape_.parameters())),
      grad_(VectorOf<T>::Zero(shape_.parameters())) {}

template <class T>
Eigen::Map<MatrixOf<T>> Mlp<T>::weights(int layer) {
  const DenseLayer& l = shape_.layers()[static_cast<std::size_t>(layer)];
  return {theta_.data() + l.W, l.outputs, l.inputs};
}

template <class T>
Eigen::Map<VectorOf<T>> Mlp<T>::bias(int layer) {
  const DenseLayer& l = shape_.layers()[static_cast<std::size_t>(layer)];
  return {theta_.data() + l.b, l.outputs};
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type.
#define VBO_INSTANTIATE(T)                                                                       \
  template class MlpWorkspace<T>;                                                                \
  template class Mlp<T>;                                                                         \
  template ConstMap<T> forward(const MlpShape&, const T*, InputRef<T>, MlpWorkspace<T>&);        \
  template void predict(const MlpShape&, const T*, InputRef<T>, MlpWorkspace<T>&, OutputRef<T>); \
  template void backward(const MlpShape&, const T*, MlpWorkspace<T>&, InputRef<T>, T*, T*, bool);
// NOLINTEND(bugprone-macro-parentheses)
VBO_INSTANTIATE(float)
VBO_INSTANTIATE(double)
#undef VBO_INSTANTIATE

}  // namespace vbo::nn
