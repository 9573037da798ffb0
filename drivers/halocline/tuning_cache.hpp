#pragma once

#include <filesystem>
#include <string>

namespace halocline {

/// The file with this user's tunings: $HALOCLINE_TUNING_CACHE, otherwise halocline/tunings.json in $XDG_CACHE_HOME or
/// ~/.cache. Empty if none of these is set.
[[nodiscard]] std::filesystem::path tuning_cache();

/// Selects the source of tunings for sweeps: "off", "read" or "search". A cache that cannot be read or parsed causes a
/// warning and is not used; one of another version is ignored.
void begin_tuning(std::string const& mode);

/// Adds the results of searches to the cache. If it cannot be written, there is only a warning: tunings are not
/// results.
void keep_tunings();

}  // namespace halocline
