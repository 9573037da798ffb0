#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/io/folder_lock.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {

/// Default output folder of this deck: in the working directory, the deck's name with the extension `.out`.
[[nodiscard]] std::filesystem::path default_output_folder(std::filesystem::path const& deck);

/// Throws InputError, without any change, if the path is not a folder, is not writable, or holds a run and `overwrite`
/// is false. It does not reserve the folder: FolderClaim does.
void validate_output_folder(std::filesystem::path const& folder, bool overwrite);

/// Reserves an output folder for one run while the object lives. The process that starts the run creates one; a rank
/// started by it joins it.
class FolderClaim {
 public:
  /// Reserves `folder`, which is created with its parents if necessary. The contents of the folder do not change.
  /// Throws InputError if the path is not a folder, is not writable, is in use by another run, or holds a run and
  /// `overwrite` is false; InputOutputError if it cannot be prepared.
  FolderClaim(std::filesystem::path const& folder, bool overwrite, LockFunction const& lock = lock_by_system);
  /// For one rank of a run started by the process `starter`: throws InputError if `starter` has not reserved the
  /// folder.
  FolderClaim(std::filesystem::path const& folder, LockHolder const& starter,
              LockFunction const& lock = lock_by_system);
  /// Removes the folders created here if they are still empty: a run that did not begin leaves nothing.
  ~FolderClaim();
  FolderClaim(FolderClaim const&) = delete;
  FolderClaim& operator=(FolderClaim const&) = delete;

  /// Throws InputOutputError if the folder has disappeared or been replaced.
  void require_there() const { lock_->require_there(); }
  /// Allows a rank to join.
  void leave_to_ranks();

 private:
  class Retreat;

  FolderClaim();
  void make(std::filesystem::path const& folder);

  std::vector<std::filesystem::path> made_;  ///< created folders, the outermost first
  std::optional<FolderLock> lock_;
  std::unique_ptr<Retreat> retreat_;  ///< for a crash before the run begins; null once others use the folder
};

/// Whether the folder exists and has files of a run.
[[nodiscard]] bool folder_holds_a_run(std::filesystem::path const& folder);

/// For one rank of a run that continues from a checkpoint: the run's files in its folder, except checkpoints and those
/// of the checkpoint, `files`. Throws InputOutputError if one of them is a folder.
[[nodiscard]] std::vector<std::filesystem::path> later_files(std::filesystem::path const& folder,
                                                             std::vector<std::string> const& files);
/// Deletes these files and the checkpoints after `step`. Throws InputOutputError.
void return_to_checkpoint(std::filesystem::path const& folder, Index step,
                          std::vector<std::filesystem::path> const& later);

/// Collective. Deletes the files of an earlier run, and no others, from the folder of this one. Throws InputOutputError
/// on all ranks.
void clear_output_folder(Communicator const& communicator, std::filesystem::path const& folder);

}  // namespace halocline
