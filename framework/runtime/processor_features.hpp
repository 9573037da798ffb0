#pragma once

/// FEATURE(name, macro, leaf, subleaf, register, bit, state): x86-64 instruction sets that a compiler uses by itself.
/// `macro` is what the compiler defines then; leaf to bit locate the feature in CPUID; `state` is the register state
/// that the system must save (0: none, 1: AVX, 2: AVX-512). Their order is that of the bits in processor_needs().
#define HALOCLINE_PROCESSOR_FEATURES(FEATURE)                      \
  FEATURE("SSE3", __SSE3__, 1, 0, c, 0, 0)                         \
  FEATURE("SSSE3", __SSSE3__, 1, 0, c, 9, 0)                       \
  FEATURE("SSE4.1", __SSE4_1__, 1, 0, c, 19, 0)                    \
  FEATURE("SSE4.2", __SSE4_2__, 1, 0, c, 20, 0)                    \
  FEATURE("POPCNT", __POPCNT__, 1, 0, c, 23, 0)                    \
  FEATURE("MOVBE", __MOVBE__, 1, 0, c, 22, 0)                      \
  FEATURE("AVX", __AVX__, 1, 0, c, 28, 1)                          \
  FEATURE("F16C", __F16C__, 1, 0, c, 29, 1)                        \
  FEATURE("FMA", __FMA__, 1, 0, c, 12, 1)                          \
  FEATURE("BMI1", __BMI__, 7, 0, b, 3, 0)                          \
  FEATURE("AVX2", __AVX2__, 7, 0, b, 5, 1)                         \
  FEATURE("BMI2", __BMI2__, 7, 0, b, 8, 0)                         \
  FEATURE("ADX", __ADX__, 7, 0, b, 19, 0)                          \
  FEATURE("LZCNT", __LZCNT__, 0x80000001, 0, c, 5, 0)              \
  FEATURE("SSE4a", __SSE4A__, 0x80000001, 0, c, 6, 0)              \
  FEATURE("XOP", __XOP__, 0x80000001, 0, c, 11, 1)                 \
  FEATURE("FMA4", __FMA4__, 0x80000001, 0, c, 16, 1)               \
  FEATURE("TBM", __TBM__, 0x80000001, 0, c, 21, 0)                 \
  FEATURE("AVX-512F", __AVX512F__, 7, 0, b, 16, 2)                 \
  FEATURE("AVX-512DQ", __AVX512DQ__, 7, 0, b, 17, 2)               \
  FEATURE("AVX-512IFMA", __AVX512IFMA__, 7, 0, b, 21, 2)           \
  FEATURE("AVX-512PF", __AVX512PF__, 7, 0, b, 26, 2)               \
  FEATURE("AVX-512ER", __AVX512ER__, 7, 0, b, 27, 2)               \
  FEATURE("AVX-512CD", __AVX512CD__, 7, 0, b, 28, 2)               \
  FEATURE("AVX-512BW", __AVX512BW__, 7, 0, b, 30, 2)               \
  FEATURE("AVX-512VL", __AVX512VL__, 7, 0, b, 31, 2)               \
  FEATURE("AVX-512VBMI", __AVX512VBMI__, 7, 0, c, 1, 2)            \
  FEATURE("AVX-512VBMI2", __AVX512VBMI2__, 7, 0, c, 6, 2)          \
  FEATURE("GFNI", __GFNI__, 7, 0, c, 8, 0)                         \
  FEATURE("AVX-512VNNI", __AVX512VNNI__, 7, 0, c, 11, 2)           \
  FEATURE("AVX-512BITALG", __AVX512BITALG__, 7, 0, c, 12, 2)       \
  FEATURE("AVX-512VPOPCNTDQ", __AVX512VPOPCNTDQ__, 7, 0, c, 14, 2) \
  FEATURE("AVX-512FP16", __AVX512FP16__, 7, 0, d, 23, 2)           \
  FEATURE("AVX-VNNI", __AVXVNNI__, 7, 1, a, 4, 1)                  \
  FEATURE("AVX-512BF16", __AVX512BF16__, 7, 1, a, 5, 2)
