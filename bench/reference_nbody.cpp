#include "bench/reference_nbody.hpp"

#include "framework/kernel/cuda/device.hpp"

namespace halocline::benchmarking {
namespace {

constexpr int threads = 256;
constexpr unsigned blocks = 300;

/// Fused, as a compiler would that may contract.
__device__ __forceinline__ void interact(float3& sum, float4 const& at, float4 const& from, float softening_squared) {
  float const dx = from.x - at.x;
  float const dy = from.y - at.y;
  float const dz = from.z - at.z;
  float const distance = __fmaf_rn(dz, dz, __fmaf_rn(dy, dy, dx * dx)) + softening_squared;
  float const inverse = rsqrtf(distance);
  float const weight = from.w * (inverse * inverse * inverse);
  sum.x = __fmaf_rn(dx, weight, sum.x);
  sum.y = __fmaf_rn(dy, weight, sum.y);
  sum.z = __fmaf_rn(dz, weight, sum.z);
}

/// Threads without a target and slots without a source take part, but do not change the result.
__global__ void __launch_bounds__(threads) tiles_of_sources(nbody::Attraction<float> const attraction) {
  __shared__ float4 tile[threads];
  auto const* const targets = reinterpret_cast<float4 const*>(attraction.targets);
  auto const* const sources = reinterpret_cast<float4 const*>(attraction.sources);
  float const softening_squared = attraction.softening * attraction.softening;
  Index const stride = static_cast<Index>(gridDim.x) * threads;
  for (Index first = static_cast<Index>(blockIdx.x) * threads; first < attraction.target_count; first += stride) {
    Index const target = first + threadIdx.x;
    bool const is_one = target < attraction.target_count;
    float4 const at = targets[is_one ? target : 0];
    float3 sum{0, 0, 0};
    for (Index begin = 0; begin < attraction.source_count; begin += threads) {
      Index const source = begin + threadIdx.x;
      tile[threadIdx.x] = source < attraction.source_count ? sources[source] : make_float4(0, 0, 0, 0);
      __syncthreads();
#pragma unroll 32
      for (int n = 0; n < threads; ++n) interact(sum, at, tile[n], softening_squared);
      __syncthreads();
    }
    if (!is_one) continue;
    attraction.acceleration[0][target] = sum.x;
    attraction.acceleration[1][target] = sum.y;
    attraction.acceleration[2][target] = sum.z;
  }
}

}  // namespace

void attract_by_tiles(Execution const& execution, nbody::Attraction<float> const& attraction) {
  tiles_of_sources<<<blocks, threads, 0, execution.cuda_stream()>>>(attraction);
  kernel::cuda::check(cudaGetLastError(), "a reference kernel");
}

}  // namespace halocline::benchmarking
