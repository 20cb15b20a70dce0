// SPDX-License-Identifier: MIT
#include "nn/snapshot.hpp"

#include <gtest/gtest.h>

#include "nn/init.hpp"
#include "nn/loss.hpp"
#include "reference.hpp"

namespace vbo::nn {
namespace {

const MlpShape kShape({3, 8, 2}, Activation::silu);

Ensemble<float> fresh(const MlpShape& shape = kShape, int members = 3, std::uint64_t seed = 1) {
  return {shape, members, {.learning_rate = 0.01, .amsgrad = true}, seed};
}

void train(Ensemble<float>& ensemble, int steps) {
  const MatrixOf<float> X = reference::random<float>(3, 40, 1),
                        Y = reference::random<float>(2, 40, 2);
  ensemble.train(1, steps, [&](int, Member<float>& member) {
    std::vector<int> batch(8);
    for (int& i : batch) i = static_cast<int>(member.rng.below(40));
    MatrixOf<float> target;
    gather_columns<float>(X, batch, member.X);
    gather_columns<float>(Y, batch, target);
    const double loss = mse<float>(member.net.forward(member.X), target, &member.dY);
    member.net.backward(member.dY);
    return loss;
  });
}

template <class Object>
std::string bytes_of(const Object& object) {
  std::string out;
  save(object, out);
  return out;
}

TEST(Snapshot, ALoadedEnsembleContinuesBitForBit) {
  Ensemble<float> ensemble = fresh();
  train(ensemble, 7);
  ensemble[1].adam.set_learning_rate(0.002);
  const std::string saved = bytes_of(ensemble);
  Ensemble<float> other = fresh();
  std::string_view in = saved;
  ASSERT_TRUE(load(in, other));
  EXPECT_TRUE(in.empty());
  EXPECT_EQ(bytes_of(other), saved);
  train(ensemble, 5);
  train(other, 5);
  EXPECT_EQ(bytes_of(other), bytes_of(ensemble));
  EXPECT_NE(bytes_of(other), saved);
}

TEST(Snapshot, LstmIsExactToTheBit) {
  ModifiedLstm<double> lstm({.inputs = 2, .hidden = 3}), other(lstm.shape());
  Rng rng(1);
  init_lstm(lstm, rng);
  lstm.parameters()[0] = 1e6;
  lstm.parameters()[1] = -0.0;
  const std::string saved = bytes_of(lstm);
  std::string_view in = saved;
  ASSERT_TRUE(load(in, other));
  EXPECT_EQ(bytes_of(other), saved);
}

TEST(Snapshot, ValuesThatNoTrainingLeavesAreRefused) {
  constexpr float none = std::numeric_limits<float>::quiet_NaN();
  const std::string whole = bytes_of(Mlp<float>(kShape));
  for (const float weight : {none, 2e6F, -std::numeric_limits<float>::infinity()}) {
    Mlp<float> net(kShape), unchanged(kShape);
    net.parameters()[3] = weight;
    const std::string saved = bytes_of(net);
    std::string_view in = saved;
    const auto done = load(in, unchanged);
    ASSERT_FALSE(done) << weight;
    EXPECT_EQ(done.error().kind, ErrorKind::damaged);
    EXPECT_EQ(bytes_of(unchanged), whole);
    EXPECT_EQ(in.size(), saved.size());
  }
  // Moments: no mean far above the root of its second moment, none below 0.
  for (const auto& [mean, square] :
       {std::pair{1.0F, 0.0F}, {0.0F, -1.0F}, {none, 1.0F}, {1.0F, none}}) {
    Adam<float> adam(1), other(1);
    adam.restore(adam.options(), 3, std::vector{mean}, std::vector{square}, {});
    const std::string saved = bytes_of(adam);
    std::string_view in = saved;
    EXPECT_FALSE(load(in, other)) << mean << ", " << square;
  }
  Adam<float> adam(1), other(1);
  adam.restore(adam.options(), 3, std::vector{0.1F}, std::vector{0.01F}, {});
  const std::string saved = bytes_of(adam);
  std::string_view in = saved;
  EXPECT_TRUE(load(in, other));
}

TEST(Snapshot, TheLayoutIsTheDocumentedOne) {
  Mlp<float> net(MlpShape({1, 1}));
  net.parameters()[0] = 2.0F;
  net.parameters()[1] = -1.0F;
  const std::string saved = bytes_of(net);
  EXPECT_EQ(saved.size(), 32U + 3 * 8 + 2 * 4);
  EXPECT_EQ(saved.substr(0, 10), std::string("vbo-nn\n\x01M\x04", 10));
  float value = 0;
  std::memcpy(&value, saved.data() + 56, sizeof value);
  EXPECT_EQ(value, 2.0F);
}

TEST(Snapshot, AnotherShapeIsAConflictAndChangesNothing) {
  const std::string saved = bytes_of(Mlp<float>(kShape));
  const auto attempt = [&](auto object) {
    std::string_view in = saved;
    const std::string before = bytes_of(object);
    const Result<void> done = load(in, object);
    EXPECT_EQ(bytes_of(object), before);
    EXPECT_EQ(in.size(), saved.size());
    return done.has_value() ? std::string("loaded") : done.error().message;
  };
  EXPECT_NE(attempt(Mlp<float>(MlpShape({3, 9, 2}, Activation::silu))).find("shape"),
            std::string::npos);
  EXPECT_NE(attempt(Mlp<float>(MlpShape({3, 8, 2}, Activation::tanh))).find("shape"),
            std::string::npos);
  EXPECT_NE(attempt(Mlp<double>(kShape)).find("4-byte values, expected 8"), std::string::npos);
  EXPECT_NE(attempt(Adam<float>(4)).find("kind M, expected A"), std::string::npos);
  EXPECT_NE(attempt(fresh()).find("kind M, expected E"), std::string::npos);
}

TEST(Snapshot, DamageIsNoticedAtEveryLength) {
  Ensemble<float> ensemble = fresh();
  train(ensemble, 2);
  const std::string saved = bytes_of(ensemble), before = bytes_of(fresh());
  for (std::size_t length = 0; length < saved.size(); length += 7) {
    Ensemble<float> other = fresh();
    std::string_view in = std::string_view(saved).substr(0, length);
    const Result<void> done = load(in, other);
    ASSERT_FALSE(done) << length;
    EXPECT_EQ(done.error().kind, ErrorKind::damaged);
    EXPECT_EQ(bytes_of(other), before);
  }
}

TEST(Snapshot, ForeignOrNewerBytesAreRefused) {
  const std::string saved = bytes_of(Mlp<float>(kShape));
  const auto kind_after = [&](std::size_t at, char byte) {
    std::string changed = saved;
    changed[at] = byte;
    std::string_view in = changed;
    Mlp<float> net(kShape);
    return load(in, net).error().kind;
  };
  EXPECT_EQ(kind_after(0, 'x'), ErrorKind::damaged);
  EXPECT_EQ(kind_after(7, 2), ErrorKind::unsupported);
  EXPECT_EQ(kind_after(10, 1), ErrorKind::damaged);      // byte order
  EXPECT_EQ(kind_after(15, 0x7f), ErrorKind::conflict);  // claims two billion shape entries
  EXPECT_EQ(kind_after(31, 0x7f), ErrorKind::damaged);   // claims 2^62 values
}

TEST(Snapshot, AdamRefusesOptionsThatMakeNoSense) {
  Adam<double> adam(2);
  std::string saved = bytes_of(adam);
  const double rate = -1;
  std::memcpy(saved.data() + 32 + 2 * 8 + 8, &rate, sizeof rate);
  std::string_view in = saved;
  EXPECT_EQ(load(in, adam).error().kind, ErrorKind::damaged);
}

}  // namespace
}  // namespace vbo::nn
