#pragma once

#include <memory>

#include "framework/field/field.hpp"
#include "framework/mesh/point_set.hpp"
#include "physics/nbody/ring.hpp"

namespace halocline::nbody {

/// The gravity of all bodies on each other, on all blocks and ranks; the gravitational constant is 1.
template <class Real>
class Gravity {
 public:
  /// \param softening a length, 0 or more
  Gravity(std::shared_ptr<PointSet const> points, double softening, Form form = forms().front());

  /// Collective. Accelerations (three components) from positions (three) and masses. Enqueued on the blocks' streams.
  void accelerate(Field<Real> const& position, Field<Real> const& mass, Field<Real>& acceleration);
  /// Collective. The potential at each body, without its own.
  void potential(Field<Real> const& position, Field<Real> const& mass, Field<Real>& potential);

 private:
  /// Calls `work(block, attraction, stage)` for each block with the bodies of each block.
  template <class Work>
  void meet_all(Field<Real> const& position, Field<Real> const& mass, Work const& work);

  std::shared_ptr<PointSet const> points_;
  Real softening_;
  Form form_;
  Ring<Real> ring_;
};

extern template class Gravity<float>;
extern template class Gravity<double>;

}  // namespace halocline::nbody
