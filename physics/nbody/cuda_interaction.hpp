#pragma once

#include "physics/nbody/attraction.hpp"

// One interaction in instructions of NVIDIA's GPUs. Fused operations are explicit, since the build does not contract.

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

/// What a source adds to the sums of a target: (dx, dy, dz) is their distance, d its square with softening, and y about
/// d^(-1/2), or 0 if it adds nothing. In double precision, with e = 1 - d y^2, d^(-k/2) is y^k (1 - e)^(-k/2), whose
/// series is used up to e^2.
template <class Real>
__device__ __forceinline__ void add_term(Attraction<Real> const&, Real (&sums)[3], Real dx, Real dy, Real dz, Real d,
                                         Real y, Real mass) {
  Real const square = y * y;
  Real weight = (mass * y) * square;
  if constexpr (sizeof(Real) == 8) {
    Real const e = fma(-d, square, 1.0);
    weight = (mass * y) * (square * fma(fma(1.875, e, 1.5), e, 1.0));
  }
  sums[0] = fma(weight, dx, sums[0]);
  sums[1] = fma(weight, dy, sums[1]);
  sums[2] = fma(weight, dz, sums[2]);
}
template <class Real>
__device__ __forceinline__ void add_term(Potential<Real> const&, Real (&sums)[1], Real, Real, Real, Real d, Real y,
                                         Real mass) {
  if constexpr (sizeof(Real) == 8) {
    Real const e = fma(-d * y, y, 1.0);
    sums[0] = fma(mass * y, fma(fma(0.375, e, 0.5), e, 1.0), sums[0]);
  } else {
    sums[0] = fma(mass, y, sums[0]);
  }
}

template <class Interaction>
struct Target {
  using Real = typename Interaction::Real;
  Real x, y, z;
  Real sums[Interaction::sums];

  /// Adds the terms of a source. `is_self`: whether it is the target.
  template <Omitted omitted>
  __device__ __forceinline__ void accumulate(Interaction const& interaction, Source<Real> const& from,
                                             Real softening_squared, bool is_self) {
    Real const dx = from.x - x;
    Real const dy = from.y - y;
    Real const dz = from.z - z;
    if constexpr (omitted == Omitted::coincident) {
      Real const distance = fma(dz, dz, fma(dy, dy, dx * dx));
      Real const d = distance + softening_squared;
      add_term(interaction, sums, dx, dy, dz, d, distance == 0 ? Real{0} : reciprocal_root(d), from.mass);
    } else {
      Real const d = fma(dz, dz, fma(dy, dy, fma(dx, dx, softening_squared)));
      Real root = reciprocal_root(d);
      if constexpr (omitted == Omitted::self) root = is_self ? Real{0} : root;
      add_term(interaction, sums, dx, dy, dz, d, root, from.mass);
    }
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
