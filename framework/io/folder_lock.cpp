#include "framework/io/folder_lock.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sstream>
#include <system_error>
#include <vector>

#include "framework/io/whole_file.hpp"
#include "framework/runtime/environment.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view heading = "A run writes into this folder. Host, process and start of who does:\n";

/// The line that a holder writes.
std::string line_of(LockHolder const& holder) {
  std::ostringstream line;
  line << holder.host << ' ' << holder.process.number << ' ' << holder.process.start << '\n';
  return line.str();
}

std::vector<LockHolder> holders_in(int descriptor) {
  std::array<char, 4096> text{};
  ssize_t const length = pread(descriptor, text.data(), text.size(), 0);
  std::istringstream lines(std::string(text.data(), static_cast<std::size_t>(std::max<ssize_t>(0, length))));
  std::string line;
  std::getline(lines, line);
  std::vector<LockHolder> holders;
  for (LockHolder holder; lines >> holder.host >> holder.process.number >> holder.process.start;) {
    holders.push_back(holder);
  }
  return holders;
}

void write_text(int descriptor, std::string const& text, fs::path const& path) {
  FileSizeSignalIgnored const ignored;
  if (!write_all(descriptor, text)) throw_write_error(path, errno);
}

/// Makes this process the only holder.
void write_anew(int descriptor, fs::path const& path) {
  if (ftruncate(descriptor, 0) != 0) throw_write_error(path, errno);
  write_text(descriptor, std::string(heading) + line_of(this_holder()), path);
}

bool is_file_of(int descriptor, fs::path const& path) {
  struct stat open {};
  struct stat named {};
  return fstat(descriptor, &open) == 0 && lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

std::string named(std::vector<LockHolder> const& holders) {
  if (holders.empty()) return "an unnamed process";
  return "process " + std::to_string(holders.front().process.number) + " of " + shown(holders.front().host);
}

[[noreturn]] void throw_in_use(fs::path const& path, std::vector<LockHolder> const& holders) {
  throw InputError(shown(path.parent_path().string()) + " is in use by another run, " + named(holders) +
                   "; --output chooses another folder");
}

/// Without locks, only the contents of the file identify the holders.
void require_ended(fs::path const& path, std::vector<LockHolder> const& holders) {
  std::string const host = this_holder().host;
  for (LockHolder const& holder : holders) {
    if (holder.host == host && is_alive(holder.process)) throw_in_use(path, {holder});
  }
  bool const known =
      std::all_of(holders.begin(), holders.end(), [&](auto const& holder) { return holder.host == host; });
  if (known && !holders.empty()) return;
  throw InputError(shown(path.parent_path().string()) + " may be in use by another run: " + shown(path.string()) +
                   " belongs to " + named(holders) +
                   ", and this host cannot determine whether that has ended; if it has, delete that file");
}

Descriptor opened(fs::path const& path, int flags) {
  // Does not follow links and does not block on pipes.
  Descriptor file(path, O_RDWR | O_APPEND | O_NOFOLLOW | O_NONBLOCK | flags);
  struct stat status {};
  if (file.number() >= 0 && fstat(file.number(), &status) == 0 && !S_ISREG(status.st_mode))
    errno = ELOOP;
  else if (file.number() >= 0)
    return file;
  if (errno == ELOOP || errno == ENXIO) throw InputError(shown(path.string()) + " is not a file of a run; delete it");
  return Descriptor(-1);
}

}  // namespace

LockHolder this_holder() { return {host_name(), this_process()}; }

LockAttempt lock_by_system(int descriptor, LockPart part) {
  struct flock range {};
  range.l_type = F_WRLCK;
  range.l_whence = SEEK_SET;
  range.l_start = part == LockPart::ranks ? 1 : 0;
  range.l_len = part == LockPart::both ? 2 : 1;
  if (fcntl(descriptor, F_OFD_SETLK, &range) == 0) return LockAttempt::taken;
  return errno == EAGAIN || errno == EACCES ? LockAttempt::held : LockAttempt::unsupported;
}

FolderLock::FolderLock(fs::path const& folder, LockFunction lock) : FolderLock(std::move(lock), folder / lock_name) {
  while (!taken()) {
  }
}

FolderLock::FolderLock(fs::path const& folder, LockHolder const& starter, LockFunction lock)
    : FolderLock(std::move(lock), folder / lock_name) {
  file_.emplace(opened(path_, 0));
  std::vector<LockHolder> const holders = holders_in(file_->number());
  bool const right = holders == std::vector<LockHolder>{starter};
  if (!right || lock_(file_->number(), LockPart::ranks) == LockAttempt::held) throw_in_use(path_, holders);
  write_text(file_->number(), line_of(this_holder()), path_);
}

FolderLock::~FolderLock() {
  // Delete while still locked: if another process has opened it before, its taken() detects the deletion.
  if (ours_ && is_file_of(file_->number(), path_)) unlink(path_.c_str());
}

void FolderLock::require_there() const {
  if (is_file_of(file_->number(), path_)) return;
  throw InputOutputError(shown(path_.parent_path().string()) +
                         " was removed or replaced during this run: the rest of its output is lost");
}

void FolderLock::leave_to_ranks() {
  struct flock range {};
  range.l_type = F_UNLCK;
  range.l_whence = SEEK_SET;
  range.l_start = 1;
  range.l_len = 1;
  // Fails harmlessly where locks are not supported.
  static_cast<void>(fcntl(file_->number(), F_OFD_SETLK, &range));
}

/// False if the file has disappeared meanwhile, to try again.
bool FolderLock::taken() {
  file_.reset();
  file_.emplace(opened(path_, O_CREAT | O_EXCL));
  bool const made = file_->number() >= 0;
  if (!made && errno == EEXIST) {
    file_.reset();
    file_.emplace(opened(path_, 0));
    if (file_->number() < 0 && errno == ENOENT) return false;
  }
  if (file_->number() < 0 && errno == ENOENT) {
    throw fs::filesystem_error("", path_, std::make_error_code(std::errc::no_such_file_or_directory));
  }
  if (file_->number() < 0) throw_write_error(path_, errno);
  LockAttempt const attempt = lock_(file_->number(), LockPart::both);
  if (attempt == LockAttempt::held) throw_in_use(path_, holders_in(file_->number()));
  if (!is_file_of(file_->number(), path_)) return false;
  if (attempt == LockAttempt::unsupported && !made) return replaced();
  ours_ = true;
  write_anew(file_->number(), path_);
  return true;
}

/// Replaces a file whose holders have ended. A file of another name, created exclusively, keeps other processes from
/// doing the same. False to try again.
bool FolderLock::replaced() {
  std::vector<LockHolder> const before = holders_in(file_->number());
  require_ended(path_, before);
  fs::path const next = partial_name(path_);
  Descriptor file = opened(next, O_CREAT | O_EXCL);
  if (file.number() < 0) {
    if (errno != EEXIST) throw_write_error(next, errno);
    throw InputError(shown(path_.parent_path().string()) +
                     " is being claimed by another run; if there is none, delete " + shown(next.string()));
  }
  bool const unchanged = is_file_of(file_->number(), path_) && holders_in(file_->number()) == before;
  try {
    if (unchanged) write_anew(file.number(), next);
    if (unchanged && rename(next.c_str(), path_.c_str()) != 0) throw_write_error(path_, errno);
  } catch (...) {
    unlink(next.c_str());
    throw;
  }
  if (!unchanged) return unlink(next.c_str()), false;
  file_.reset();
  file_.emplace(std::move(file));
  ours_ = true;
  return true;
}

}  // namespace halocline
