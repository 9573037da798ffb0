#pragma once

#include <Kokkos_Macros.hpp>
#include <type_traits>

#include "framework/mesh/index_range.hpp"

namespace halocline {

/// A kernel's view of one component of a field on one block: a pointer to the owned entry (0, 0, 0) and the strides
/// between rows and planes. Trivially copyable; x is contiguous. Ghosts have negative indices or indices from the owned
/// extent upwards. Rows start on 64-byte boundaries.
template <class Real>
struct BlockView {
  Real* origin = nullptr;
  Index row = 0;    ///< entries from (i, j, k) to (i, j + 1, k)
  Index plane = 0;  ///< entries from (i, j, k) to (i, j, k + 1)

  KOKKOS_FORCEINLINE_FUNCTION Real* at(Index i, Index j, Index k) const { return origin + i + j * row + k * plane; }
  KOKKOS_FORCEINLINE_FUNCTION Real& operator()(Index i, Index j, Index k) const { return *at(i, j, k); }

  /// Read-only view of the same memory.
  template <class Other>
  requires(std::is_same_v<Other, Real const> && !std::is_const_v<Real>) KOKKOS_FORCEINLINE_FUNCTION
  operator BlockView<Other>() const {
    return {origin, row, plane};
  }
};

}  // namespace halocline
