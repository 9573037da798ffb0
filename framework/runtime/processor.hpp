#pragma once

#include <cstddef>
#include <cstdint>

namespace halocline {

/// What the libraries of this build may ask of a processor beyond what every one of its kind has: a bit for each set of
/// instructions that the compiler was allowed (HALOCLINE_MARCH).
[[nodiscard]] std::uint64_t processor_needs() noexcept;

/// Why code with these needs cannot run on this processor, and what to do, into `text`; false: it can, and nothing is
/// written. Compiled for any processor of the kind, so that it may be asked before anything else. On processors other
/// than x86-64 nothing is known, and the answer is false.
/// \param room bytes of `text`; what does not fit is cut off
[[nodiscard]] bool processor_obstacle(std::uint64_t needs, char* text, std::size_t room) noexcept;

}  // namespace halocline
