#pragma once

#include <memory>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/multigrid/paired_cells.hpp"

namespace halocline {

/// Boxes of unknowns, by component, then Block::local.
using ComponentBoxes = std::vector<std::vector<IndexRange>>;

/// All owned cells, for each of `components`.
[[nodiscard]] ComponentBoxes all_cells(StructuredMesh const& mesh, int components);

/// Transfers between the cells of a mesh and those that pairs of them within blocks make, for fields with any number of
/// components: P gives every cell the value of the coarse cell that it is part of, and its transpose adds up the parts
/// (Trottenberg, Oosterlee and Schüller, Multigrid, section 2.8.4). P is of first order only, which two relaxations on
/// each level make up for.
template <class RealType>
class CellTransfers {
 public:
  using Real = RealType;
  static constexpr Centring centring = Centring::cell;
  [[nodiscard]] static PairedCells coarsened(StructuredMesh const& fine) { return paired_within_blocks(fine); }

  /// Unknowns are all owned cells.
  CellTransfers(std::shared_ptr<StructuredMesh const> fine, PairedCells const& coarse,
                ComponentBoxes const& fine_unknowns, ComponentBoxes const& coarse_unknowns);

  /// coarse = P^T fine
  void restrict_to(Field<Real> const& fine, Field<Real>& coarse) const;
  /// fine = fine + P coarse
  void prolong_add(Field<Real> const& coarse, Field<Real>& fine) const;

 private:
  std::shared_ptr<StructuredMesh const> fine_, coarse_;
};

extern template class CellTransfers<float>;
extern template class CellTransfers<double>;

}  // namespace halocline
