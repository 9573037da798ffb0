#pragma once

// CUDA 13 changed the parameters of three functions that Kokkos before 4.7 calls. These overloads accept the old ones.
// Force-included where such a Kokkos is compiled or used, so that its own files need no change.

#include <cuda_runtime_api.h>

#if CUDART_VERSION >= 13000

namespace halocline_cuda13 {

inline cudaMemLocation location(int device) {
  return {device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, device};
}

}  // namespace halocline_cuda13

inline cudaError_t cudaMemAdvise(void const* memory, std::size_t bytes, cudaMemoryAdvise advice, int device) {
  return cudaMemAdvise(memory, bytes, advice, halocline_cuda13::location(device));
}

inline cudaError_t cudaMemPrefetchAsync(void const* memory, std::size_t bytes, int device, cudaStream_t stream) {
  return cudaMemPrefetchAsync(memory, bytes, halocline_cuda13::location(device), 0, stream);
}

inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, cudaGraphNode_t const* from, cudaGraphNode_t const* to,
                                            std::size_t count) {
  return cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

#endif
