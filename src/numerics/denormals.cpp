// SPDX-License-Identifier: MIT
#include "numerics/denormals.hpp"

namespace vbo {
namespace {

#if defined(__x86_64__)
constexpr std::uint64_t zero_bits = 0x8040;  // results (FTZ) and operands (DAZ)
std::uint64_t control() { return __builtin_ia32_stmxcsr(); }
void set_control(std::uint64_t word) { __builtin_ia32_ldmxcsr(static_cast<unsigned>(word)); }
#elif defined(__aarch64__)
constexpr std::uint64_t zero_bits = 1U << 24;  // both (FZ)
std::uint64_t control() {
  std::uint64_t word = 0;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  return word;
}
void set_control(std::uint64_t word) { asm volatile("msr fpcr, %0" : : "r"(word)); }
#else
constexpr std::uint64_t zero_bits = 0;
std::uint64_t control() { return 0; }
void set_control(std::uint64_t) {}
#endif

}  // namespace

DenormalsAreZero::DenormalsAreZero() : before_(control()) { set_control(before_ | zero_bits); }
DenormalsAreZero::~DenormalsAreZero() { set_control(before_); }

}  // namespace vbo
