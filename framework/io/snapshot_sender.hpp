#pragma once

#include <memory>
#include <span>
#include <vector>

#include "framework/field/field_base.hpp"
#include "framework/io/snapshot_messages.hpp"
#include "framework/mesh/mesh.hpp"
#include "framework/runtime/rank_roles.hpp"

namespace halocline {

/// Sends the snapshots of a run to I/O ranks (SnapshotReceiver), which write them while this rank continues to compute.
/// Each snapshot is copied into one of a few host buffers and sent from there. Compute ranks do not wait for each
/// other.
class SnapshotSender {
 public:
  /// On a compute rank. \param buffers number of snapshots in flight at the same time
  /// `roles` must outlive this object.
  SnapshotSender(RankRoles const& roles, std::shared_ptr<Mesh const> mesh, int buffers);
  /// Abandons messages that are still in flight.
  ~SnapshotSender();
  SnapshotSender(SnapshotSender const&) = delete;
  SnapshotSender& operator=(SnapshotSender const&) = delete;

  /// Copies the owned values of `fields` and sends them; all compute ranks must call it for the same snapshots in the
  /// same order. If all buffers are in flight, waits until the oldest has arrived: no snapshot is dropped.
  void write(Index step, double time, std::span<FieldBase const* const> fields);
  /// Returns when all snapshots are written, and ends the service for this rank. Throws RemoteError if an I/O rank
  /// could not write.
  snapshot_messages::Report finish();

  /// Timed region of the wait for a free buffer.
  static constexpr char const* waiting_region = "io/wait for a free buffer";
  /// Whether an I/O rank was asked to stop the run. Only rank 0 is notified.
  [[nodiscard]] bool stop_asked();

 private:
  struct Buffer;
  struct Notices;

  Buffer& free_buffer();
  void send_header(Buffer& buffer, snapshot_messages::Header const& header);

  RankRoles const& roles_;
  std::shared_ptr<Mesh const> mesh_;
  int server_;                                    ///< the I/O rank, in the communicator of all ranks
  std::vector<std::shared_ptr<Buffer>> buffers_;  ///< used round-robin
  std::size_t next_ = 0;
  std::shared_ptr<Notices> notices_;
};

}  // namespace halocline
