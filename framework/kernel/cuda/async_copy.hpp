#pragma once

#include <cstdint>

// Bulk asynchronous copies from global to shared memory by the TMA unit (compute capability 9.0 and newer), and the
// barriers that signal their completion (PTX ISA 8.0: cp.async.bulk, mbarrier). Elsewhere, do not call these functions.

namespace halocline::kernel::cuda {

/// Whether the architecture that device code is being compiled for has the TMA unit.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool has_async_copy = false;
#else
inline constexpr bool has_async_copy = true;
#endif

[[nodiscard]] __device__ __forceinline__ std::uint32_t shared_address(void const* shared) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

/// A barrier in shared memory. A phase ends after `arrivals` arrivals and all bytes that these announced.
class CopyBarrier {
 public:
  __device__ __forceinline__ void init(unsigned arrivals) {
    if constexpr (has_async_copy) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&state_)), "r"(arrivals));
    }
  }
  /// `nothing`: zero, but not a compile-time constant.
  __device__ __forceinline__ void arrive(unsigned nothing) {
    if constexpr (has_async_copy) {
      asm volatile(
          "{ .reg .b64 state; mbarrier.arrive.shared::cta.b64 state, [%0]; }" ::"r"(shared_address(&state_) + nothing)
          : "memory");
    }
  }
  /// Arrives and announces bytes that copies will deliver.
  __device__ __forceinline__ void arrive_expecting(unsigned bytes) {
    if constexpr (has_async_copy) {
      asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1; }" ::"r"(
                       shared_address(&state_)),
                   "r"(bytes)
                   : "memory");
    }
  }
  /// Waits for the end of the phase of this parity (0 for the first).
  __device__ __forceinline__ void wait(unsigned parity) {
    if constexpr (has_async_copy) {
      asm volatile(
          "{\n"
          ".reg .pred done;\n"
          "again:\n"
          "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
          "@!done bra again;\n"
          "}" ::"r"(shared_address(&state_)),
          "r"(parity)
          : "memory");
    }
  }
  /// Copies `bytes` from global to shared memory; both addresses and the number are multiples of 16.
  __device__ __forceinline__ void copy(void* shared, void const* global, unsigned bytes) {
    if constexpr (has_async_copy) {
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       shared_address(shared)),
                   "l"(__cvta_generic_to_global(global)), "r"(bytes), "r"(shared_address(&state_))
                   : "memory");
    }
  }

 private:
  std::uint64_t state_;
};

/// Loads the newest value of a number that other blocks modify.
[[nodiscard]] __device__ __forceinline__ unsigned load_newest(unsigned const* from) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

/// Adds one to a number that other blocks read, without waiting for the result.
__device__ __forceinline__ void add_one(unsigned* to) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(to) : "memory");
}

/// Makes the initialised barriers visible to the TMA unit.
__device__ __forceinline__ void publish_barriers() {
  if constexpr (has_async_copy) asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

}  // namespace halocline::kernel::cuda
