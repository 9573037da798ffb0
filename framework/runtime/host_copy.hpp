#pragma once

#include <memory>

#include "framework/runtime/backend.hpp"
#include "framework/runtime/index.hpp"

namespace halocline {

/// Copies between memory of an execution instance and page-locked host memory, concurrently with the instance's
/// kernels. Where the device is not of CUDA, the host waits in `mark` and `finish`.
///
///     copy.mark();
///     … work that runs concurrently with the copy …
///     copy.start(destination, source, bytes);
///     copy.finish();
///     … work that needs the copy …
class HostCopy {
 public:
  explicit HostCopy(Execution const& execution);
  /// Waits for all copies.
  ~HostCopy();
  HostCopy(HostCopy&&) noexcept;
  HostCopy& operator=(HostCopy&&) noexcept;

  /// The next copy waits, on the device, for the work that is enqueued on the instance now.
  void mark();
  void start(void* destination, void const* source, Index bytes);
  /// Work enqueued on the instance from now on runs after the copy.
  void finish();
  /// Returns when all copies are complete.
  void wait() const;

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace halocline
