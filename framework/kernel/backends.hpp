#pragma once

#include <Kokkos_Macros.hpp>
#include <type_traits>

// Forward declarations suffice: a host sweep needs only the names of Kokkos' execution spaces.
#include <Kokkos_Core_fwd.hpp>

#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ENABLE_SYCL)
#define HALOCLINE_KERNEL_DEVICE
#endif

namespace halocline::kernel {

/// Whether the specialised host form runs on this execution space.
template <class Execution>
inline constexpr bool is_host = false;
#if defined(KOKKOS_ENABLE_SERIAL)
template <>
inline constexpr bool is_host<Kokkos::Serial> = true;
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
template <>
inline constexpr bool is_host<Kokkos::OpenMP> = true;
#endif
#if defined(KOKKOS_ENABLE_THREADS)
template <>
inline constexpr bool is_host<Kokkos::Threads> = true;
#endif

}  // namespace halocline::kernel
