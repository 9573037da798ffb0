#pragma once

#include <type_traits>

#include "framework/field/block_view.hpp"
#include "framework/field/ghost_record.hpp"

namespace halocline {

/// The host's view of one component of a field on one block: the kernels' view, to which it converts, and the record of
/// its ghosts, against which sweeps check their functors. A view made from a BlockView has no record and is not
/// checked.
template <class Real>
struct FieldView : BlockView<Real> {
  using Record = std::conditional_t<std::is_const_v<Real>, GhostRecord const, GhostRecord>;
  Record* ghosts = nullptr;  ///< belongs to the memory; null: no record

  FieldView() = default;
  FieldView(BlockView<Real> const& view, Record* record = nullptr) : BlockView<Real>(view), ghosts(record) {}
  /// Read-only view of the same.
  template <class Other>
  requires(std::is_same_v<Other const, Real>) FieldView(FieldView<Other> const& view)
      : BlockView<Real>(view), ghosts(view.ghosts) {}

  [[nodiscard]] friend bool operator==(FieldView const& a, FieldView const& b) {
    return a.origin == b.origin && a.row == b.row && a.plane == b.plane && a.ghosts == b.ghosts;
  }
};

}  // namespace halocline
