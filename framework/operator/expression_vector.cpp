#include "framework/operator/expression_vector.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <span>
#include <type_traits>

#include "framework/field/field.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/operator/fused_passes.hpp"
#include "framework/runtime/log.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {

namespace {

template <class Real>
bool has_all_owned(FieldVector<Real> const& x) {
  std::span<Block const> const blocks = x.field().mesh().blocks();
  return std::all_of(blocks.begin(), blocks.end(),
                     [&](Block const& block) { return x.unknowns(block) == x.field().owned(block); });
}

/// Warns, once for each name, if all values are zero in single precision but not in double.
void warn_if_lost(Expression const& expression, std::string const& called, double time, Vector const& x) {
  Field<float> const& single = as_field_vector<float>(x).field();
  auto const exact = std::make_shared<Field<double>>(single.shared_mesh(), single.description());
  exact->fill(expression, time, 0, "`" + called + "`");
  double const largest = FieldVector<double>(exact, as_field_vector<float>(x).unknowns()).maximum();
  static std::set<std::string> warned;
  if (largest == 0 || !warned.insert(called).second) return;
  log_warning("`" + called + "`: no value of '" + expression.text() + "' is above " + shortest_text(largest) +
              ", and in single precision all are 0; scale the problem, or use `precision: double`");
}

}  // namespace

template <class Real>
void evaluate(Expression const& expression, std::string const& called, double time, Vector& x) {
  if (expression.is_constant()) {
    x.fill(expression(0, 0, 0, 0));
    return;
  }
  FieldVector<Real> const& vector = as_field_vector<Real>(x);
  if (has_all_owned(vector)) {
    vector.field().fill_owned(expression, time, 0, "`" + called + "`");
  } else {
    // Uses another vector, since filling a field writes more than the unknowns, and all its values must be finite.
    auto const everywhere = x.create();
    as_field_vector<Real>(*everywhere).field().fill_owned(expression, time, 0, "`" + called + "`");
    x.copy(*everywhere);
  }
  if (std::is_same_v<Real, float> && x.maximum() == 0) warn_if_lost(expression, called, time, x);
}

template <class Real>
ErrorNorms error_norms(Vector const& u, Expression const& exact, std::string const& called, double time,
                       Vector const& weight) {
  auto const error = u.create();
  auto const work = u.create();
  evaluate<Real>(exact, called, time, *error);
  error->add(-1, u);
  double const maximum = error->maximum();
  double const square = multiply_and_dot(*work, weight, *error);
  work->fill(1);
  return {std::sqrt(square / work->dot(weight)), maximum};
}

template void evaluate<float>(Expression const&, std::string const&, double, Vector&);
template void evaluate<double>(Expression const&, std::string const&, double, Vector&);
template ErrorNorms error_norms<float>(Vector const&, Expression const&, std::string const&, double, Vector const&);
template ErrorNorms error_norms<double>(Vector const&, Expression const&, std::string const&, double, Vector const&);

}  // namespace halocline
