#pragma once

#include <optional>

#include "framework/kernel/backends.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include <Kokkos_Core.hpp>
#include <utility>
#endif

namespace halocline::kernel {

/// Work on a stream that is enqueued over and over with the same arguments. Where the device has graphs it runs as it
/// is the first time, is captured the second time, and replayed from then on: one call of the driver for all of its
/// kernels. Elsewhere it always runs as it is.
template <class Execution, class Arguments>
class RepeatedWork {
 public:
  /// `arguments`: all that the work depends on; when they change, what was captured is forgotten. The work enqueues
  /// kernels on `execution` and does nothing else: what it does on the host is not repeated.
  template <class Work>
  void run(Execution const&, Arguments const&, Work const& work) {
    work();
  }
};

#if defined(KOKKOS_ENABLE_CUDA)
template <class Arguments>
class RepeatedWork<Kokkos::Cuda, Arguments> {
 public:
  RepeatedWork() = default;
  RepeatedWork(RepeatedWork&& other) noexcept
      : arguments_(std::exchange(other.arguments_, std::nullopt)), graph_(std::exchange(other.graph_, nullptr)) {}
  RepeatedWork& operator=(RepeatedWork&&) = delete;
  ~RepeatedWork() { forget(); }

  template <class Work>
  void run(Kokkos::Cuda const& execution, Arguments const& arguments, Work const& work) {
    if (arguments_ != arguments) {
      // Memory is made and tunings are chosen when work first runs.
      forget();
      work();
      arguments_ = arguments;
      return;
    }
    if (graph_ == nullptr) capture(execution.cuda_stream(), work);
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaGraphLaunch(graph_, execution.cuda_stream()));
  }

 private:
  template <class Work>
  void capture(cudaStream_t stream, Work const& work) {
    cudaGraph_t captured = nullptr;
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    try {
      work();
    } catch (...) {
      (void)cudaStreamEndCapture(stream, &captured);
      if (captured != nullptr) (void)cudaGraphDestroy(captured);
      throw;
    }
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaStreamEndCapture(stream, &captured));
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaGraphInstantiate(&graph_, captured, 0));
    KOKKOS_IMPL_CUDA_SAFE_CALL(cudaGraphDestroy(captured));
  }
  void forget() {
    if (graph_ != nullptr) (void)cudaGraphExecDestroy(graph_);
    graph_ = nullptr;
    arguments_.reset();
  }

  std::optional<Arguments> arguments_;
  cudaGraphExec_t graph_ = nullptr;
};
#endif

}  // namespace halocline::kernel
