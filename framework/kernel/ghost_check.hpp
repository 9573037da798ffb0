#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <typeinfo>
#include <utility>

#include "framework/field/field_view.hpp"
#include "framework/kernel/stencil.hpp"
#include "framework/kernel/views.hpp"

// Checks that the ghosts within a functor's shape exist and are valid. The host checks each sweep of fields before it
// enqueues work; kernels are not affected.

namespace halocline::kernel {

/// A shape as functors declare it, as text.
[[nodiscard]] std::string describe(Shape const& shape);

/// Ghost record of a field that a sweep reads; null for a view without one.
using ReadGhosts = GhostRecord const*;

/// Throws PhysicsError, naming functor, field and face, where a sweep over `range` would read outside a field's ghosts
/// or read ghosts that are not valid. `shapes`: one for each input.
void require_valid_reads(IndexRange const& range, std::type_info const& functor, std::span<ReadGhosts const> inputs,
                         Shape const* shapes);
/// Throws PhysicsError where the sweep would write outside a field's ghosts.
void require_room(IndexRange const& range, std::type_info const& functor, std::span<GhostRecord* const> outputs);
/// Records that the sweep wrote its outputs.
void note_writes(IndexRange const& range, std::type_info const& functor, std::span<GhostRecord* const> outputs);

template <class View>
inline constexpr bool knows_ghosts = requires(View const& view) {
  view.ghosts;
};

/// Ghost records of a sweep's outputs.
template <class OutputViews>
[[nodiscard]] auto records_of_outputs([[maybe_unused]] OutputViews const& out) {
  if constexpr (!knows_ghosts<OutputViews>) {
    return std::array<GhostRecord*, 0>{};
  } else if constexpr (requires { OutputViews::count; }) {
    return std::to_array(out.ghosts);
  } else {
    return std::array<GhostRecord*, 1>{out.ghosts};
  }
}

template <class Functor, class... In>
void check_reads([[maybe_unused]] IndexRange const& range, [[maybe_unused]] In const&... in) {
  if constexpr ((false || ... || knows_ghosts<In>)) {
    [&]<int... N>(std::integer_sequence<int, N...>) {
      static constexpr Shape shapes[] = {shape_of_input<Functor>(N)...};
      ReadGhosts const inputs[] = {ghosts_of(in)...};
      require_valid_reads(range, typeid(Functor), inputs, shapes);
    }
    (std::make_integer_sequence<int, static_cast<int>(sizeof...(In))>());
  }
}

}  // namespace halocline::kernel
