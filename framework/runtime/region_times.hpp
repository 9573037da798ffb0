#pragma once

#include <string>
#include <vector>

namespace halocline {

class Communicator;

/// Seconds of the ranks for the same work.
struct RankSeconds {
  double least = 0;
  double mean = 0;
  double most = 0;
};

struct RegionTime {
  std::string name;
  double calls = 0;     ///< mean over ranks; a rank counts at most 2^31 - 1
  RankSeconds seconds;  ///< of all calls, including nested regions; 0 on a rank without a call
};

/// All counters of Teuchos::TimeMonitor since the program's start or the last reset, longest mean first: those of
/// regions and any others. Calls in progress are not included.
/// For this rank alone:
[[nodiscard]] std::vector<RegionTime> region_times();
/// Collective. The same on all ranks.
[[nodiscard]] std::vector<RegionTime> region_times(Communicator const& ranks);
/// The time of region `name` in `times`; zeros if it is absent.
[[nodiscard]] RankSeconds seconds_of(std::vector<RegionTime> const& times, std::string const& name);
/// Resets the counters of regions.
void reset_region_times();

}  // namespace halocline
