#pragma once

#include <string_view>

namespace halocline {

/// Writes `text` to standard output and hands it over at once. A reader who has gone (the end of a pipe) is no failure:
/// nothing more is said then. Any other failure is kept for `require_said`, so that no run ends for want of a listener.
void say(std::string_view text);

/// Throws InputOutputError if something could not be said, with the first reason.
void require_said();

}  // namespace halocline
