#include "framework/operator/probing.hpp"

#include "framework/field/field.hpp"
#include "framework/kernel/sweep.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/structured_mesh.hpp"
#include "framework/operator/block_geometry.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

namespace probing {

struct ColourTest {
  AxisColouring axes[3];
  Index colour[3];
  template <class P>
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(P const& at) const {
    return axes[0].colour(at.index(0)) == colour[0] && axes[1].colour(at.index(1)) == colour[1] &&
           axes[2].colour(at.index(2)) == colour[2];
  }
};

/// One at the points of a colour, zero elsewhere.
template <class Real>
struct Indicator {
  static constexpr Shape shape = point;
  ColourTest matches;
  template <class P>
  KOKKOS_FORCEINLINE_FUNCTION Real operator()(P const& at) const {
    return matches(at) ? Real{1} : Real{0};
  }
};

inline ColourTest colour_test(std::array<AxisColouring, 3> const& axes, Extents const& colour) {
  return {{axes[0], axes[1], axes[2]}, {colour[0], colour[1], colour[2]}};
}

}  // namespace probing

AxisColouring colour_axis(Index points, int radius, bool periodic) {
  Index const period = 2 * Index{radius} + 1;
  if (points <= period) return {0, points, points};
  if (!periodic) return {0, period, period};
  Index const longer = points % period;
  if (longer * (period + 1) > points) return {0, points, points};
  return {longer * (period + 1), period, longer > 0 ? period + 1 : period};
}

template <class Real>
Probe<Real>::Probe(Operator const& a, int radius) : a_(a), unit_(a.create_vector()), column_(a.create_vector()) {
  Field<Real> const& field = as_field_vector<Real>(*unit_).field();
  mesh_ = dynamic_cast<StructuredMesh const*>(&field.mesh());
  if (mesh_ == nullptr) throw DefectError("probing needs a structured mesh");
  Extents const extents = mesh_->extents(field.centring());
  for (int axis = 0; axis < 3; ++axis) {
    auto const at = static_cast<std::size_t>(axis);
    bool const periodic = axis < mesh_->dimensions() && mesh_->periodic(axis);
    axes_[at] = axis < mesh_->dimensions() ? colour_axis(extents[at], radius, periodic) : AxisColouring{};
  }
}

template <class Real>
Extents Probe<Real>::colour(Index n) const {
  return {n % axes_[0].colours, n / axes_[0].colours % axes_[1].colours, n / (axes_[0].colours * axes_[1].colours)};
}

template <class Real>
FieldVector<Real> const& Probe<Real>::apply(Index n) {
  auto const& unit = as_field_vector<Real>(*unit_);
  probing::Indicator<Real> const indicator{probing::colour_test(axes_, colour(n))};
  for (Block const& block : mesh_->blocks()) {
    BlockGeometry<Real> const at(*mesh_, block, unit.field().centring());
    sweep(execution(block), unit.unknowns(block), at.geometry(), unit.field().view(block), indicator);
  }
  a_.apply(*unit_, *column_);
  return as_field_vector<Real>(*column_);
}

template class Probe<float>;
template class Probe<double>;

}  // namespace halocline
