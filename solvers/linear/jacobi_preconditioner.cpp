#include "solvers/linear/jacobi_preconditioner.hpp"

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

}  // namespace halocline
