#pragma once

#include <memory>
#include <span>
#include <vector>

#include "framework/field/field_base.hpp"
#include "framework/io/snapshot_messages.hpp"
#include "framework/mesh/mesh.hpp"
#include "framework/runtime/rank_roles.hpp"

namespace halocline {

/// Hands the snapshots of a run over to I/O ranks (SnapshotReceiver), which write them while this rank computes on.
/// Each snapshot is copied into one of a few buffers of the host, and sent from there. No compute rank waits for
/// another.
class SnapshotSender {
 public:
  /// On a compute rank. \param buffers snapshots that may be on their way at a time
  /// `roles` outlives this object.
  SnapshotSender(RankRoles const& roles, std::shared_ptr<Mesh const> mesh, int buffers);
  /// What is still on its way is abandoned.
  ~SnapshotSender();
  SnapshotSender(SnapshotSender const&) = delete;
  SnapshotSender& operator=(SnapshotSender const&) = delete;

  /// Copies the owned values of `fields` and sends them; all compute ranks do so for the same snapshots in the same
  /// order. Where all buffers are on their way, it waits until the oldest has arrived: no snapshot is left out.
  void write(Index step, double time, std::span<FieldBase const* const> fields);
  /// Returns when all that was handed over is written, and ends the service of this rank. Throws RemoteError with what
  /// an I/O rank could not write.
  snapshot_messages::Report finish();

  /// The region that a rank is in while it waits for a free buffer.
  static constexpr char const* waiting_region = "io/wait for a free buffer";
  /// Whether an I/O rank was asked to stop the run. Told to rank 0 alone.
  [[nodiscard]] bool stop_asked();

 private:
  struct Buffer;
  struct Notices;

  Buffer& free_buffer();
  void send_header(Buffer& buffer, snapshot_messages::Header const& header);

  RankRoles const& roles_;
  std::shared_ptr<Mesh const> mesh_;
  int server_;                                    ///< rank of the I/O rank among all
  std::vector<std::shared_ptr<Buffer>> buffers_;  ///< used in turn
  std::size_t next_ = 0;
  std::shared_ptr<Notices> notices_;
};

}  // namespace halocline
