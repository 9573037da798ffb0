#pragma once

#include <functional>

#include "drivers/halocline/battery/check.hpp"

namespace halocline::battery {

/// Runs `check` in a separate process: it has failed if it throws, crashes or does not end within `seconds`. With
/// `starts_kokkos` it runs on one thread, and all output is discarded.
[[nodiscard]] Finding apart(std::function<Finding()> const& check, int seconds, bool starts_kokkos);

/// How a process of this program, started with `words` after the program's name, ended.
struct ProgramEnd {
  int code = 0;      ///< exit code as in a shell; -1: it did not end in time and was killed
  std::string said;  ///< output on both streams
};
[[nodiscard]] ProgramEnd run_program_with(std::vector<std::string> const& words, int seconds);
/// The same for another program.
[[nodiscard]] ProgramEnd run_other_program(std::string const& program, std::vector<std::string> const& words,
                                           int seconds);

}  // namespace halocline::battery
