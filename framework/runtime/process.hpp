#pragma once

#include <sys/types.h>

#include <cstdint>

namespace halocline {

/// A process of this host, told from a later one of the same number by when it started.
struct ProcessIdentity {
  pid_t number = 0;
  std::uint64_t start = 0;  ///< ticks of the clock since the host booted; 0 where the system does not tell

  friend bool operator==(ProcessIdentity const&, ProcessIdentity const&) = default;
};

/// The process of this number; its start is 0 where there is none, or none any more.
[[nodiscard]] ProcessIdentity process_of(pid_t number);
[[nodiscard]] ProcessIdentity this_process();
/// Whether it has not ended yet.
[[nodiscard]] bool is_alive(ProcessIdentity const& process);

}  // namespace halocline
