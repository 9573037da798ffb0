#include <cstdint>
#include <cstring>

#include "framework/kernel/host_plan.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace halocline::kernel {

namespace {

constexpr Index line = 64;

#if defined(__AVX512F__)
void stream_line(char* to, char const* from) {
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
}
#elif defined(__AVX__)
void stream_line(char* to, char const* from) {
  for (int n = 0; n < line; n += 32) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + n),
                        _mm256_loadu_si256(reinterpret_cast<__m256i const*>(from + n)));
  }
}
#elif defined(__SSE2__)
void stream_line(char* to, char const* from) {
  for (int n = 0; n < line; n += 16) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + n), _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + n)));
  }
}
#else
void stream_line(char* to, char const* from) { std::memcpy(to, from, static_cast<std::size_t>(line)); }
#endif

}  // namespace

void stream_copy(void* to, void const* from, Index bytes) {
  char* target = static_cast<char*>(to);
  char const* source = static_cast<char const*>(from);
  Index const misaligned = static_cast<Index>(reinterpret_cast<std::uintptr_t>(target) % line);
  Index const head = misaligned == 0 ? 0 : (line - misaligned < bytes ? line - misaligned : bytes);
  std::memcpy(target, source, static_cast<std::size_t>(head));
  Index done = head;
  for (; done + line <= bytes; done += line) stream_line(target + done, source + done);
  std::memcpy(target + done, source + done, static_cast<std::size_t>(bytes - done));
}

void stream_fence() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace halocline::kernel
