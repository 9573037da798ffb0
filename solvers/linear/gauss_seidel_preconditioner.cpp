#include "solvers/linear/gauss_seidel_preconditioner.hpp"

#include "framework/operator/relaxation.hpp"
#include "solvers/linear/jacobi_preconditioner.hpp"

namespace halocline {

void GaussSeidelPreconditioner::prepare(Operator const& a) {
  if (a.relaxation() == nullptr) throw UnsuitableOperator("the operator has no order for Gauss-Seidel sweeps");
  static_cast<void>(inverse_diagonal(a));  // throws where a sweep would divide by zero
  relaxation_ = a.relaxation();
}

void GaussSeidelPreconditioner::apply(Vector const& r, Vector& z) {
  z.fill(0);
  for (int sweep = 0; sweep < sweeps_; ++sweep) {
    relaxation_->relax(true, r, z);
    relaxation_->relax(false, r, z);
  }
}

}  // namespace halocline
