#pragma once

#include <string>
#include <vector>

namespace halocline {

class Communicator;

/// Seconds that ranks took for the same.
struct RankSeconds {
  double least = 0;
  double mean = 0;
  double most = 0;
};

struct RegionTime {
  std::string name;
  double calls = 0;     ///< mean over ranks; a rank counts no further than 2^31 - 1
  RankSeconds seconds;  ///< of all calls, regions inside included; a rank without a call took none
};

/// What all counters of Teuchos::TimeMonitor have come to since the program's start or the last reset, longest mean
/// first: those of regions, and of whatever else counts there. Calls that are under way are not in it.
/// Of this rank alone:
[[nodiscard]] std::vector<RegionTime> region_times();
/// Collective. The same on all ranks.
[[nodiscard]] std::vector<RegionTime> region_times(Communicator const& ranks);
/// Of the region `name` among these; zeros if it is not.
[[nodiscard]] RankSeconds seconds_of(std::vector<RegionTime> const& times, std::string const& name);
/// Of regions.
void reset_region_times();

}  // namespace halocline
