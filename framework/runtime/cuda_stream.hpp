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

}  // namespace halocline::cuda
