#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace halocline {

/// How a child process ended.
struct ChildEnd {
  /// What brought it about: its own code, a fault (SIGSEGV, SIGABRT, …), or something that says nothing about it: it
  /// did not start, was too slow, or was killed.
  enum class Cause { code, fault, outside };

  std::string said{};     ///< on its standard output, as far as that is short
  std::string failure{};  ///< "was ended by signal 11 (Segmentation fault)"; empty: it ended with code 0
  Cause cause = Cause::outside;
};

/// Runs a command in a process group of its own, and returns when it has ended; after `patience` it is made to.
/// `words[0]` is looked for on PATH, `environment` is all that it has. What it says on standard error nobody hears, and
/// it starts with no signal blocked or ignored. Nothing of MPI or of a device driver is forked: the process begins with
/// exec.
[[nodiscard]] ChildEnd run_child(std::vector<std::string> words, std::vector<std::string> environment,
                                 std::chrono::milliseconds patience);

}  // namespace halocline
