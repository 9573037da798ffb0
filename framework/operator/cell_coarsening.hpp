#pragma once

#include <memory>

#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/coarsening.hpp"

namespace halocline {

/// The way between the cells of a mesh and those of its `coarsened()` one, for operators integrated over cells: the
/// residuals of a coarse cell's children add up, and all of them get its correction. For a physics that can discretise
/// any mesh, this and StencilOperator's `coarsening` are all that multigrid needs. All axes coarsen alike.
template <class Real>
class CellCoarsening final : public Coarsening {
 public:
  /// \param mesh   of `fine`
  /// \param fine   acts on all cells of `mesh`; outlives this object
  /// \param coarse acts on all cells of `mesh->coarsened()`
  CellCoarsening(std::shared_ptr<StructuredMesh const> mesh, Operator const& fine, std::unique_ptr<Operator> coarse);

  [[nodiscard]] Operator const& coarse() const override { return *coarse_; }
  void residual_restrict(Vector const& b, Vector const& x, Vector& coarse_b) const override;
  void restrict_to(Vector const& fine, Vector& coarse) const override;
  void prolong_add(Vector const& coarse_x, Vector& x) const override;

 private:
  std::shared_ptr<StructuredMesh const> mesh_;
  Operator const& fine_;
  std::unique_ptr<Operator> coarse_;
  std::unique_ptr<Vector> residual_;
};

extern template class CellCoarsening<float>;
extern template class CellCoarsening<double>;

}  // namespace halocline
