#include "physics/advection/advection_system.hpp"

#include <utility>

namespace halocline::advection {
namespace {

template <class Real>
BoundarySource<Real> walls_of(Discretisation const& discretisation) {
  return BoundarySource<Real>(
      discretisation.grid(), discretisation.description().conditions,
      [&](int axis, int side, Extents const& cell) { return discretisation.wall_weight(axis, side, cell); });
}

}  // namespace

template <class Real>
AdvectionSystem<Real>::AdvectionSystem(Discretisation const& discretisation, Options const& own, double start,
                                       Vector const& like)
    : VolumeSystem<Real>(discretisation.grid(), walls_of<Real>(discretisation), own, start, like),
      discretisation_(discretisation),
      rows_(assemble<Real>(discretisation)),
      peclet_(rows_->peclet),
      rate_(rows_->rate),
      is_solenoidal_(rows_->is_solenoidal) {}

template <class Real>
Operator const& AdvectionSystem<Real>::shifted(double scale) {
  if (shifted_ != nullptr && scale == scale_) return *shifted_;
  rows_.reset();
  Description description = discretisation_.description();
  description.scale = scale_ = scale;
  description.mass = 1;
  Discretisation const step(std::move(description));
  shifted_ = make_operator<Real>(step, assemble<Real>(step));
  return *shifted_;
}

template <class Real>
Operator const& AdvectionSystem<Real>::stiffness() {
  if (stiffness_ != nullptr) return *stiffness_;
  stiffness_ = make_operator<Real>(discretisation_, rows_ ? *rows_ : assemble<Real>(discretisation_));
  rows_.reset();
  return *stiffness_;
}

template class AdvectionSystem<float>;
template class AdvectionSystem<double>;

}  // namespace halocline::advection
