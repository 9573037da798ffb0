#pragma once

/// For functions called on both host and device, in headers that do not include Kokkos.
#if defined(__CUDACC__) || defined(__HIP__)
#define HALOCLINE_HOST_DEVICE __host__ __device__
#else
#define HALOCLINE_HOST_DEVICE
#endif
