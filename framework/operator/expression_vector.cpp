#include "framework/operator/expression_vector.hpp"

#include <cmath>

#include "framework/field/field.hpp"
#include "framework/operator/field_vector.hpp"

namespace halocline {

template <class Real>
void evaluate(Expression const& expression, std::string const& called, double time, Vector& x) {
  if (expression.is_constant()) {
    x.fill(expression(0, 0, 0, 0));
    return;
  }
  // By way of another vector: filling a field writes more than its unknowns.
  auto const everywhere = x.create();
  as_field_vector<Real>(*everywhere).field().fill(expression, time, 0, "`" + called + "`");
  x.copy(*everywhere);
}

template <class Real>
ErrorNorms error_norms(Vector const& u, Expression const& exact, std::string const& called, double time,
                       Vector const& weight) {
  auto const error = u.create();
  auto const work = u.create();
  evaluate<Real>(exact, called, time, *error);
  error->add(-1, u);
  double const maximum = error->maximum();
  double const square = work->multiply_and_dot(weight, *error);
  work->fill(1);
  return {std::sqrt(square / work->dot(weight)), maximum};
}

template void evaluate<float>(Expression const&, std::string const&, double, Vector&);
template void evaluate<double>(Expression const&, std::string const&, double, Vector&);
template ErrorNorms error_norms<float>(Vector const&, Expression const&, std::string const&, double, Vector const&);
template ErrorNorms error_norms<double>(Vector const&, Expression const&, std::string const&, double, Vector const&);

}  // namespace halocline
