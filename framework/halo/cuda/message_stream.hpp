#pragma once

#include <cuda_runtime.h>

namespace halocline::cuda {

/// A stream for messages, separate from that of sweeps and with higher priority. There is one per process.
class MessageStream {
 public:
  static MessageStream& instance();
  MessageStream(MessageStream const&) = delete;
  MessageStream& operator=(MessageStream const&) = delete;

  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  /// Orders later work on this stream after the work enqueued on `other` so far.
  void follow(cudaStream_t other) const;
  /// Orders later work on `other` after the work enqueued on this stream so far.
  void precede(cudaStream_t other) const;

 private:
  MessageStream();

  // Never destroyed: the device may be gone when a process destroys its statics.
  cudaStream_t stream_ = nullptr;
  cudaEvent_t there_ = nullptr;
  cudaEvent_t here_ = nullptr;
};

}  // namespace halocline::cuda
