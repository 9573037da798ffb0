#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "framework/runtime/index.hpp"

namespace halocline {

/// Names a stretch of the program for Kokkos Tools, adds its wall time to the rank's table, and is a span of the trace.
/// `name` must outlive the program (a literal). Nothing is fenced: on a device the time is that of the host. For the
/// thread that runs MPI.
class ScopedRegion {
 public:
  explicit ScopedRegion(char const* name);
  ~ScopedRegion();
  ScopedRegion(ScopedRegion const&) = delete;
  ScopedRegion& operator=(ScopedRegion const&) = delete;

 private:
  char const* name_;
  std::chrono::steady_clock::time_point start_;
};

struct RegionTime {
  std::string name;
  Index calls = 0;
  double seconds = 0;  ///< of all calls, regions inside included
};

/// This rank's table, longest first, since the program's start or the last reset.
[[nodiscard]] std::vector<RegionTime> region_times();
void reset_region_times();

}  // namespace halocline
