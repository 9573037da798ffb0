#include "framework/runtime/placement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/device.hpp"
#include "framework/runtime/environment.hpp"

namespace halocline {
namespace {

std::vector<int> usable_cores() {
  std::vector<int> cores;
  cpu_set_t usable;
  CPU_ZERO(&usable);
  if (sched_getaffinity(0, sizeof(usable), &usable) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &usable)) cores.push_back(core);
  }
  return cores;
}

/// Formats "0-3,8".
std::string ranges_of(std::vector<int> const& numbers) {
  std::vector<std::string> parts;
  for (std::size_t n = 0; n < numbers.size();) {
    std::size_t last = n;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    parts.push_back(last == n ? std::to_string(numbers[n]) : fmt::format("{}-{}", numbers[n], numbers[last]));
    n = last + 1;
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

/// Parses "0-3,8".
std::vector<int> numbers_of(std::string const& ranges) {
  std::vector<int> numbers;
  std::istringstream parts(ranges);
  for (std::string part; std::getline(parts, part, ',');) {
    int first = 0;
    int last = 0;
    char dash = 0;
    std::istringstream text(part);
    if (!(text >> first)) continue;
    if (!(text >> dash >> last)) last = first;
    for (int number = first; number <= last; ++number) numbers.push_back(number);
  }
  return numbers;
}

/// The NUMA nodes of some cores: "NUMA node 0", "NUMA nodes 0,1"; empty if the system does not report them.
std::string nodes_of(std::vector<int> const& cores) {
  constexpr int most_nodes = 64;
  std::vector<int> nodes;
  for (int node = 0; node < most_nodes; ++node) {
    std::ifstream file(fmt::format("/sys/devices/system/node/node{}/cpulist", node));
    std::string text;
    if (!std::getline(file, text)) continue;
    std::vector<int> const near = numbers_of(text);
    if (std::any_of(cores.begin(), cores.end(),
                    [&](int core) { return std::binary_search(near.begin(), near.end(), core); }))
      nodes.push_back(node);
  }
  if (nodes.empty()) return "";
  return fmt::format(" (NUMA node{} {})", nodes.size() > 1 ? "s" : "", ranges_of(nodes));
}

std::string node_of_device(std::string const& address) {
  std::string folder = address;
  std::transform(folder.begin(), folder.end(), folder.begin(), [](unsigned char c) { return std::tolower(c); });
  std::ifstream file("/sys/bus/pci/devices/" + folder + "/numa_node");
  int node = -1;
  return file >> node && node >= 0 ? fmt::format(" (NUMA node {})", node) : "";
}

std::string packed(Placement const& placement) {
  return fmt::format("{} {} {:d} {} {}", placement.host, placement.threads, placement.takes_turns,
                     placement.devices.empty() ? "-" : fmt::format("{}", fmt::join(placement.devices, ",")),
                     ranges_of(placement.cores));
}
Placement unpacked(std::string const& text) {
  Placement placement;
  std::string devices;
  std::string cores;
  std::istringstream(text) >> placement.host >> placement.threads >> placement.takes_turns >> devices >> cores;
  std::istringstream addresses(devices == "-" ? "" : devices);
  for (std::string address; std::getline(addresses, address, ',');) placement.devices.push_back(address);
  placement.cores = numbers_of(cores);
  return placement;
}

void add_shared_devices(std::vector<Placement> const& ranks, std::vector<std::string>& texts) {
  std::map<std::pair<int, std::string>, std::set<std::size_t>> by_device;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    if (!ranks[rank].takes_turns) continue;
    for (std::string const& device : ranks[rank].devices) by_device[{ranks[rank].host, device}].insert(rank);
  }
  for (auto const& [device, sharing] : by_device) {
    if (sharing.size() < 2) continue;
    texts.push_back(
        fmt::format("ranks {} share device {} of host {} and take turns on it; start one rank for each device, or "
                    "NVIDIA's multi-process service (nvidia-cuda-mps-control -d)",
                    fmt::join(sharing, ", "), device.second, device.first));
  }
}

void add_shared_cores(std::vector<Placement> const& ranks, std::vector<std::string>& texts) {
  struct OfHost {
    std::set<int> cores;
    int threads = 0;
    std::vector<std::size_t> ranks;
  };
  std::map<int, OfHost> hosts;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    OfHost& host = hosts[ranks[rank].host];
    host.cores.insert(ranks[rank].cores.begin(), ranks[rank].cores.end());
    host.threads += ranks[rank].threads;
    host.ranks.push_back(rank);
  }
  for (auto const& [number, host] : hosts) {
    auto const cores = static_cast<int>(host.cores.size());
    if (host.threads <= cores || host.ranks.size() < 2) continue;
    std::string const bound = "bind each to cores of its own (mpirun --bind-to core --map-by slot:PE=THREADS)";
    texts.push_back(fmt::format(
        "{} ranks with {} threads in total share {} core{} of host {} and take turns on {}; start fewer "
        "ranks, fewer threads (OMP_NUM_THREADS), or {}",
        host.ranks.size(), host.threads, cores, cores == 1 ? "" : "s", number, cores == 1 ? "it" : "them", bound));
  }
}

}  // namespace

std::vector<Placement> find_placements(Communicator const& communicator) {
  Placement mine{communicator.host(), usable_cores(), host_threads()};
  std::vector<int> const& devices = rank_devices().numbers;
  for (int const device : devices) mine.devices.push_back(device_address(device));
  mine.takes_turns = !std::all_of(devices.begin(), devices.end(), runs_processes_together);
  std::vector<Placement> all;
  for (std::string const& text : communicator.gather(packed(mine))) all.push_back(unpacked(text));
  return all;
}

std::string usable_cores_text() { return ranges_of(usable_cores()); }

std::vector<std::vector<std::string>> device_names_of_ranks(Communicator const& communicator) {
  std::vector<Device> const there = all_devices();
  std::string mine;
  for (int const number : rank_devices().numbers) {
    for (Device const& device : there) {
      if (device.number == number) mine += fmt::format("{}: {} ({})\n", number, device.name, device.address);
    }
  }
  std::vector<std::vector<std::string>> all;
  bool any = false;
  for (std::string const& text : communicator.gather(mine)) {
    std::istringstream lines(text);
    all.emplace_back();
    for (std::string line; std::getline(lines, line);) all.back().push_back(line);
    any = any || !all.back().empty();
  }
  if (!any) all.clear();
  return all;
}

std::vector<std::string> shared_hardware(std::vector<Placement> const& ranks) {
  std::vector<std::string> texts;
  add_shared_devices(ranks, texts);
  add_shared_cores(ranks, texts);
  return texts;
}

std::string describe(Placement const& placement) {
  std::string text = fmt::format("host {}, core{} {}{}, {} thread{}", placement.host,
                                 placement.cores.size() == 1 ? "" : "s", ranges_of(placement.cores),
                                 nodes_of(placement.cores), placement.threads, placement.threads == 1 ? "" : "s");
  for (std::size_t n = 0; n < placement.devices.size(); ++n) {
    text += n > 0 ? ", " : placement.devices.size() > 1 ? ", devices " : ", device ";
    text += placement.devices[n] + node_of_device(placement.devices[n]);
  }
  return text;
}

}  // namespace halocline
