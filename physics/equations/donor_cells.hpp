#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "framework/field/block_view.hpp"
#include "framework/kernel/values.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/index_range.hpp"
#include "framework/runtime/launch.hpp"

// Donor cells where the result of a stage of a conservation law is not physical. These kernels run only then, so they
// do not go through sweeps, whose forms for speed would cost compile time.

namespace halocline::equation {

/// Whether stages of a rate can take donor cells.
template <class Rate>
[[nodiscard]] constexpr bool has_donor_cells() {
  if constexpr (requires { Rate::has_donor_cells(); }) {
    return Rate::has_donor_cells();
  } else {
    return false;
  }
}

/// The cells of a box, by number.
struct CellsOfBox {
  Index begin[3];
  Index extent[3];

  explicit CellsOfBox(IndexRange const& box)
      : begin{box.begin[0], box.begin[1], box.begin[2]}, extent{box.extent(0), box.extent(1), box.extent(2)} {}
  [[nodiscard]] Index size() const { return extent[0] * extent[1] * extent[2]; }
  /// Calls visit(i, j, k) for a cell.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void at(Index n, Visit const& visit) const {
    visit(begin[0] + n % extent[0], begin[1] + n / extent[0] % extent[1], begin[2] + n / (extent[0] * extent[1]));
  }
};

/// Marks cells that are not physical and counts those that were not marked before.
template <class Real, class Rate>
struct MarkUnphysical {
  using State = typename Rate::State;
  CellsOfBox cells;
  Rate rate;
  BlockView<Real const> state[Rate::fields];
  BlockView<Real> marks;
  Real round;

  KOKKOS_FUNCTION void operator()(Index n, Index& count) const {
    cells.at(n, [&](Index i, Index j, Index k) {
      State u{};
      for (int f = 0; f < Rate::fields; ++f) u.value[f] = state[f](i, j, k);
      if (marks(i, j, k) != Real{0} || rate.law.is_physical(rate.law.primitive(u))) return;
      marks(i, j, k) = round;
      ++count;
    });
  }
};

/// Changes the results of a stage next to faces that take donor cells from this round on.
template <class Real, class Rate, int Axes>
struct TakeDonorCells {
  using State = typename Rate::State;
  CellsOfBox cells;
  Rate rate;
  BlockView<Real const> y[Rate::fields];
  BlockView<Real> out[Rate::fields];
  BlockView<Real const> marks;
  Real round;
  Real factor[3];  ///< for each axis: the step of the stage over the spacing

  KOKKOS_FUNCTION void operator()(Index n) const {
    cells.at(n, [&](Index i, Index j, Index k) {
      add<0>(i, j, k);
      if constexpr (Axes > 1) add<1>(i, j, k);
      if constexpr (Axes > 2) add<2>(i, j, k);
    });
  }

 private:
  template <int Axis>
  KOKKOS_FORCEINLINE_FUNCTION static Index shift(int axis, Index by) {
    return Axis == axis ? by : 0;
  }
  template <int Axis>
  KOKKOS_FORCEINLINE_FUNCTION void add(Index i, Index j, Index k) const {
    for (int side = 0; side < 2; ++side) {
      // The cell above the face.
      Index const x = i + shift<Axis>(0, side);
      Index const y_ = j + shift<Axis>(1, side);
      Index const z = k + shift<Axis>(2, side);
      if (!takes_donor_cells<Axis>(x, y_, z)) continue;
      State const change = change_of_flux<Axis>(x, y_, z);
      Real const weight = side == 0 ? factor[Axis] : -factor[Axis];
      for (int f = 0; f < Rate::fields; ++f) out[f](i, j, k) += weight * change.value[f];
    }
  }
  /// Of the lower face of a cell.
  template <int Axis>
  KOKKOS_FORCEINLINE_FUNCTION bool takes_donor_cells(Index i, Index j, Index k) const {
    Real const above = marks(i, j, k);
    Real const below = marks(i - shift<Axis>(0, 1), j - shift<Axis>(1, 1), k - shift<Axis>(2, 1));
    bool const is_new = above == round || below == round;
    bool const was = (above > 0 && above < round) || (below > 0 && below < round);
    return is_new && !was;
  }
  template <int Axis>
  KOKKOS_FUNCTION State change_of_flux(Index i, Index j, Index k) const {
    typename Rate::Line line{};
    for (int n = 0; n < 2 * Rate::reach; ++n) {
      Index const by = n - Rate::reach;
      State u{};
      for (int f = 0; f < Rate::fields; ++f)
        u.value[f] = y[f](i + shift<Axis>(0, by), j + shift<Axis>(1, by), k + shift<Axis>(2, by));
      line.cell[n] = rate.seen(u);
    }
    // The lower face does not read the last cell.
    line.cell[2 * Rate::reach] = line.cell[2 * Rate::reach - 1];
    return rate.template change_to_donor_cells<Axis>(line);
  }
};

}  // namespace halocline::equation
