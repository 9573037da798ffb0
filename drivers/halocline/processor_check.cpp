// Refuses, with a message, a processor for which the program is not compiled, before any code compiled for it runs:
// before the static initialisation of libraries, and thus before main. Compiled for any processor of the architecture,
// and without anything that needs an initialised library.

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>

#include "framework/runtime/processor.hpp"

#ifndef HALOCLINE_NEEDS
#define HALOCLINE_NEEDS halocline::processor_needs()
#endif

namespace {

constexpr int wrong_input = 2;

void write_all(char const* text) {
  std::size_t length = 0;
  while (text[length] != '\0') ++length;
  while (length > 0) {
    ssize_t const written = write(STDERR_FILENO, text, length);
    if (written <= 0) return;
    text += written;
    length -= static_cast<std::size_t>(written);
  }
}

void check_processor(int /*count*/, char** /*arguments*/, char** /*environment*/) {
  char text[1024];
  if (!halocline::processor_obstacle(HALOCLINE_NEEDS, text, sizeof(text))) return;
  write_all("halocline: ");
  write_all(text);
  write_all("\n");
  _exit(wrong_input);
}

// The loader calls these before it initialises the first library.
__attribute__((section(".preinit_array"), used)) void (*const preinit)(int, char**, char**) = check_processor;

}  // namespace
