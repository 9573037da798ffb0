#pragma once

/// What kernels and hosts call alike, in headers that are read without Kokkos, too.
#if defined(__CUDACC__) || defined(__HIP__)
#define HALOCLINE_HOST_DEVICE __host__ __device__
#else
#define HALOCLINE_HOST_DEVICE
#endif
