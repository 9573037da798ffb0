#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <memory>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/coarsening.hpp"

namespace halocline {

/// Boxes of unknowns, by component, then Block::local.
using ComponentBoxes = std::vector<std::vector<IndexRange>>;

/// Linear interpolation P from the nodes of StructuredMesh::coarsened to those of a mesh, and its transpose, for fields
/// with any number of components. P reproduces functions that are linear along each axis everywhere, walls included, on
/// stretched meshes too: hence translations and linearised rotations of an elastic body (Trottenberg, Oosterlee and
/// Schüller, Multigrid, section 2.3.3).
template <class Real>
class NodalTransfers {
 public:
  /// Fields have ghosts. Outside of the unknowns they are zero. Collective.
  NodalTransfers(std::shared_ptr<StructuredMesh const> fine, std::shared_ptr<StructuredMesh const> coarse,
                 ComponentBoxes fine_unknowns, ComponentBoxes coarse_unknowns);

  /// coarse = P^T fine, at the coarse unknowns. Exchanges ghosts of `fine`.
  void restrict_to(Field<Real>& fine, Field<Real>& coarse) const;
  /// fine = fine + P coarse, at the fine unknowns. Exchanges ghosts of `coarse`.
  void prolong_add(Field<Real>& coarse, Field<Real>& fine) const;

 private:
  /// Weights along one axis of a block. Coarse node I lies at fine node min(2 I, cells); those between are `midpoints`.
  struct AxisWeights {
    Kokkos::View<Real*, Memory> below, above;  ///< of the midpoints beside coarse node I; 0: there is none
    Kokkos::View<Real*, Memory> lower, upper;  ///< of coarse nodes I and I + 1 at the midpoint between them
    Index cells;                               ///< of the fine block
  };
  using BlockWeights = std::array<AxisWeights, 3>;
  [[nodiscard]] static AxisWeights axis_weights(StructuredMesh const& fine, Block const& block, int axis);
  [[nodiscard]] static std::unique_ptr<Exchange> exchange_of(std::shared_ptr<StructuredMesh const> const& mesh,
                                                             std::size_t components);

  std::shared_ptr<StructuredMesh const> fine_, coarse_;
  ComponentBoxes fine_unknowns_, coarse_unknowns_;
  std::vector<BlockWeights> weights_;                      ///< by Block::local
  std::unique_ptr<Exchange> fine_ghosts_, coarse_ghosts_;  ///< null if no block has a neighbour
};

/// The coarsening of an operator on nodes by NodalTransfers.
template <class Real>
class NodalCoarsening final : public Coarsening {
 public:
  /// Collective.
  NodalCoarsening(NodalTransfers<Real> transfers, Operator const& fine, std::unique_ptr<Operator> coarse);

  [[nodiscard]] Operator const& coarse() const override { return *coarse_; }
  void residual_restrict(Vector const& b, Vector const& x, Vector& coarse_b) const override;
  void restrict_to(Vector const& fine, Vector& coarse) const override;
  void prolong_add(Vector const& coarse_x, Vector& x) const override;

 private:
  NodalTransfers<Real> transfers_;
  Operator const& fine_;
  std::unique_ptr<Operator> coarse_;
  std::unique_ptr<Vector> residual_;
};

extern template class NodalTransfers<float>;
extern template class NodalTransfers<double>;
extern template class NodalCoarsening<float>;
extern template class NodalCoarsening<double>;

}  // namespace halocline
