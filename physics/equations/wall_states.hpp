#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "framework/field/box_set.hpp"
#include "framework/field/finite_value.hpp"
#include "framework/field/ghost_record.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "physics/equations/state_law.hpp"
#include "physics/equations/values.hpp"

namespace halocline {

namespace equation {

/// Whether what decks give of a state is more than its primitive values: `given(values, inside, others)` of the law
/// makes a conserved state of them, beside a conserved state `inside` (of the start: where the values are what does not
/// flow).
template <class Law>
concept GivesStates = requires(Law const& law, typename Law::State const& w) {
  law.given(w, w, true);
};

/// The conserved state of what a deck gives.
template <class Law, class State>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State conserved_of(Law const& law, State const& values, State const& inside,
                                                             bool others) {
  if constexpr (GivesStates<Law>) {
    return law.given(values, inside, others);
  } else {
    return law.conserved(values);
  }
}

/// One face of a block beyond which no block lies, as the kernel sees it.
template <class Real>
struct WallOfBlock {
  LawWallKind kind = LawWallKind::periodic;
  Index begin[3] = {0, 0, 0};   ///< the first ghost …
  Index extent[3] = {0, 0, 0};  ///< … and how many there are along each axis
  /// States of the ghosts, field by field, then where they hold (not zero): conserved ones, or what the deck gives
  /// where a law makes states of that beside the ones inside.
  Real const* inflow = nullptr;
  bool gives_others = false;
};

/// The ghosts of one block, of all its faces and fields.
template <class Real, class Law>
struct WallKernel {
  static constexpr int Count = Law::fields;
  BoxSet boxes;
  Law law;
  int vector;
  Index owned[3] = {1, 1, 1};
  BlockView<Real> field[Count];
  WallOfBlock<Real> wall[6];

  WallKernel(Law const& of, int first_of_vector) : law(of), vector(first_of_vector) {}

  KOKKOS_FUNCTION void operator()(Index n) const { boxes.each(n, Visit{*this}); }

 private:
  struct Visit {
    WallKernel const& kernel;
    KOKKOS_FUNCTION void operator()(int face, Index i_begin, Index i_end, Index j, Index k) const {
      for (Index i = i_begin; i < i_end; ++i) kernel.fill(face, i, j, k);
    }
  };
  KOKKOS_FUNCTION void fill(int face, Index i, Index j, Index k) const {
    WallOfBlock<Real> const& its = wall[face];
    int const axis = face / 2;
    bool const is_upper = face % 2 == 1;
    Index const size = its.extent[0] * its.extent[1] * its.extent[2];
    Index const place = i - its.begin[0] + its.extent[0] * (j - its.begin[1] + its.extent[1] * (k - its.begin[2]));
    bool const flows_in = its.kind == LawWallKind::inflow && its.inflow[Count * size + place] != Real{0};
    bool const reflects = its.kind != LawWallKind::outflow;
    Index from[3] = {i, j, k};
    Index const last = owned[axis] - 1;
    Index const mirror = is_upper ? 2 * last + 1 - from[axis] : -1 - from[axis];
    Index const inside = mirror < 0 ? 0 : mirror > last ? last : mirror;
    from[axis] = reflects ? inside : is_upper ? last : 0;
    if constexpr (GivesStates<Law>) {
      if (flows_in) {
        typename Law::State values{};
        typename Law::State inside_state{};
        for (int n = 0; n < Count; ++n) {
          values.value[n] = its.inflow[n * size + place];
          inside_state.value[n] = field[n](from[0], from[1], from[2]);
        }
        typename Law::State const u = law.given(values, inside_state, its.gives_others);
        for (int n = 0; n < Count; ++n) field[n](i, j, k) = u.value[n];
        return;
      }
    }
    for (int n = 0; n < Count; ++n) {
      Real const value = field[n](from[0], from[1], from[2]);
      bool const is_turned = reflects && vector >= 0 && n == vector + axis;
      field[n](i, j, k) = flows_in ? its.inflow[n * size + place] : is_turned ? -value : value;
    }
  }
};

}  // namespace equation

/// Fills the ghosts of states of `Law` beyond the faces of the domain, those that star stencils read, by one kernel a
/// block. What flows in is evaluated at the centres of the cells beyond the face.
template <class Real, class Law>
class WallStates {
 public:
  WallStates(std::shared_ptr<StructuredMesh const> mesh, LawWalls walls, Law const& law)
      : mesh_(std::move(mesh)), walls_(std::move(walls)), law_(law), inflow_(mesh_->blocks().size()) {}

  void fill(double time, Fields<Real>& state) {
    for (Block const& block : mesh_->blocks()) fill_block(time, block, state);
    time_ = time;
  }

 private:
  static constexpr auto fields = static_cast<std::size_t>(Law::fields);
  using Array = Kokkos::View<Real*, Memory>;

  void fill_block(double time, Block const& block, Fields<Real>& state) {
    equation::WallKernel<Real, Law> kernel(law_, vector_of_law());
    Field<Real> const& first = *state.front();
    IndexRange const owned = first.owned(block);
    IndexRange const all = first.with_ghosts(block);
    for (int axis = 0; axis < 3; ++axis) kernel.owned[axis] = owned.extent(axis);
    for (std::size_t n = 0; n < fields; ++n) kernel.field[n] = state[n]->view(block);
    FaceSet filled = 0;
    FaceSet following = 0;
    for (int face = 0; face < 2 * mesh_->dimensions(); ++face) {
      auto const a = static_cast<std::size_t>(face / 2);
      LawWall const& wall = walls_[static_cast<std::size_t>(face)];
      if (block.neighbour(face / 2, face % 2 == 0 ? -1 : 1).has_value()) continue;
      IndexRange ghosts = owned;
      ghosts.begin[a] = face % 2 == 0 ? all.begin[a] : owned.end[a];
      ghosts.end[a] = face % 2 == 0 ? owned.begin[a] : all.end[a];
      kernel.boxes.add(ghosts, face);
      equation::WallOfBlock<Real>& its = kernel.wall[face];
      its.kind = wall.kind;
      its.gives_others = wall.gives_others;
      for (int axis = 0; axis < 3; ++axis) {
        its.begin[axis] = ghosts.begin[static_cast<std::size_t>(axis)];
        its.extent[axis] = ghosts.extent(axis);
      }
      if (wall.kind == LawWallKind::inflow) its.inflow = inflow(time, block, face, ghosts, first.ghosts());
      filled |= 1U << face;
      following |= 1U << face;
    }
    if (kernel.boxes.work() == 0) return;
    for (auto const& field : state) {
      tell({.kind = GhostEvent::Kind::fill_walls,
            .record = &field->ghost_record(block),
            .walls = filled,
            .following = following});
    }
    using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
    Kokkos::parallel_for("halocline walls of a law", Policy(execution(block), 0, kernel.boxes.work()), kernel);
  }

  [[nodiscard]] static constexpr int vector_of_law() {
    if constexpr (requires { Law::vector; }) return Law::vector;
    return -1;
  }

  [[nodiscard]] static bool depends_on_time(LawWall const& wall) {
    bool depends = wall.where.depends_on_time();
    for (Expression const& value : wall.values) depends = depends || value.depends_on_time();
    return depends;
  }

  /// The states beyond a face, on the block's device.
  [[nodiscard]] Real const* inflow(double time, Block const& block, int face, IndexRange const& ghosts, int layers) {
    LawWall const& wall = walls_[static_cast<std::size_t>(face)];
    Array& values = inflow_[block.local][static_cast<std::size_t>(face)];
    auto const size = static_cast<std::size_t>(ghosts.size());
    bool const is_new = values.extent(0) == 0;
    if (!is_new && (time == time_ || !depends_on_time(wall))) return values.data();
    if (is_new) values = Array("states that flow in", (fields + 1) * size);
    auto const host = Kokkos::create_mirror_view(values);
    std::array<std::vector<double>, 3> coordinates;
    for (int axis = 0; axis < 3; ++axis) {
      coordinates[static_cast<std::size_t>(axis)] = mesh_->coordinates(block, axis, Centring::cell, layers);
    }
    auto const coordinate = [&](std::size_t axis, Index i) {
      Index const before = static_cast<int>(axis) < mesh_->dimensions() ? layers : 0;
      return coordinates[axis][static_cast<std::size_t>(i + before)];
    };
    std::size_t place = 0;
    for (Index k = ghosts.begin[2]; k < ghosts.end[2]; ++k) {
      for (Index j = ghosts.begin[1]; j < ghosts.end[1]; ++j) {
        for (Index i = ghosts.begin[0]; i < ghosts.end[0]; ++i, ++place) {
          std::array<double, 3> const at{coordinate(0, i), coordinate(1, j), coordinate(2, k)};
          bool const holds = wall.where(at[0], at[1], at[2], time) != 0;
          host(fields * size + place) = holds ? Real{1} : Real{0};
          if (!holds) continue;
          auto const state = state_at(wall, at, time);
          for (std::size_t n = 0; n < fields; ++n) host(n * size + place) = state.value[n];
        }
      }
    }
    execution(block).fence();  // an earlier fill may still read them
    Kokkos::deep_copy(values, host);
    return values.data();
  }

  /// What the kernel wants of the state that flows in at a place.
  [[nodiscard]] Values<Real, Law::fields> state_at(LawWall const& wall, std::array<double, 3> const& at,
                                                   double time) const {
    Values<Real, Law::fields> given{};
    for (std::size_t n = 0; n < fields; ++n) {
      given.value[n] = static_cast<Real>(wall.values[n](at[0], at[1], at[2], time));
      if (!std::isfinite(given.value[n])) throw_not_finite(wall.name, wall.values[n].text(), at, time);
    }
    if constexpr (equation::GivesStates<Law>) {
      if (law_.is_physical(law_.primitive(law_.given(given, {}, wall.gives_others)))) return given;
    } else {
      if (law_.is_physical(given)) return law_.conserved(given);
    }
    throw InputError(wall.name + ": what flows in is no physical state at (" + shortest_text(at[0]) + ", " +
                     shortest_text(at[1]) + ", " + shortest_text(at[2]) + "), time " + shortest_text(time));
  }

  std::shared_ptr<StructuredMesh const> mesh_;
  LawWalls walls_;
  Law law_;
  std::vector<std::array<Array, 6>> inflow_;  ///< by Block::local
  double time_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace halocline
