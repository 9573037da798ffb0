#pragma once

#include "framework/runtime/config.hpp"

namespace halocline {

/// Of these headers: a plugin carries them into its description, the libraries compare.
inline constexpr char const* version = HALOCLINE_VERSION;
inline constexpr char const* backend_name = HALOCLINE_BACKEND_NAME;

/// The commit that the libraries were built from, with "-dirty" if files differed from it; "unknown" outside of git.
[[nodiscard]] char const* revision();

}  // namespace halocline
