#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/process.hpp"

namespace halocline {

/// The lock file of a run's output folder.
inline constexpr char const* lock_name = "halocline.lock";

/// A process as identified in a lock file.
struct LockHolder {
  std::string host;
  ProcessIdentity process;

  friend bool operator==(LockHolder const&, LockHolder const&) = default;
};
[[nodiscard]] LockHolder this_holder();

/// The bytes of a lock file that are locked. The process that starts a run locks the first, and the second until one of
/// the run's ranks locks that. So the folder stays locked until both have ended, in whatever way.
enum class LockPart { starter, ranks, both };

enum class LockAttempt { taken, held, unsupported };
/// Requests a lock on a part of an open file; replaceable for tests.
using LockFunction = std::function<LockAttempt(int descriptor, LockPart part)>;
/// Uses locks of open file descriptions (fcntl(2), F_OFD_SETLK), which end when the last process closes the file.
[[nodiscard]] LockAttempt lock_by_system(int descriptor, LockPart part);

/// A run's lock of an output folder. On file systems without locks, the existence of the file is the lock: it is
/// created exclusively, and replaced if all of its holders, on this host, have ended.
class FolderLock {
 public:
  /// Locks `folder`. Throws InputError if another run has the lock, InputOutputError if the file cannot be written, and
  /// a filesystem_error with no_such_file_or_directory if the folder has disappeared.
  explicit FolderLock(std::filesystem::path const& folder, LockFunction lock = lock_by_system);
  /// For one rank started by the holder `starter`: joins its lock. Throws InputError if `starter` does not hold the
  /// lock, or if another rank has joined it.
  FolderLock(std::filesystem::path const& folder, LockHolder const& starter, LockFunction lock = lock_by_system);
  /// Releases the lock. The process that first took it deletes the file.
  ~FolderLock();
  FolderLock(FolderLock const&) = delete;
  FolderLock& operator=(FolderLock const&) = delete;

  /// Throws InputOutputError if the folder, or its lock file, has disappeared or been replaced.
  void require_there() const;
  /// Unlocks the part for ranks, so that one of them can join.
  void leave_to_ranks();

 private:
  FolderLock(LockFunction lock, std::filesystem::path path) : lock_(std::move(lock)), path_(std::move(path)) {}
  [[nodiscard]] bool taken();
  [[nodiscard]] bool replaced();

  LockFunction lock_;
  std::filesystem::path path_;
  std::optional<Descriptor> file_;
  bool ours_ = false;  ///< whether this object deletes the file
};

}  // namespace halocline
