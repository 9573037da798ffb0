#pragma once

#include <sys/types.h>

#include <cstdint>

namespace halocline {

/// A process of this host. Its start time distinguishes it from a later process with the same number.
struct ProcessIdentity {
  pid_t number = 0;
  std::uint64_t start = 0;  ///< clock ticks since the host booted; 0 if the system does not report them

  friend bool operator==(ProcessIdentity const&, ProcessIdentity const&) = default;
};

/// The process with this number; its start is 0 if there is none, or if it has ended.
[[nodiscard]] ProcessIdentity process_of(pid_t number);
[[nodiscard]] ProcessIdentity this_process();
/// Whether the process is still running.
[[nodiscard]] bool is_alive(ProcessIdentity const& process);

}  // namespace halocline
