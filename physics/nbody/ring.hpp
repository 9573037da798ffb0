#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <mpi.h>

#include "framework/field/field.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/runtime/device_copy.hpp"
#include "framework/runtime/host_copy.hpp"
#include "physics/nbody/attraction.hpp"
#include "physics/nbody/units.hpp"

namespace halocline::nbody {

/// Allocates `count` values on the device of a block, uninitialised; may change the current device.
template <class Value>
[[nodiscard]] Kokkos::View<Value*, Memory> memory_on(Block const& block, Index count) {
  return Kokkos::View<Value*, Memory>(Kokkos::view_alloc(execution(block), Kokkos::WithoutInitializing, "bodies"),
                                      static_cast<std::size_t>(count));
}

/// Passes the bodies of all blocks to each block, so that no device holds more than its own bodies and two blocks of
/// others. At stage s block b has the bodies of block b + s, modulo the number of blocks. While it works, those of the
/// next stage arrive from the following block, on this rank or the next one.
///
///     ring.start(position, mass, units);
///     for (Index stage = 0; stage < ring.stages(); ++stage) {
///       ring.start_pass(stage);
///       … enqueue work on ring.sources(block, stage) for each block …
///       ring.finish_pass(stage);
///     }
template <class Real>
class Ring {
 public:
  explicit Ring(std::shared_ptr<PointSet const> points);
  ~Ring();
  Ring(Ring const&) = delete;
  Ring& operator=(Ring const&) = delete;

  [[nodiscard]] Index stages() const { return points_->block_count(); }
  /// Packs the bodies of each block from positions (three components) and masses (one), and converts them to `units`.
  void start(Field<Real> const& position, Field<Real> const& mass, Units const& units);
  /// The bodies of a block itself, after `start`.
  [[nodiscard]] Source<Real> const* own(Block const& block) const { return buffers_->places[block.local].own.data(); }
  /// The bodies that a block has at a stage, and their number.
  [[nodiscard]] Source<Real> const* sources(Block const& block, Index stage) const;
  [[nodiscard]] Index count(Block const& block, Index stage) const;
  /// The block to which these belong.
  [[nodiscard]] Index block_at(Block const& block, Index stage) const { return (block.id + stage) % stages(); }

  /// Collective; does nothing after the last stage. Throws RemoteError if a rank has failed.
  void start_pass(Index stage);
  void finish_pass(Index stage);

 private:
  using Sources = Kokkos::View<Source<Real>*, Memory>;
  using Staging = Kokkos::View<Source<Real>*, Kokkos::SharedHostPinnedSpace>;
  struct Place {
    Sources own;
    Sources visiting[2];  ///< at odd and even stages
  };
  /// Kept alive by abandoned requests, since MPI may still write there.
  struct Buffers {
    std::vector<Place> places;  ///< by Block::local
    /// On the host, if the bodies are on devices: those of this rank's blocks and of the block that comes next. What
    /// has arrived is sent on from here some stages later.
    std::vector<Staging> staged;
  };
  [[nodiscard]] Source<Real>* arriving(Block const& block, Index stage) {
    return buffers_->places[block.local].visiting[stage % 2].data();
  }
  /// The bodies that the first block has at a stage, on the host.
  [[nodiscard]] Source<Real>* staged(Index stage) {
    return buffers_->staged[static_cast<std::size_t>(stage) % buffers_->staged.size()].data();
  }
  /// Sends the bodies of the first block to the last block of the previous rank, which has them one stage later.
  void start_messages(Index stage, Source<Real> const* sent, Source<Real>* received);
  void finish_messages();
  void pass_through_host(Index stage);

  std::shared_ptr<PointSet const> points_;
  std::shared_ptr<Buffers> buffers_ = std::make_shared<Buffers>();
  std::vector<DeviceCopy> copies_;  ///< to each block but the last one of this rank; on a single rank also to that
  std::vector<HostCopy> outward_;   ///< from each block, if bodies are staged
  std::optional<HostCopy> inward_;  ///< to the last block
  bool passes_messages_ = false;
  std::vector<MPI_Request> requests_;
};

extern template class Ring<float>;
extern template class Ring<double>;

}  // namespace halocline::nbody
