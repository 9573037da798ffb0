#pragma once

#include <string_view>

namespace halocline {

/// Puts something in the place of standard streams that whoever started the program has closed, so that no file or pipe
/// of this program takes their number: what is written there still fails, or is lost.
void hold_standard_streams();

/// Writes `text` to standard output and hands it over at once. A reader who has gone (the end of a pipe) is no failure:
/// nothing more is said then. Any other failure is kept for `require_said`, so that no run ends for want of a listener.
void say(std::string_view text);

/// Throws InputOutputError if something could not be said, with the first reason.
void require_said();

}  // namespace halocline
