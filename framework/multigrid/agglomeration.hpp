#pragma once

#include <memory>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/grid/control_volume_grid.hpp"
#include "framework/operator/coarsening.hpp"

namespace halocline {

/// Gathers the values of a distributed grid on every rank, and copies them back. Every rank then works on the whole
/// small problem: no rank is idle or waits for another, and nothing has to be sent back.
template <class Real>
class Agglomeration {
 public:
  /// Collective over the grid's communicator.
  explicit Agglomeration(ControlVolumeGrid spread);

  [[nodiscard]] ControlVolumeGrid const& spread() const { return spread_; }
  [[nodiscard]] ControlVolumeGrid const& whole() const { return whole_; }
  /// Collective. whole = the values of `spread` on all ranks; at the upper end of each axis `extra` entries more than
  /// the unknowns.
  void gather(Field<Real> const& spread, Field<Real>& whole, Extents const& extra = {0, 0, 0}) const;
  /// The reverse, for the unknowns; without communication.
  void take(Field<Real> const& whole, Field<Real>& spread) const;

 private:
  /// A box of unknowns of one rank, in indices of the whole mesh.
  struct Part {
    int rank;
    IndexRange box;
  };
  ControlVolumeGrid spread_;
  ControlVolumeGrid whole_;
  std::vector<Part> parts_;
};

/// Coarsening whose coarse operator is the same one, on every rank.
template <class Real>
class AgglomeratedCoarsening final : public Coarsening {
 public:
  AgglomeratedCoarsening(Agglomeration<Real> agglomeration, Operator const& fine, std::unique_ptr<Operator> coarse);

  [[nodiscard]] Operator const& coarse() const override { return *coarse_; }
  void residual_restrict(Vector const& b, Vector const& x, Vector& coarse_b) const override;
  void restrict_to(Vector const& fine, Vector& coarse) const override;
  void prolong_add(Vector const& coarse_x, Vector& x) const override;

 private:
  Agglomeration<Real> agglomeration_;
  Operator const& fine_;
  std::unique_ptr<Operator> coarse_;
  std::unique_ptr<Vector> scratch_;  ///< of the fine space
};

extern template class Agglomeration<float>;
extern template class Agglomeration<double>;
extern template class AgglomeratedCoarsening<float>;
extern template class AgglomeratedCoarsening<double>;

}  // namespace halocline
