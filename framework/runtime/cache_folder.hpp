#pragma once

#include <filesystem>

namespace halocline {

/// Where Halocline keeps what it has found out on this user's machines: halocline in $XDG_CACHE_HOME or ~/.cache. Empty
/// where neither is known; nobody has made the folder yet.
[[nodiscard]] std::filesystem::path cache_folder();

}  // namespace halocline
