#include "solvers/linear/stationary_preconditioners.hpp"

#include "framework/operator/relaxation.hpp"

namespace halocline {

std::unique_ptr<Vector> inverse_diagonal(Operator const& a) {
  auto inverse = a.create_vector();
  if (!a.diagonal(*inverse)) throw UnsuitableOperator("the operator does not know its diagonal");
  try {
    inverse->invert();
  } catch (SolveError const& error) {
    throw UnsuitableOperator(error.what());
  }
  return inverse;
}

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
