#pragma once

#include <cuda_runtime.h>

namespace halocline::cuda {

/// A stream for messages beside those for sweeps, and ahead of them where both want the device. One for a process.
class MessageStream {
 public:
  static MessageStream& instance();
  MessageStream(MessageStream const&) = delete;
  MessageStream& operator=(MessageStream const&) = delete;

  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  /// What is enqueued here from now on waits for what is on `other` by now.
  void follow(cudaStream_t other) const;
  /// What is enqueued on `other` from now on waits for what is here by now.
  void precede(cudaStream_t other) const;

 private:
  MessageStream();

  // Kept for ever: the device may be gone when a process destroys its statics.
  cudaStream_t stream_ = nullptr;
  cudaEvent_t there_ = nullptr;
  cudaEvent_t here_ = nullptr;
};

}  // namespace halocline::cuda
