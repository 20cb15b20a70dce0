// SPDX-License-Identifier: MIT
// A multilayer perceptron: dense layers Y_l = phi_l(W_l Y_{l-1} + b_l 1^T). One sample is one
// column. All parameters of a network lie in one flat array, W_1 (column-major), b_1, W_2, ...; the
// gradient has the same order, so an optimizer or a sampler sees one vector.
//
// MlpShape says what the network looks like, MlpWorkspace holds what a pass leaves behind, and the
// free functions work on anybody's parameters (a sampler keeps hundreds of vectors for one shape).
// Mlp bundles the three. No allocation once a workspace has seen its largest batch. A shape is
// immutable; a workspace belongs to one thread at a time.
#pragma once

#include <Eigen/Core>
#include <span>
#include <type_traits>
#include <vector>

#include "nn/activation.hpp"
#include "nn/buffer.hpp"
#include "numerics/linalg.hpp"

namespace vbo::nn {

template <class T>
using ConstMap = Eigen::Map<const MatrixOf<T>>;
template <class T>
using InputRef = const Eigen::Ref<const MatrixOf<std::type_identity_t<T>>>&;  // (rows, N)
template <class T>
using OutputRef = Eigen::Ref<MatrixOf<std::type_identity_t<T>>>;

struct DenseLayer {
  Index inputs = 0, outputs = 0;
  Activation activation = Activation::linear;
  Index W = 0, b = 0;  // offsets into the flat array: W (outputs, inputs), b (outputs)
};

class MlpShape {
 public:
  MlpShape() = default;
  // widths = {inputs, hidden..., outputs}. REQUIRES: at least two, all positive.
  explicit MlpShape(const std::vector<int>& widths, Activation hidden = Activation::tanh,
                    Activation output = Activation::linear);

  std::span<const DenseLayer> layers() const { return layers_; }
  Index inputs() const { return layers_.front().inputs; }
  Index outputs() const { return layers_.back().outputs; }
  Index parameters() const { return parameters_; }
  std::vector<int> widths() const;

 private:
  std::vector<DenseLayer> layers_;
  Index parameters_ = 0;
};

// What forward() leaves for backward(): the input and every layer's output.
template <class T>
class MlpWorkspace {
 public:
  MlpWorkspace() = default;
  MlpWorkspace(const MlpWorkspace&) : MlpWorkspace() {}  // a copy starts empty
  MlpWorkspace(MlpWorkspace&&) noexcept = default;
  MlpWorkspace& operator=(MlpWorkspace other) noexcept;
  ~MlpWorkspace() = default;

  Index columns() const { return columns_; }
  // Output of layer l (outputs_l, N) of the last forward(); l = -1 is the input.
  ConstMap<T> output(int layer) const {
    const Slot& slot = slots_.begin()[layer + 1];
    return {slot.y, slot.rows, columns_};
  }

  struct Slot {
    T* y = nullptr;
    T* slope = nullptr;
    Index rows = 0;
  };
  // Lays out room for n columns. Used by the passes below.
  void prepare(const MlpShape& shape, Index n);
  std::span<const Slot> slots() const { return slots_; }
  T* delta(int which) { return deltas_[which]; }
  T* scratch() { return scratch_; }

 private:
  Buffer<T> memory_;
  std::vector<Slot> slots_;  // input, then one per layer
  T* deltas_[2] = {};        // (widest layer, one slice of columns) each
  T* scratch_ = nullptr;     // largest transposed W
  Index columns_ = 0;
};

// X (I,N) -> Y (O,N). The result lives in `work` until its next pass.
template <class T>
ConstMap<T> forward(const MlpShape& shape, const T* parameters, InputRef<T> X,
                    MlpWorkspace<T>& work);

// As forward(), in less memory and time, without leaving anything for backward().
template <class T>
void predict(const MlpShape& shape, const T* parameters, InputRef<T> X, MlpWorkspace<T>& work,
             OutputRef<T> Y);

// Given dY = dL/dY (O,N) for the last forward() of `work`: dL/dparameters into `gradient`
// (overwritten, or added to if `add`), and dL/dX (I,N) into dX. Either may be nullptr: training
// needs no dX, and the gradient with respect to the input alone costs half.
template <class T>
void backward(const MlpShape& shape, const T* parameters, MlpWorkspace<T>& work, InputRef<T> dY,
              T* gradient, T* dX, bool add = false);

template <class T>
class Mlp {
 public:
  Mlp() = default;
  explicit Mlp(MlpShape shape);

  const MlpShape& shape() const { return shape_; }
  std::span<T> parameters() { return {theta_.data(), static_cast<std::size_t>(theta_.size())}; }
  std::span<const T> parameters() const {
    return {theta_.data(), static_cast<std::size_t>(theta_.size())};
  }
  std::span<T> gradient() { return {grad_.data(), static_cast<std::size_t>(grad_.size())}; }
  Eigen::Map<MatrixOf<T>> weights(int layer);
  Eigen::Map<VectorOf<T>> bias(int layer);

  ConstMap<T> forward(InputRef<T> X) { return nn::forward(shape_, theta_.data(), X, work_); }
  void predict(InputRef<T> X, OutputRef<T> Y) { nn::predict(shape_, theta_.data(), X, work_, Y); }
  // dL/dparameters into gradient(), for the last forward().
  void backward(InputRef<T> dY, bool add = false) {
    nn::backward<T>(shape_, theta_.data(), work_, dY, grad_.data(), nullptr, add);
  }
  // Both gradients; dX (I,N) is resized.
  void backward(InputRef<T> dY, MatrixOf<T>& dX, bool add = false) {
    dX.resize(shape_.inputs(), dY.cols());
    nn::backward<T>(shape_, theta_.data(), work_, dY, grad_.data(), dX.data(), add);
  }
  // dL/dX alone, e.g. through a frozen critic.
  void backward_input(InputRef<T> dY, MatrixOf<T>& dX) {
    dX.resize(shape_.inputs(), dY.cols());
    nn::backward<T>(shape_, theta_.data(), work_, dY, nullptr, dX.data());
  }
  MlpWorkspace<T>& workspace() { return work_; }

 private:
  MlpShape shape_;
  VectorOf<T> theta_, grad_;
  MlpWorkspace<T> work_;
};

}  // namespace vbo::nn
