#include "framework/runtime/processor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "framework/runtime/processor_features.hpp"

namespace halocline {
namespace {

using testing::HasSubstr;

std::string obstacle(std::uint64_t needs, std::size_t room = 1024) {
  std::string text(room, '\0');
  if (!processor_obstacle(needs, text.data(), text.size())) return "";
  return text.c_str();
}

TEST(Processor, IsTheOneThatThisBuildIsFor) { EXPECT_EQ(obstacle(processor_needs()), ""); }

#if defined(__x86_64__)

/// The needs are the instruction sets that this file was compiled for as well.
TEST(Processor, NeedsAreThoseOfTheCompiler) {
  std::uint64_t bit = 1;
#define HALOCLINE_COMPARE(name, macro, leaf, subleaf, part, number, state)                               \
  EXPECT_EQ((processor_needs() & bit) != 0, std::string_view(HALOCLINE_WORDS(macro))[0] != '_') << name; \
  bit <<= 1;
#define HALOCLINE_WORDS_OF(x) #x
#define HALOCLINE_WORDS(x) HALOCLINE_WORDS_OF(x)
  HALOCLINE_PROCESSOR_FEATURES(HALOCLINE_COMPARE)
}

/// Agrees with the compiler's __builtin_cpu_supports.
TEST(Processor, HasWhatTheCompilerSaysItHas) {
  std::uint64_t bit = 1;
  int compared = 0;
#define HALOCLINE_KNOWN(text, known)                                              \
  if (std::string_view(name) == (text)) {                                         \
    EXPECT_EQ(obstacle(bit).empty(), __builtin_cpu_supports(known) != 0) << name; \
    ++compared;                                                                   \
  }
#define HALOCLINE_ASK(name_, macro, leaf, subleaf, part, number, state) \
  {                                                                     \
    char const* const name = name_;                                     \
    HALOCLINE_KNOWN("SSSE3", "ssse3")                                   \
    HALOCLINE_KNOWN("SSE4.2", "sse4.2")                                 \
    HALOCLINE_KNOWN("POPCNT", "popcnt")                                 \
    HALOCLINE_KNOWN("AVX", "avx")                                       \
    HALOCLINE_KNOWN("FMA", "fma")                                       \
    HALOCLINE_KNOWN("BMI1", "bmi")                                      \
    HALOCLINE_KNOWN("AVX2", "avx2")                                     \
    HALOCLINE_KNOWN("BMI2", "bmi2")                                     \
    HALOCLINE_KNOWN("XOP", "xop")                                       \
    HALOCLINE_KNOWN("FMA4", "fma4")                                     \
    HALOCLINE_KNOWN("AVX-512F", "avx512f")                              \
    HALOCLINE_KNOWN("AVX-512DQ", "avx512dq")                            \
    HALOCLINE_KNOWN("AVX-512VL", "avx512vl")                            \
    HALOCLINE_KNOWN("AVX-512VBMI2", "avx512vbmi2")                      \
    HALOCLINE_KNOWN("GFNI", "gfni")                                     \
  }                                                                     \
  bit <<= 1;
  HALOCLINE_PROCESSOR_FEATURES(HALOCLINE_ASK)
  EXPECT_EQ(compared, 15);
}

// No processor has both AMD's FMA4 and the AVX-512ER of Intel's Xeon Phi.
TEST(Processor, OfNoKnownKindIsRefusedByName) {
  std::string const text = obstacle(~std::uint64_t{0});
  EXPECT_THAT(text, testing::StartsWith("this processor ("));
  EXPECT_THAT(text, HasSubstr(", for which this Halocline was compiled (HALOCLINE_MARCH="));
  EXPECT_THAT(text, testing::ContainsRegex("for HALOCLINE_MARCH=x86-64(-v[234])? or less$"));
  EXPECT_TRUE(text.find("FMA4") != std::string::npos || text.find("AVX-512ER") != std::string::npos) << text;
  EXPECT_EQ(obstacle(~std::uint64_t{0}, 8), "this pr") << "no more than there is room for";
}

#endif

}  // namespace
}  // namespace halocline
