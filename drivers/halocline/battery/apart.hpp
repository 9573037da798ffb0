#pragma once

#include <functional>

#include "drivers/halocline/battery/check.hpp"

namespace halocline::battery {

/// What `check` finds, in a process of its own: one that throws, crashes or does not end within `seconds` has failed.
/// With `starts_kokkos`, on one thread; nothing that it or Kokkos says is heard.
[[nodiscard]] Finding apart(std::function<Finding()> const& check, int seconds, bool starts_kokkos);

/// How a process of this program ended that was started with `words` behind the program's name.
struct ProgramEnd {
  int code = 0;      ///< as a shell has it; -1: it did not end in time, and was killed
  std::string said;  ///< on both streams
};
[[nodiscard]] ProgramEnd run_program_with(std::vector<std::string> const& words, int seconds);
/// The same of another program.
[[nodiscard]] ProgramEnd run_other_program(std::string const& program, std::vector<std::string> const& words,
                                           int seconds);

}  // namespace halocline::battery
