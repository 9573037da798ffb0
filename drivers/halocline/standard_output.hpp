#pragma once

#include <string_view>

namespace halocline {

/// Replaces standard streams that the parent process has closed, so that no file or pipe of this program gets their
/// number. Writing to them still fails, or is lost.
void hold_standard_streams();

/// Writes `text` to standard output and flushes it, with control characters other than line ends and tabs escaped:
/// names in it may be anybody's. A closed pipe is not an error: output then ends silently. Any other failure is kept
/// for `require_said`, so that it does not end a run.
void say(std::string_view text);
/// The same for the program's own text, as it is.
void say_as_it_is(std::string_view text);

/// Throws InputOutputError with the first reason, if some output could not be written.
void require_said();

}  // namespace halocline
