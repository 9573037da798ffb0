#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "framework/runtime/descriptor.hpp"

namespace halocline {

/// Temporary name under which a file is written until it is complete.
[[nodiscard]] std::filesystem::path partial_name(std::filesystem::path const& path);

/// Opens a file for writing, and creates it if it does not exist; its contents stay. Anything else with this name (a
/// link, a hard link to another file, a pipe) is replaced and never written through.
[[nodiscard]] Descriptor open_own_file(std::filesystem::path const& path);

/// Syncs the contents of `file` to the disk. Throws InputOutputError.
void sync_file(std::filesystem::path const& file);

/// Renames the complete and synced file partial_name(path) to `path`, replacing a file of that name, and syncs the name
/// to the disk. Throws InputOutputError.
void give_name(std::filesystem::path const& path);

/// Syncs the names in a folder to the disk. Throws InputOutputError.
void sync_folder(std::filesystem::path const& folder);

/// Writes `text` to `path` atomically: in case of a failure the file is either the complete old one or the complete new
/// one. Throws InputOutputError with the file and the reason.
void write_whole_file(std::filesystem::path const& path, std::string const& text);

/// Name under which `reserve_whole_file` reserves space for a file.
[[nodiscard]] std::filesystem::path reserved_name(std::filesystem::path const& path);

/// Reserves `bytes` of disk space for `path`, under reserved_name(path), so that the next write_reserved_file succeeds
/// on a disk that is full by then. Throws InputOutputError with the file and the reason, and then reserves nothing.
void reserve_whole_file(std::filesystem::path const& path, std::size_t bytes);

/// As write_whole_file, but uses the space reserved for the file, if any. If several processes do this, or take the
/// space by renaming reserved_name(path), one of them gets it.
void write_reserved_file(std::filesystem::path const& path, std::string const& text);

/// "cannot write plate.out/summary.json: No space left on device"
[[noreturn]] void throw_write_error(std::filesystem::path const& path, std::string const& reason);
/// The same with the text for `error`, an errno.
[[noreturn]] void throw_write_error(std::filesystem::path const& path, int error);

/// While one of these lives, a write beyond the process' file size limit fails with an error instead of a signal.
class FileSizeSignalIgnored {
 public:
  FileSizeSignalIgnored();
  ~FileSizeSignalIgnored();
  FileSizeSignalIgnored(FileSizeSignalIgnored const&) = delete;
  FileSizeSignalIgnored& operator=(FileSizeSignalIgnored const&) = delete;

 private:
  void (*previous_)(int);
};

}  // namespace halocline
