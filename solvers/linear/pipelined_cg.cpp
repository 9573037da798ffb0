#include "solvers/linear/pipelined_cg.hpp"

#include <utility>

namespace halocline {

namespace {

constexpr Index oldest = 50;

}  // namespace

PipelinedCg::PipelinedCg(Criteria criteria, std::unique_ptr<Preconditioner> preconditioner)
    : SingleReductionCg("cg, hidden reductions", criteria, std::move(preconditioner)) {}

void PipelinedCg::make_vectors(Operator const& a) {
  SingleReductionCg::make_vectors(a);
  n_ = a.create_vector();
  z_ = a.create_vector();
  if (!has_preconditioner()) return;
  m_ = a.create_vector();
  q_ = a.create_vector();
}

void PipelinedCg::resume(Operator const& a) {
  apply_to_residual(a);
  age_ = 0;
  if (!has_direction()) return;
  a.apply(*p_, *s_);
  a.apply(preconditioned(*s_, q_), *z_);
}

PipelinedCg::Products PipelinedCg::find_products(ResidualSolve const& solve, Operator const& a, Vector const& x) {
  if (age_ == oldest) resume(a);
  ++age_;
  PendingSum sums = start_products(solve, x);
  a.apply(preconditioned(*w_, m_), *n_);
  return products_of(sums.finish());
}

void PipelinedCg::step(double alpha, double beta, Vector& x) {
  SingleReductionCg::step(alpha, beta, x);
  if (has_preconditioner()) {
    renew_direction(*q_, *m_, beta);
    u_->add(-alpha, *q_);
  }
  renew_direction(*z_, *n_, beta);
  w_->add(-alpha, *z_);
}

}  // namespace halocline
