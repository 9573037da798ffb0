#include "solvers/linear/gauss_seidel_preconditioner.hpp"

#include "solvers/linear/jacobi_preconditioner.hpp"

namespace halocline {

void GaussSeidelPreconditioner::prepare(Operator const& a) {
  if (a.colours() == 0) throw UnsuitableOperator("the operator has no order for Gauss-Seidel sweeps");
  static_cast<void>(inverse_diagonal(a));  // throws where a sweep would divide by zero
  a_ = &a;
}

void GaussSeidelPreconditioner::apply(Vector const& r, Vector& z) {
  z.fill(0);
  for (int sweep = 0; sweep < sweeps_; ++sweep) {
    a_->gauss_seidel_sweep(true, r, z);
    a_->gauss_seidel_sweep(false, r, z);
  }
}

}  // namespace halocline
