#pragma once

#include <cuda_runtime.h>

#include "framework/runtime/cuda_check.hpp"

namespace halocline::cuda {

/// A non-blocking stream: it does not synchronise with the default stream.
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

/// An event without timing, of the device that is current at construction.
class OwnEvent {
 public:
  OwnEvent() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags"); }
  ~OwnEvent() { (void)cudaEventDestroy(event_); }
  OwnEvent(OwnEvent const&) = delete;
  OwnEvent& operator=(OwnEvent const&) = delete;
  [[nodiscard]] cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace halocline::cuda
