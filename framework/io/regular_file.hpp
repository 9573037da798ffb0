#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "framework/runtime/descriptor.hpp"
#include "framework/runtime/error.hpp"

/// Reading files of folders that anybody may have made: nothing blocks, and what is not a file is refused.
namespace halocline {

/// "cannot read plate.out/summary.json: it is a folder, not a file"
[[nodiscard]] InputOutputError unreadable(std::filesystem::path const& path, std::string const& why);

/// Whether a link in the place of a file is followed. Where a run continues, it could lead out of the run's folder.
enum class Links { followed, refused };

/// Opens a regular file for reading. Throws InputOutputError, which says what there is instead.
[[nodiscard]] Descriptor open_regular_file(std::filesystem::path const& path, Links links = Links::followed);
/// Throws as open_regular_file does: for libraries that open files themselves.
void require_regular_file(std::filesystem::path const& path);
/// Passes the contents of a regular file to `take`, part by part, until it returns false. Throws as open_regular_file
/// does.
void read_parts(std::filesystem::path const& path, Links links, std::function<bool(std::string_view part)> const& take);
/// The text of a regular file of at most 1 GiB. Throws as open_regular_file does.
[[nodiscard]] std::string text_of_file(std::filesystem::path const& path, Links links = Links::followed);
/// The same; empty if there is nothing of this name.
[[nodiscard]] std::optional<std::string> text_of_file_if_any(std::filesystem::path const& path);

/// Whether `name` can only be that of a file in a given folder: not empty, neither `.` nor `..`, without slashes and
/// control characters.
[[nodiscard]] bool is_plain_name(std::string_view name);

}  // namespace halocline
