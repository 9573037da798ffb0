#include "bench/reference_nbody.hpp"

#include <algorithm>
#include <chrono>

#include "framework/kernel/cuda/device.hpp"
#include "framework/runtime/devices.hpp"

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

__global__ void as_listed(nbody::Attraction<float> const attraction) {
  extern __shared__ float4 listed_tile[];
  auto const* const targets = reinterpret_cast<float4 const*>(attraction.targets);
  auto const* const sources = reinterpret_cast<float4 const*>(attraction.sources);
  float const softening_squared = attraction.softening * attraction.softening;
  Index const stride = static_cast<Index>(gridDim.x) * blockDim.x;
  for (Index first = static_cast<Index>(blockIdx.x) * blockDim.x; first < attraction.target_count; first += stride) {
    Index const target = first + threadIdx.x;
    bool const is_one = target < attraction.target_count;
    float4 const at = targets[is_one ? target : 0];
    float3 sum{0, 0, 0};
#pragma unroll 32
    for (Index begin = 0; begin < attraction.source_count; begin += blockDim.x) {
      Index const source = begin + threadIdx.x;
      listed_tile[threadIdx.x] = source < attraction.source_count ? sources[source] : make_float4(0, 0, 0, 0);
      __syncthreads();
      for (unsigned n = 0; n < blockDim.x; ++n) interact(sum, at, listed_tile[n], softening_squared);
      __syncthreads();
    }
    if (!is_one) continue;
    attraction.acceleration[0][target] = sum.x;
    attraction.acceleration[1][target] = sum.y;
    attraction.acceleration[2][target] = sum.z;
  }
}

void enqueue_as_listed(nbody::Attraction<float> const& attraction, cudaStream_t stream) {
  as_listed<<<blocks, threads, threads * sizeof(float4), stream>>>(attraction);
  kernel::cuda::check(cudaGetLastError(), "a reference kernel");
}

using kernel::cuda::check;

[[nodiscard]] std::size_t bytes_of_bodies(Index count) {
  return static_cast<std::size_t>(count) * sizeof(nbody::Source<float>);
}
[[nodiscard]] std::size_t bytes_of_accelerations(Index count) {
  return static_cast<std::size_t>(count) * 3 * sizeof(float);
}

}  // namespace

void attract_by_tiles(Execution const& execution, nbody::Attraction<float> const& attraction) {
  tiles_of_sources<<<blocks, threads, 0, execution.cuda_stream()>>>(attraction);
  kernel::cuda::check(cudaGetLastError(), "a reference kernel");
}

void attract_as_listed(Execution const& execution, nbody::Attraction<float> const& attraction) {
  enqueue_as_listed(attraction, execution.cuda_stream());
}

/// The targets of a device, and its memory: all bodies, and the accelerations of its targets.
struct AttractionFromHost::Part {
  int device;
  Index first;
  Index count;
  nbody::Source<float>* bodies = nullptr;
  float* accelerations = nullptr;

  /// On the current device.
  void allocate(Index all) {
    check(cudaMalloc(&bodies, bytes_of_bodies(all)), "cudaMalloc");
    check(cudaMalloc(&accelerations, bytes_of_accelerations(count)), "cudaMalloc");
  }
};

AttractionFromHost::AttractionFromHost(std::vector<int> devices, std::vector<nbody::Source<float>> const& bodies,
                                       float softening)
    : count_(static_cast<Index>(bodies.size())), softening_(softening) {
  auto const shares = static_cast<Index>(devices.size());
  Index const share = (count_ + shares - 1) / shares;
  for (Index n = 0; n < shares && n * share < count_; ++n) {
    parts_.push_back({devices[static_cast<std::size_t>(n)], n * share, std::min(share, count_ - n * share)});
  }
  check(cudaHostAlloc(&bodies_, bytes_of_bodies(count_), cudaHostAllocPortable), "cudaHostAlloc");
  check(cudaHostAlloc(&accelerations_, bytes_of_accelerations(count_), cudaHostAllocPortable), "cudaHostAlloc");
  std::ranges::copy(bodies, bodies_);
}
AttractionFromHost::~AttractionFromHost() {
  release();
  (void)cudaFreeHost(bodies_);
  (void)cudaFreeHost(accelerations_);
}

double AttractionFromHost::run(bool allocates) {
  CurrentDevice const restored;
  release();
  for (Part& part : parts_) {
    check(cudaSetDevice(part.device), "cudaSetDevice");
    if (!allocates) part.allocate(count_);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  auto const begin = std::chrono::steady_clock::now();
  for (Part& part : parts_) {
    check(cudaSetDevice(part.device), "cudaSetDevice");
    if (allocates) part.allocate(count_);
    check(cudaMemcpyAsync(part.bodies, bodies_, bytes_of_bodies(count_), cudaMemcpyHostToDevice, nullptr),
          "cudaMemcpyAsync");
  }
  for (Part const& part : parts_) {
    check(cudaSetDevice(part.device), "cudaSetDevice");
    float* const to = part.accelerations;
    enqueue_as_listed({{part.bodies + part.first, part.count, part.bodies, count_, softening_, false, part.first},
                       {to, to + part.count, to + 2 * part.count}},
                      nullptr);
    check(cudaMemcpyAsync(accelerations_ + 3 * part.first, to, bytes_of_accelerations(part.count),
                          cudaMemcpyDeviceToHost, nullptr),
          "cudaMemcpyAsync");
  }
  for (Part const& part : parts_) {
    check(cudaSetDevice(part.device), "cudaSetDevice");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<float> AttractionFromHost::accelerations() const {
  std::vector<float> all(static_cast<std::size_t>(3 * count_));
  for (Part const& part : parts_) {
    for (Index axis = 0; axis < 3; ++axis) {
      std::copy_n(accelerations_ + 3 * part.first + axis * part.count, part.count,
                  all.begin() + axis * count_ + part.first);
    }
  }
  return all;
}

void AttractionFromHost::release() {
  CurrentDevice const restored;
  for (Part& part : parts_) {
    (void)cudaSetDevice(part.device);
    (void)cudaFree(part.bodies);
    (void)cudaFree(part.accelerations);
    part.bodies = nullptr;
    part.accelerations = nullptr;
  }
}

}  // namespace halocline::benchmarking
