#include "physics/nbody/gravity.hpp"

#include <cmath>

#include "framework/mesh/execution.hpp"
#include "framework/runtime/devices.hpp"

namespace halocline::nbody {

template <class Real>
Gravity<Real>::Gravity(std::shared_ptr<PointSet const> points, double softening, ForceSchedule schedule,
                       Units const& units, Form form)
    : points_(std::move(points)), length_(softening), form_(form), ring_(points_) {
  set_units(units);
  if (schedule == ForceSchedule::queue) queue_.emplace(points_);
}

template <class Real>
void Gravity<Real>::set_units(Units const& units) {
  units_ = units;
  softening_ = static_cast<Real>(std::ldexp(length_, -units.length));
}

template <class Real>
template <class Work>
void Gravity<Real>::for_each_stage(Field<Real> const& position, Field<Real> const& mass, Work const& work) {
  CurrentDevice const current;
  ring_.start(position, mass, units_);
  for (Index stage = 0; stage < ring_.stages(); ++stage) {
    ring_.start_pass(stage);
    for (Block const& block : points_->blocks()) work(block, stage);
    ring_.finish_pass(stage);
  }
}

template <class Real>
template <class Work>
void Gravity<Real>::for_all_pairs(Field<Real> const& position, Field<Real> const& mass, Work const& work) {
  for_each_stage(position, mass, [&](Block const& block, Index stage) {
    Index const targets = points_->points_of(block.id);
    if (targets == 0) return;
    work(block, Pairs<Real>{ring_.own(block), targets, ring_.sources(block, stage), ring_.count(block, stage),
                            softening_, stage > 0, stage == 0 ? 0 : Pairs<Real>::nowhere});
  });
}

template <class Real>
void Gravity<Real>::accelerate(Field<Real> const& position, Field<Real> const& mass, Field<Real>& acceleration) {
  if (queue_) {
    for_each_stage(position, mass, [&](Block const& block, Index stage) {
      using From = Kokkos::View<Source<Real> const*, Memory, Kokkos::MemoryUnmanaged>;
      using To = Kokkos::View<Source<Real>*, Memory, Kokkos::MemoryUnmanaged>;
      auto const count = static_cast<std::size_t>(ring_.count(block, stage));
      Index const first = points_->global_owned(ring_.block_at(block, stage), Centring::cell).begin[0];
      Kokkos::deep_copy(execution(block), To(queue_->all(block) + first, count),
                        From(ring_.sources(block, stage), count));
    });
    return queue_->accelerate(softening_, form_, acceleration);
  }
  for_all_pairs(position, mass, [&](Block const& block, Pairs<Real> const& pairs) {
    Attraction<Real> attraction{pairs, {}};
    for (int axis = 0; axis < 3; ++axis)
      attraction.acceleration[static_cast<std::size_t>(axis)] = acceleration.view(block, axis).origin;
    sum_pairs_until_stopped(execution(block), attraction, form_);
  });
}

template <class Real>
void Gravity<Real>::potential(Field<Real> const& position, Field<Real> const& mass, Field<Real>& potential) {
  for_all_pairs(position, mass, [&](Block const& block, Pairs<Real> const& pairs) {
    sum_pairs_until_stopped(execution(block), Potential<Real>{pairs, potential.view(block).origin}, form_);
  });
}

template class Gravity<float>;
template class Gravity<double>;

}  // namespace halocline::nbody
