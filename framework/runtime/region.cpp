#include "framework/runtime/region.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstring>

#include "framework/runtime/trace.hpp"

namespace halocline {

namespace {

struct Entry {
  char const* name;
  Index calls;
  std::chrono::steady_clock::duration time;
};

std::vector<Entry>& table() {
  static std::vector<Entry> entries;
  return entries;
}

/// A program has a few dozen regions: a search by address, then by text, is cheaper than hashing.
Entry& entry_of(char const* name) {
  auto& entries = table();
  auto found = std::find_if(entries.begin(), entries.end(), [name](Entry const& e) { return e.name == name; });
  if (found == entries.end()) {
    found = std::find_if(entries.begin(), entries.end(), [name](Entry const& e) { return !std::strcmp(e.name, name); });
  }
  return found != entries.end() ? *found
                                : entries.emplace_back(Entry{name, 0, std::chrono::steady_clock::duration::zero()});
}

}  // namespace

ScopedRegion::ScopedRegion(char const* name) : name_(name), start_(std::chrono::steady_clock::now()) {
  if (Kokkos::Profiling::profileLibraryLoaded()) Kokkos::Profiling::pushRegion(name);
  trace::enter_on_device(name);
}

ScopedRegion::~ScopedRegion() {
  trace::leave_on_device();
  auto const end = std::chrono::steady_clock::now();
  Entry& entry = entry_of(name_);
  ++entry.calls;
  entry.time += end - start_;
  trace::add(name_, start_, end);
  if (Kokkos::Profiling::profileLibraryLoaded()) Kokkos::Profiling::popRegion();
}

std::vector<RegionTime> region_times() {
  std::vector<RegionTime> times;
  for (Entry const& entry : table()) {
    times.push_back({entry.name, entry.calls, std::chrono::duration<double>(entry.time).count()});
  }
  std::sort(times.begin(), times.end(), [](RegionTime const& a, RegionTime const& b) { return a.seconds > b.seconds; });
  return times;
}

void reset_region_times() { table().clear(); }

}  // namespace halocline
