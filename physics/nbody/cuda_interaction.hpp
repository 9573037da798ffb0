#pragma once

#include "physics/nbody/attraction.hpp"

// One interaction in the instructions of NVIDIA's GPUs. The build forms no fused operations by itself.

namespace halocline::nbody::cuda {

__device__ __forceinline__ float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ __forceinline__ double fma(double a, double b, double c) { return __fma_rn(a, b, c); }

/// d^(-1/2) to 1 or 2 units in the last place.
__device__ __forceinline__ float reciprocal_root(float d) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(d));
  return y;
}
/// d^(-1/2) to 20 bits.
__device__ __forceinline__ double reciprocal_root(double d) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(d));
  return y;
}

/// m d^(-3/2) by y = d^(-1/2).
__device__ __forceinline__ float weight(float mass, float, float y) { return (mass * y) * (y * y); }
/// The same; y is approximate: with e = 1 - d y^2 it is m y^3 (1 - e)^(-3/2).
__device__ __forceinline__ double weight(double mass, double d, double y) {
  double const square = y * y;
  double const e = fma(-d, square, 1.0);
  return (mass * y) * (square * fma(fma(1.875, e, 1.5), e, 1.0));
}

template <class Real>
struct Target {
  Real x, y, z;
  Real sum_x, sum_y, sum_z;

  /// Adds the attraction by a source. `Coincides`: whether it may be where the target is and so heavy, for the
  /// softening, that its weight there is not finite.
  template <bool Coincides>
  __device__ __forceinline__ void feel(Source<Real> const& from, Real softening_squared) {
    Real const dx = from.x - x;
    Real const dy = from.y - y;
    Real const dz = from.z - z;
    Real factor;
    if constexpr (Coincides) {
      Real const distance = fma(dz, dz, fma(dy, dy, dx * dx));
      Real const d = distance + softening_squared;
      factor = weight(from.mass, d, distance == 0 ? Real{0} : reciprocal_root(d));
    } else {
      Real const d = fma(dz, dz, fma(dy, dy, fma(dx, dx, softening_squared)));
      factor = weight(from.mass, d, reciprocal_root(d));
    }
    sum_x = fma(factor, dx, sum_x);
    sum_y = fma(factor, dy, sum_y);
    sum_z = fma(factor, dz, sum_z);
  }
};

/// Sources are loaded and stored 16 bytes at a time.
__device__ __forceinline__ Source<float> load(Source<float> const* from) {
  float4 const all = *reinterpret_cast<float4 const*>(from);
  return {all.x, all.y, all.z, all.w};
}
__device__ __forceinline__ Source<double> load(Source<double> const* from) {
  auto const* const halves = reinterpret_cast<double2 const*>(from);
  double2 const low = halves[0];
  double2 const high = halves[1];
  return {low.x, low.y, high.x, high.y};
}
__device__ __forceinline__ void store(Source<float>* to, Source<float> const& from) {
  *reinterpret_cast<float4*>(to) = make_float4(from.x, from.y, from.z, from.mass);
}
__device__ __forceinline__ void store(Source<double>* to, Source<double> const& from) {
  auto* const halves = reinterpret_cast<double2*>(to);
  halves[0] = make_double2(from.x, from.y);
  halves[1] = make_double2(from.z, from.mass);
}

}  // namespace halocline::nbody::cuda
