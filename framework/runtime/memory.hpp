#pragma once

#include <filesystem>

#include "framework/runtime/communicator.hpp"

namespace halocline {

/// Bytes that a rank can still allocate.
struct AvailableMemory {
  Index host = 0;    ///< free memory of the host or of its control group, whichever is less, per local rank
  Index device = 0;  ///< free memory of the rank's devices, divided by the ranks that share them; 0 without devices
};

/// Free memory under the limit of the control group whose files are in `root`, where a container finds its own; the
/// largest Index without a limit. Cached files count as free: the kernel drops them before a program fails.
[[nodiscard]] Index free_of_control_group(std::filesystem::path const& root = "/sys/fs/cgroup");

/// Bytes that this process can still allocate on the host.
[[nodiscard]] Index free_host_memory();

/// Collective. The minimum over all ranks: a deck that needs more does not fit.
[[nodiscard]] AvailableMemory memory_per_rank(Communicator const& communicator);

}  // namespace halocline
