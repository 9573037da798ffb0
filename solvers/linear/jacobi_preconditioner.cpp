#include "solvers/linear/jacobi_preconditioner.hpp"

#include "framework/runtime/error.hpp"

namespace halocline {

std::unique_ptr<Vector> inverse_diagonal(Operator const& a) {
  auto inverse = a.create_vector();
  if (!a.diagonal(*inverse)) throw SolveError("the operator does not know its diagonal");
  inverse->invert();
  return inverse;
}

}  // namespace halocline
