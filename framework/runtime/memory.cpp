#include "framework/runtime/memory.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>

#include "framework/runtime/device.hpp"
#include "framework/runtime/environment.hpp"

namespace halocline {

namespace {

constexpr Index unlimited = std::numeric_limits<Index>::max();

/// The number in a file that contains one number; `unlimited` if there is none (control groups write "max").
Index number_in(std::filesystem::path const& path) {
  std::ifstream file(path);
  Index number = 0;
  return file >> number ? number : unlimited;
}

/// The number after `name` in a file of lines "name number"; `otherwise` if there is none.
Index number_after(std::string const& name, std::filesystem::path const& path, Index otherwise) {
  std::ifstream file(path);
  Index number = 0;
  for (std::string word; file >> word;) {
    if (word == name && file >> number) return number;
  }
  return otherwise;
}

/// MemAvailable of /proc/meminfo: memory that the kernel can provide without swapping.
Index free_of_host() {
  Index const kibibytes = number_after("MemAvailable:", "/proc/meminfo", -1);
  return kibibytes < 0 ? unlimited : kibibytes * 1024;
}

/// Files of limit, usage and statistics in a version of control groups, and the name of cached files in the statistics.
struct ControlGroupFiles {
  char const* limit;
  char const* usage;
  char const* statistics;
  char const* cached;
};
constexpr std::array<ControlGroupFiles, 2> versions{
    {{"memory.max", "memory.current", "memory.stat", "inactive_file"},
     {"memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes", "memory/memory.stat", "total_inactive_file"}}};

/// Bytes available to a rank on its devices, assuming equal shares among the ranks that use them.
Index device_memory_of(RankDevices const& devices) {
  if (devices.numbers.empty()) return 0;
  Index least = unlimited;
  for (int const number : devices.numbers) least = std::min(least, free_device_memory(number) / devices.sharing);
  return least * static_cast<Index>(devices.numbers.size());
}

}  // namespace

Index free_of_control_group(std::filesystem::path const& root) {
  Index least = unlimited;
  for (ControlGroupFiles const& files : versions) {
    Index const limit = number_in(root / files.limit);
    Index const usage = number_in(root / files.usage);
    if (limit == unlimited || usage == unlimited) continue;
    Index const cached = number_after(files.cached, root / files.statistics, 0);
    least = std::min(least, std::max<Index>(0, limit - usage + std::min(cached, usage)));
  }
  return least;
}

Index free_host_memory() { return std::min(free_of_host(), free_of_control_group()); }

AvailableMemory memory_per_rank(Communicator const& communicator) {
  std::array<Index, 2> least{free_host_memory() / communicator.local_size(), device_memory_of(rank_devices())};
  communicator.min(least);
  return {least[0], least[1]};
}

}  // namespace halocline
