#pragma once

#include <filesystem>
#include <string>

namespace halocline {

/// Where this user's tunings are kept: $HALOCLINE_TUNING_CACHE, otherwise halocline/tunings.json in $XDG_CACHE_HOME or
/// ~/.cache. Empty where none of these is known.
[[nodiscard]] std::filesystem::path tuning_cache();

/// Lets sweeps take their tunings from where `mode` says: "off", "read" or "search". A cache that cannot be read, or is
/// no table, is told of in a warning and not used; one of another version is not used.
void begin_tuning(std::string const& mode);

/// Adds what searches have found to the cache. Where it cannot be written a warning tells why: tunings are no result.
void keep_tunings();

}  // namespace halocline
