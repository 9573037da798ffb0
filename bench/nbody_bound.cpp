#include "bench/nbody_bound.hpp"

#include <Kokkos_Core.hpp>

#include "bench/timing.hpp"
#include "framework/kernel/backends.hpp"
#include "framework/runtime/backend.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/kernel/cuda/device.hpp"
#elif !defined(HALOCLINE_KERNEL_DEVICE) && (defined(__AVX512F__) || defined(__AVX2__))
#define HALOCLINE_VECTOR_REGISTERS
#include "physics/nbody/interaction.hpp"
#endif

namespace halocline::benchmarking {

#if defined(KOKKOS_ENABLE_CUDA)

template <class Real>
double most_interactions_per_second(double clock) {
  // Issue slots of a warp in one of four schedulers with 32 lanes: 3 additions, 3 multiplications, 6 fused operations,
  // a reciprocal root, and a load of 16 bytes from shared memory for 4 interactions.
  constexpr double single_buffers = 13.25;
  // 3 additions, 4 multiplications and 9 fused operations, in 64 lanes of a multiprocessor.
  constexpr double double_operations = 16;
  double const a_clock = sizeof(Real) == 4 ? 128 / single_buffers : 64 / double_operations;
  return a_clock * clock * kernel::cuda::current_device().multiprocessors;
}

#elif defined(HALOCLINE_VECTOR_REGISTERS)
namespace {

/// Interactions between registers. Empty asm statements hide their contents from the compiler, so that it moves nothing
/// out of the loop and does not merge targets.
template <class Real>
struct FeelRegisters {
  static constexpr int registers = nbody::register_bytes == 64 ? 2 : 1;
  static constexpr Index rounds = 1 << 18U;
  Real* results;

  void operator()(Index thread) const {
    using nbody::broadcast;
    nbody::TargetLanes<nbody::Attraction<Real>> targets[registers];
    for (auto& one : targets) asm volatile("" : "+v"(one.x), "+v"(one.y), "+v"(one.z));
    auto x = broadcast(Real{1});
    auto y = broadcast(Real{2});
    auto z = broadcast(Real{3});
    auto mass = broadcast(Real{4});
    auto const softening_squared = broadcast(Real{1});
    for (Index n = 0; n < rounds; ++n) {
      asm volatile("" : "+v"(x), "+v"(y), "+v"(z), "+v"(mass));
      for (auto& one : targets) one.template accumulate<nbody::Omitted::nothing>(x, y, z, mass, softening_squared);
    }
    results[thread] = 0;
    for (auto const& one : targets) results[thread] += one.sums[0][0] + one.sums[1][0] + one.sums[2][0];
  }
};

}  // namespace

template <class Real>
double most_interactions_per_second(double) {
  using Feel = FeelRegisters<Real>;
  auto const threads = static_cast<std::size_t>(HostExecution{}.concurrency());
  Kokkos::View<Real*, Kokkos::HostSpace> const results("results", threads);
  double const seconds =
      time_each(
          [&] {
            Kokkos::parallel_for(Kokkos::RangePolicy<HostExecution, Kokkos::IndexType<Index>>(0, threads),
                                 Feel{results.data()});
          },
          15)
          .front();
  return static_cast<double>(Feel::rounds * Feel::registers * nbody::lanes<Real>) * static_cast<double>(threads) /
         seconds;
}

#else

template <class Real>
double most_interactions_per_second(double) {
  return 0;
}

#endif

template double most_interactions_per_second<float>(double);
template double most_interactions_per_second<double>(double);

}  // namespace halocline::benchmarking
