#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/io/snapshot_messages.hpp"
#include "framework/io/snapshot_writer.hpp"
#include "framework/runtime/rank_roles.hpp"

namespace halocline {

/// Creates the mesh of a run on its I/O ranks: the same blocks, each on the I/O rank that serves its compute rank.
/// Collective over the I/O ranks. `blocks` has the number of blocks of each compute rank that this I/O rank serves, in
/// their order.
using ServedMesh = std::function<std::shared_ptr<Mesh const>(std::vector<Index> const& blocks)>;

/// The task of an I/O rank: writes the snapshots that compute ranks send (SnapshotSender), in the same format as
/// compute ranks would. Values are received as they are written, so that memory holds at most those of one field on one
/// block.
class SnapshotReceiver {
 public:
  /// On an I/O rank; `roles` must outlive this object. \param folder must exist when the first snapshot arrives
  /// \param earlier snapshots that are already in the run's series
  SnapshotReceiver(RankRoles const& roles, std::filesystem::path folder, ServedMesh make_mesh,
                   std::vector<WrittenSnapshot> earlier = {});
  ~SnapshotReceiver();
  SnapshotReceiver(SnapshotReceiver const&) = delete;
  SnapshotReceiver& operator=(SnapshotReceiver const&) = delete;

  /// Collective over the I/O ranks. Returns when all compute ranks that this one serves have finished.
  /// \param written called after each snapshot, may be empty
  void serve(std::function<void(Index step, double time)> const& written = {});

 private:
  struct Client;

  [[nodiscard]] bool all_have_ended() const;
  [[nodiscard]] bool all_have_snapshots() const;
  void wait_for_headers();
  [[nodiscard]] bool take_headers();
  void take_header(Client& client, std::string const& text);
  void answer_last(Client& client);
  void report_stop();
  void write_snapshot();
  void make_writer();
  [[nodiscard]] std::span<std::byte const> receive_values(StoredField const& field, Block const& block);

  RankRoles const& roles_;
  std::filesystem::path folder_;
  ServedMesh make_mesh_;
  std::vector<WrittenSnapshot> earlier_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::shared_ptr<Mesh const> mesh_;
  std::optional<SnapshotWriter> writer_;  ///< created with the first snapshot, since it writes the mesh
  std::vector<int> client_of_block_;      ///< rank, by Block::local
  std::shared_ptr<std::vector<std::byte>> values_ = std::make_shared<std::vector<std::byte>>();
  snapshot_messages::Report report_;
  bool stop_reported_ = false;
};

}  // namespace halocline
