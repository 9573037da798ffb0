// Compiled as all other code is, possibly for another processor than this one: it contains constants alone, so that
// none of its instructions runs before they are checked.

#include <cstdint>

#include "framework/runtime/processor_features.hpp"

namespace halocline {
namespace {

/// A macro that is not defined expands to its own name.
constexpr bool is_defined(char const* words) { return words[0] != '_'; }

#define HALOCLINE_WORDS_OF(x) #x
#define HALOCLINE_WORDS(x) HALOCLINE_WORDS_OF(x)

constexpr std::uint64_t needs_of_this_file() {
  std::uint64_t needs = 0;
  std::uint64_t bit = 1;
#define HALOCLINE_ADD(name, macro, leaf, subleaf, part, number, state) \
  if (is_defined(HALOCLINE_WORDS(macro))) needs |= bit;                \
  bit <<= 1;
#if defined(__x86_64__)
  HALOCLINE_PROCESSOR_FEATURES(HALOCLINE_ADD)
#endif
  return needs;
}

}  // namespace

extern std::uint64_t const compiled_needs;
constinit std::uint64_t const compiled_needs = needs_of_this_file();
extern char const* const compiled_for;
constinit char const* const compiled_for = HALOCLINE_MARCH_TEXT;

}  // namespace halocline
