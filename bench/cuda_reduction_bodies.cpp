#include "bench/cuda_reduction_bodies.hpp"

#include <cooperative_groups.h>

#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>
#include <string>
#include <utility>

#include "framework/kernel/cuda/device.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::reduce::cuda {
namespace {

namespace groups = cooperative_groups;
using kernel::cuda::check;

inline constexpr int threads = 256;
/// Number of values that a block adds up in an iterated or cooperative sum.
inline constexpr Index part = Index{threads} * 1024;

[[nodiscard]] __host__ __device__ constexpr Index parts_of(Index count) {
  return count > part ? (count + part - 1) / part : 1;
}

/// Resident blocks of this kernel per multiprocessor.
[[nodiscard]] int most_blocks_of(void const* function) {
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return blocks;
}

/// The sum of every 256th of `count` values.
template <class Real>
[[nodiscard]] __device__ Real sum_of_thread(groups::thread_block const& block, Real const* values, Index count) {
  Real sum = 0;
  for (Index n = block.thread_rank(); n < count; n += threads) sum += values[n];
  return sum;
}

/// Adds up one number per thread of a group that consists of all threads of a block; all threads get the sum. In each
/// step the lower half of the threads adds the numbers of the upper half.
template <class Group, class Real>
[[nodiscard]] __device__ __forceinline__ Real sum_by_tree(Group const& group, Real* shared, Real mine) {
  unsigned const rank = group.thread_rank();
  shared[rank] = mine;
  group.sync();
  for (unsigned half = threads / 2; half > 0; half /= 2) {
    if (rank < half) shared[rank] += shared[rank + half];
    group.sync();
  }
  Real const total = shared[0];
  // No thread may overwrite the total for the next sum before all have read it.
  group.sync();
  return total;
}

/// For a thread block whose size is a run-time value.
struct TreeInShared {
  template <class Real>
  [[nodiscard]] static __device__ Real sum(groups::thread_block const& block, Real* shared, Real mine) {
    return sum_by_tree(block, shared, mine);
  }
};

/// For a tile of all threads of a block, with the size known at compile time. Barriers of tiles larger than a warp need
/// shared memory.
struct TreeOfStaticTile {
  template <class Real>
  [[nodiscard]] static __device__ Real sum(groups::thread_block const&, Real* shared, Real mine) {
    __shared__ groups::block_tile_memory<threads> memory;
    auto const block = groups::this_thread_block(memory);
    groups::thread_block_tile<threads> const tile = groups::tiled_partition<threads>(block);
    return sum_by_tree(tile, shared, mine);
  }
};

/// The same by shuffles within each warp; then every thread adds up the sums of the warps.
struct ShufflesInWarps {
  template <class Real>
  [[nodiscard]] static __device__ Real sum(groups::thread_block const& block, Real* shared, Real mine) {
    auto const warp = groups::tiled_partition<32>(block);
    for (unsigned half = warp.size() / 2; half > 0; half /= 2) mine += warp.shfl_down(mine, half);
    if (warp.thread_rank() == 0) shared[warp.meta_group_rank()] = mine;
    block.sync();
    Real total = 0;
    for (unsigned n = 0; n < warp.meta_group_size(); ++n) total += shared[n];
    // As above.
    block.sync();
    return total;
  }
};

/// Block n sums the n-th chunk of `length` values out of `count`.
template <class InBlock, class Real>
__global__ void __launch_bounds__(threads) sum_batch(Real const* values, Index count, Index length, Real* sums) {
  __shared__ Real shared[threads];
  auto const block = groups::this_thread_block();
  Index const batch = static_cast<Index>(groups::this_grid().block_rank());
  Real const mine = sum_of_thread(block, values + batch * length, min(length, count - batch * length));
  Real const sum = InBlock::sum(block, shared, mine);
  if (block.thread_rank() == 0) sums[batch] = sum;
}

// The same two sums in a block with the primitives that cooperative groups replace.

struct TreeByBarriers {
  template <class Real>
  [[nodiscard]] static __device__ Real sum(Real* shared, Real mine) {
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (unsigned half = threads / 2; half > 0; half /= 2) {
      if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
      __syncthreads();
    }
    return shared[0];
  }
};

struct ShufflesByMask {
  template <class Real>
  [[nodiscard]] static __device__ Real sum(Real* shared, Real mine) {
    constexpr unsigned all_lanes = 0xffffffffU;
    constexpr unsigned lanes = 32;
    for (unsigned half = lanes / 2; half > 0; half /= 2) mine += __shfl_down_sync(all_lanes, mine, half);
    if (threadIdx.x % lanes == 0) shared[threadIdx.x / lanes] = mine;
    __syncthreads();
    Real total = 0;
    for (unsigned n = 0; n < threads / lanes; ++n) total += shared[n];
    return total;
  }
};

/// As sum_batch without cooperative groups.
template <class InBlock, class Real>
__global__ void __launch_bounds__(threads) sum_batch_plainly(Real const* values, Index length, Real* sums) {
  __shared__ Real shared[threads];
  Real const* const first = values + static_cast<Index>(blockIdx.x) * length;
  Real mine = 0;
  for (Index n = threadIdx.x; n < length; n += threads) mine += first[n];
  Real const sum = InBlock::sum(shared, mine);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

/// Adds up parts of the values, then parts of their sums, and so on until one is left, with grid-wide barriers in
/// between. The sums of parts alternate between `here` and `there`.
template <class Real>
__global__ void __launch_bounds__(threads)
    sum_in_one_launch(Real const* values, Index count, Real* here, Real* there, Real* result) {
  __shared__ Real shared[threads];
  auto const grid = groups::this_grid();
  auto const block = groups::this_thread_block();
  for (;;) {
    Index const parts = parts_of(count);
    Real* const to = parts == 1 ? result : here;
    for (Index n = static_cast<Index>(grid.block_rank()); n < parts; n += static_cast<Index>(grid.num_blocks())) {
      Real const mine = sum_of_thread(block, values + n * part, min(part, count - n * part));
      Real const sum = TreeInShared::sum(block, shared, mine);
      if (block.thread_rank() == 0) to[n] = sum;
    }
    if (parts == 1) return;
    grid.sync();
    Real* const filled = here;
    here = there;
    there = filled;
    values = filled;
    count = parts;
  }
}

template <class Number>
using Memory = Kokkos::View<Number*, Kokkos::CudaSpace>;
template <class Number>
[[nodiscard]] Memory<Number> make_memory(Kokkos::Cuda const& execution, Index count) {
  return Memory<Number>(Kokkos::view_alloc(execution, "sums"), static_cast<std::size_t>(count));
}

/// Common to all of these bodies: a stream, and sums in the precision of the values.
template <class Real>
class CudaSummation : public Summation<Real> {
 public:
  CudaSummation(Kokkos::Cuda const& execution, Segments const& segments)
      : execution_(execution), segments_(segments), sums_(make_memory<Real>(execution, segments.count)) {}
  [[nodiscard]] std::vector<double> values() const override {
    execution_.fence("halocline: sums");
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, sums_);
    return {host.data(), host.data() + host.extent(0)};
  }

 protected:
  [[nodiscard]] Kokkos::Cuda const& execution() const { return execution_; }
  [[nodiscard]] cudaStream_t stream() const { return execution_.cuda_stream(); }
  [[nodiscard]] Segments const& segments() const { return segments_; }
  [[nodiscard]] Real* sums() const { return sums_.data(); }

 private:
  Kokkos::Cuda execution_;
  Segments segments_;
  Memory<Real> sums_;
};

template <class Real>
class CubSummation : public CudaSummation<Real> {
 public:
  CubSummation(Kokkos::Cuda const& execution, Segments const& segments)
      : CudaSummation<Real>(execution, segments), begins_(make_memory<Index>(execution, segments.count + 1)) {
    auto const host = Kokkos::create_mirror_view(begins_);
    for (Index n = 0; n <= segments.count; ++n) host(n) = n * segments.length;
    Kokkos::deep_copy(begins_, host);
    reduce(nullptr, nullptr);
    storage_ = make_memory<std::byte>(execution, static_cast<Index>(std::max<std::size_t>(bytes_, 1)));
  }
  void enqueue(Real const* values) override { reduce(storage_.data(), values); }

 private:
  /// Without storage CUB only returns the size it needs.
  void reduce(void* storage, Real const* values) {
    Segments const& segments = this->segments();
    if (segments.count == 1) {
      check(cub::DeviceReduce::Sum(storage, bytes_, values, this->sums(), segments.length, this->stream()),
            "cub::DeviceReduce::Sum");
    } else {
      check(cub::DeviceSegmentedReduce::Sum(storage, bytes_, values, this->sums(), segments.count, begins_.data(),
                                            begins_.data() + 1, this->stream()),
            "cub::DeviceSegmentedReduce::Sum");
    }
  }

  Memory<Index> begins_;
  Memory<std::byte> storage_;
  std::size_t bytes_ = 0;
};

template <class InBlock, class Real>
class BatchedSummation : public CudaSummation<Real> {
 public:
  using CudaSummation<Real>::CudaSummation;
  void enqueue(Real const* values) override {
    Segments const& segments = this->segments();
    if (segments.count == 0) return;
    sum_batch<InBlock><<<static_cast<unsigned>(segments.count), threads, 0, this->stream()>>>(
        values, segments.count * segments.length, segments.length, this->sums());
    check(cudaGetLastError(), "a batched sum");
  }
};

template <class InBlock, class Real>
class PlainSummation : public CudaSummation<Real> {
 public:
  using CudaSummation<Real>::CudaSummation;
  void enqueue(Real const* values) override {
    Segments const& segments = this->segments();
    if (segments.count == 0) return;
    sum_batch_plainly<InBlock>
        <<<static_cast<unsigned>(segments.count), threads, 0, this->stream()>>>(values, segments.length, this->sums());
    check(cudaGetLastError(), "a batched sum");
  }
};

/// Sums of parts, in two alternating buffers.
template <class Real>
class PartSummation : public CudaSummation<Real> {
 public:
  PartSummation(Kokkos::Cuda const& execution, Segments const& segments)
      : CudaSummation<Real>(execution, segments),
        here_(make_memory<Real>(execution, parts_of(segments.length))),
        there_(make_memory<Real>(execution, parts_of(here_.extent_int(0)))) {}

 protected:
  [[nodiscard]] Real* here() const { return here_.data(); }
  [[nodiscard]] Real* there() const { return there_.data(); }

 private:
  Memory<Real> here_;
  Memory<Real> there_;
};

template <class Real>
class IteratedSummation : public PartSummation<Real> {
 public:
  using PartSummation<Real>::PartSummation;
  void enqueue(Real const* values) override {
    Index count = this->segments().length;
    Real* to[] = {this->here(), this->there()};
    for (;;) {
      Index const parts = parts_of(count);
      Real* const sums = parts == 1 ? this->sums() : to[0];
      sum_batch<TreeInShared><<<static_cast<unsigned>(parts), threads, 0, this->stream()>>>(values, count, part, sums);
      check(cudaGetLastError(), "an iterated sum");
      if (parts == 1) return;
      values = sums;
      count = parts;
      std::swap(to[0], to[1]);
    }
  }
};

template <class Real>
class CooperativeSummation : public PartSummation<Real> {
 public:
  /// `blocks`: per multiprocessor.
  CooperativeSummation(Kokkos::Cuda const& execution, Segments const& segments, int blocks)
      : PartSummation<Real>(execution, segments),
        blocks_(static_cast<unsigned>(blocks * kernel::cuda::current_device().multiprocessors)) {}
  [[nodiscard]] static int most_blocks() { return most_blocks_of(function()); }
  void enqueue(Real const* values) override {
    Index count = this->segments().length;
    Real* places[] = {this->here(), this->there(), this->sums()};
    void* arguments[] = {&values, &count, &places[0], &places[1], &places[2]};
    check(cudaLaunchCooperativeKernel(function(), dim3(blocks_), dim3(threads), arguments, 0, this->stream()),
          "cudaLaunchCooperativeKernel");
  }

 private:
  [[nodiscard]] static void const* function() { return reinterpret_cast<void const*>(&sum_in_one_launch<Real>); }
  unsigned blocks_;
};

/// Executes grid-wide barriers and nothing else.
__global__ void __launch_bounds__(threads) meet(int barriers) {
  for (int n = 0; n < barriers; ++n) groups::this_grid().sync();
}

}  // namespace

template <class Real>
std::unique_ptr<Summation<Real>> make_summation(Kokkos::Cuda const& execution, Body body, Segments const& segments) {
  if (segments.count < 0 || segments.length < 0) throw DefectError("sums of a negative number of values");
  switch (body) {
    case Body::cub:
      return std::make_unique<CubSummation<Real>>(execution, segments);
    case Body::batched_shared:
      return std::make_unique<BatchedSummation<TreeInShared, Real>>(execution, segments);
    case Body::batched_warp:
      return std::make_unique<BatchedSummation<ShufflesInWarps, Real>>(execution, segments);
    case Body::iterated:
      return std::make_unique<IteratedSummation<Real>>(execution, segments);
    case Body::batched_tile:
      return std::make_unique<BatchedSummation<TreeOfStaticTile, Real>>(execution, segments);
    case Body::plain_shared:
      return std::make_unique<PlainSummation<TreeByBarriers, Real>>(execution, segments);
    case Body::plain_warp:
      return std::make_unique<PlainSummation<ShufflesByMask, Real>>(execution, segments);
    case Body::cooperative_one_block:
      return std::make_unique<CooperativeSummation<Real>>(execution, segments, 1);
    case Body::cooperative_filled:
      return std::make_unique<CooperativeSummation<Real>>(execution, segments,
                                                          CooperativeSummation<Real>::most_blocks());
    default:
      throw DefectError(std::string("not one of these bodies: ") + name_of(body));
  }
}

template std::unique_ptr<Summation<float>> make_summation(Kokkos::Cuda const&, Body, Segments const&);
template std::unique_ptr<Summation<double>> make_summation(Kokkos::Cuda const&, Body, Segments const&);

int most_cooperative_blocks() { return CooperativeSummation<float>::most_blocks(); }

std::unique_ptr<Summation<float>> make_cooperative_summation(Kokkos::Cuda const& execution, Index count, int blocks) {
  return std::make_unique<CooperativeSummation<float>>(execution, Segments{1, count}, blocks);
}

void enqueue_without_sum(Kokkos::Cuda const& execution, Index count, int blocks) {
  int barriers = 0;
  while ((count = parts_of(count)) > 1) ++barriers;
  auto const all = static_cast<unsigned>(blocks * kernel::cuda::current_device().multiprocessors);
  void* arguments[] = {&barriers};
  check(cudaLaunchCooperativeKernel(reinterpret_cast<void const*>(&meet), dim3(all), dim3(threads), arguments, 0,
                                    execution.cuda_stream()),
        "cudaLaunchCooperativeKernel");
}

}  // namespace halocline::reduce::cuda
