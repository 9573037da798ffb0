#include "framework/operator/scaled_error.hpp"

#include "framework/field/field.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/operator/field_vector.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/nan_aware.hpp"

namespace halocline {
namespace {

/// |error| / (absolute + relative max(|before|, |after|)), zero for a zero error
struct ScaledError {
  static constexpr Shape shape = point;
  double absolute;
  double relative;
  template <class P, class E, class B, class A>
  KOKKOS_FORCEINLINE_FUNCTION Result<double, 0, 1> operator()(P const&, E const& error, B const& before,
                                                              A const& after) const {
    auto const magnitude = [](double x) { return x < 0 ? -x : x; };
    double const old_size = magnitude(before[here]);
    double const new_size = magnitude(after[here]);
    double const size = old_size > new_size || old_size != old_size ? old_size : new_size;
    double const of_error = magnitude(error[here]);
    return {{}, {of_error == 0 ? 0 : of_error / (absolute + relative * size)}};
  }
};

template <class Real>
[[nodiscard]] double largest(Vector const& of_error, Vector const& of_before, Vector const& of_after, double absolute,
                             double relative) {
  FieldVector<Real> const& error = as_field_vector<Real>(of_error);
  FieldVector<Real> const& before = as_field_vector<Real>(of_before);
  FieldVector<Real> const& after = as_field_vector<Real>(of_after);
  if (error.unknowns() != before.unknowns() || error.unknowns() != after.unknowns())
    throw DefectError("vectors with different unknowns cannot be combined");
  Mesh const& mesh = error.field().mesh();
  return mesh.communicator().max(
      scaled_error_of_rank<Real>(error.field(), before.field(), after.field(), error.unknowns(), absolute, relative));
}

}  // namespace

template <class Real>
double scaled_error_of_rank(Field<Real> const& error, Field<Real> const& before, Field<Real> const& after,
                            std::span<IndexRange const> entries, double absolute, double relative) {
  double all = 0;
  for (Block const& block : error.mesh().blocks()) {
    Reduction<Execution, Maximum> maximum;
    sweep_reduce(execution(block), entries[block.local], Geometry<double>{}, maximum, no_outputs,
                 ScaledError{absolute, relative}, error.view(block), before.view(block), after.view(block));
    all = larger(all, maximum.value());
  }
  return all;
}

double largest_scaled_error(Vector const& error, Vector const& before, Vector const& after, double absolute,
                            double relative) {
  return error.precision() == Precision::single ? largest<float>(error, before, after, absolute, relative)
                                                : largest<double>(error, before, after, absolute, relative);
}

template double scaled_error_of_rank<float>(Field<float> const&, Field<float> const&, Field<float> const&,
                                            std::span<IndexRange const>, double, double);
template double scaled_error_of_rank<double>(Field<double> const&, Field<double> const&, Field<double> const&,
                                             std::span<IndexRange const>, double, double);

}  // namespace halocline
