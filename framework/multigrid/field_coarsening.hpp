#pragma once

#include <memory>
#include <vector>

#include "framework/mesh/index_range.hpp"
#include "framework/multigrid/cell_transfers.hpp"
#include "framework/multigrid/nodal_transfers.hpp"
#include "framework/operator/coarsening.hpp"

namespace halocline {

/// The coarsening of an operator by transfers between fields with any number of components.
template <class Transfers>
class FieldCoarsening final : public Coarsening {
 public:
  /// Collective.
  FieldCoarsening(Transfers transfers, Operator const& fine, std::unique_ptr<Operator> coarse);

  [[nodiscard]] Operator const& coarse() const override { return *coarse_; }
  void residual_restrict(Vector const& b, Vector const& x, Vector& coarse_b) const override;
  void restrict_to(Vector const& fine, Vector& coarse) const override;
  void prolong_add(Vector const& coarse_x, Vector& x) const override;

 private:
  Transfers transfers_;
  Operator const& fine_;
  std::unique_ptr<Operator> coarse_;
  std::unique_ptr<Vector> residual_;
};

extern template class FieldCoarsening<NodalTransfers<float>>;
extern template class FieldCoarsening<NodalTransfers<double>>;
extern template class FieldCoarsening<CellTransfers<float>>;
extern template class FieldCoarsening<CellTransfers<double>>;

}  // namespace halocline
