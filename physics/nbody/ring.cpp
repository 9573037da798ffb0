#include "physics/nbody/ring.hpp"

#include "framework/mesh/execution.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/devices.hpp"

namespace halocline::nbody {
namespace {

constexpr int tag = 2;

/// Position and mass of each body, stored together.
template <class Real>
void pack(Execution const& execution, Index count, Kokkos::Array<Real const*, 4> const& from, Source<Real>* to) {
  Kokkos::parallel_for(
      "halocline pack bodies", Kokkos::RangePolicy<Execution, Kokkos::IndexType<Index>>(execution, 0, count),
      KOKKOS_LAMBDA(Index n) {
        to[n] = {from[0][n], from[1][n], from[2][n], from[3][n]};
      });
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
    for (Staging* const staging : {&buffers_->sent, &buffers_->received}) {
      *staging = Staging(Kokkos::view_alloc(Kokkos::WithoutInitializing, "messages of bodies"),
                         static_cast<std::size_t>(most));
    }
  }
}

template <class Real>
Ring<Real>::~Ring() {
  CurrentDevice const current;
  Communicator::abandon(requests_, buffers_);
  buffers_.reset();
}

template <class Real>
void Ring<Real>::start(Field<Real> const& position, Field<Real> const& mass) {
  for (Block const& block : points_->blocks()) {
    Kokkos::Array<Real const*, 4> from{};
    for (int axis = 0; axis < 3; ++axis) from[static_cast<std::size_t>(axis)] = position.view(block, axis).origin;
    from[3] = mass.view(block).origin;
    pack(execution(block), points_->points_of(block.id), from, buffers_->places[block.local].own.data());
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
    copies_[n].start(arriving(blocks[n], stage + 1), sources(next, stage),
                     count(next, stage) * static_cast<Index>(sizeof(Source<Real>)));
  }
  if (passes_messages_) start_messages(stage);
}

template <class Real>
void Ring<Real>::finish_pass(Index stage) {
  if (stage + 1 >= stages()) return;
  if (passes_messages_) finish_messages(stage);
  for (DeviceCopy& copy : copies_) copy.finish();
}

/// The first block of this rank sends to the last block of the previous rank, which has the same bodies one stage
/// later.
template <class Real>
void Ring<Real>::start_messages(Index stage) {
  Communicator const& ranks = points_->communicator();
  Block const& first = points_->blocks().front();
  Block const& last = points_->blocks().back();
  auto const bytes = [](Index bodies) { return bodies * static_cast<Index>(sizeof(Source<Real>)); };
  Source<Real> const* sent = sources(first, stage);
  Source<Real>* received = arriving(last, stage + 1);
  if constexpr (!memory_on_host) {
    using From = Kokkos::View<Source<Real> const*, Memory, Kokkos::MemoryUnmanaged>;
    auto const size = static_cast<std::size_t>(count(first, stage));
    Kokkos::deep_copy(execution(first), Kokkos::subview(buffers_->sent, std::pair<std::size_t, std::size_t>(0, size)),
                      From(sent, size));
    execution(first).fence("halocline: bodies to be sent");
    // The bodies received before may still be in transfer from this buffer to the device.
    execution(last).fence("halocline: bodies that were received");
    sent = buffers_->sent.data();
    received = buffers_->received.data();
  }
  int const before = (ranks.rank() + ranks.size() - 1) % ranks.size();
  int const after = (ranks.rank() + 1) % ranks.size();
  requests_ = {ranks.receive(received, bytes(count(last, stage + 1)), after, tag),
               ranks.send(sent, bytes(count(first, stage)), before, tag)};
}

template <class Real>
void Ring<Real>::finish_messages(Index stage) {
  points_->communicator().wait_all(requests_);
  requests_.clear();
  if constexpr (!memory_on_host) {
    Block const& last = points_->blocks().back();
    using To = Kokkos::View<Source<Real>*, Memory, Kokkos::MemoryUnmanaged>;
    auto const size = static_cast<std::size_t>(count(last, stage + 1));
    Kokkos::deep_copy(execution(last), To(arriving(last, stage + 1), size),
                      Kokkos::subview(buffers_->received, std::pair<std::size_t, std::size_t>(0, size)));
  }
}

template class Ring<float>;
template class Ring<double>;

}  // namespace halocline::nbody
