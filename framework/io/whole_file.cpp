#include "framework/io/whole_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "framework/runtime/error.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {

namespace {

void sync(std::filesystem::path const& path, int flags, std::filesystem::path const& named) {
  Descriptor const file(path, flags);
  if (file.number() < 0 || fsync(file.number()) != 0) throw_write_error(named, errno);
}

}  // namespace

std::filesystem::path partial_name(std::filesystem::path const& path) { return path.string() + ".partial"; }
std::filesystem::path reserved_name(std::filesystem::path const& path) { return path.string() + ".reserved"; }

Descriptor open_own_file(std::filesystem::path const& path) {
  struct stat status {};
  Descriptor file(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  if (file.number() >= 0) {
    if (fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1) return file;
    unlink(path.c_str());
  } else if (errno == ELOOP || errno == ENXIO) {
    unlink(path.c_str());
  } else if (errno != ENOENT) {
    return file;
  }
  return {path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW};
}

void sync_file(std::filesystem::path const& file) { sync(file, O_RDWR | O_NOFOLLOW, file); }

void sync_folder(std::filesystem::path const& folder) { sync(folder, O_RDONLY | O_DIRECTORY, folder); }

void give_name(std::filesystem::path const& path) {
  std::error_code error;
  std::filesystem::rename(partial_name(path), path, error);
  if (error) throw_write_error(path, error.message());
  std::filesystem::path const folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  // The folder itself may be a link, as on clusters with separate large disks.
  sync(folder, O_RDONLY | O_DIRECTORY, path);
}

void write_whole_file(std::filesystem::path const& path, std::string const& text) {
  FileSizeSignalIgnored const ignored;
  std::filesystem::path const partial = partial_name(path);
  try {
    {
      // Not truncated before: its reserved space must not be freed.
      Descriptor const file = open_own_file(partial);
      if (file.number() < 0) throw_write_error(path, errno);
      bool const whole = write_all(file.number(), text) &&
                         ftruncate(file.number(), static_cast<off_t>(text.size())) == 0 && fsync(file.number()) == 0;
      if (!whole) throw_write_error(path, errno);
    }
    give_name(path);
  } catch (...) {
    unlink(partial.c_str());
    throw;
  }
}

void reserve_whole_file(std::filesystem::path const& path, std::size_t bytes) {
  FileSizeSignalIgnored const ignored;
  std::filesystem::path const reserved = reserved_name(path);
  Descriptor const file = open_own_file(reserved);
  if (file.number() < 0) throw_write_error(path, errno);
  int const error = posix_fallocate(file.number(), 0, static_cast<off_t>(bytes));
  if (error == 0) return;
  unlink(reserved.c_str());
  throw_write_error(path, error);
}

void write_reserved_file(std::filesystem::path const& path, std::string const& text) {
  std::error_code nothing_reserved;
  std::filesystem::rename(reserved_name(path), partial_name(path), nothing_reserved);
  // If renaming is not possible, the reserved space is useless.
  if (nothing_reserved) unlink(reserved_name(path).c_str());
  write_whole_file(path, text);
}

void throw_write_error(std::filesystem::path const& path, std::string const& reason) {
  throw InputOutputError("cannot write " + shown(path.string()) + ": " + reason);
}

void throw_write_error(std::filesystem::path const& path, int error) {
  throw_write_error(path, std::generic_category().message(error));
}

FileSizeSignalIgnored::FileSizeSignalIgnored() : previous_(std::signal(SIGXFSZ, SIG_IGN)) {}

FileSizeSignalIgnored::~FileSizeSignalIgnored() { std::signal(SIGXFSZ, previous_); }

}  // namespace halocline
