#pragma once

#include <cstddef>
#include <utility>

#include "framework/kernel/stencil.hpp"
#include "framework/kernel/values.hpp"
#include "physics/equations/riemann.hpp"

namespace halocline {

/// The sum over the axes of the speed of a law's fastest wave divided by the spacing, in 1 / time; NaN if the state is
/// not physical. If the law limits the fraction of a spacing that waves may travel (`courant`), divided by that.
template <class Real, class Law, int Axes>
struct FastestWave {
  static constexpr Shape shape = point;
  Law law;

  template <class P, class... U>
  KOKKOS_FORCEINLINE_FUNCTION Real fastest(P const& at, U const&... u) const {
    return of(at, law.primitive({{u[here]...}}));
  }
  /// For a primitive state; `at` has `inverse_spacing(axis)`.
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

/// Whether a law's fields diffuse: `diffusivity()` returns their diffusivities, in length^2 / time.
template <class Law>
concept LawDiffuses = requires(Law const& law) {
  law.diffusivity();
};

/// Whether a law's source reads neighbours: `source(at, u…)` takes a reader for each conserved field, with named
/// neighbours within `source_shape`.
template <class Law>
concept SourceReadsNeighbours = requires {
  Law::source_shape;
};
/// Whether a law's source, if it reads neighbours, reads no further than `shape`.
template <class Law, Shape shape>
inline constexpr bool source_is_within = true;
template <SourceReadsNeighbours Law, Shape shape>
inline constexpr bool source_is_within<Law, shape> = shape.covers(Law::source_shape);

/// The rate of a conservation law at a cell: minus the divergence of the numerical fluxes through its faces, plus
/// `source` and the diffusion by `diffusivity` if the law has them. Each cell evaluates its own faces, by the same
/// operations on the same values as the neighbour across: both get the same bits, so that sums change by rounding only.
template <class Real, class Law, class Reconstruction, int Axes>
struct FluxRate {
  static constexpr int reach = Reconstruction::reach + 1;
  static constexpr Shape shape = star<reach, Axes>;
  static constexpr int fields = Law::fields;
  static constexpr bool is_long = true;
  using State = Values<Real, fields>;
  /// A law with a balance keeps its states physical by itself, and donor cells alone would not keep the balance. A
  /// function, since nvcc 13.0 crashes on a constant that needs the concept.
  [[nodiscard]] static constexpr bool has_donor_cells() { return !HasBalance<Law, State>; }
  /// The cells of one line that the rate reads, converted by `seen`, with the point itself in the middle.
  struct Line {
    State cell[2 * reach + 1];
  };

  Law law;
  Reconstruction reconstruction;
  RiemannSolver<Real> riemann;

  /// In length^2 / time, by field. Only if the law's fields diffuse.
  [[nodiscard]] State diffusivity_of_law() const requires LawDiffuses<Law> { return law.diffusivity(); }

  template <class P, class... U>
  KOKKOS_FORCEINLINE_FUNCTION State operator()(P const& at, U const&... u) const {
    State rate = along_axis<0>(at, u...);
    if constexpr (Axes > 1) rate = rate + along_axis<1>(at, u...);
    if constexpr (Axes > 2) rate = rate + along_axis<2>(at, u...);
    return with_source(rate, at, u...);
  }

  /// Bounds the rate. A separate functor, since it does not depend on the scheme.
  [[nodiscard]] FastestWave<Real, Law, Axes> bound() const { return {law}; }

  // The parts of the rate, for kernels that evaluate each face only once.

  /// A conserved state in the form that edges are reconstructed from.
  KOKKOS_FORCEINLINE_FUNCTION State seen(State const& conserved) const {
    if constexpr (Reconstruction::of_conserved) return conserved;
    if constexpr (!Reconstruction::of_conserved) return law.primitive(conserved);
  }
  /// The flux through the lower (Side -1) or upper (1) face of the middle cell. The lower one does not read the line's
  /// last cell, the upper one not its first.
  template <int Axis, int Side>
  KOKKOS_FORCEINLINE_FUNCTION State flux(Line const& line) const {
    constexpr int below_face = Side < 0 ? -1 : 0;
    State const below = edge<below_face, 1>(line);
    State const above = edge<below_face + 1, -1>(line);
    if constexpr (HasBalance<Law, State>) {
      return riemann.template flux<Axis>(law, law.at_face(below, above), law.at_face(above, below));
    } else {
      return riemann.template flux<Axis>(law, below, above);
    }
  }
  /// What is to be added to the flux through the lower face to make it that of donor cells, the states of both cells. A
  /// face has a rate of first order then, with which physical states stay physical.
  template <int Axis>
  KOKKOS_FUNCTION State change_to_donor_cells(Line const& line) const {
    State below = line.cell[reach - 1];
    State above = line.cell[reach];
    if constexpr (Reconstruction::of_conserved) {
      below = law.primitive(below);
      above = law.primitive(above);
    }
    return riemann.template flux<Axis>(law, below, above) - flux<Axis, -1>(line);
  }
  /// The contribution of both fluxes of the middle cell to the rate.
  template <int Axis, class P>
  KOKKOS_FORCEINLINE_FUNCTION State from_fluxes(P const& at, State const& lower, State const& upper,
                                                [[maybe_unused]] Line const& line) const {
    if constexpr (HasBalance<Law, State>) {
      return at.inverse_spacing(Axis) * ((lower - upper) + balance<Axis>(line));
    } else {
      return at.inverse_spacing(Axis) * (lower - upper);
    }
  }
  template <class P, class... U>
  KOKKOS_FORCEINLINE_FUNCTION State with_source(State const& rate, [[maybe_unused]] P const& at,
                                                [[maybe_unused]] U const&... u) const {
    State const diffused = with_diffusion(rate, at, std::make_index_sequence<static_cast<std::size_t>(fields)>(), u...);
    if constexpr (SourceReadsNeighbours<Law>) {
      static_assert(source_is_within<Law, shape>, "a law's source reads further than its fluxes");
      return diffused + law.source(at, u...);
    } else if constexpr (requires(Law const& its, State const& state) { its.source(at, state); }) {
      return diffused + law.source(at, State{{u[here]...}});
    } else {
      return diffused;
    }
  }

 private:
  template <class P, std::size_t... N, class... U>
  KOKKOS_FORCEINLINE_FUNCTION State with_diffusion(State const& rate, [[maybe_unused]] P const& at,
                                                   std::index_sequence<N...>, [[maybe_unused]] U const&... u) const {
    if constexpr (LawDiffuses<Law>) {
      State const diffusivity = law.diffusivity();
      return {{(rate.value[N] + diffusivity.value[N] * at.laplacian(u))...}};
    } else {
      return rate;
    }
  }

  template <int Axis, class P, class... U>
  KOKKOS_FORCEINLINE_FUNCTION State along_axis(P const& at, U const&... u) const {
    Line const line = read<Axis>(std::make_index_sequence<static_cast<std::size_t>(2 * reach + 1)>(), u...);
    return from_fluxes<Axis>(at, flux<Axis, -1>(line), flux<Axis, 1>(line), line);
  }

  template <int Axis>
  KOKKOS_FORCEINLINE_FUNCTION State balance(Line const& line) const {
    State const lower = edge<0, -1>(line);
    State const upper = edge<0, 1>(line);
    return law.template balance<Axis>(lower, upper, law.at_face(lower, edge<-1, 1>(line)),
                                      law.at_face(upper, edge<1, -1>(line)));
  }

  template <int Axis, std::size_t... N, class... U>
  KOKKOS_FORCEINLINE_FUNCTION Line read(std::index_sequence<N...>, U const&... u) const {
    return {{cell<Axis, static_cast<int>(N) - reach>(u...)...}};
  }
  template <int Axis, int Distance, class... U>
  KOKKOS_FORCEINLINE_FUNCTION State cell(U const&... u) const {
    return seen({{u[along<Axis, Distance>]...}});
  }

  /// The primitive state at the edge of a cell on `Side`; the state of the cell if the edge's is not physical, or the
  /// combination that a law with a balance makes of both. Of conserved values neither if the mirror image of the
  /// edge's state in the cell's is not physical; limited slopes have such edges anyway.
  template <int Cell, int Side>
  KOKKOS_FORCEINLINE_FUNCTION State edge(Line const& line) const {
    State const there =
        edge_of<Cell, Side>(line, std::make_index_sequence<static_cast<std::size_t>(2 * Reconstruction::reach + 1)>());
    if constexpr (HasBalance<Law, State>) {
      return law.at_edge(there, line.cell[reach + Cell]);
    } else if constexpr (Reconstruction::of_conserved) {
      // The mean is that of two halves, one with the edge's state, and both have to be physical (after Zhang & Shu, J.
      // Comput. Phys. 229, 2010): beside a vacuum, an edge of more than twice the mean would empty the cell.
      State const w = law.primitive(there);
      State const mean = law.primitive(line.cell[reach + Cell]);
      return select(law.is_physical(w) && law.is_physical(mean + (mean - w)), w, mean);
    } else {
      return select(law.is_physical(there), there, line.cell[reach + Cell]);
    }
  }
  template <int Cell, int Side, std::size_t... N>
  KOKKOS_FORCEINLINE_FUNCTION State edge_of(Line const& line, std::index_sequence<N...>) const {
    return values::each(reconstruction,
                        line.cell[reach + Cell + Side * (static_cast<int>(N) - Reconstruction::reach)]...);
  }
};

}  // namespace halocline
