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

/// Writes the checkpoints of a run while it goes on: each rank copies what it carries to the memory of the host, and
/// a thread of its own, which sends no message, writes the copy to the file of the rank. When all of these are on the
/// disk, rank 0 writes the manifest, and takes away what is older than the newest few.
///
/// Ranks have to know from each other how far they are: whoever runs takes that along in messages that he sends anyway.
class CheckpointWriter {
 public:
  /// \param run  folder of the run
  /// \param mesh of the fields
  /// \param keep whole checkpoints that are left, 1 and more
  CheckpointWriter(std::filesystem::path run, std::shared_ptr<Mesh const> mesh, int keep);
  /// Waits for what this rank writes.
  ~CheckpointWriter();
  CheckpointWriter(CheckpointWriter const&) = delete;
  CheckpointWriter& operator=(CheckpointWriter const&) = delete;

  /// Takes the memory of a copy of what `tell` tells before the first one is due: to get it may take longer than to
  /// copy.
  void reserve(std::function<void(CarriedState&)> const& tell);
  /// Copies what `tell` tells, the same items on all ranks, and begins to write. None may be under way. `run` is kept
  /// beside the state, as JSON, by rank 0; the files `needs` of the run are on the disk before it is a checkpoint.
  void begin(Index step, double time, std::function<void(CarriedState&)> const& tell, std::string run,
             std::vector<std::string> needs = {});

  /// Whether a checkpoint is under way: the same on all ranks.
  [[nodiscard]] bool is_under_way() const { return phase_ != Phase::idle; }
  /// Whether this rank is still at work for it.
  [[nodiscard]] bool is_busy() const { return is_under_way() && !done_; }
  /// Collective, when no rank is busy: takes the next step towards the whole checkpoint. Throws, on all ranks, what has
  /// failed on any.
  void proceed();
  /// Collective. Returns when the checkpoint that is under way is whole. Throws as `proceed`.
  void finish();

  /// Whether this is rank 0, which keeps what is kept beside the state.
  [[nodiscard]] bool is_first_rank() const;
  /// Seconds from the beginning of the last one to its end.
  [[nodiscard]] double seconds() const { return seconds_; }
  /// The regions that the run is in while it waits for a copy, and in `finish`.
  static constexpr char const* copying_region = "checkpoint/copy";
  static constexpr char const* waiting_region = "checkpoint/wait";

 private:
  /// Of the checkpoint under way: files are written, then the manifest.
  enum class Phase { idle, files, manifest };

  void work(std::function<void()> task);
  /// Joins the thread. Throws what that has thrown.
  void join();
  /// Of rank 0, from what all ranks say of their files.
  void complete(std::vector<std::string> const& files) const;
  void remove_older() const;
  [[nodiscard]] Checkpoint described() const;

  std::filesystem::path run_;
  std::shared_ptr<Mesh const> mesh_;
  int keep_;
  Phase phase_ = Phase::idle;
  StateCopy copy_;
  Index step_ = 0;
  double time_ = 0;
  std::string kept_;  ///< beside the state
  std::vector<std::string> needs_;
  StateFile file_;  ///< of this rank
  double began_ = 0;
  double seconds_ = 0;
  std::thread thread_;
  std::atomic<bool> done_ = true;
  std::exception_ptr failure_;
};

}  // namespace halocline
