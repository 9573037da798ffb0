#include "framework/runtime/huge_pages.hpp"

#if defined(__linux__)
#include <sys/mman.h>

#include <cstdint>
#endif

namespace halocline {

void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  constexpr std::size_t page = std::size_t{2} << 20U;
  if (bytes < page) return;
  auto const address = reinterpret_cast<std::uintptr_t>(memory);
  std::uintptr_t const begin = address / page * page;
  std::uintptr_t const end = (address + bytes + page - 1) / page * page;
  madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace halocline
