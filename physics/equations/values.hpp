#pragma once

#include <Kokkos_Macros.hpp>

namespace halocline {

/// One number per field of a physics, in the order of declaration.
template <class Real, int Count>
struct Values {
  Real value[Count];
  static constexpr int count = Count;
  KOKKOS_FORCEINLINE_FUNCTION constexpr Real& operator[](int n) { return value[n]; }
  KOKKOS_FORCEINLINE_FUNCTION constexpr Real operator[](int n) const { return value[n]; }
};

}  // namespace halocline
