#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <memory>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/multigrid/cell_transfers.hpp"
#include "framework/multigrid/paired_cells.hpp"

namespace halocline {

/// Linear interpolation P from the nodes of a mesh of paired cells to those of the finer mesh, and its transpose, for
/// fields with any number of components. P reproduces functions that are linear along each axis everywhere, walls
/// included, on stretched meshes too: hence translations and linearised rotations of an elastic body (Trottenberg,
/// Oosterlee and Schüller, Multigrid, section 2.3.3).
template <class RealType>
class NodalTransfers {
 public:
  using Real = RealType;
  static constexpr Centring centring = Centring::node;
  [[nodiscard]] static PairedCells coarsened(StructuredMesh const& fine) { return paired_across_blocks(fine); }

  /// Fields have ghosts. Outside of the unknowns they are zero. Collective.
  NodalTransfers(std::shared_ptr<StructuredMesh const> fine, PairedCells const& coarse, ComponentBoxes fine_unknowns,
                 ComponentBoxes coarse_unknowns);

  /// coarse = P^T fine, at the coarse unknowns. Exchanges ghosts of `fine`.
  void restrict_to(Field<Real>& fine, Field<Real>& coarse) const;
  /// fine = fine + P coarse, at the fine unknowns. Exchanges ghosts of `coarse`.
  void prolong_add(Field<Real>& coarse, Field<Real>& fine) const;

 private:
  /// Along one axis of a block: nodes of the other mesh by local index, with their weights. A weight of zero is not
  /// read.
  struct AxisWeights {
    Kokkos::View<Index*, Memory> centre;       ///< the fine node at a coarse one
    Kokkos::View<Real*, Memory> below, above;  ///< of the fine nodes beside it
    Kokkos::View<Index*, Memory> first;        ///< the coarse node at or below a fine one
    Kokkos::View<Real*, Memory> lower, upper;  ///< of that node and the next
  };
  using BlockWeights = std::array<AxisWeights, 3>;
  [[nodiscard]] static AxisWeights axis_weights(StructuredMesh const& fine, PairedCells const& coarse,
                                                Block const& block, int axis);
  [[nodiscard]] static std::unique_ptr<Exchange> exchange_of(std::shared_ptr<StructuredMesh const> const& mesh,
                                                             std::size_t components);

  std::shared_ptr<StructuredMesh const> fine_, coarse_;
  ComponentBoxes fine_unknowns_, coarse_unknowns_;
  std::vector<BlockWeights> weights_;                      ///< by Block::local
  std::unique_ptr<Exchange> fine_ghosts_, coarse_ghosts_;  ///< null if no block has a neighbour
};

extern template class NodalTransfers<float>;
extern template class NodalTransfers<double>;

}  // namespace halocline
