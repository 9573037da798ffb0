#include "physics/nbody/work_queue.hpp"

#include <algorithm>

#include "framework/mesh/execution.hpp"
#include "framework/runtime/devices.hpp"
#include "physics/nbody/ring.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/runtime/cuda_check.hpp"
#endif

namespace halocline::nbody {
namespace {

/// Each piece is this fraction of the rest of its block: large pieces first, since each costs a launch and a query by
/// the host, small ones at the end, so that the last one delays little (guided self-scheduling, Polychronopoulos and
/// Kuck 1987).
constexpr Index part_of_rest = 4;
constexpr Index smallest_piece = 1024;

/// Whether all enqueued work is complete. Waits if the host cannot query this.
bool is_idle(Execution const& execution) {
#if defined(KOKKOS_ENABLE_CUDA)
  CurrentDevice const current;
  cudaError_t const status = cudaStreamQuery(execution.cuda_stream());
  if (status == cudaErrorNotReady) return false;
  halocline::cuda::check(status, "cudaStreamQuery");
#else
  execution.fence("halocline: a piece of work");
#endif
  return true;
}

}  // namespace

template <class Real>
WorkQueue<Real>::WorkQueue(std::shared_ptr<PointSet const> points) : points_(std::move(points)) {
  CurrentDevice const current;
  for (Block const& block : points_->blocks()) {
    Index const count = points_->points_of(block.id);
    for (Index first = 0; first < count;) {
      Index const size = std::min(count - first, std::max(smallest_piece, (count - first) / part_of_rest));
      pieces_.push_back({block.local, first, size, bodies_ + first});
      first += size;
    }
    bodies_ += count;
  }
  std::stable_sort(pieces_.begin(), pieces_.end(), [](Piece const& a, Piece const& b) { return a.count > b.count; });
  bool const is_alone = points_->blocks().size() == 1;
  for (Block const& block : points_->blocks()) {
    Place& place = places_.emplace_back();
    place.all = memory_on<Source<Real>>(block, points_->points());
    place.result = memory_on<Real>(block, is_alone ? 0 : 3 * bodies_);
    for (Block const& to : points_->blocks()) place.copies.emplace_back(execution(block), execution(to));
  }
}

template <class Real>
WorkQueue<Real>::~WorkQueue() {
  CurrentDevice const current;
  places_.clear();
}

template <class Real>
void WorkQueue<Real>::accelerate(Real softening, Form form, Field<Real>& acceleration) {
  std::vector<std::pair<std::size_t, Piece>> away;
  auto next = pieces_.begin();
  while (next != pieces_.end()) {
    for (Block const& block : points_->blocks()) {
      if (next == pieces_.end() || !is_idle(execution(block))) continue;
      enqueue(block, *next, softening, form, acceleration);
      if (next->block != block.local) away.emplace_back(block.local, *next);
      ++next;
    }
  }
  // Copies come last, since a copy to a block waits for all work enqueued there.
  for (auto const& [by, piece] : away) bring_home(points_->blocks()[by], piece, acceleration);
}

template <class Real>
void WorkQueue<Real>::enqueue(Block const& by, Piece const& piece, Real softening, Form form,
                              Field<Real>& acceleration) {
  Block const& home = points_->blocks()[piece.block];
  Source<Real> const* const sources = all(by);
  Source<Real> const* const targets = sources + home.cells.begin[0] + piece.first;
  Attraction<Real> attraction{{targets, piece.count, sources, points_->points(), softening, false}, {}};
  for (int axis = 0; axis < 3; ++axis) {
    attraction.acceleration[static_cast<std::size_t>(axis)] =
        by.local == home.local ? acceleration.view(home, axis).origin + piece.first : result(by, piece, axis);
  }
  sum_pairs_until_stopped(execution(by), attraction, form);
}

template <class Real>
void WorkQueue<Real>::bring_home(Block const& by, Piece const& piece, Field<Real>& acceleration) {
  Block const& home = points_->blocks()[piece.block];
  DeviceCopy& copy = places_[by.local].copies[home.local];
  for (int axis = 0; axis < 3; ++axis) {
    copy.start(acceleration.view(home, axis).origin + piece.first, result(by, piece, axis),
               piece.count * static_cast<Index>(sizeof(Real)));
    copy.finish();
  }
}

template class WorkQueue<float>;
template class WorkQueue<double>;

}  // namespace halocline::nbody
