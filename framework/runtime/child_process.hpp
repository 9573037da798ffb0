#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace halocline {

/// How a child process ended.
struct ChildEnd {
  /// Cause of the end: its own exit code, a fault (SIGSEGV, SIGABRT, …), or a cause outside of the program: it did not
  /// start, was too slow, or was killed.
  enum class Cause { code, fault, outside };

  std::string said{};     ///< its standard output, up to a limit
  std::string failure{};  ///< "was ended by signal 11 (Segmentation fault)"; empty: it ended with code 0
  Cause cause = Cause::outside;
};

/// Runs a command in its own process group and returns when it has ended; after `timeout` the group is killed.
/// `words[0]` is searched on PATH; `environment` is its complete environment. Standard error is discarded, and no
/// signal is blocked or ignored at its start. The process starts by exec, so no state of MPI or a device driver is
/// forked.
[[nodiscard]] ChildEnd run_child(std::vector<std::string> words, std::vector<std::string> environment,
                                 std::chrono::milliseconds timeout);

}  // namespace halocline
