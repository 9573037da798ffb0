#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "framework/field/field.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/runtime/device_copy.hpp"
#include "physics/nbody/attraction.hpp"

namespace halocline::nbody {

/// Computes the forces on a rank's bodies in pieces; a device takes the next piece when it has finished one, which
/// balances devices of unequal speed. Every device holds the bodies of all ranks. Pieces depend only on the numbers of
/// bodies and blocks, and each is computed in one go, so that no bit depends on which device computes which piece.
template <class Real>
class WorkQueue {
 public:
  explicit WorkQueue(std::shared_ptr<PointSet const> points);
  ~WorkQueue();
  WorkQueue(WorkQueue const&) = delete;
  WorkQueue& operator=(WorkQueue const&) = delete;

  /// A block's copy of all bodies, by their index.
  [[nodiscard]] Source<Real>* all(Block const& block) { return places_[block.local].all.data(); }
  /// Accelerations of this rank's bodies from all bodies, of which each block has a copy. Returns when the last piece,
  /// and its copy to the block that owns the bodies, are enqueued.
  void accelerate(Real softening, Form form, Field<Real>& acceleration);

 private:
  /// A range of the bodies of one block.
  struct Piece {
    std::size_t block;
    Index first;  ///< index within the block
    Index count;
    Index place;  ///< index of the first within the rank
  };
  struct Place {
    Kokkos::View<Source<Real>*, Memory> all;
    Kokkos::View<Real*, Memory> result;  ///< x of the rank's bodies, then y and z; used for bodies of other blocks
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
