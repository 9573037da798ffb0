#include "framework/operator/assemble.hpp"

#include <cmath>
#include <limits>

#include "framework/field/field.hpp"
#include "framework/operator/crs_operator.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

/// Whether both give the same product with a random vector, up to the rounding of sums in another order.
bool agree(Operator const& a, Operator const& matrix, double epsilon) {
  auto const x = a.create_vector();
  auto const y = a.create_vector();
  auto const expected = a.create_vector();
  x->randomize(1);
  a.apply(*x, *expected);
  matrix.apply(*x, *y);
  y->add(-1, *expected);
  double const most = 64 * epsilon * a.norm_bound();
  double const difference = y->maximum();
  if (!std::isfinite(most) || !std::isfinite(difference)) {
    throw SolveError("an operator with entries that are not finite cannot be assembled; check the coefficients");
  }
  return difference <= most;
}

template <class Real>
std::unique_ptr<Operator> assemble_in(Operator const& a, FieldVector<Real> const& vector) {
  for (int radius = 1; radius <= vector.field().ghosts(); ++radius) {
    auto matrix = std::make_unique<CrsOperator<Real>>(a, radius);
    if (agree(a, *matrix, static_cast<double>(std::numeric_limits<Real>::epsilon()))) return matrix;
  }
  throw SolveError("an operator whose rows reach beyond the ghosts of its vectors cannot be assembled");
}

}  // namespace

std::unique_ptr<Operator> assemble(Operator const& a) {
  auto const x = a.create_vector();
  if (auto const* vector = dynamic_cast<FieldVector<double> const*>(x.get())) return assemble_in(a, *vector);
  if (auto const* vector = dynamic_cast<FieldVector<float> const*>(x.get())) return assemble_in(a, *vector);
  throw SolveError("an operator that does not act on fields cannot be assembled");
}

}  // namespace halocline
