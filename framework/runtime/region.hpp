#pragma once

#include <chrono>

namespace Teuchos {
class Time;
}

namespace halocline {

/// Names a section of the program for Kokkos Tools, adds its wall time to the Teuchos::TimeMonitor counter of that
/// name, and is a span of the trace. `name` must outlive the program (a literal). There is no fence: on a device the
/// time is that of the host. For the thread that runs MPI.
class ScopedRegion {
 public:
  explicit ScopedRegion(char const* name);
  ~ScopedRegion();
  ScopedRegion(ScopedRegion const&) = delete;
  ScopedRegion& operator=(ScopedRegion const&) = delete;

 private:
  char const* name_;
  Teuchos::Time& time_;
  bool outermost_;  ///< not nested in a region of the same name, which already counts the time
  bool traced_;
  std::chrono::steady_clock::time_point start_;  ///< if traced
};

}  // namespace halocline
