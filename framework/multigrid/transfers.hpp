#pragma once

#include "framework/multigrid/level_views.hpp"

// Transfers between the unknowns of a grid and those of a coarser one, for set_values.

namespace halocline {

/// x + P coarse, at fine unknowns.
template <class Stencil>
struct WithParents {
  LevelViews<Stencil> views;
  [[nodiscard]] KOKKOS_FUNCTION auto operator()(Index i, Index j, Index k) const {
    return views.x(i, j, k) + views.coarse(views.parent(0, i), views.parent(1, j), views.parent(2, k));
  }
};

/// R (b - A x), or R b, at coarse unknowns.
template <class Stencil, bool WithResidual>
struct SumOverChildren {
  LevelViews<Stencil> views;
  [[nodiscard]] KOKKOS_FUNCTION auto operator()(Index i, Index j, Index k) const {
    typename Stencil::Real sum = 0;
    auto const add = [&](Index a, Index b, Index c) {
      sum += WithResidual ? views.stencil.residual(views.b, views.x, a, b, c) : views.b(a, b, c);
    };
    if (Stencil::dimensions == 3 && is_whole_family(views, i, j, k)) {
      // The same order of additions, with shared values loaded once.
      Index const a = views.begin[0] + 2 * i;
      Index const b = views.begin[1] + 2 * j;
      Index const c = views.begin[2] + 2 * k;
      add(a, b, c), add(a + 1, b, c), add(a, b + 1, c), add(a + 1, b + 1, c);
      add(a, b, c + 1), add(a + 1, b, c + 1), add(a, b + 1, c + 1), add(a + 1, b + 1, c + 1);
    } else {
      for_children(views, i, j, k, add);
    }
    return sum;
  }
};

}  // namespace halocline
