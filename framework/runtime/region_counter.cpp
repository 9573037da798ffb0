#include "framework/runtime/region_counter.hpp"

#include <Teuchos_TimeMonitor.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "framework/runtime/communicator.hpp"
#include "framework/runtime/region_times.hpp"
#include "framework/runtime/teuchos_communicator.hpp"

namespace halocline {

namespace {

struct Entry {
  char const* name;
  Teuchos::RCP<Teuchos::Time> time;
};

/// Keyed by the address of the name; names with equal text share a counter. Never destroyed: regions may end during
/// exit.
std::vector<Entry>& table() {
  static auto& entries = *new std::vector<Entry>;
  return entries;
}

std::size_t place_of(std::vector<std::string> const& names, char const* name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

Teuchos::Time& region_counter::of(char const* name) {
  // A program has a few dozen regions: a linear search by address is cheaper than hashing.
  auto& entries = table();
  auto const found = std::find_if(entries.begin(), entries.end(), [name](Entry const& e) { return e.name == name; });
  if (found != entries.end()) return *found->time;
  return *entries.emplace_back(Entry{name, Teuchos::TimeMonitor::getNewCounter(name)}).time;
}

bool region_counter::start(Teuchos::Time& time) {
  if (time.isRunning()) return false;
  time.start();
  return true;
}

void region_counter::stop(Teuchos::Time& time, bool started) {
  if (started) time.stop();
  if (time.numCalls() < std::numeric_limits<int>::max()) time.incrementNumCalls();
}

std::vector<RegionTime> region_times(Communicator const& ranks) {
  Teuchos::stat_map_type statistics;
  std::vector<std::string> kinds;
  TeuchosCommunicator const teuchos(ranks);
  Teuchos::TimeMonitor::computeGlobalTimerStatistics(statistics, kinds, Teuchos::ptr(&teuchos), Teuchos::Union);
  std::size_t const least = place_of(kinds, "MinOverProcs");
  std::size_t const mean = place_of(kinds, "MeanOverProcs");
  std::size_t const most = place_of(kinds, "MaxOverProcs");
  std::vector<RegionTime> times;
  // Each statistic has the time and the calls that belong to it. Rounding may put the mean outside of [least, most].
  for (auto const& [name, found] : statistics) {
    double const lowest = found.at(least).first;
    double const highest = found.at(most).first;
    // Teuchos divides before it adds; the number of calls of all ranks is an integer.
    double const calls = std::round(found.at(mean).second * ranks.size()) / ranks.size();
    times.push_back({name, calls, {lowest, std::clamp(found.at(mean).first, lowest, highest), highest}});
  }
  std::ranges::stable_sort(times, std::ranges::greater(), [](RegionTime const& one) { return one.seconds.mean; });
  return times;
}

std::vector<RegionTime> region_times() { return region_times(Communicator::alone()); }

RankSeconds seconds_of(std::vector<RegionTime> const& times, std::string const& name) {
  auto const found = std::ranges::find(times, name, &RegionTime::name);
  return found != times.end() ? found->seconds : RankSeconds{};
}

void reset_region_times() {
  for (Entry const& entry : table()) entry.time->reset();
}

}  // namespace halocline
