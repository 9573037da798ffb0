#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "physics/equations/flux_rate.hpp"
#include "physics/equations/law_parts.hpp"
#include "physics/equations/law_sections.hpp"
#include "physics/equations/reconstruction.hpp"
#include "physics/equations/stage_sweeps.hpp"
#include "physics/equations/vectors_of_law.hpp"
#include "physics/equations/wall_states.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "physics/equations/cuda/flux_stage.hpp"
#endif

// Makes the parts of a law from a class template Law<Real, Axes>, constructed from the physics' own options, that has
//
//     fields                        the number of fields of a state
//     primitive(u), conserved(w)    conversions between both forms of a state
//     is_physical(w)                whether a primitive state is admissible
//     flux<Axis>(w, u)              flux along an axis of a state given in both forms
//     speed<Axis>(w)                magnitude of the fastest wave's speed
//     bounds<Axis>(l, r)            bounds of the wave speeds between two states
//
// and optionally `vector` (a vector, whose normal component reflecting walls reverse: the index of its first component;
// several: a list of these, or, if their components do not follow one another, a list of lists of components), what
// HasContact requires (HLLC), `riemann_flux<Axis>(l, r)` in place of `bounds` (HasRiemannFlux), `diffusivity()`, by
// which the fields diffuse beside the fluxes (LawDiffuses), `source(at, u)` of the conserved state or, with
// `source_shape`, of readers of each field (SourceReadsNeighbours), what HasBalance requires, `beyond` (HasWalls),
// `courant` (below 1: the fraction of a spacing that waves may travel in a step), `given(values, inside, others)`: the
// conserved state of the values in a deck, if these are not a primitive state (GivesStates), and `is_resolved(w,
// inverse)`: whether the terms of the fluxes of a state, and these times the `inverse` spacing, are in the range of the
// precision.

namespace halocline {

namespace equation {

template <class Law>
struct Conserve {
  static constexpr Shape shape = point;
  Law law;
  bool others;
  template <class P, class... W>
  KOKKOS_FUNCTION auto operator()(P const&, W const&... w) const {
    typename Law::State const values{{w[here]...}};
    auto const u = conserved_of(law, values, values, others);
    return result(u, std::make_index_sequence<static_cast<std::size_t>(Law::fields)>());
  }

 private:
  template <class Real, int Count, std::size_t... N>
  KOKKOS_FORCEINLINE_FUNCTION static Result<Real, Count, 0> result(Values<Real, Count> const& u,
                                                                   std::index_sequence<N...>) {
    return {{u.value[N]...}, {}};
  }
};

template <class Real, class Law, int Axes>
class TypedStateLaw final : public StateLaw<Real> {
 public:
  TypedStateLaw(std::shared_ptr<StructuredMesh const> const& mesh, LawWalls const& walls, Law const& law)
      : mesh_(mesh), law_(law), walls_(mesh, walls, law) {}

  void conserve(Fields<Real> const& state, bool others) const override {
    conserve(state, others, std::make_index_sequence<fields>());
  }
  void fill_walls(double time, Fields<Real> const& state) override { walls_.fill(time, state); }
  [[nodiscard]] double fastest_beyond(Fields<Real> const& state) const override { return walls_.fastest_beyond(state); }
  [[nodiscard]] bool is_reversed(std::size_t field, int axis) const override {
    return (reversed_fields<Law, Axes>()[static_cast<std::size_t>(axis)] >> field & 1U) != 0;
  }

  [[nodiscard]] std::optional<std::string> unphysical(Fields<Real> const& state,
                                                      std::vector<std::string> const& names) const override {
    return first_without(state, names, [this](auto const& w) { return law_.is_physical(w); });
  }
  [[nodiscard]] std::optional<std::string> unresolved(Fields<Real> const& state,
                                                      std::vector<std::string> const& names) const override {
    if constexpr (requires(typename Law::State const& w) { law_.is_resolved(w, Real{1}); }) {
      double largest = 0;
      for (int axis = 0; axis < Axes; ++axis) largest = std::max(largest, mesh_->axis(axis).spacing());
      auto const inverse = static_cast<Real>(1 / largest);
      return first_without(state, names, [&](auto const& w) { return law_.is_resolved(w, inverse); });
    }
    return std::nullopt;
  }

 private:
  static constexpr auto fields = static_cast<std::size_t>(Law::fields);

  /// Describes the first owned cell of all ranks, by global index, whose primitive state does not have a property.
  template <class Property>
  [[nodiscard]] std::optional<std::string> first_without(Fields<Real> const& state,
                                                         std::vector<std::string> const& names,
                                                         Property const& property) const {
    Extents const all = mesh_->extents(Centring::cell);
    auto const none = static_cast<double>(all[0] * all[1] * all[2]);
    double first = none;
    Values<Real, Law::fields> found{};
    for (Block const& block : mesh_->blocks()) {
      std::array<std::vector<Real>, fields> host;
      for (std::size_t n = 0; n < fields; ++n) {
        host[n].resize(static_cast<std::size_t>(state[n]->owned(block).size()));
        state[n]->copy_owned(block, 0, std::as_writable_bytes(std::span(host[n])));
      }
      IndexRange const& cells = block.cells;
      std::size_t place = 0;
      for (Index k = cells.begin[2]; k < cells.end[2]; ++k) {
        for (Index j = cells.begin[1]; j < cells.end[1]; ++j) {
          for (Index i = cells.begin[0]; i < cells.end[0]; ++i, ++place) {
            Values<Real, Law::fields> u{};
            for (std::size_t n = 0; n < fields; ++n) u.value[n] = host[n][place];
            auto const number = static_cast<double>(i + all[0] * (j + all[1] * k));
            if (number >= first || property(law_.primitive(u))) continue;
            first = number;
            found = u;
          }
        }
      }
    }
    double const of_all = mesh_->communicator().min(first);
    if (of_all == none) return std::nullopt;
    auto const number = static_cast<Index>(of_all);
    std::string text = "cell (" + std::to_string(number % all[0]) + ", " + std::to_string(number / all[0] % all[1]) +
                       ", " + std::to_string(number / all[0] / all[1]) + ")";
    Values<Real, Law::fields> const primitive = law_.primitive(found);
    // Only the rank that owns the cell has its state: the others add zero.
    auto const add = [&](std::string const& name, Real value) {
      std::array<double, 1> sum{first == of_all ? static_cast<double>(value) : 0};
      mesh_->communicator().sum(sum);
      text.append(", ").append(name).append(" ").append(shortest_text(sum[0]));
    };
    for (std::size_t n = 0; n < fields; ++n) add(state[n]->name(), found.value[n]);
    for (std::size_t n = 0; n < fields; ++n) {
      if (names[n] != state[n]->name()) add(names[n], primitive.value[n]);
    }
    return text;
  }

  template <std::size_t... N>
  void conserve(Fields<Real> const& state, bool others, std::index_sequence<N...>) const {
    for (Block const& block : mesh_->blocks()) {
      sweep(execution(block), state.front()->owned(block), Geometry<Real>{}, outputs(state[N]->view(block)...),
            Conserve<Law>{law_, others}, std::as_const(*state[N]).view(block)...);
    }
  }

  std::shared_ptr<StructuredMesh const> mesh_;
  Law law_;
  WallStates<Real, Law, Axes> walls_;
};

template <class Real, template <class, int> class Law, int Axes>
[[nodiscard]] StagesOfLaw<Real> make_law(Options const& own, std::shared_ptr<StructuredMesh const> const& mesh,
                                         LawWalls const& walls) {
  using Its = Law<Real, Axes>;
  Its const law(own);
  LawScheme const scheme = law_scheme(own);
  RiemannSolver<Real> const riemann{Real(scheme.has_one_speed ? 1 : 0), Real(scheme.has_contact ? 1 : 0)};
  auto const stages = [&]<class Edges>(Edges const& edges) -> std::unique_ptr<Stages<Real>> {
    using Rate = FluxRate<Real, Its, Edges, Axes>;
    return std::make_unique<StageSweeps<Real, Rate, Axes>>(mesh, Rate{law, edges, riemann});
  };
  auto state_law = std::make_unique<TypedStateLaw<Real, Its, Axes>>(mesh, walls, law);
  switch (scheme.edges) {
    case LawScheme::Edges::weno5:
      if constexpr (!HasBalance<Its, typename Its::State>) return {stages(Weno5<Real>{}), std::move(state_law)};
      break;
    case LawScheme::Edges::van_leer:
      return {stages(VanLeerSlopes<Real>{}), std::move(state_law)};
    case LawScheme::Edges::minmod:
      break;
  }
  return {stages(MinmodSlopes<Real>{static_cast<Real>(scheme.theta), Real(scheme.is_superbee ? 1 : 0)}),
          std::move(state_law)};
}

}  // namespace equation

template <template <class, int> class Law, int Axes>
StagesOfLaw<float> LawParts<Law, Axes>::make_single(Options const& own,
                                                    std::shared_ptr<StructuredMesh const> const& mesh,
                                                    LawWalls const& walls) {
  return equation::make_law<float, Law, Axes>(own, mesh, walls);
}
template <template <class, int> class Law, int Axes>
StagesOfLaw<double> LawParts<Law, Axes>::make_double(Options const& own,
                                                     std::shared_ptr<StructuredMesh const> const& mesh,
                                                     LawWalls const& walls) {
  return equation::make_law<double, Law, Axes>(own, mesh, walls);
}

}  // namespace halocline
