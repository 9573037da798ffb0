#pragma once

#include <functional>

#include "drivers/halocline/battery/check.hpp"

namespace halocline::battery {

/// Runs `check` in a separate process: it has failed if it throws or crashes. It is inconclusive if that process, or
/// one that it has started, computes for more than `seconds` of processor time, which other programs on this machine do
/// not lengthen. One that waits has failed after ten times as many seconds. With `starts_kokkos` it runs on one thread,
/// and all output is discarded.
[[nodiscard]] Finding apart(std::function<Finding()> const& check, double seconds, bool starts_kokkos);

/// How a process of this program, started with `words` after the program's name, ended.
struct ProgramEnd {
  int code = 0;      ///< exit code as in a shell
  std::string said;  ///< output on both streams
};
/// For checks: the limits of `apart` include what they run.
[[nodiscard]] ProgramEnd run_program_with(std::vector<std::string> const& words);
/// The same for another program.
[[nodiscard]] ProgramEnd run_other_program(std::string const& program, std::vector<std::string> const& words);

}  // namespace halocline::battery
