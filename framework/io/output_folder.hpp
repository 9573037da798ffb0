#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/io/folder_lock.hpp"
#include "framework/runtime/communicator.hpp"

namespace halocline {

/// Where a run of this deck writes when nobody says otherwise: in the working directory, the deck's name with `.out`
/// for its extension.
[[nodiscard]] std::filesystem::path default_output_folder(std::filesystem::path const& deck);

/// Throws InputError, without touching anything, when the path is not a folder, cannot be written to, or holds a run
/// and `overwrite` is false. Nothing keeps another run from taking it: that is for a claim.
void judge_output_folder(std::filesystem::path const& folder, bool overwrite);

/// An output folder that is one run's, from its judgement to the end of the object. Whoever starts the run makes one; a
/// rank that it has started joins that.
class FolderClaim {
 public:
  /// Takes `folder`, which is created with those above it where there is none. Nothing else is touched, whatever the
  /// folder holds. Throws InputError when the path is not a folder, cannot be written to, is in use by another run, or
  /// holds a run and `overwrite` is false; InputOutputError when it cannot be prepared.
  FolderClaim(std::filesystem::path const& folder, bool overwrite, LockFunction const& lock = lock_by_system);
  /// For one rank of a run that the process `starter` has started: throws InputError if `starter` has not the folder.
  FolderClaim(std::filesystem::path const& folder, LockHolder const& starter,
              LockFunction const& lock = lock_by_system);
  /// Removes the folders that were created here, if they are still empty: a run that did not begin leaves nothing.
  ~FolderClaim();
  FolderClaim(FolderClaim const&) = delete;
  FolderClaim& operator=(FolderClaim const&) = delete;

  /// Throws InputOutputError if the folder is not there any more, or is another one by now.
  void require_there() const { lock_->require_there(); }
  /// Lets a rank join.
  void leave_to_ranks();

 private:
  class Retreat;

  FolderClaim();
  void make(std::filesystem::path const& folder);

  std::vector<std::filesystem::path> made_;  ///< the outermost first
  std::optional<FolderLock> lock_;
  std::unique_ptr<Retreat> retreat_;  ///< of a crash before the run begins; null where others work in the folder
};

/// Whether there is a folder of this name that holds anything of a run.
[[nodiscard]] bool folder_holds_a_run(std::filesystem::path const& folder);

/// For one rank: takes away what a run has written in its folder since the checkpoint of a step, from which it goes on,
/// but for `files`. Throws InputOutputError.
void return_to_checkpoint(std::filesystem::path const& folder, Index step, std::vector<std::string> const& files);

/// Collective. Removes the files of an earlier run from the folder of this one, and no others. Throws InputOutputError
/// on all ranks.
void clear_output_folder(Communicator const& communicator, std::filesystem::path const& folder);

}  // namespace halocline
