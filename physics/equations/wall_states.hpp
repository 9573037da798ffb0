#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "framework/field/box_set.hpp"
#include "framework/field/expression_values.hpp"
#include "framework/field/finite_value.hpp"
#include "framework/field/ghost_record.hpp"
#include "framework/kernel/values.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/launch.hpp"
#include "framework/runtime/shortest_text.hpp"
#include "physics/equations/donor_cells.hpp"
#include "physics/equations/flux_rate.hpp"
#include "physics/equations/riemann.hpp"
#include "physics/equations/stage_sweeps.hpp"
#include "physics/equations/state_law.hpp"
#include "physics/equations/vectors_of_law.hpp"

namespace halocline {

namespace equation {

/// Whether a law converts the values in decks by itself: `given(values, inside, others)` makes a conserved state of
/// them, taking what does not flow from a conserved state `inside`. For the initial state `inside` is `values` itself.
template <class Law>
concept GivesStates = requires(Law const& law, typename Law::State const& w) {
  law.given(w, w, true);
};

/// The conserved state of the values in a deck.
template <class Law, class State>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State conserved_of(Law const& law, State const& values, State const& inside,
                                                             bool others) {
  if constexpr (GivesStates<Law>) {
    return law.given(values, inside, others);
  } else {
    return law.conserved(values);
  }
}

/// The deck's values for the ghosts beyond one face of a block, as kernels use them.
template <class Real, class Law>
struct GivenGhosts {
  using State = typename Law::State;
  Real const* values = nullptr;  ///< field by field, then `where`; null if the deck gives nothing
  Index size = 0;                ///< number of ghosts
  bool gives_others = false;

  /// The value of `where`, not zero where the condition applies.
  KOKKOS_FORCEINLINE_FUNCTION Real weight(Index place) const { return values[Law::fields * size + place]; }
  KOKKOS_FORCEINLINE_FUNCTION State at(Index place) const {
    State given{};
    for (int n = 0; n < Law::fields; ++n) given.value[n] = values[n * size + place];
    return given;
  }
  /// The primitive state with zero as the inside state: what a law takes from there is zero.
  KOKKOS_FORCEINLINE_FUNCTION State primitive(Law const& law, Index place) const {
    return law.primitive(conserved_of(law, at(place), State{}, gives_others));
  }
};

/// One face of a block on the domain boundary, as kernels use it.
template <class Real, class Law>
struct WallOfBlock {
  LawWallKind kind = LawWallKind::periodic;
  int own = 0;                  ///< index among the law's kinds of walls
  Index begin[3] = {0, 0, 0};   ///< the first ghost …
  Index extent[3] = {0, 0, 0};  ///< … and how many there are along each axis
  GivenGhosts<Real, Law> given;
};

/// The conserved state of a ghost for which the deck gives values.
///
/// \param inside state of its mirror image
template <class Real, class Law, class State>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION State beyond(Law const& law, WallOfBlock<Real, Law> const& wall, int face,
                                                       State const& inside, State const& given) {
  if constexpr (HasWalls<Law, State>) {
    if (wall.kind == LawWallKind::own) {
      return law.conserved(law.beyond(wall.own, face / 2, face % 2 == 0 ? -1 : 1, law.primitive(inside), given));
    }
  }
  return conserved_of(law, given, inside, wall.given.gives_others);
}

/// The first ghost of a face for which the deck's state is invalid: not finite or, for inflow, not physical.
template <class Real, class Law>
struct FirstBadGhost {
  Law law;
  GivenGhosts<Real, Law> given;
  bool is_state;

  KOKKOS_FUNCTION void operator()(Index place, Index& first) const {
    Real const weight = given.weight(place);
    if (weight == Real{0} || place >= first) return;
    typename Law::State const values = given.at(place);
    bool is_finite = weight - weight == Real{0};
    for (int n = 0; n < Law::fields; ++n) is_finite = is_finite && values.value[n] - values.value[n] == Real{0};
    if (is_finite && (!is_state || law.is_physical(given.primitive(law, place)))) return;
    first = place;
  }
};

/// The fastest waves of the states that a deck gives beyond one face.
template <class Real, class Law, int Axes>
struct FastestGiven {
  FastestWave<Real, Law, Axes> bound;
  GivenGhosts<Real, Law> given;
  DifferenceWeights<Real> differences;

  KOKKOS_FORCEINLINE_FUNCTION Real inverse_spacing(int axis) const { return differences.inverse_spacing[axis]; }
  KOKKOS_FUNCTION void operator()(Index place, double& fastest) const {
    if (given.weight(place) == Real{0}) return;
    double const here = static_cast<double>(bound.of(*this, given.primitive(bound.law, place)));
    if (here > fastest) fastest = here;
  }
};

/// The fastest waves of the ghosts beyond one face.
template <class Real, class Law, int Axes>
struct FastestGhost {
  FastestWave<Real, Law, Axes> bound;
  BlockView<Real> field[Law::fields];
  CellsOfBox ghosts;
  DifferenceWeights<Real> differences;

  KOKKOS_FORCEINLINE_FUNCTION Real inverse_spacing(int axis) const { return differences.inverse_spacing[axis]; }
  KOKKOS_FUNCTION void operator()(Index place, double& fastest) const {
    ghosts.at(place, [&](Index i, Index j, Index k) {
      typename Law::State u{};
      for (int n = 0; n < Law::fields; ++n) u.value[n] = field[n](i, j, k);
      double const here = static_cast<double>(bound.of(*this, bound.law.primitive(u)));
      if (here > fastest) fastest = here;
    });
  }
};

/// Fills the ghosts of one block, for all its faces and fields.
template <class Real, class Law>
struct WallKernel {
  static constexpr int Count = Law::fields;
  BoxSet boxes;
  Law law;
  unsigned reversed[3] = {0, 0, 0};  ///< for each axis: the fields, as bits, that a reflecting wall reverses
  Index owned[3] = {1, 1, 1};
  BlockView<Real> field[Count];
  WallOfBlock<Real, Law> wall[6];

  WallKernel(Law const& of, std::array<unsigned, 3> const& reversed_by_axis) : law(of) {
    for (std::size_t axis = 0; axis < 3; ++axis) reversed[axis] = reversed_by_axis[axis];
  }

  KOKKOS_FUNCTION void operator()(Index n) const { boxes.each(n, Visit{*this}); }

 private:
  struct Visit {
    WallKernel const& kernel;
    KOKKOS_FUNCTION void operator()(int face, Index i_begin, Index i_end, Index j, Index k) const {
      for (Index i = i_begin; i < i_end; ++i) kernel.fill(face, i, j, k);
    }
  };
  KOKKOS_FUNCTION void fill(int face, Index i, Index j, Index k) const {
    WallOfBlock<Real, Law> const& its = wall[face];
    int const axis = face / 2;
    bool const is_upper = face % 2 == 1;
    Index const place = i - its.begin[0] + its.extent[0] * (j - its.begin[1] + its.extent[1] * (k - its.begin[2]));
    bool const holds = its.given.values != nullptr && its.given.weight(place) != Real{0};
    bool const reflects = its.kind != LawWallKind::outflow;
    Index from[3] = {i, j, k};
    Index const last = owned[axis] - 1;
    Index const mirror = is_upper ? 2 * last + 1 - from[axis] : -1 - from[axis];
    Index const inside = mirror < 0 ? 0 : mirror > last ? last : mirror;
    from[axis] = reflects ? inside : is_upper ? last : 0;
    typename Law::State u{};
    for (int n = 0; n < Count; ++n) u.value[n] = field[n](from[0], from[1], from[2]);
    if (holds) {
      u = beyond(law, its, face, u, its.given.at(place));
    } else if (reflects) {
      for (int n = 0; n < Count; ++n) u.value[n] = (reversed[axis] >> n & 1U) != 0 ? -u.value[n] : u.value[n];
    }
    for (int n = 0; n < Count; ++n) field[n](i, j, k) = u.value[n];
  }
};

}  // namespace equation

/// Fills the ghosts of states of `Law` beyond the faces of the domain that star stencils read, by one kernel per block.
/// Expressions of the deck are evaluated at the centres of the cells beyond the face.
template <class Real, class Law, int Axes>
class WallStates {
 public:
  WallStates(std::shared_ptr<StructuredMesh const> mesh, LawWalls walls, Law const& law)
      : mesh_(std::move(mesh)), walls_(std::move(walls)), law_(law), given_(mesh_->blocks().size()) {}

  void fill(double time, Fields<Real> const& state) {
    for (Block const& block : mesh_->blocks()) fill_block(time, block, state);
    time_ = time;
  }

  /// Over the states that the last fill, of `state`, set beyond inflow faces and walls of the law's own: the largest
  /// sum over the axes of speed over spacing, in 1 / time.
  [[nodiscard]] double fastest_beyond([[maybe_unused]] Fields<Real> const& state) const {
    double fastest = 0;
    for (auto const& of_block : given_) {
      for (GivenStates const& of_face : of_block) fastest = std::max(fastest, of_face.fastest);
    }
    if constexpr (HasWalls<Law, typename Law::State>) {
      for (Block const& block : mesh_->blocks()) {
        for (int face = 0; face < 2 * mesh_->dimensions(); ++face) {
          bool const is_own = walls_[static_cast<std::size_t>(face)].kind == LawWallKind::own;
          if (is_own && is_outer(block, face)) fastest = std::max(fastest, fastest_of_ghosts(block, face, state));
        }
      }
    }
    return fastest;
  }

 private:
  static constexpr auto fields = static_cast<std::size_t>(Law::fields);
  using Array = Kokkos::View<Real*, Memory>;
  using Ghosts = equation::GivenGhosts<Real, Law>;
  /// The deck's values beyond one face of a block.
  struct GivenStates {
    Array values;
    std::optional<EntryPositions> places;  ///< empty before the first use
    double fastest = 0;                    ///< of the inflow states
  };

  void fill_block(double time, Block const& block, Fields<Real> const& state) {
    equation::WallKernel<Real, Law> kernel(law_, equation::reversed_fields<Law, Axes>());
    Field<Real> const& first = *state.front();
    IndexRange const owned = first.owned(block);
    for (int axis = 0; axis < 3; ++axis) kernel.owned[axis] = owned.extent(axis);
    for (std::size_t n = 0; n < fields; ++n) kernel.field[n] = state[n]->view(block);
    FaceSet filled = 0;
    FaceSet following = 0;
    for (int face = 0; face < 2 * mesh_->dimensions(); ++face) {
      LawWall const& wall = walls_[static_cast<std::size_t>(face)];
      if (!is_outer(block, face)) continue;
      IndexRange const ghosts = ghosts_beyond(block, face, first);
      kernel.boxes.add(ghosts, face);
      equation::WallOfBlock<Real, Law>& its = kernel.wall[face];
      its.kind = wall.kind;
      for (int axis = 0; axis < 3; ++axis) {
        its.begin[axis] = ghosts.begin[static_cast<std::size_t>(axis)];
        its.extent[axis] = ghosts.extent(axis);
      }
      its.own = wall.own;
      if (!wall.values.empty()) its.given = given(time, block, face, ghosts, first.ghosts());
      filled |= 1U << face;
      following |= 1U << face;
    }
    if (kernel.boxes.work() == 0) return;
    for (auto const& field : state) {
      notify({.kind = GhostEvent::Kind::fill_walls,
              .record = &field->ghost_record(block),
              .walls = filled,
              .following = following});
    }
    using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
    Kokkos::parallel_for("halocline walls of a law", launched_at_once(Policy(execution(block), 0, kernel.boxes.work())),
                         kernel);
  }

  [[nodiscard]] static bool is_outer(Block const& block, int face) {
    return !block.neighbour(face / 2, face % 2 == 0 ? -1 : 1).has_value();
  }
  /// The ghosts beyond a face that star stencils read.
  [[nodiscard]] static IndexRange ghosts_beyond(Block const& block, int face, Field<Real> const& field) {
    auto const axis = static_cast<std::size_t>(face / 2);
    IndexRange const owned = field.owned(block);
    IndexRange const all = field.with_ghosts(block);
    IndexRange ghosts = owned;
    ghosts.begin[axis] = face % 2 == 0 ? all.begin[axis] : owned.end[axis];
    ghosts.end[axis] = face % 2 == 0 ? owned.begin[axis] : all.end[axis];
    return ghosts;
  }

  [[nodiscard]] static bool depends_on_time(LawWall const& wall) {
    bool depends = wall.where.depends_on_time();
    for (Expression const& value : wall.values) depends = depends || value.depends_on_time();
    return depends;
  }

  /// The deck's values for the ghosts beyond a face, on the block's device.
  [[nodiscard]] Ghosts given(double time, Block const& block, int face, IndexRange const& ghosts, int layers) {
    LawWall const& wall = walls_[static_cast<std::size_t>(face)];
    GivenStates& its = given_[block.local][static_cast<std::size_t>(face)];
    auto const size = static_cast<std::size_t>(ghosts.size());
    bool const is_new = !its.places.has_value();
    if (!is_new && (time == time_ || !depends_on_time(wall))) return ghosts_of(wall, its);
    if (is_new) {
      its.values = Array("given beyond a wall", (fields + 1) * size);
      its.places.emplace(execution(block), positions(block, ghosts, layers));
    }
    IndexRange const range = its.places->on_host().range();
    for (std::size_t n = 0; n <= fields; ++n) {
      Expression const& value = n < fields ? wall.values[n] : wall.where;
      if (!is_new && !value.depends_on_time()) continue;
      BlockView<Real> const to{its.values.data() + n * size, range.extent(0), range.extent(0) * range.extent(1)};
      static_cast<void>(evaluate(execution(block), value, time, *its.places, range, IndexRange{}, to));
    }
    require_states(time, block, wall, its);
    if (wall.kind == LawWallKind::inflow) its.fastest = fastest_of(block, ghosts_of(wall, its));
    return ghosts_of(wall, its);
  }
  [[nodiscard]] static Ghosts ghosts_of(LawWall const& wall, GivenStates const& its) {
    return {its.values.data(), its.places->on_host().range().size(), wall.gives_others};
  }

  [[nodiscard]] double fastest_of(Block const& block, Ghosts const& given) const {
    return largest("halocline fastest inflow", block, given.size,
                   equation::FastestGiven<Real, Law, Axes>{{law_}, given, difference_weights<Real>(*mesh_)});
  }
  [[nodiscard]] double fastest_of_ghosts(Block const& block, int face, Fields<Real> const& state) const {
    IndexRange const ghosts = ghosts_beyond(block, face, *state.front());
    equation::FastestGhost<Real, Law, Axes> kernel{
        {law_}, {}, equation::CellsOfBox(ghosts), difference_weights<Real>(*mesh_)};
    for (std::size_t n = 0; n < fields; ++n) kernel.field[n] = state[n]->view(block);
    return largest("halocline fastest beyond a wall", block, ghosts.size(), kernel);
  }
  template <class Kernel>
  [[nodiscard]] static double largest(char const* name, Block const& block, Index size, Kernel const& kernel) {
    double fastest = 0;
    using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
    Kokkos::parallel_reduce(name, launched_at_once(Policy(execution(block), 0, size)), kernel,
                            Kokkos::Max<double>(fastest));
    return std::max(fastest, 0.0);  // the reduction's start value, if there are no entries, is negative
  }

  /// Positions of the ghosts beyond a face.
  [[nodiscard]] BoxPositions positions(Block const& block, IndexRange const& ghosts, int layers) const {
    BoxPositions all;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      int const a = static_cast<int>(axis);
      std::vector<double> const places = mesh_->coordinates(block, a, Centring::cell, layers);
      Index const before = a < mesh_->dimensions() ? layers : 0;
      all.along[axis].assign(places.begin() + before + ghosts.begin[axis], places.begin() + before + ghosts.end[axis]);
    }
    return all;
  }

  /// Throws InputError if the deck gives no valid state.
  void require_states(double time, Block const& block, LawWall const& wall, GivenStates const& its) const {
    BoxPositions const& places = its.places->on_host();
    Index const size = places.range().size();
    equation::FirstBadGhost<Real, Law> const kernel{law_, ghosts_of(wall, its), wall.kind == LawWallKind::inflow};
    Index first = size;
    using Policy = Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>;
    Kokkos::parallel_reduce("halocline given beyond a wall", launched_at_once(Policy(execution(block), 0, size)),
                            kernel, Kokkos::Min<Index>(first));
    if (first >= size) return;
    IndexRange const range = places.range();
    std::array<double, 3> const at = places.at({first % range.extent(0), first / range.extent(0) % range.extent(1),
                                                first / (range.extent(0) * range.extent(1))});
    auto const require_finite = [&](Expression const& value) {
      if (!std::isfinite(static_cast<Real>(value(at[0], at[1], at[2], time))))
        throw_not_finite(wall.name, value, at, time);
    };
    require_finite(wall.where);
    for (Expression const& value : wall.values) require_finite(value);
    throw InputError(wall.name + ": the inflow state is not physical at (" + shortest_text(at[0]) + ", " +
                     shortest_text(at[1]) + ", " + shortest_text(at[2]) + "), time " + shortest_text(time));
  }

  std::shared_ptr<StructuredMesh const> mesh_;
  LawWalls walls_;
  Law law_;
  std::vector<std::array<GivenStates, 6>> given_;  ///< by Block::local
  double time_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace halocline
