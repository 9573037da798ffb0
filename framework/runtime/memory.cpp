#include "framework/runtime/memory.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>

#include "framework/runtime/device.hpp"

namespace halocline {

namespace {

constexpr Index unlimited = std::numeric_limits<Index>::max();

/// The number in a file of one number; `unlimited` when there is none (control groups write "max").
Index number_in(std::string const& path) {
  std::ifstream file(path);
  Index number = 0;
  return file >> number ? number : unlimited;
}

/// MemAvailable of /proc/meminfo: what the kernel can give without swapping.
Index free_of_host() {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    Index kibibytes = 0;
    if (word == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
  }
  return unlimited;
}

/// What is left of a memory limit set on the control group that a container sees as its root.
Index free_of_control_group() {
  constexpr std::array<std::array<char const*, 2>, 2> files{
      {{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
       {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"}}};
  Index least = unlimited;
  for (auto const& [limit_file, usage_file] : files) {
    Index const limit = number_in(limit_file);
    Index const usage = number_in(usage_file);
    if (limit != unlimited && usage != unlimited) least = std::min(least, std::max<Index>(0, limit - usage));
  }
  return least;
}

}  // namespace

AvailableMemory memory_per_rank(Communicator const& communicator) {
  Index const sharing = communicator.local_size();
  Index const devices = std::max(1, device_count());
  Index const ranks_per_device = (sharing + devices - 1) / devices;
  std::array<Index, 2> least{std::min(free_of_host(), free_of_control_group()) / sharing,
                             free_device_memory() / ranks_per_device};
  communicator.min(least);
  return {least[0], least[1]};
}

}  // namespace halocline
