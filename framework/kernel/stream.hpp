#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include <cstring>

namespace halocline::kernel {

/// Bytes of a cache line.
inline constexpr int cache_line = 64;

/// Writes `lines` cache lines with non-temporal stores: memory is written without being read first. Both addresses are
/// aligned to cache lines.
template <int Lines>
inline void stream_lines(void* to, void const* from) {
  char* const target = static_cast<char*>(to);
  char const* const source = static_cast<char const*>(from);
#if defined(__AVX512F__)
  for (int n = 0; n < Lines * cache_line; n += 64) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target + n), _mm512_load_si512(source + n));
  }
#elif defined(__AVX__)
  for (int n = 0; n < Lines * cache_line; n += 32) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target + n),
                        _mm256_load_si256(reinterpret_cast<__m256i const*>(source + n)));
  }
#elif defined(__SSE2__)
  for (int n = 0; n < Lines * cache_line; n += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(target + n),
                     _mm_load_si128(reinterpret_cast<__m128i const*>(source + n)));
  }
#else
  std::memcpy(target, source, Lines * cache_line);
#endif
}

/// Orders the calling thread's streaming stores before its later writes.
inline void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace halocline::kernel
