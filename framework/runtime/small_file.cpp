#include "framework/runtime/small_file.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

[[noreturn]] void refuse(std::filesystem::path const& path, std::string const& why) {
  throw InputError(path.string() + ": " + why);
}

[[noreturn]] void refuse_unreadable(std::filesystem::path const& path, int error) {
  refuse(path, "cannot be read: " + std::generic_category().message(error));
}

}  // namespace

std::optional<std::string> small_file(std::filesystem::path const& path, std::size_t most) {
  // Without O_NONBLOCK, opening a pipe that has no writer blocks.
  Descriptor const file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (file.number() < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  if (file.number() < 0) refuse_unreadable(path, errno);
  struct stat status {};
  if (fstat(file.number(), &status) != 0) refuse_unreadable(path, errno);
  if (S_ISDIR(status.st_mode)) refuse(path, "is a folder, not a file");
  if (!S_ISREG(status.st_mode)) refuse(path, "is a pipe or a device, not a file");
  std::string text;
  std::array<char, 1 << 16> piece{};
  while (text.size() <= most) {
    ssize_t const count = read(file.number(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse_unreadable(path, errno);
    if (count == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  refuse(path, "is larger than " + std::to_string(most >> 20U) + " MiB");
}

}  // namespace halocline
