#include "drivers/halocline/standard_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "framework/runtime/error.hpp"
#include "framework/runtime/shown_text.hpp"

namespace halocline {
namespace {

/// The errno after which standard output accepts nothing more; 0 before.
int silenced = 0;

}  // namespace

void hold_standard_streams() {
  // Standard output is opened read-only, so that lost results are an error. Messages may be lost.
  constexpr std::array flags{O_RDONLY, O_RDONLY, O_WRONLY};
  for (int file = STDIN_FILENO; file <= STDERR_FILENO; ++file) {
    // open() returns the lowest free number, which is this one.
    if (fcntl(file, F_GETFD) < 0) open("/dev/null", flags[static_cast<std::size_t>(file)]);
  }
}

void say(std::string_view text) { say_as_it_is(shown_lines(text)); }

void say_as_it_is(std::string_view text) {
  while (silenced == 0 && !text.empty()) {
    ssize_t const written = write(STDOUT_FILENO, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      silenced = errno;
    }
  }
}

void require_said() {
  if (silenced == 0 || silenced == EPIPE) return;
  throw InputOutputError("cannot write to standard output: " + std::generic_category().message(silenced));
}

}  // namespace halocline
