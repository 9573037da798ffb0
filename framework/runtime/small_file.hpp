#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace halocline {

/// The text of a file that a program keeps for itself, such as a cache; nothing if there is none or for a dangling
/// link. Throws InputError, naming the file, if it is not a regular file (a folder, a pipe, a device), is larger than
/// `most` bytes, or cannot be read. Never blocks.
[[nodiscard]] std::optional<std::string> small_file(std::filesystem::path const& path, std::size_t most = 16U << 20U);

}  // namespace halocline
