#include "framework/kernel/cuda/resident_cg.hpp"

namespace halocline::kernel::cuda {

int blocks_at_a_time(void const* kernel, std::size_t shared_bytes) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  if (shared_bytes + attributes.sharedSizeBytes > static_cast<std::size_t>(current_device().shared_bytes)) return 0;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes)),
        "cudaFuncSetAttribute");
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, ReductionTiles::columns, shared_bytes),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks * current_device().multiprocessors;
}

void launch_together(void const* kernel, int blocks, std::size_t shared_bytes, void* argument, cudaStream_t stream) {
  void* arguments[] = {argument};
  check(cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(blocks)), dim3(ReductionTiles::columns),
                                    arguments, shared_bytes, stream),
        "steps of conjugate gradients");
}

}  // namespace halocline::kernel::cuda
