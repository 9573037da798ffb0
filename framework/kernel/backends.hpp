#pragma once

#include <Kokkos_Macros.hpp>
#include <type_traits>

// Kokkos' own forward declarations: a sweep on the host needs no more of Kokkos than the names of its spaces.
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
