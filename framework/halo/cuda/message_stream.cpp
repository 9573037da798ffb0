#include "framework/halo/cuda/message_stream.hpp"

#include "framework/runtime/cuda_check.hpp"

namespace halocline::cuda {

MessageStream& MessageStream::instance() {
  static MessageStream stream;
  return stream;
}

MessageStream::MessageStream() {
  int lowest = 0;
  int highest = 0;
  check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "cudaDeviceGetStreamPriorityRange");
  check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, highest), "cudaStreamCreateWithPriority");
  check(cudaEventCreateWithFlags(&there_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  check(cudaEventCreateWithFlags(&here_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
}

void MessageStream::follow(cudaStream_t other) const {
  check(cudaEventRecord(there_, other), "cudaEventRecord");
  check(cudaStreamWaitEvent(stream_, there_), "cudaStreamWaitEvent");
}

void MessageStream::precede(cudaStream_t other) const {
  check(cudaEventRecord(here_, stream_), "cudaEventRecord");
  check(cudaStreamWaitEvent(other, here_), "cudaStreamWaitEvent");
}

}  // namespace halocline::cuda
