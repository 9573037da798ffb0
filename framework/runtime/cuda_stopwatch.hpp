#pragma once

#include <cuda_runtime.h>

#include "framework/runtime/cuda_check.hpp"

namespace halocline::cuda {

/// Times the work on a stream by the device's clock.
class Stopwatch {
 public:
  explicit Stopwatch(cudaStream_t stream) : stream_(stream) {
    check(cudaEventCreate(&begin_), "cudaEventCreate");
    check(cudaEventCreate(&end_), "cudaEventCreate");
  }
  ~Stopwatch() {
    (void)cudaEventDestroy(begin_);
    (void)cudaEventDestroy(end_);
  }
  Stopwatch(Stopwatch const&) = delete;
  Stopwatch& operator=(Stopwatch const&) = delete;

  /// Seconds from before the first to after the last of `runs` calls of `work`. Waits for them.
  template <class Work>
  [[nodiscard]] double elapsed(Work const& work, int runs) const {
    check(cudaEventRecord(begin_, stream_), "cudaEventRecord");
    for (int n = 0; n < runs; ++n) (void)work();
    check(cudaEventRecord(end_, stream_), "cudaEventRecord");
    check(cudaEventSynchronize(end_), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

}  // namespace halocline::cuda
