#pragma once

#include <cstddef>
#include <utility>

#include "framework/kernel/stencil.hpp"
#include "physics/equations/riemann.hpp"
#include "physics/equations/values_arithmetic.hpp"

namespace halocline {

/// The sum over the axes of the fastest wave of a law over the spacing, in 1 / time; NaN where the state is not
/// physical. Over the part of the spacing that a wave may go where the law says so (`courant`).
template <class Real, class Law, int Axes>
struct FastestWave {
  static constexpr Shape shape = point;
  Law law;

  template <class P, class... U>
  KOKKOS_FORCEINLINE_FUNCTION Real fastest(P const& at, U const&... u) const {
    return of(at, law.primitive({{u[here]...}}));
  }
  /// Of a primitive state; `at` has `inverse_spacing(axis)`.
  template <class P, class State>
  KOKKOS_FORCEINLINE_FUNCTION Real of(P const& at, State const& w) const {
    Real sum = at.inverse_spacing(0) * law.template speed<0>(w);
    if constexpr (Axes > 1) sum += at.inverse_spacing(1) * law.template speed<1>(w);
    if constexpr (Axes > 2) sum += at.inverse_spacing(2) * law.template speed<2>(w);
    if constexpr (requires { Law::courant; }) sum *= static_cast<Real>(1 / Law::courant);
    Real const zero = sum - sum;
    return select(law.is_physical(w), sum, zero / zero);
  }
};

/// The rate of a conservation law at a cell, minus the divergence of the numerical fluxes through its faces, and what
/// `source(at, conserved)` of the law adds, if there is one. Each cell evaluates its own faces, by the same operations
/// on the same values as the cell across: both get the same bits, so that sums change by rounding alone.
template <class Real, class Law, class Reconstruction, int Axes>
struct FluxRate {
  static constexpr int reach = Reconstruction::reach + 1;
  static constexpr Shape shape = star<reach, Axes>;
  static constexpr int fields = Law::fields;
  static constexpr bool is_long = true;
  using State = Values<Real, fields>;

  Law law;
  Reconstruction reconstruction;
  RiemannSolver<Real> riemann;

  template <class P, class... U>
  KOKKOS_FORCEINLINE_FUNCTION State operator()(P const& at, U const&... u) const {
    State rate = along_axis<0>(at, u...);
    if constexpr (Axes > 1) rate = rate + along_axis<1>(at, u...);
    if constexpr (Axes > 2) rate = rate + along_axis<2>(at, u...);
    if constexpr (requires(Law const& its, State const& state) { its.source(at, state); }) {
      rate = rate + law.source(at, State{{u[here]...}});
    }
    return rate;
  }

  /// What bounds the rate, by itself: it does not depend on the scheme.
  [[nodiscard]] FastestWave<Real, Law, Axes> bound() const { return {law}; }

 private:
  /// The cells of one line that the rate reads, the point itself in the middle.
  struct Line {
    State cell[2 * reach + 1];
  };

  template <int Axis, class P, class... U>
  KOKKOS_FORCEINLINE_FUNCTION State along_axis(P const& at, U const&... u) const {
    Line const line = read<Axis>(std::make_index_sequence<static_cast<std::size_t>(2 * reach + 1)>(), u...);
    if constexpr (HasBalance<Law, State>) {
      return at.inverse_spacing(Axis) *
             balanced<Axis>(edge<-1, 1>(line), edge<0, -1>(line), edge<0, 1>(line), edge<1, -1>(line));
    } else {
      State const lower = riemann.template flux<Axis>(law, edge<-1, 1>(line), edge<0, -1>(line));
      State const upper = riemann.template flux<Axis>(law, edge<0, 1>(line), edge<1, -1>(line));
      return at.inverse_spacing(Axis) * (lower - upper);
    }
  }

  /// \param below, above of the cells on both sides
  template <int Axis>
  KOKKOS_FORCEINLINE_FUNCTION State balanced(State const& below, State const& lower, State const& upper,
                                             State const& above) const {
    State const at_lower = law.at_face(lower, below);
    State const at_upper = law.at_face(upper, above);
    State const flux_lower = riemann.template flux<Axis>(law, law.at_face(below, lower), at_lower);
    State const flux_upper = riemann.template flux<Axis>(law, at_upper, law.at_face(above, upper));
    return (flux_lower - flux_upper) + law.template balance<Axis>(lower, upper, at_lower, at_upper);
  }

  template <int Axis, std::size_t... N, class... U>
  KOKKOS_FORCEINLINE_FUNCTION Line read(std::index_sequence<N...>, U const&... u) const {
    return {{cell<Axis, static_cast<int>(N) - reach>(u...)...}};
  }
  template <int Axis, int Distance, class... U>
  KOKKOS_FORCEINLINE_FUNCTION State cell(U const&... u) const {
    State const state{{u[along<Axis, Distance>]...}};
    if constexpr (Reconstruction::of_conserved) return state;
    if constexpr (!Reconstruction::of_conserved) return law.primitive(state);
  }

  /// The primitive state at the edge of a cell that looks to `Side`; that of the cell where the other is not physical,
  /// or what a law with a balance makes of both.
  template <int Cell, int Side>
  KOKKOS_FORCEINLINE_FUNCTION State edge(Line const& line) const {
    State const there =
        edge_of<Cell, Side>(line, std::make_index_sequence<static_cast<std::size_t>(2 * Reconstruction::reach + 1)>());
    if constexpr (HasBalance<Law, State>) {
      return law.at_edge(there, line.cell[reach + Cell]);
    } else if constexpr (Reconstruction::of_conserved) {
      State const w = law.primitive(there);
      return select(law.is_physical(w), w, law.primitive(line.cell[reach + Cell]));
    } else {
      return select(law.is_physical(there), there, line.cell[reach + Cell]);
    }
  }
  template <int Cell, int Side, std::size_t... N>
  KOKKOS_FORCEINLINE_FUNCTION State edge_of(Line const& line, std::index_sequence<N...>) const {
    return equation::each(reconstruction,
                          line.cell[reach + Cell + Side * (static_cast<int>(N) - Reconstruction::reach)]...);
  }
};

}  // namespace halocline
