#pragma once

#include <utility>

#include "framework/kernel/cuda/device.hpp"
#include "framework/runtime/cuda_stream.hpp"

namespace halocline::kernel::cuda {

/// Kernels captured from a stream, to be relaunched by one driver call.
class Graph {
 public:
  /// Captures what `work` enqueues on `stream`. An exception of `work` ends the capture and propagates.
  template <class Work>
  Graph(cudaStream_t stream, Work const& work) {
    cudaGraph_t captured = nullptr;
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    try {
      work();
    } catch (...) {
      (void)cudaStreamEndCapture(stream, &captured);
      if (captured != nullptr) (void)cudaGraphDestroy(captured);
      (void)cudaGetLastError();  // clears the error of an unjoined capture, or the next kernel would report it
      throw;
    }
    check(cudaStreamEndCapture(stream, &captured), "cudaStreamEndCapture");
    check(cudaGraphInstantiate(&executable_, captured, 0), "cudaGraphInstantiate");
    check(cudaGraphDestroy(captured), "cudaGraphDestroy");
  }
  ~Graph() {
    if (executable_ != nullptr) (void)cudaGraphExecDestroy(executable_);
  }
  Graph(Graph&& other) noexcept : executable_(std::exchange(other.executable_, nullptr)) {}
  Graph& operator=(Graph&&) = delete;

  void launch(cudaStream_t stream) const { check(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch"); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

/// A stream of its own, since the default stream may not be captured.
using halocline::cuda::OwnStream;

}  // namespace halocline::kernel::cuda
