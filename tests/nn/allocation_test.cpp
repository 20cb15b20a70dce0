// SPDX-License-Identifier: MIT
// A training step allocates nothing once the largest batch was seen. Counts every operator new and,
// because Eigen takes its memory from there, every malloc of our own objects (the linker's --wrap);
// therefore a program of its own.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "nn/adam.hpp"
#include "nn/ensemble.hpp"
#include "nn/gumbel.hpp"
#include "nn/init.hpp"
#include "nn/loss.hpp"
#include "nn/lstm.hpp"
#include "reference.hpp"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t bytes, std::size_t alignment) {
  ++allocations;
  void* const p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!p) throw std::bad_alloc();
  return p;
}
}  // namespace

extern "C" {
void* __real_malloc(std::size_t bytes);
void* __wrap_malloc(std::size_t bytes) {
  ++allocations;
  return __real_malloc(bytes);
}
}

void* operator new(std::size_t bytes) { return counted(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t a) {
  return counted(bytes, static_cast<std::size_t>(a));
}
// At low optimization g++ 12 does not see that counted() is where operator new gets its memory
// from.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace vbo::nn {
namespace {

template <class Work>
long allocations_of(Work&& work) {
  const long before = allocations;
  work();
  return allocations - before;
}

TEST(Allocation, TheCounterCounts) {
  const long before = allocations;
  int* volatile kept = new int(3);  // volatile: a pair nobody looks at may be left out
  delete kept;
  EXPECT_EQ(allocations - before, 1);
  const MatrixOf<float> A = reference::random<float>(5, 5, 1);
  EXPECT_GT(allocations_of([&] { EXPECT_NE(MatrixOf<float>(A * A).norm(), 0); }), 0);
}

TEST(Allocation, NoneInATrainingStep) {
  const MlpShape shape({5, 32, 32, 7}, Activation::silu, Activation::tanh);
  Mlp<float> net(shape);
  Adam<float> adam(shape.parameters(), {.amsgrad = true});
  Rng rng(1);
  init_uniform_fan_in(shape, net.parameters(), rng);
  const MatrixOf<float> X = reference::random<float>(5, 300, 1), target = X;
  MatrixOf<float> dY(7, 300), dX(5, 300), Y(7, 300);
  std::vector<int> levels(300, 2);
  const auto step = [&] {
    softmax_cross_entropy<float>(net.forward(X), levels, &dY);
    net.backward(dY, dX);
    net.backward_input(dY, dX);
    net.predict(X, Y);
    mse<float>(net.forward(X), Y, &dY);
    clip_norm(net.gradient(), 1.0);
    adam.step(net.parameters(), net.gradient());
  };
  step();
  EXPECT_EQ(allocations_of(step), 0);
}

TEST(Allocation, NoneForSmallerBatches) {
  Mlp<float> net(MlpShape({5, 16, 2}, Activation::silu));
  const MatrixOf<float> X = reference::random<float>(5, 300, 1), dY = MatrixOf<float>::Ones(2, 300);
  const auto pass = [&](Index n) {
    net.forward(X.leftCols(n));
    net.backward(dY.leftCols(n));
  };
  pass(300);
  EXPECT_EQ(allocations_of([&] {
              for (const Index n : {1, 2, 64, 299, 300}) pass(n);
            }),
            0);
}

TEST(Allocation, NoneInAnLstmStep) {
  const SequenceShape sequence = {.steps = 4, .batch = 6, .references = 2};
  ModifiedLstm<float> lstm({.inputs = 3, .hidden = 20});
  Rng rng(1);
  init_lstm(lstm, rng);
  const MatrixOf<float> X = reference::random<float>(3, sequence.columns(), 1);
  const MatrixOf<float> dH = reference::random<float>(20, sequence.columns(), 2);
  MatrixOf<float> dX;
  LstmState<float> start = {MatrixOf<float>::Zero(20, 6), MatrixOf<float>::Zero(20, 6)}, dstart;
  const auto step = [&] {
    lstm.forward(sequence, X, &start);
    lstm.backward(dH, {.truncate = 3}, &dX, &dstart);
    lstm.end_state(start);
  };
  step();
  EXPECT_EQ(allocations_of(step), 0);
}

TEST(Allocation, NoneInGumbelSoftmax) {
  const MatrixOf<float> A = reference::random<float>(5, 9, 1),
                        U = MatrixOf<float>::Constant(5, 9, 0.3F);
  MatrixOf<float> Y(5, 9), dA(5, 9);
  EXPECT_EQ(allocations_of([&] {
              gumbel_softmax<float>(A, U, 0.5, Y);
              gumbel_softmax_backward<float>(Y, A, 0.5, dA);
              one_hot_argmax<float>(Y, Y);
            }),
            0);
}

}  // namespace
}  // namespace vbo::nn
