#include "physics/nbody/gravity.hpp"

#include "framework/mesh/execution.hpp"

namespace halocline::nbody {

template <class Real>
Gravity<Real>::Gravity(std::shared_ptr<PointSet const> points, double softening, Form form)
    : points_(points), softening_(static_cast<Real>(softening)), form_(form), ring_(std::move(points)) {}

template <class Real>
template <class Work>
void Gravity<Real>::meet_all(Field<Real> const& position, Field<Real> const& mass, Work const& work) {
  ring_.start(position, mass);
  for (Index stage = 0; stage < ring_.stages(); ++stage) {
    ring_.start_pass(stage);
    for (Block const& block : points_->blocks()) {
      Index const targets = points_->points_of(block.id);
      Index const sources = ring_.count(block, stage);
      if (targets == 0) continue;
      work(block, Attraction<Real>{
                      ring_.own(block), targets, ring_.sources(block, stage), sources, softening_, {}, stage > 0});
    }
    ring_.finish_pass(stage);
  }
}

template <class Real>
void Gravity<Real>::accelerate(Field<Real> const& position, Field<Real> const& mass, Field<Real>& acceleration) {
  meet_all(position, mass, [&](Block const& block, Attraction<Real> attraction) {
    for (int axis = 0; axis < 3; ++axis)
      attraction.acceleration[static_cast<std::size_t>(axis)] = acceleration.view(block, axis).origin;
    attract(execution(block), attraction, form_);
  });
}

template <class Real>
void Gravity<Real>::potential(Field<Real> const& position, Field<Real> const& mass, Field<Real>& potential) {
  potential.fill(0);
  meet_all(position, mass, [&](Block const& block, Attraction<Real> const& attraction) {
    add_potential(execution(block), attraction, potential.view(block).origin);
  });
}

template class Gravity<float>;
template class Gravity<double>;

}  // namespace halocline::nbody
