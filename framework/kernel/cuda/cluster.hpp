#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "framework/kernel/cuda/device.hpp"

// Thread-block clusters on NVIDIA GPUs: blocks that run at the same time and share barriers. Below compute capability
// 9.0 a cluster is one block.

namespace halocline::kernel::cuda {

/// The cluster size that every device with clusters supports.
inline constexpr int most_blocks_of_cluster = 8;
inline constexpr int threads_of_cluster_block = 1024;

/// One block of a cluster, as a cluster of its own.
class BlockOfCluster {
 public:
  [[nodiscard]] __device__ __forceinline__ int rank() const { return static_cast<int>(threadIdx.x); }
  [[nodiscard]] __device__ __forceinline__ int size() const { return static_cast<int>(blockDim.x); }
  __device__ __forceinline__ void barrier() const { __syncthreads(); }
  [[nodiscard]] __device__ __forceinline__ void* scratch(std::size_t) const {
    extern __shared__ __align__(16) unsigned char memory_of_block[];
    return memory_of_block;
  }
  template <class Work>
  __device__ __forceinline__ void in_one_block(Work const& work) const {
    work(*this);
  }
};

/// All blocks of the cluster, which are the whole grid.
class Cluster {
 public:
  [[nodiscard]] __device__ __forceinline__ int rank() const {
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  }
  [[nodiscard]] __device__ __forceinline__ int size() const { return static_cast<int>(gridDim.x * blockDim.x); }
  /// Orders global memory, too: writes before a thread arrives are visible to all threads after they wait.
  __device__ __forceinline__ void barrier() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    __syncthreads();
#else
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
#endif
  }
  template <class Work>
  __device__ __forceinline__ void in_one_block(Work const& work) const {
    if (blockIdx.x == 0) work(BlockOfCluster());
    barrier();
  }
};

template <class Functor>
__global__ void __launch_bounds__(threads_of_cluster_block, 1) run_by_cluster(__grid_constant__ Functor const functor) {
  functor(Cluster());
}

/// Enqueues `functor(cluster)` for a cluster of `blocks` blocks, or of one where the device has no clusters. `scratch`:
/// bytes of shared memory for each block.
template <class Functor>
void run_cluster(cudaStream_t stream, int blocks, Functor const& functor, std::size_t scratch) {
  check(cudaFuncSetAttribute(run_by_cluster<Functor>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(scratch)),
        "cudaFuncSetAttribute");
  bool const has_clusters = current_device().clusters;
  if (!has_clusters) blocks = 1;
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(threads_of_cluster_block);
  config.dynamicSmemBytes = scratch;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = has_clusters ? 1 : 0;
  check(cudaLaunchKernelEx(&config, &run_by_cluster<Functor>, functor), "a cluster");
}

}  // namespace halocline::kernel::cuda
