#pragma once

#include <cuda_runtime.h>

#include "framework/runtime/cuda_check.hpp"

namespace halocline::cuda {

/// A stream that waits for no other.
class OwnStream {
 public:
  OwnStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  ~OwnStream() { (void)cudaStreamDestroy(stream_); }
  OwnStream(OwnStream const&) = delete;
  OwnStream& operator=(OwnStream const&) = delete;
  [[nodiscard]] cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// A stream whose work runs beside that of others, from and up to where they say. Kept for ever: the device may be gone
/// when a process destroys its statics.
class StreamBeside {
 public:
  /// Ahead of others where both want the device, if the priority is higher: a lower number.
  explicit StreamBeside(int priority) {
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority), "cudaStreamCreateWithPriority");
    check(cudaEventCreateWithFlags(&there_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    check(cudaEventCreateWithFlags(&here_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  }
  StreamBeside(StreamBeside const&) = delete;
  StreamBeside& operator=(StreamBeside const&) = delete;

  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  /// What is enqueued here from now on waits for what is on `other` by now.
  void follow(cudaStream_t other) const {
    check(cudaEventRecord(there_, other), "cudaEventRecord");
    check(cudaStreamWaitEvent(stream_, there_), "cudaStreamWaitEvent");
  }
  /// What is enqueued on `other` from now on waits for what is here by now.
  void precede(cudaStream_t other) const {
    check(cudaEventRecord(here_, stream_), "cudaEventRecord");
    check(cudaStreamWaitEvent(other, here_), "cudaStreamWaitEvent");
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t there_ = nullptr;
  cudaEvent_t here_ = nullptr;
};

}  // namespace halocline::cuda
