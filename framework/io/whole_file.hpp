#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "framework/runtime/descriptor.hpp"

namespace halocline {

/// Where a file is written before it is whole and gets its name.
[[nodiscard]] std::filesystem::path partial_name(std::filesystem::path const& path);

/// Opens a file for writing, and makes it if there is none; what is in it stays. What somebody has put in its place (a
/// link, a further name of another file, a pipe) is replaced, and never written through.
[[nodiscard]] Descriptor open_own_file(std::filesystem::path const& path);

/// Makes sure that the bytes of `file` are on the disk. Throws InputOutputError.
void sync_file(std::filesystem::path const& file);

/// Gives the whole and synced file partial_name(path) its name, replacing a file of that name, and makes sure that the
/// name is on the disk too. Throws InputOutputError.
void give_name(std::filesystem::path const& path);

/// Makes sure that the names in a folder are on the disk. Throws InputOutputError.
void sync_folder(std::filesystem::path const& folder);

/// Writes `text` to `path`: a file of that name is either the old one or the new one, whole, whatever happens. Throws
/// InputOutputError naming the file and the reason.
void write_whole_file(std::filesystem::path const& path, std::string const& text);

/// Where `reserve_whole_file` keeps room for a file.
[[nodiscard]] std::filesystem::path reserved_name(std::filesystem::path const& path);

/// Takes `bytes` of the disk for `path`, under reserved_name(path): the next write_reserved_file finds that room,
/// however full the disk has become. Throws InputOutputError naming the file and the reason, and then leaves nothing
/// there.
void reserve_whole_file(std::filesystem::path const& path, std::size_t bytes);

/// The same as write_whole_file, in the room that is kept for the file if there is such. Of several processes that do
/// so, or take the room by renaming reserved_name(path), one gets it.
void write_reserved_file(std::filesystem::path const& path, std::string const& text);

/// "cannot write plate.out/summary.json: No space left on device"
[[noreturn]] void throw_write_error(std::filesystem::path const& path, std::string const& reason);
/// The same with the words for `error`, an errno.
[[noreturn]] void throw_write_error(std::filesystem::path const& path, int error);

/// While one of these lives, a file that grows beyond the limit of the process ends in an error instead of a signal.
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
