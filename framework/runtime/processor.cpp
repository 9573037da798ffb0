// Compiled for the baseline architecture, whatever the other code is compiled for. It uses nothing that a header
// defines: the linker might choose another file's instance, compiled for more.

#include "framework/runtime/processor.hpp"

#include "framework/runtime/processor_features.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace halocline {

extern std::uint64_t const compiled_needs;
extern char const* const compiled_for;

std::uint64_t processor_needs() noexcept { return compiled_needs; }

#if defined(__x86_64__)

namespace {

struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Registers cpuid(unsigned leaf, unsigned subleaf) {
  Registers r;
  if (static_cast<unsigned>(__get_cpuid_max(leaf & 0x80000000U, nullptr)) < leaf) return r;
  __cpuid_count(leaf, subleaf, r.a, r.b, r.c, r.d);
  return r;
}

/// Whether the system saves a process' AVX (1) or AVX-512 (2) registers.
bool is_saved(int state) {
  if (state == 0) return true;
  constexpr unsigned has_xgetbv = 1U << 27;
  if ((cpuid(1, 0).c & has_xgetbv) == 0) return false;
  unsigned low = 0;
  unsigned high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  unsigned const wanted = state == 1 ? 0x06U : 0xe6U;
  return (low & wanted) == wanted;
}

std::uint64_t features_here() {
  std::uint64_t features = 0;
  std::uint64_t bit = 1;
#define HALOCLINE_ASK(name, macro, leaf, subleaf, part, number, state)                         \
  if (((cpuid(leaf, subleaf).part >> (number)) & 1U) != 0 && is_saved(state)) features |= bit; \
  bit <<= 1;
  HALOCLINE_PROCESSOR_FEATURES(HALOCLINE_ASK)
  return features;
}

/// A text of limited length.
struct Text {
  char* text;
  std::size_t room;
  std::size_t length = 0;

  void add(char const* words) {
    for (; *words != '\0' && length + 1 < room; ++words) text[length++] = *words;
    text[length] = '\0';
  }
};

bool is_same(char const* one, char const* other) {
  for (; *one != '\0' && *one == *other; ++one, ++other) {
  }
  return *one == *other;
}

/// Whether `features` has all of these names.
bool has_all(std::uint64_t features, char const* const* names, int count) {
  int found = 0;
  std::uint64_t bit = 1;
#define HALOCLINE_COUNT(name, macro, leaf, subleaf, part, number, state)      \
  if ((features & bit) != 0) {                                                \
    for (int n = 0; n < count; ++n) found += is_same(name, names[n]) ? 1 : 0; \
  }                                                                           \
  bit <<= 1;
  HALOCLINE_PROCESSOR_FEATURES(HALOCLINE_COUNT)
  return found == count;
}

/// The x86-64 level of these features, as -march names it.
char const* level_of(std::uint64_t features) {
  static constexpr char const* second[] = {"SSE3", "SSSE3", "SSE4.1", "SSE4.2", "POPCNT"};
  static constexpr char const* third[] = {"AVX", "AVX2", "BMI1", "BMI2", "F16C", "FMA", "LZCNT", "MOVBE"};
  static constexpr char const* fourth[] = {"AVX-512F", "AVX-512BW", "AVX-512CD", "AVX-512DQ", "AVX-512VL"};
  if (!has_all(features, second, 5)) return "x86-64";
  if (!has_all(features, third, 8)) return "x86-64-v2";
  return has_all(features, fourth, 5) ? "x86-64-v4" : "x86-64-v3";
}

void add_name(Text& text) {
  unsigned words[13] = {};
  for (unsigned n = 0; n < 3; ++n) {
    Registers const r = cpuid(0x80000002U + n, 0);
    words[4 * n] = r.a;
    words[4 * n + 1] = r.b;
    words[4 * n + 2] = r.c;
    words[4 * n + 3] = r.d;
  }
  auto const* name = reinterpret_cast<char const*>(words);
  while (*name == ' ') ++name;
  text.add(*name == '\0' ? "of an unknown kind" : name);
}

}  // namespace

bool processor_obstacle(std::uint64_t needs, char* text, std::size_t room) noexcept {
  std::uint64_t const here = features_here();
  std::uint64_t const missing = needs & ~here;
  if (missing == 0 || room == 0) return missing != 0;
  Text message{text, room};
  message.add("this processor (");
  add_name(message);
  message.add(") has no ");
  bool first = true;
  std::uint64_t bit = 1;
#define HALOCLINE_ADD_MISSING(name, macro, leaf, subleaf, part, number, state) \
  if ((missing & bit) != 0) {                                                  \
    message.add(first ? "" : ", ");                                            \
    message.add(name);                                                         \
    first = false;                                                             \
  }                                                                            \
  bit <<= 1;
  HALOCLINE_PROCESSOR_FEATURES(HALOCLINE_ADD_MISSING)
  message.add(", for which this Halocline was compiled (HALOCLINE_MARCH=");
  message.add(compiled_for);
  message.add("); compile it on this machine, or for HALOCLINE_MARCH=");
  message.add(level_of(here));
  message.add(" or less");
  return true;
}

#else

bool processor_obstacle(std::uint64_t /*needs*/, char* /*text*/, std::size_t /*room*/) noexcept { return false; }

#endif

}  // namespace halocline
