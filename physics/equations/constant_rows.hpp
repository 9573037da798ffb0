#pragma once

#include "framework/multigrid/functor_rows.hpp"
#include "physics/equations/constant_diffusion.hpp"

namespace halocline {

/// The rows of ConstantDiffusion, with the parts of the diagonal: the couplings across faces and walls, and the
/// remainder.
template <class Real, int Dimensions>
struct ConstantRows : FunctorRows<Real, ConstantDiffusion<Real, Dimensions>, 0> {
  /// The coupling across the face (or wall) between an unknown and the one before it along an axis.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real face(int axis, Index i, Index j, Index k) const {
    Index const local[3] = {i, j, k};
    Index const index = this->geometry.first[axis] + local[axis];
    auto const& a = this->functor;
    if (index == a.first[axis]) return a.wall[axis][0];
    return index == a.last[axis] + 1 ? a.wall[axis][1] : a.coupling[axis];
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Real shift(Index, Index, Index) const { return this->functor.shift; }
};

/// \param entry global index of the block's entry (0, 0, 0)
template <class Real, int Dimensions>
[[nodiscard]] ConstantRows<Real, Dimensions> constant_rows(ConstantDiffusion<Real, Dimensions> const& functor,
                                                           Extents const& entry) {
  return {{functor, {.first = {entry[0], entry[1], entry[2]}}, {}}};
}

}  // namespace halocline
