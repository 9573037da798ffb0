#pragma once

#include <memory>
#include <optional>

#include "framework/field/field.hpp"
#include "framework/mesh/point_set.hpp"
#include "physics/nbody/ring.hpp"
#include "physics/nbody/work_queue.hpp"

namespace halocline::nbody {

/// How the forces on a rank's bodies are distributed over its devices. even: each device computes those on its own
/// bodies while all others pass by in a ring; queue: it takes pieces from a queue.
enum class ForceSchedule { even, queue };

/// The mutual gravity of all bodies, on all blocks and ranks; the gravitational constant is 1. Sums over pairs are made
/// in the given units, and their results are in units of Units::acceleration() and Units::potential().
template <class Real>
class Gravity {
 public:
  /// \param softening a length, 0 or more
  Gravity(std::shared_ptr<PointSet const> points, double softening, ForceSchedule schedule = ForceSchedule::even,
          Units const& units = {}, Form form = forms().front());

  [[nodiscard]] Units const& units() const { return units_; }
  void set_units(Units const& units);

  /// Collective. Accelerations (three components) from positions (three) and masses. Enqueued on the blocks' streams.
  void accelerate(Field<Real> const& position, Field<Real> const& mass, Field<Real>& acceleration);
  /// Collective. The potential at each body, without its own contribution.
  void potential(Field<Real> const& position, Field<Real> const& mass, Field<Real>& potential);

 private:
  /// Calls `work(block, stage)` for each block at each stage of the ring.
  template <class Work>
  void for_each_stage(Field<Real> const& position, Field<Real> const& mass, Work const& work);
  /// Calls `work(block, pairs)` for each block with the bodies of each block.
  template <class Work>
  void for_all_pairs(Field<Real> const& position, Field<Real> const& mass, Work const& work);

  std::shared_ptr<PointSet const> points_;
  double length_;  ///< of softening
  Units units_;
  Real softening_;  ///< in units of length
  Form form_;
  Ring<Real> ring_;
  std::optional<WorkQueue<Real>> queue_;
};

extern template class Gravity<float>;
extern template class Gravity<double>;

}  // namespace halocline::nbody
