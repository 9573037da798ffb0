#include "solvers/linear/stationary_preconditioners.hpp"

#include <cmath>

#include "framework/operator/assemble.hpp"
#include "framework/operator/fused_passes.hpp"
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

void JacobiPreconditioner::prepare(Operator const& a) {
  blocks_ = a.point_blocks();
  inverse_diagonal_.reset();
  if (blocks_ == nullptr) {
    inverse_diagonal_ = inverse_diagonal(a);
    return;
  }
  auto const ones = a.create_vector();
  auto const found = a.create_vector();
  ones->fill(1);
  if (!std::isfinite(blocks_->solve(*ones, *found))) {
    throw UnsuitableOperator("the entries between the unknowns of some point are a singular block");
  }
}

void JacobiPreconditioner::apply(Vector const& r, Vector& z) {
  if (blocks_ == nullptr) return z.multiply(*inverse_diagonal_, r);
  static_cast<void>(blocks_->solve(r, z));
}

double JacobiPreconditioner::apply_dot(Vector const& r, Vector& z) {
  return blocks_ != nullptr ? blocks_->solve(r, z) : multiply_and_dot(z, *inverse_diagonal_, r);
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
