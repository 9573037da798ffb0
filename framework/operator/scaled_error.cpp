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

/// |error| / (absolute + relative max(|before|, |after|))
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
    double const size = old_size < new_size ? new_size : old_size;
    return {{}, {magnitude(error[here]) / (absolute + relative * size)}};
  }
};

template <class Real>
[[nodiscard]] double largest(Vector const& of_error, Vector const& of_before, Vector const& of_after,
                             ScaledError const& functor) {
  FieldVector<Real> const& error = as_field_vector<Real>(of_error);
  FieldVector<Real> const& before = as_field_vector<Real>(of_before);
  FieldVector<Real> const& after = as_field_vector<Real>(of_after);
  Mesh const& mesh = error.field().mesh();
  Reduction<Execution, Maximum> maximum;
  double all = 0;
  for (Block const& block : mesh.blocks()) {
    if (error.unknowns(block) != before.unknowns(block) || error.unknowns(block) != after.unknowns(block))
      throw DefectError("vectors with different unknowns cannot be combined");
    FieldView<Real const> const inputs[] = {error.field().view(block), before.field().view(block),
                                            after.field().view(block)};
    sweep_reduce(execution(block), error.unknowns(block), Geometry<double>{}, maximum, no_outputs, functor, inputs[0],
                 inputs[1], inputs[2]);
    all = larger(all, maximum.value());
  }
  return mesh.communicator().max(all);
}

}  // namespace

double largest_scaled_error(Vector const& error, Vector const& before, Vector const& after, double absolute,
                            double relative) {
  ScaledError const functor{absolute, relative};
  return error.precision() == Precision::single ? largest<float>(error, before, after, functor)
                                                : largest<double>(error, before, after, functor);
}

}  // namespace halocline
