#pragma once

#include "framework/kernel/backends.hpp"

// HALOCLINE_FOR_EACH_SPACE(MACRO): MACRO(SPACE) for each execution space that kernels can run on in this build.

#if defined(KOKKOS_ENABLE_OPENMP)
#define HALOCLINE_FOR_OPENMP(MACRO) MACRO(Kokkos::OpenMP)
#else
#define HALOCLINE_FOR_OPENMP(MACRO)
#endif
#if defined(KOKKOS_ENABLE_THREADS)
#define HALOCLINE_FOR_THREADS(MACRO) MACRO(Kokkos::Threads)
#else
#define HALOCLINE_FOR_THREADS(MACRO)
#endif
#if defined(KOKKOS_ENABLE_CUDA)
#define HALOCLINE_FOR_DEVICE(MACRO) MACRO(Kokkos::Cuda)
#elif defined(KOKKOS_ENABLE_HIP)
#define HALOCLINE_FOR_DEVICE(MACRO) MACRO(Kokkos::HIP)
#elif defined(KOKKOS_ENABLE_SYCL)
#define HALOCLINE_FOR_DEVICE(MACRO) MACRO(Kokkos::SYCL)
#else
#define HALOCLINE_FOR_DEVICE(MACRO)
#endif

#define HALOCLINE_FOR_EACH_SPACE(MACRO) \
  MACRO(Kokkos::Serial)                 \
  HALOCLINE_FOR_OPENMP(MACRO)           \
  HALOCLINE_FOR_THREADS(MACRO)          \
  HALOCLINE_FOR_DEVICE(MACRO)
