#pragma once

#include <cmath>
#include <cstddef>

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

// Vector registers of the host, by the vector types of GCC and Clang: operators act on each lane.

namespace halocline::nbody {

#if defined(__AVX512F__)
inline constexpr std::size_t register_bytes = 64;
#elif defined(__AVX2__) && defined(__FMA__)
inline constexpr std::size_t register_bytes = 32;
#else
inline constexpr std::size_t register_bytes = 16;
#endif

template <class Real>
struct Register {
  typedef Real type __attribute__((vector_size(register_bytes)));
};
template <class Real>
using Lanes = typename Register<Real>::type;
template <class Real>
inline constexpr int lanes = static_cast<int>(register_bytes / sizeof(Real));

/// One number in all lanes.
template <class Real>
[[nodiscard]] inline Lanes<Real> broadcast(Real value) {
  return value - Lanes<Real>{};  // compilers optimise a - 0 to a, but not a + 0
}

#if defined(__AVX512F__)

[[nodiscard]] inline Lanes<float> fma(Lanes<float> a, Lanes<float> b, Lanes<float> c) {
  return _mm512_fmadd_ps(a, b, c);
}
[[nodiscard]] inline Lanes<double> fma(Lanes<double> a, Lanes<double> b, Lanes<double> c) {
  return _mm512_fmadd_pd(a, b, c);
}
/// d^(-1/2), and its error.
template <class Real>
struct ReciprocalRoot {
  static constexpr double error = 0x1p-14;  ///< relative
  // Without a mask GCC 12 warns of a variable that its header leaves uninitialised (GCC bug 105593).
  static Lanes<float> of(Lanes<float> d) { return _mm512_maskz_rsqrt14_ps(0xffff, d); }
  static Lanes<double> of(Lanes<double> d) { return _mm512_maskz_rsqrt14_pd(0xff, d); }
};

#else

#if defined(__AVX2__) && defined(__FMA__)
[[nodiscard]] inline Lanes<float> fma(Lanes<float> a, Lanes<float> b, Lanes<float> c) {
  return _mm256_fmadd_ps(a, b, c);
}
[[nodiscard]] inline Lanes<double> fma(Lanes<double> a, Lanes<double> b, Lanes<double> c) {
  return _mm256_fmadd_pd(a, b, c);
}
#else
/// Fused if the processor supports it; elsewhere std::fma would be a slow function call per lane.
template <class Vector>
[[nodiscard]] inline Vector fma(Vector a, Vector b, Vector c) {
#if defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF)
  for (std::size_t n = 0; n < sizeof(Vector) / sizeof(a[0]); ++n) c[n] = std::fma(a[n], b[n], c[n]);
  return c;
#else
  return a * b + c;
#endif
}
#endif

/// d^(-1/2), and its error.
template <class Real>
struct ReciprocalRoot {
  static constexpr double error = 0;  ///< relative; 0: a few roundings
  static Lanes<Real> of(Lanes<Real> d) {
    for (int n = 0; n < lanes<Real>; ++n) d[n] = std::sqrt(d[n]);
    return 1 / d;
  }
};
#if defined(__AVX2__) && defined(__FMA__)
template <>
struct ReciprocalRoot<float> {
  static constexpr double error = 1.5 * 0x1p-12;
  static Lanes<float> of(Lanes<float> d) { return _mm256_rsqrt_ps(d); }
};
#endif

#endif

}  // namespace halocline::nbody
