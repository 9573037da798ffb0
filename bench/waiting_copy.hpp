#pragma once

#include <memory>

#include "framework/runtime/index.hpp"

namespace halocline::benchmarking {

/// A copy between two devices as textbooks write it: pieces pass through two pinned buffers used alternately; for each
/// piece the calling thread makes the source current, then the destination, and in the end it waits for both.
class WaitingCopy {
 public:
  WaitingCopy() = default;
  virtual ~WaitingCopy() = default;
  WaitingCopy(WaitingCopy const&) = delete;
  WaitingCopy& operator=(WaitingCopy const&) = delete;

  /// Copies, and returns when the copy is complete. The memory must not be in use by work that was enqueued before.
  virtual void run(void* destination, void const* source, Index bytes) = 0;

  /// Bytes of each of the two buffers.
  static constexpr Index piece = Index{1} << 20U;
};

/// How a thread changes its device: the runtime sets the current device; the driver pushes a context onto the thread's
/// stack of contexts and pops it again.
enum class CudaInterface { runtime, driver };

/// A copy from device `from` to device `to`, which may be the same.
[[nodiscard]] std::unique_ptr<WaitingCopy> make_waiting_copy(CudaInterface interface, int from, int to);

}  // namespace halocline::benchmarking
