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
Discretisation AdvectionSystem<Real>::with(Terms terms) const {
  Description description = discretisation_.description();
  description.terms = terms;
  return Discretisation(std::move(description));
}

template <class Real>
void AdvectionSystem<Real>::split() {
  Discretisation const transport = with(Terms::transport);
  Rows<Real> const rows = assemble<Real>(transport);
  transport_rate_ = rows.rate;
  solved_ = Terms::diffusion;
  if (rows.rate == 0) return;
  transport_ = make_operator<Real>(transport, rows);
  this->split_walls(walls_of<Real>(with(Terms::diffusion)), walls_of<Real>(transport));
}

template <class Real>
Operator const& AdvectionSystem<Real>::shifted(double scale) {
  if (shifted_ != nullptr && scale == scale_) return *shifted_;
  rows_.reset();
  Description description = discretisation_.description();
  description.terms = solved_;
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
