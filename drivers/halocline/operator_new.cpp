#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "drivers/halocline/memory_tally.hpp"

// As in the standard library, but observable by a memory tally. Sanitizers provide their own.
#if !defined(__SANITIZE_ADDRESS__)

void* operator new(std::size_t size) {
  void* memory = nullptr;
  while ((memory = std::malloc(std::max<std::size_t>(size, 1))) == nullptr) {
    std::new_handler const handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
  halocline::see_list(size);
  return memory;
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

#endif
