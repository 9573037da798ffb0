#pragma once

#include <atomic>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "framework/io/checkpoint.hpp"
#include "framework/io/state_copy.hpp"
#include "framework/mesh/mesh.hpp"

namespace halocline {

/// Writes the checkpoints of a run in the background: each rank copies its state to host memory, and a separate thread,
/// which uses no MPI, writes the copy to the rank's file. When all files are on the disk, rank 0 writes the manifest
/// and deletes all but the newest checkpoints.
///
/// Ranks must share their progress (`is_busy`): the caller includes it in messages that it sends anyway.
class CheckpointWriter {
 public:
  /// \param run  folder of the run
  /// \param mesh of the fields
  /// \param keep number of complete checkpoints to keep, at least 1
  CheckpointWriter(std::filesystem::path run, std::shared_ptr<Mesh const> mesh, Index keep);
  /// Waits for this rank's writes.
  ~CheckpointWriter();
  CheckpointWriter(CheckpointWriter const&) = delete;
  CheckpointWriter& operator=(CheckpointWriter const&) = delete;

  /// Allocates the memory for a copy of the state that `serialize` passes, before the first checkpoint is due:
  /// allocation may take longer than the copy.
  void reserve(std::function<void(StateArchive&)> const& serialize);
  /// Copies the state that `serialize` passes, with the same items on all ranks, and starts to write. No checkpoint may
  /// be in progress. Rank 0 stores `run`, as JSON, next to the state. The run's files `needs` are synced to the disk
  /// before the checkpoint is complete.
  void begin(Index step, double time, std::function<void(StateArchive&)> const& serialize, std::string run,
             std::vector<std::string> needs = {});

  /// Whether a checkpoint is in progress: the same on all ranks.
  [[nodiscard]] bool is_under_way() const { return phase_ != Phase::idle; }
  /// Whether this rank's thread is still working on it.
  [[nodiscard]] bool is_busy() const { return is_under_way() && !done_; }
  /// Collective, when no rank is busy: starts the next phase of the checkpoint. Throws on all ranks if a rank has
  /// failed.
  void proceed();
  /// Collective. Returns when the checkpoint in progress is complete. Throws as `proceed`.
  void finish();

  /// Whether this is rank 0, which stores the run's data next to the state.
  [[nodiscard]] bool is_first_rank() const;
  /// Seconds from start to end of the last checkpoint.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// Names of the timed regions of the copy and of the wait in `finish`.
  static constexpr char const* copying_region = "checkpoint/copy";
  static constexpr char const* waiting_region = "checkpoint/wait";

 private:
  /// Phase of the checkpoint in progress: files are written, then the manifest.
  enum class Phase { idle, files, manifest };

  void work(std::function<void()> task);
  /// Joins the thread. Rethrows its exception.
  void join();
  /// On rank 0, with the descriptions of all ranks' files.
  void complete(std::vector<std::string> const& files) const;
  void remove_older() const;
  [[nodiscard]] Checkpoint described() const;

  std::filesystem::path run_;
  std::shared_ptr<Mesh const> mesh_;
  Index keep_;
  Phase phase_ = Phase::idle;
  StateCopy copy_;
  Index step_ = 0;
  double time_ = 0;
  std::string kept_;  ///< data next to the state
  std::vector<std::string> needs_;
  StateFile file_;  ///< of this rank
  double began_ = 0;
  double seconds_ = 0;
  std::thread thread_;
  std::atomic<bool> done_ = true;
  std::exception_ptr failure_;
};

}  // namespace halocline
