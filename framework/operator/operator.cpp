#include "framework/operator/operator.hpp"

#include <cmath>

#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

/// Steps of the power method behind the estimated norm; its result is doubled, being a lower bound.
constexpr int power_steps = 10;

}  // namespace

struct Operator::Scratch {
  std::unique_ptr<Vector> residual, inverse_diagonal;
};

void Coarsening::interpolate(Vector const& coarse_x, Vector& x) const {
  x.fill(0);
  prolong_add(coarse_x, x);
}

Operator::Operator() = default;
Operator::~Operator() = default;

Operator::Scratch& Operator::scratch() const {
  if (!scratch_) scratch_ = std::make_unique<Scratch>(Scratch{create_vector(), create_vector()});
  return *scratch_;
}

double Operator::residual(Vector const& b, Vector const& x, Vector& r) const {
  apply(x, r);
  r.combine(1, b, -1);
  return r.square();
}

double Operator::rounded_residual(double scale, Vector const& b, Vector const& x, Vector& r) const {
  Vector& exact = *scratch().residual;
  double const square = residual(b, x, exact);
  r.convert(exact, scale);
  return square;
}

double Operator::apply_dot(Vector const& x, Vector& y) const {
  apply(x, y);
  return x.dot(y);
}

double Operator::cg_step(double alpha, double beta, Vector const& z, Vector& x, std::unique_ptr<Vector>& p,
                         std::unique_ptr<Vector>& work) const {
  x.add(alpha, *p);
  p->combine(1, z, beta);
  return apply_dot(*p, *work);
}

double Operator::cg_residual(double alpha, Vector const&, Vector const& work, Vector& r) const {
  return r.add_and_square(-alpha, work);
}

bool Operator::diagonal(Vector&) const { return false; }

/// D^-1 (b - A x) into the scratch residual; returns the square of b - A x.
double Operator::scaled_residual(Vector const& b, Vector const& x) const {
  auto& [r, inverse] = scratch();
  if (!diagonal(*inverse)) throw SolveError("the operator does not know its diagonal");
  inverse->invert();
  double const square = residual(b, x, *r);
  r->multiply(*inverse, *r);
  return square;
}

void Operator::start_jacobi_step(int slot, double weight, Vector const& b, Vector const& x, Vector& x_new) const {
  double const square = scaled_residual(b, x);
  Vector const& step = *scratch().residual;
  x_new.copy(x);
  x_new.add(weight, step);
  squares_[slot] = {.change = weight * weight * step.square(), .residual = square};
}

JacobiSquares Operator::jacobi_squares(int slot) const { return squares_[slot]; }

void Operator::start_cg(double) const { throw DefectError("the operator cannot enqueue conjugate gradients ahead"); }
void Operator::start_cg_step(int, Vector&, std::unique_ptr<Vector>&, std::unique_ptr<Vector>&, Vector&) const {
  throw DefectError("the operator cannot enqueue conjugate gradients ahead");
}
CgSquares Operator::cg_squares(int) const {
  throw DefectError("the operator cannot enqueue conjugate gradients ahead");
}

std::span<CgSquares const> Operator::take_cg_steps(CgBounds const&, Vector&, Vector&, Vector&) const { return {}; }

void Operator::chebyshev_step(ChebyshevCoefficients coefficients, Vector const& b, Vector const& x, Vector& d,
                              Vector& x_new) const {
  scaled_residual(b, x);
  if (coefficients.direction == 0) d.fill(0);
  d.combine(coefficients.residual, *scratch().residual, coefficients.direction);
  x_new.copy(x);
  x_new.add(1, d);
}

void Operator::gauss_seidel_sweep(bool, Vector const&, Vector&) const {
  throw SolveError("the operator has no order for Gauss-Seidel sweeps");
}

std::unique_ptr<Operator> Operator::in_single_precision() const { return nullptr; }

std::unique_ptr<Coarsening> Operator::coarsen() const { return nullptr; }

double Operator::norm_bound() const {
  auto const x = create_vector();
  auto const y = create_vector();
  x->randomize(1);
  double norm = 0;
  for (int n = 0; n < power_steps; ++n) {
    double const length = std::sqrt(x->square());
    if (length == 0) return 0;
    apply(*x, *y);
    norm = std::sqrt(y->square()) / length;
    if (!std::isfinite(norm) || norm == 0) return norm;
    x->copy(*y);
    x->scale(1 / (norm * length));
  }
  return 2 * norm;
}

}  // namespace halocline
