#include "framework/operator/right_hand_side.hpp"

#include <limits>

#include "framework/field/field.hpp"
#include "framework/operator/expression_vector.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/log.hpp"

namespace halocline {
namespace {

/// If the maximum is smaller, entries of epsilon times the maximum are subnormal.
template <class Real>
constexpr double smallest_maximum = static_cast<double>(std::numeric_limits<Real>::min()) /
                                    static_cast<double>(std::numeric_limits<Real>::epsilon());

/// Whether the expression is zero on all unknowns, in double precision, too.
template <class Real>
bool is_zero(Expression const& source, std::string const& called, double time, Vector const& rounded) {
  if (source.is_constant()) return source(0, 0, 0, 0) == 0;
  if (rounded.maximum() != 0) return false;
  Field<Real> const& like = as_field_vector<Real>(rounded).field();
  FieldVector<double> exact(std::make_shared<Field<double>>(
      like.shared_mesh(), FieldDescription{.name = like.name(), .centring = like.centring()}));
  evaluate<double>(source, called, time, exact);
  return exact.maximum() == 0;
}

}  // namespace

void require_in_range(Vector const& x, std::string const& called) {
  bool const is_single = x.precision() == Precision::single;
  double const largest = x.maximum();
  if (largest >= (is_single ? smallest_maximum<float> : smallest_maximum<double>)) return;
  std::string const precision = is_single ? "single precision" : "double precision";
  std::string const advice = std::string("; ") + (is_single ? "use `precision: double`, or " : "") +
                             "scale the problem, for example by other units of length";
  if (largest == 0) throw SolveError(called + " is 0 everywhere in " + precision + ", and should not be" + advice);
  log_warning(called + " is close to the smallest number of " + precision + ", and loses digits" + advice);
}

void integrate_values(std::string const& called, bool zero, Vector const& volume, Vector& b) {
  b.multiply(b, volume);
  if (!zero) require_in_range(b, "`" + called + "`: the source times the volume of a cell");
}

template <class Real>
void integrate_source(Expression const& source, std::string const& called, double time, Vector const& volume,
                      Vector& b) {
  evaluate<Real>(source, called, time, b);
  integrate_values(called, is_zero<Real>(source, called, time, b), volume, b);
}

template void integrate_source<float>(Expression const&, std::string const&, double, Vector const&, Vector&);
template void integrate_source<double>(Expression const&, std::string const&, double, Vector const&, Vector&);

}  // namespace halocline
