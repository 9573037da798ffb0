#pragma once

#include <type_traits>

#include "framework/field/block_view.hpp"
#include "framework/field/ghost_record.hpp"

namespace halocline {

/// What a host sees of one component of a field on one block: the view that kernels get, into which it turns by itself,
/// and what is known of the ghosts. Sweeps hold their functors to that. One made of a BlockView knows nothing, and
/// nothing is checked.
template <class Real>
struct FieldView : BlockView<Real> {
  using Record = std::conditional_t<std::is_const_v<Real>, GhostRecord const, GhostRecord>;
  Record* ghosts = nullptr;  ///< travels with the memory; null: not known

  FieldView() = default;
  FieldView(BlockView<Real> const& view, Record* record = nullptr) : BlockView<Real>(view), ghosts(record) {}
  /// Reading view of the same.
  template <class Other>
  requires(std::is_same_v<Other const, Real>) FieldView(FieldView<Other> const& view)
      : BlockView<Real>(view), ghosts(view.ghosts) {}

  [[nodiscard]] friend bool operator==(FieldView const& a, FieldView const& b) {
    return a.origin == b.origin && a.row == b.row && a.plane == b.plane && a.ghosts == b.ghosts;
  }
};

}  // namespace halocline
