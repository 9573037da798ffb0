#pragma once

#include <filesystem>
#include <string>

namespace halocline {

/// The reason why a file is not a complete shared object, from its own tables: it does not exist, is not a regular
/// file, cannot be read, is not ELF, or is shorter than its tables say. Empty if it is complete. The dynamic loader
/// maps a truncated file without an error and crashes later.
[[nodiscard]] std::string shared_object_damage(std::filesystem::path const& file);

/// Who can replace the code of `file`, besides its owner and group: "every user may write to it", "every user may
/// write to its folder `/tmp/x`"; empty if nobody. Folders with the sticky bit (such as /tmp) do not count.
[[nodiscard]] std::string writable_by_everybody(std::filesystem::path const& file);

}  // namespace halocline
