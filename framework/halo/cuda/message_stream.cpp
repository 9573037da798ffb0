#include "framework/halo/cuda/message_stream.hpp"

namespace halocline::cuda {

StreamBeside const& message_stream() {
  static StreamBeside const stream([] {
    int lowest = 0;
    int highest = 0;
    check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "cudaDeviceGetStreamPriorityRange");
    return highest;
  }());
  return stream;
}

}  // namespace halocline::cuda
