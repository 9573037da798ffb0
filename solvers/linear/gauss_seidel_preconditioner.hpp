#pragma once

#include "solvers/linear/solver.hpp"

namespace halocline {

/// Symmetric Gauss-Seidel: sweeps through the colours of the operator, each there and back, from zero (Saad, Iterative
/// Methods for Sparse Linear Systems, 2nd edition, sections 4.1 and 12.4).
class GaussSeidelPreconditioner final : public Preconditioner {
 public:
  explicit GaussSeidelPreconditioner(int sweeps) : sweeps_(sweeps) {}
  void prepare(Operator const& a) override;
  void apply(Vector const& r, Vector& z) override;

 private:
  int sweeps_;
  Relaxation const* relaxation_ = nullptr;
};

}  // namespace halocline
