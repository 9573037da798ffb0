#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/runtime/device_copy.hpp"
#include "physics/nbody/attraction.hpp"

namespace halocline::nbody {

/// The forces on the bodies of a rank by pieces, of which each device gets another one when it is done with the one
/// before: for devices of unequal speed. Every device has the bodies of all ranks for it. Pieces follow from the
/// numbers of bodies and blocks alone, and each is computed in one go, so that it does not matter to a bit who gets
/// which.
template <class Real>
class WorkQueue {
 public:
  explicit WorkQueue(std::shared_ptr<PointSet const> points);
  ~WorkQueue();
  WorkQueue(WorkQueue const&) = delete;
  WorkQueue& operator=(WorkQueue const&) = delete;

  /// Where a block keeps all bodies, by their number.
  [[nodiscard]] Source<Real>* all(Block const& block) { return places_[block.local].all.data(); }
  /// Accelerations of this rank's bodies from those of all, which each of its blocks has. Returns when the last piece
  /// is enqueued, and its way to the block whose bodies they are.
  void accelerate(Real softening, Form form, Field<Real>& acceleration);

 private:
  /// Some bodies of one block.
  struct Piece {
    std::size_t block;
    Index first;  ///< among those of the block
    Index count;
    Index place;  ///< of the first among those of the rank
  };
  struct Place {
    Kokkos::View<Source<Real>*, Memory> all;
    Kokkos::View<Real*, Memory> result;  ///< x of the rank's bodies, then y and z, as far as they are of other blocks
    std::vector<DeviceCopy> copies;      ///< to each block
  };
  void enqueue(Block const& by, Piece const& piece, Real softening, Form form, Field<Real>& acceleration);
  void bring_home(Block const& by, Piece const& piece, Field<Real>& acceleration);
  [[nodiscard]] Real* result(Block const& by, Piece const& piece, int axis) {
    return places_[by.local].result.data() + axis * bodies_ + piece.place;
  }

  std::shared_ptr<PointSet const> points_;
  Index bodies_ = 0;  ///< of this rank
  std::vector<Piece> pieces_;
  std::deque<Place> places_;  ///< by Block::local
};

extern template class WorkQueue<float>;
extern template class WorkQueue<double>;

}  // namespace halocline::nbody
