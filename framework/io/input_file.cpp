#include "framework/io/input_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "framework/deck/tree.hpp"
#include "framework/io/checksum.hpp"

namespace halocline {
namespace {

std::string words_for(int error) { return std::generic_category().message(error); }

FileIdentity identity_of(struct stat const& status) {
  return {static_cast<Index>(status.st_size),
          static_cast<Index>(status.st_mtim.tv_sec) * 1000000000 + static_cast<Index>(status.st_mtim.tv_nsec)};
}

/// Keyed by path.
std::map<std::string, FileIdentity>& validated() {
  static std::map<std::string, FileIdentity> all;
  return all;
}

InputError changed(std::string const& path, FileIdentity const& then, FileIdentity const& now,
                   std::string const& when) {
  std::string const how = then.bytes == now.bytes
                              ? "it was rewritten"
                              : "it had " + std::to_string(then.bytes) + " bytes and has " + std::to_string(now.bytes);
  return wrong_file(path, "has changed " + when + ": " + how);
}

}  // namespace

InputError wrong_file(std::string const& path, std::string const& why) {
  return InputError("`" + deck::in_one_line(path) + "` " + why);
}

InputFile::InputFile(std::string path)
    // O_NONBLOCK: a pipe without a writer would block. A path that contains NUL would name another file.
    : path_(std::move(path)),
      file_(path_.find('\0') == std::string::npos ? path_ : "", O_RDONLY | O_NONBLOCK | O_NOCTTY) {
  if (file_.number() < 0) throw wrong_file(path_, "cannot be opened: " + words_for(errno));
  struct stat status {};
  if (fstat(file_.number(), &status) != 0) throw wrong_file(path_, "cannot be opened: " + words_for(errno));
  if (S_ISDIR(status.st_mode)) throw wrong_file(path_, "is a folder, not a file");
  if (!S_ISREG(status.st_mode)) throw wrong_file(path_, "is a pipe or a device, not a file");
  identity_ = identity_of(status);
}

std::size_t InputFile::read_some(Index offset, std::size_t bytes, std::byte* to) const {
  std::size_t done = 0;
  while (done < bytes) {
    ssize_t const count =
        pread(file_.number(), to + done, bytes - done, static_cast<off_t>(offset) + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw InputOutputError("cannot read `" + deck::in_one_line(path_) + "`: " + words_for(errno));
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

void InputFile::read(Index offset, std::size_t bytes, std::byte* to) const {
  std::size_t const done = read_some(offset, bytes, to);
  if (done == bytes) return;
  throw wrong_file(path_, "ends after " + std::to_string(offset + static_cast<Index>(done)) + " bytes; it had " +
                              std::to_string(identity_.bytes) + " when it was opened");
}

std::string InputFile::text(Index offset, std::size_t bytes) const {
  std::string text(bytes, '\0');
  text.resize(read_some(offset, bytes, reinterpret_cast<std::byte*>(text.data())));
  return text;
}

void InputFile::require_unchanged() const {
  struct stat status {};
  if (stat(path_.c_str(), &status) != 0) throw wrong_file(path_, "is no longer accessible: " + words_for(errno));
  FileIdentity const now = identity_of(status);
  if (now != identity_) throw changed(path_, identity_, now, "while it was read");
}

void remember_validated(InputFile const& file) { validated()[file.path()] = file.identity(); }

void require_as_validated(InputFile const& file) {
  auto const then = validated().find(file.path());
  if (then == validated().end() || then->second == file.identity()) return;
  throw changed(file.path(), then->second, file.identity(), "since the deck was checked");
}

std::string checksum_of(InputFile const& file, Index most) {
  if (file.identity().bytes > most) return "";
  Checksum checksum;
  std::vector<std::byte> piece(std::size_t{1} << 22U);
  for (Index at = 0; at < file.identity().bytes; at += static_cast<Index>(piece.size())) {
    auto const bytes = std::min(piece.size(), static_cast<std::size_t>(file.identity().bytes - at));
    file.read(at, bytes, piece.data());
    checksum.add({reinterpret_cast<char const*>(piece.data()), bytes});
  }
  return checksum.text();
}

}  // namespace halocline
