#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/process.hpp"

namespace halocline {

/// The file by which a run has its folder for itself.
inline constexpr char const* lock_name = "halocline.lock";

/// A process as a lock file names it.
struct LockHolder {
  std::string host;
  ProcessIdentity process;

  friend bool operator==(LockHolder const&, LockHolder const&) = default;
};
[[nodiscard]] LockHolder this_holder();

/// The bytes of a lock file that are locked: the process that starts a run has the first, and the second until ranks
/// of its take that. So the folder is the run's until both have ended, however they do.
enum class LockPart { starter, ranks, both };

enum class LockAttempt { taken, held, unsupported };
/// Asks the operating system for a part of an open file; a parameter of what follows, for tests.
using LockFunction = std::function<LockAttempt(int descriptor, LockPart part)>;
/// By locks of open file descriptions (fcntl(2), F_OFD_SETLK), which end with the last process that has the file open.
[[nodiscard]] LockAttempt lock_by_system(int descriptor, LockPart part);

/// A run's lock of an output folder. Where the file system has no locks, the lock is that the file is there: it is made
/// exclusively, and one whose holders, on this host, have all ended is replaced.
class FolderLock {
 public:
  /// Takes the lock of `folder`. Throws InputError where another run has it, InputOutputError where the file cannot be
  /// written, and a filesystem_error of no_such_file_or_directory if the folder is not there any more.
  explicit FolderLock(std::filesystem::path const& folder, LockFunction lock = lock_by_system);
  /// For one rank that the holder `starter` has started: joins its lock. Throws InputError if `starter` has not that
  /// lock, or another rank has joined it.
  FolderLock(std::filesystem::path const& folder, LockHolder const& starter, LockFunction lock = lock_by_system);
  /// Gives it back. The file goes with the lock of whoever took it.
  ~FolderLock();
  FolderLock(FolderLock const&) = delete;
  FolderLock& operator=(FolderLock const&) = delete;

  /// Throws InputOutputError if the folder, or the lock in it, is not there any more, or is another one by now.
  void require_there() const;
  /// Leaves the part of the ranks for one of them to join.
  void leave_to_ranks();

 private:
  FolderLock(LockFunction lock, std::filesystem::path path) : lock_(std::move(lock)), path_(std::move(path)) {}
  [[nodiscard]] bool taken();
  [[nodiscard]] bool replaced();

  LockFunction lock_;
  std::filesystem::path path_;
  std::optional<Descriptor> file_;
  bool ours_ = false;  ///< whether the file goes with this object
};

}  // namespace halocline
