#include "framework/io/regular_file.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include "framework/runtime/shown_text.hpp"

namespace halocline {
namespace {

/// \param error an errno
InputOutputError refused_by_system(std::filesystem::path const& path, int error) {
  return unreadable(path, std::generic_category().message(error));
}

}  // namespace

InputOutputError unreadable(std::filesystem::path const& path, std::string const& why) {
  return InputOutputError("cannot read " + shown(path.string()) + ": " + why);
}

Descriptor open_regular_file(std::filesystem::path const& path, Links links) {
  // Without O_NONBLOCK, opening a pipe that has no writer blocks.
  int const flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | (links == Links::refused ? O_NOFOLLOW : 0);
  Descriptor file(path, flags);
  if (file.number() < 0 && errno == ELOOP && links == Links::refused) throw unreadable(path, "it is a link");
  if (file.number() < 0 && errno == ENXIO) throw unreadable(path, "it is a socket, not a file");
  if (file.number() < 0) throw refused_by_system(path, errno);
  struct stat status {};
  if (fstat(file.number(), &status) != 0) throw refused_by_system(path, errno);
  if (S_ISDIR(status.st_mode)) throw unreadable(path, "it is a folder, not a file");
  if (!S_ISREG(status.st_mode)) throw unreadable(path, "it is a pipe or a device, not a file");
  return file;
}

void require_regular_file(std::filesystem::path const& path) { static_cast<void>(open_regular_file(path)); }

void read_parts(std::filesystem::path const& path, Links links,
                std::function<bool(std::string_view part)> const& take) {
  Descriptor const file = open_regular_file(path, links);
  std::vector<char> part(std::size_t{1} << 20U);
  while (true) {
    ssize_t const count = read(file.number(), part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw refused_by_system(path, errno);
    if (count == 0 || !take({part.data(), static_cast<std::size_t>(count)})) return;
  }
}

std::string text_of_file(std::filesystem::path const& path, Links links) {
  constexpr std::size_t most = std::size_t{1} << 30U;
  std::string text;
  read_parts(path, links, [&](std::string_view part) {
    text += part;
    return text.size() <= most;
  });
  if (text.size() > most) throw unreadable(path, "it is larger than 1 GiB");
  return text;
}

std::optional<std::string> text_of_file_if_any(std::filesystem::path const& path) {
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) return std::nullopt;
  return text_of_file(path);
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos &&
         name == shown(name);
}

}  // namespace halocline
