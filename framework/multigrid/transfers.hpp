#pragma once

#include "framework/multigrid/relaxation.hpp"

namespace halocline {

// Transfers on devices: one unknown per work item.
template <class Stencil>
struct ProlongPoint {
  LevelViews<Stencil> views;
  BlockView<typename Stencil::Real> to;  ///< may be views.x
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    to(i, j, k) = views.x(i, j, k) + views.coarse(views.parent(0, i), views.parent(1, j), views.parent(2, k));
  }
};
/// Runs over coarse unknowns.
template <class Stencil, bool WithResidual>
struct RestrictPoint {
  LevelViews<Stencil> views;
  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    typename Stencil::Real sum = 0;
    auto const add = [&](Index a, Index b, Index c) {
      sum += WithResidual ? residual_at(views, a, b, c) : views.b(a, b, c);
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
    views.coarse(i, j, k) = sum;
  }
};

}  // namespace halocline
