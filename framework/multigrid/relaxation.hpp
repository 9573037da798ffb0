#pragma once

#include <algorithm>
#include <array>

#include "framework/kernel/host.hpp"
#include "framework/multigrid/functor_rows.hpp"
#include "framework/multigrid/level_views.hpp"

namespace halocline {

// Relaxation and transfers by rows, for the stages of a wavefront on a host. Both unknowns of a pair along x are
// evaluated and only the one of the colour is kept. This allows vector instructions; the extra arithmetic is hidden by
// memory access. The other colour is rewritten with its old value.

/// Unknowns of a row that are processed at a time: offsets within them fit a 32-bit lane.
inline constexpr Index row_piece = 512;

/// Calls `row(i, count, j, k)` for the pieces of the rows of a box.
template <class Row>
void for_rows(IndexRange const& box, Row const& row) {
  for (Index k = box.begin[2]; k < box.end[2]; ++k) {
    for (Index j = box.begin[1]; j < box.end[1]; ++j) {
      for (Index i = box.begin[0]; i < box.end[0]; i += row_piece) {
        row(i, static_cast<int>(std::min(row_piece, box.end[0] - i)), j, k);
      }
    }
  }
}

/// One colour from x = 0: sets the other colours to zero and does not read x.
template <class Stencil>
[[gnu::flatten]] void relax_zero_rows(LevelViews<Stencil> const& views, int colour, IndexRange const& box) {
  using Real = typename Stencil::Real;
  RowsInOrder<Stencil> row_at(views.stencil, views.x);
  for_rows(box, [&](Index i, int count, Index j, Index k) {
    auto const row = row_at(j, k);
    Real const* const b = views.b.at(i, j, k);
    Real* const x = views.x.at(i, j, k);
    int const first = static_cast<int>(i);
    int phase = views.phase(colour, j, k);
    if (phase < 0) return static_cast<void>(std::fill_n(x, count, Real{0}));
    phase = (first + phase) & 1;
    HALOCLINE_INDEPENDENT_ITERATIONS
    for (int n = 0; n < count; ++n) x[n] = ((n + phase) & 1) == 0 ? b[n] * row.inverse(first + n) : Real{0};
  });
}

/// One half-sweep of Gauss-Seidel.
template <class Stencil>
[[gnu::flatten]] void relax_rows(LevelViews<Stencil> const& views, int colour, IndexRange const& box) {
  using Real = typename Stencil::Real;
  RowsInOrder<Stencil> row_at(views.stencil, views.x);
  for_rows(box, [&](Index i, int count, Index j, Index k) {
    int phase = views.phase(colour, j, k);
    if (phase < 0) return;
    auto const row = row_at(j, k);
    Real const* const b = views.b.at(i, j, k);
    Real* const x = views.x.at(i, j, k);
    int const first = static_cast<int>(i);
    phase = (first + phase) & 1;
    // Uses a buffer: compilers would rather branch than evaluate discarded values.
    alignas(64) Real value[row_piece];
    HALOCLINE_INDEPENDENT_ITERATIONS
    for (int n = 0; n < count; ++n) value[n] = (b[n] + row.neighbours(i + n)) * row.inverse(first + n);
    HALOCLINE_INDEPENDENT_ITERATIONS
    for (int n = 0; n < count; ++n) x[n] = ((n + phase) & 1) == 0 ? value[n] : x[n];
  });
}

/// x = x + P coarse: every child gets its parent's value.
template <class Stencil>
[[gnu::flatten]] void prolong_rows(LevelViews<Stencil> const& views, IndexRange const& box) {
  using Real = typename Stencil::Real;
  for_rows(box, [&](Index i, int count, Index j, Index k) {
    Real const* const parent = views.coarse.at(views.parent(0, i), views.parent(1, j), views.parent(2, k));
    Real* const x = views.x.at(i, j, k);
    if (views.factor[0] == 1) {
      HALOCLINE_INDEPENDENT_ITERATIONS
      for (int n = 0; n < count; ++n) x[n] += parent[n];
      return;
    }
    // A piece may begin with a second child.
    int const odd = static_cast<int>((i - views.begin[0]) & 1);
    if (odd == 1) x[0] += parent[0];
    int const pairs = (count - odd) / 2;
    HALOCLINE_INDEPENDENT_ITERATIONS
    for (int n = 0; n < pairs; ++n) {
      x[odd + 2 * n] += parent[odd + n];
      x[odd + 2 * n + 1] += parent[odd + n];
    }
    if (odd + 2 * pairs < count) x[count - 1] += parent[odd + pairs];
  });
}

/// Restricts the children in `box`, which contains all children of each parent: coarse = sum of b - A x over them.
template <class Stencil, bool WithResidual>
[[gnu::flatten]] void restrict_rows(LevelViews<Stencil> const& views, IndexRange const& box) {
  using Real = typename Stencil::Real;
  IndexRange parents = box;
  for (std::size_t a = 0; a < 3; ++a) {
    parents.begin[a] = views.parent(static_cast<int>(a), box.begin[a]);
    parents.end[a] = views.parent(static_cast<int>(a), box.end[a] - 1) + 1;
  }
  parents.begin[0] = box.begin[0];
  parents.end[0] = box.end[0];
  RowsInOrder<Stencil> row_at(views.stencil, views.x);
  for_rows(parents, [&](Index i, int count, Index parent_j, Index parent_k) {
    alignas(64) Real sum[row_piece];
    int const first = static_cast<int>(i);
    Index const j_begin = views.begin[1] + views.factor[1] * parent_j;
    Index const k_begin = views.begin[2] + views.factor[2] * parent_k;
    Index const j_end = std::min(j_begin + views.factor[1], views.end[1]);
    Index const k_end = std::min(k_begin + views.factor[2], views.end[2]);
    std::fill_n(sum, count, Real{0});
    for (Index k = k_begin; k < k_end; ++k) {
      for (Index j = j_begin; j < j_end; ++j) {
        auto const row = row_at(j, k);
        Real const* const x = views.x.at(i, j, k);
        Real const* const b = views.b.at(i, j, k);
        HALOCLINE_INDEPENDENT_ITERATIONS
        for (int n = 0; n < count; ++n) {
          if constexpr (WithResidual) {
            sum[n] += b[n] + (row.neighbours(i + n) - row.diagonal(first + n) * x[n]);
          } else {
            sum[n] += b[n];
          }
        }
      }
    }
    Real* const coarse = views.coarse.at(views.parent(0, i), parent_j, parent_k);
    if (views.factor[0] == 1) {
      std::copy_n(sum, count, coarse);
      return;
    }
    int const pairs = count / 2;
    HALOCLINE_INDEPENDENT_ITERATIONS
    for (int n = 0; n < pairs; ++n) coarse[n] = sum[2 * n] + sum[2 * n + 1];
    if (count % 2 == 1) coarse[pairs] = sum[count - 1];
  });
}

}  // namespace halocline
