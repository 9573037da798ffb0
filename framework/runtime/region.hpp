#pragma once

#include <chrono>

namespace Teuchos {
class Time;
}

namespace halocline {

/// Names a stretch of the program for Kokkos Tools, adds its wall time to the counter of that name that
/// Teuchos::TimeMonitor knows, and is a span of the trace. `name` must outlive the program (a literal). Nothing is
/// fenced: on a device the time is that of the host. For the thread that runs MPI.
class ScopedRegion {
 public:
  explicit ScopedRegion(char const* name);
  ~ScopedRegion();
  ScopedRegion(ScopedRegion const&) = delete;
  ScopedRegion& operator=(ScopedRegion const&) = delete;

 private:
  char const* name_;
  Teuchos::Time& time_;
  bool outermost_;  ///< not within a region of the same name, which has the time already
  bool traced_;
  std::chrono::steady_clock::time_point start_;  ///< where traced
};

}  // namespace halocline
