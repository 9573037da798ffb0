#pragma once

#include <cstddef>
#include <cstdint>

namespace halocline {

/// The instruction sets that this build's libraries may use beyond the architecture's baseline: one bit for each set
/// that the compiler was allowed (HALOCLINE_MARCH).
[[nodiscard]] std::uint64_t processor_needs() noexcept;

/// Returns whether this processor cannot run code with these needs; if so, writes the reason and what to do into
/// `text`. Compiled for the baseline architecture, so that it may be called before anything else. Always false on
/// processors other than x86-64.
/// \param room size of `text` in bytes; a longer text is cut off
[[nodiscard]] bool processor_obstacle(std::uint64_t needs, char* text, std::size_t room) noexcept;

}  // namespace halocline
