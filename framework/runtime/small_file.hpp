#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace halocline {

/// The text of a file that a program keeps for itself, such as a cache; nothing where there is none, nor for a link
/// into nowhere. Throws InputError, naming the file, where something else has its name (a folder, a pipe, a device),
/// where it is larger than `most` bytes, and where it cannot be read. Never waits for anybody.
[[nodiscard]] std::optional<std::string> small_file(std::filesystem::path const& path, std::size_t most = 16U << 20U);

}  // namespace halocline
