#include "physics/nbody/ring.hpp"

#include "framework/mesh/execution.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/devices.hpp"

namespace halocline::nbody {
namespace {

constexpr int tag = 2;

/// Position and mass of each body in the given units, stored together.
template <class Real>
void pack(Execution const& execution, Index count, Kokkos::Array<Real const*, 4> const& from, Units const& units,
          Source<Real>* to) {
  auto const length = Factor<Real>::of(1, -units.length);
  auto const mass = Factor<Real>::of(1, -units.mass);
  Kokkos::parallel_for(
      "halocline pack bodies", Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(execution, 0, count),
      KOKKOS_LAMBDA(Index n) {
        to[n] = {length * from[0][n], length * from[1][n], length * from[2][n], mass * from[3][n]};
      });
}

/// Bytes of the positions and masses of some bodies.
template <class Real>
Index bytes_of_bodies(Index bodies) {
  return bodies * static_cast<Index>(sizeof(Source<Real>));
}

}  // namespace

template <class Real>
Ring<Real>::Ring(std::shared_ptr<PointSet const> points) : points_(std::move(points)) {
  CurrentDevice const current;
  Index const most = points_->points_of(0);  // the first block is among the largest
  std::span<Block const> const blocks = points_->blocks();
  bool const passes = stages() > 1;
  for (Block const& block : blocks) {
    Place place{memory_on<Source<Real>>(block, points_->points_of(block.id)), {}};
    for (Sources& visiting : place.visiting) visiting = memory_on<Source<Real>>(block, passes ? most : 0);
    buffers_->places.push_back(std::move(place));
  }
  bool const alone = points_->communicator().size() == 1;
  for (std::size_t n = 0; n < blocks.size(); ++n) {
    bool const is_last = n + 1 == blocks.size();
    if (is_last && (!alone || !passes)) continue;
    copies_.emplace_back(execution(blocks[is_last ? 0 : n + 1]), execution(blocks[n]));
  }
  if (alone || !passes) return;
  passes_messages_ = true;
  if constexpr (!memory_on_host) {
    for (std::size_t n = 0; n <= blocks.size(); ++n) {
      buffers_->staged.emplace_back(Kokkos::view_alloc(Kokkos::WithoutInitializing, "messages of bodies"),
                                    static_cast<std::size_t>(most));
    }
    for (Block const& block : blocks) outward_.emplace_back(execution(block));
    inward_.emplace(execution(blocks.back()));
  }
}

template <class Real>
Ring<Real>::~Ring() {
  CurrentDevice const current;
  Communicator::abandon(requests_, buffers_);
  inward_.reset();
  outward_.clear();
  buffers_.reset();
}

template <class Real>
void Ring<Real>::start(Field<Real> const& position, Field<Real> const& mass, Units const& units) {
  // Bodies of the last round may still be on their way from the memory that is written now.
  if (inward_) inward_->wait();
  for (Block const& block : points_->blocks()) {
    Kokkos::Array<Real const*, 4> from{};
    for (int axis = 0; axis < 3; ++axis) from[static_cast<std::size_t>(axis)] = position.view(block, axis).origin;
    from[3] = mass.view(block).origin;
    Index const bodies = points_->points_of(block.id);
    pack(execution(block), bodies, from, units, buffers_->places[block.local].own.data());
    if (outward_.empty()) continue;
    HostCopy& copy = outward_[block.local];
    copy.mark();
    copy.start(staged(static_cast<Index>(block.local)), own(block), bytes_of_bodies<Real>(bodies));
  }
}

template <class Real>
Source<Real> const* Ring<Real>::sources(Block const& block, Index stage) const {
  return stage == 0 ? own(block) : buffers_->places[block.local].visiting[stage % 2].data();
}

template <class Real>
Index Ring<Real>::count(Block const& block, Index stage) const {
  return points_->points_of(block_at(block, stage));
}

template <class Real>
void Ring<Real>::start_pass(Index stage) {
  if (stage + 1 >= stages()) return;
  std::span<Block const> const blocks = points_->blocks();
  for (std::size_t n = 0; n < copies_.size(); ++n) {
    Block const& next = blocks[(n + 1) % blocks.size()];
    copies_[n].start(arriving(blocks[n], stage + 1), sources(next, stage), bytes_of_bodies<Real>(count(next, stage)));
  }
  if (!passes_messages_) return;
  if constexpr (memory_on_host) {
    start_messages(stage, sources(blocks.front(), stage), arriving(blocks.back(), stage + 1));
  } else {
    inward_->mark();
  }
}

template <class Real>
void Ring<Real>::finish_pass(Index stage) {
  if (stage + 1 >= stages()) return;
  if (passes_messages_) {
    if constexpr (memory_on_host) {
      finish_messages();
    } else {
      pass_through_host(stage);
    }
  }
  for (DeviceCopy& copy : copies_) copy.finish();
}

template <class Real>
void Ring<Real>::start_messages(Index stage, Source<Real> const* sent, Source<Real>* received) {
  Communicator const& ranks = points_->communicator();
  int const before = (ranks.rank() + ranks.size() - 1) % ranks.size();
  int const after = (ranks.rank() + 1) % ranks.size();
  Index const arriving = count(points_->blocks().back(), stage + 1);
  Index const leaving = count(points_->blocks().front(), stage);
  requests_ = {ranks.receive(received, bytes_of_bodies<Real>(arriving), after, tag),
               ranks.send(sent, bytes_of_bodies<Real>(leaving), before, tag)};
}

template <class Real>
void Ring<Real>::finish_messages() {
  points_->communicator().wait_all(requests_);
  requests_.clear();
}

/// The devices work meanwhile: the work of this stage is enqueued, and that of the next one will follow it without a
/// pause.
template <class Real>
void Ring<Real>::pass_through_host(Index stage) {
  auto const blocks = static_cast<Index>(points_->blocks().size());
  Block const& last = points_->blocks().back();
  if (stage < blocks) outward_[static_cast<std::size_t>(stage)].wait();
  // The buffer that receives now may still be read by an earlier copy.
  inward_->wait();
  Source<Real>* const received = staged(stage + blocks);
  start_messages(stage, staged(stage), received);
  finish_messages();
  inward_->start(arriving(last, stage + 1), received, bytes_of_bodies<Real>(count(last, stage + 1)));
  inward_->finish();
}

template class Ring<float>;
template class Ring<double>;

}  // namespace halocline::nbody
