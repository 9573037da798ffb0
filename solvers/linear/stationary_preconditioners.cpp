#include "solvers/linear/stationary_preconditioners.hpp"

#include "framework/operator/assemble.hpp"
#include "framework/operator/relaxation.hpp"

namespace halocline {

std::unique_ptr<Vector> inverse_diagonal(Operator const& a) {
  auto inverse = a.create_vector();
  if (!a.diagonal(*inverse)) throw UnsuitableOperator("the operator does not provide its diagonal");
  try {
    inverse->invert();
  } catch (SolveError const& error) {
    throw UnsuitableOperator(error.what());
  }
  return inverse;
}

namespace {

/// Calls make(); rethrows a failure as UnsuitableOperator.
template <class Make>
auto or_unsuitable(Make const& make) {
  try {
    return make();
  } catch (SolveError const& error) {
    throw UnsuitableOperator(error.what());
  }
}

}  // namespace

void GaussSeidelPreconditioner::prepare(Operator const& a) {
  static_cast<void>(inverse_diagonal(a));  // throws if a relaxation would divide by zero
  of_matrix_.reset();
  relaxation_ = a.relaxation();
  if (AssembledMatrix const* const matrix = a.matrix()) {
    of_matrix_ = or_unsuitable([&] { return matrix->make_gauss_seidel(sweeps_); });
  } else if (relaxation_ == nullptr) {
    throw UnsuitableOperator("the operator does not support Gauss-Seidel relaxation");
  }
}

void GaussSeidelPreconditioner::apply(Vector const& r, Vector& z) {
  if (of_matrix_) return of_matrix_->apply(r, z);
  z.fill(0);
  for (int sweep = 0; sweep < sweeps_; ++sweep) {
    relaxation_->relax(true, r, z);
    relaxation_->relax(false, r, z);
  }
}

void IncompleteLuPreconditioner::prepare(Operator const& a) {
  factors_.reset();
  static_cast<void>(inverse_diagonal(a));  // throws if a pivot would be zero
  factors_ = or_unsuitable([&] {
    if (AssembledMatrix const* const matrix = a.matrix()) return matrix->make_incomplete_lu(fill_);
    return assemble(a)->matrix()->make_incomplete_lu(fill_);
  });
}

}  // namespace halocline
