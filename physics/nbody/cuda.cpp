#include "physics/nbody/cuda.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "framework/runtime/cuda_check.hpp"
#include "framework/runtime/devices.hpp"
#include "physics/nbody/coincidence.hpp"
#include "physics/nbody/cuda_interaction.hpp"
#include "physics/nbody/cuda_split.hpp"
#include "physics/nbody/portable.hpp"

namespace halocline::nbody {
namespace {

using cuda::Split;
using cuda::Target;
using halocline::cuda::check;

/// How a kernel is compiled.
template <class AReal, int Targets, int Resident>
struct Shape {
  using Real = AReal;
  static constexpr int targets = Targets;    ///< of a thread
  static constexpr int threads = 128;        ///< of a block: a warp for each scheduler of a multiprocessor
  static constexpr int resident = Resident;  ///< blocks that a multiprocessor has room for
  static constexpr int loads = 2;            ///< of sources, by a thread, for a chunk
  static constexpr int tile = threads * targets;
  static constexpr int chunk = threads * loads;
  static constexpr int unrolled = 64 / targets;  ///< sources: a loop of some 850 instructions
};

template <class Real>
struct Problem {
  Attraction<Real> attraction;
  Split split;
  Real safe_mass;
  Real* pieces;
};

/// Sums of a tile's targets: x of all, then y, then z.
template <class AShape>
__device__ typename AShape::Real* piece_of(Problem<typename AShape::Real> const& problem, Index block, Index tile) {
  return problem.pieces + problem.split.piece(block, tile) * (3 * AShape::tile);
}

/// What a block of threads knows while it goes through chunks of sources for one tile of targets.
template <class AShape>
struct Tile {
  using Real = typename AShape::Real;
  using Buffer = Source<Real>[AShape::chunk];
  Target<Real> targets[AShape::targets];

  /// Beyond the last target it is taken once more.
  __device__ void load_targets(Attraction<Real> const& attraction, Index tile) {
#pragma unroll
    for (int n = 0; n < AShape::targets; ++n) {
      Index const target = tile * AShape::tile + n * AShape::threads + threadIdx.x;
      Source<Real> const at = cuda::load(attraction.targets + min(target, attraction.target_count - 1));
      targets[n] = {at.x, at.y, at.z, 0, 0, 0};
    }
  }

  template <bool Coincides, int Unrolled>
  __device__ __forceinline__ void feel_all(Buffer const& sources, Real softening_squared) {
#pragma unroll Unrolled
    for (int k = 0; k < AShape::chunk; ++k) {
      Source<Real> const from = cuda::load(sources + k);
#pragma unroll
      for (int n = 0; n < AShape::targets; ++n) targets[n].template feel<Coincides>(from, softening_squared);
    }
  }

  __device__ void finish(Problem<Real> const& problem, Index tile, bool is_whole) const {
    Real* const piece = is_whole ? nullptr : piece_of<AShape>(problem, blockIdx.x, tile);
#pragma unroll
    for (int n = 0; n < AShape::targets; ++n) {
      int const place = n * AShape::threads + static_cast<int>(threadIdx.x);
      Index const target = tile * AShape::tile + place;
      Target<Real> const& one = targets[n];
      if (!is_whole) {
        piece[place] = one.sum_x;
        piece[place + AShape::tile] = one.sum_y;
        piece[place + 2 * AShape::tile] = one.sum_z;
      } else if (target < problem.attraction.target_count) {
        problem.attraction.put(target, one.sum_x, one.sum_y, one.sum_z);
      }
    }
  }
};

/// The sources of a chunk that a thread brings. What is beyond the last source has no mass.
template <class AShape>
struct Brought {
  using Real = typename AShape::Real;
  Source<Real> sources[AShape::loads];

  __device__ __forceinline__ void load(Attraction<Real> const& attraction, Index chunk) {
#pragma unroll
    for (int n = 0; n < AShape::loads; ++n) {
      Index const source = chunk * AShape::chunk + n * AShape::threads + threadIdx.x;
      sources[n] = source < attraction.source_count ? cuda::load(attraction.sources + source) : Source<Real>{};
    }
  }
  /// Returns whether any of them may have a weight that is not finite.
  __device__ __forceinline__ bool store(typename Tile<AShape>::Buffer& buffer, Real safe_mass) const {
    bool coincides = false;
#pragma unroll
    for (int n = 0; n < AShape::loads; ++n) {
      cuda::store(buffer + n * AShape::threads + threadIdx.x, sources[n]);
      coincides = coincides || !(fabs(sources[n].mass) < safe_mass);
    }
    return coincides;
  }
};

/// Every block goes through its steps of the split. A chunk is brought to registers while the one before it is felt.
template <class AShape>
__global__ void __launch_bounds__(AShape::threads, AShape::resident)
    attract_by_steps(__grid_constant__ Problem<typename AShape::Real> const problem) {
  using Real = typename AShape::Real;
  __shared__ Source<Real> buffers[2][AShape::chunk];
  Attraction<Real> const& attraction = problem.attraction;
  Split const& split = problem.split;
  Real const softening_squared = attraction.softening * attraction.softening;
  Index step = split.begin(blockIdx.x);
  Index const end = split.begin(static_cast<Index>(blockIdx.x) + 1);
  int buffer = 0;
  Brought<AShape> brought;
  Index tile = step / split.chunks;
  Index chunk = step % split.chunks;
  brought.load(attraction, chunk);
  while (step < end) {
    Tile<AShape> targets;
    targets.load_targets(attraction, tile);
    bool const from_first = chunk == 0;
    Index const stop = min(split.chunks, chunk + (end - step));
    step += stop - chunk;
    while (chunk < stop) {
      bool const mine_coincide = brought.store(buffers[buffer], problem.safe_mass);
      bool const coincides = __syncthreads_or(mine_coincide) != 0;
      ++chunk;
      if (chunk < stop) {
        brought.load(attraction, chunk);
      } else if (step < end) {
        brought.load(attraction, 0);
      }
      if (coincides) {
        targets.template feel_all<true, 2>(buffers[buffer], softening_squared);
      } else {
        targets.template feel_all<false, AShape::unrolled>(buffers[buffer], softening_squared);
      }
      buffer ^= 1;
    }
    targets.finish(problem, tile, from_first && chunk == split.chunks);
    chunk = 0;
    ++tile;
  }
}

/// Adds up the pieces of the tiles that blocks share, from the first block to the last.
template <class AShape>
__global__ void __launch_bounds__(AShape::threads)
    add_pieces(__grid_constant__ Problem<typename AShape::Real> const problem) {
  using Real = typename AShape::Real;
  Index const target = static_cast<Index>(blockIdx.x) * AShape::threads + threadIdx.x;
  if (target >= problem.attraction.target_count) return;
  Index const tile = target / AShape::tile;
  Index const place = target % AShape::tile;
  Index const first = problem.split.first_block(tile);
  Index const last = problem.split.last_block(tile);
  if (first == last) return;
  Real x = 0, y = 0, z = 0;
  for (Index block = first; block <= last; ++block) {
    Real const* const piece = piece_of<AShape>(problem, block, tile);
    x += piece[place];
    y += piece[place + AShape::tile];
    z += piece[place + 2 * AShape::tile];
  }
  problem.attraction.put(target, x, y, z);
}

/// Memory for the pieces of a stream, kept until Kokkos ends.
class Scratch {
 public:
  static Scratch& instance() {
    static Scratch scratch;
    return scratch;
  }
  void* get(int device, cudaStream_t stream, std::size_t bytes) {
    std::scoped_lock const lock(mutex_);
    if (!hooked_) Kokkos::push_finalize_hook([] { instance().release(); });
    hooked_ = true;
    Entry& entry = entries_[{device, stream}];
    if (bytes > entry.bytes) {
      if (entry.memory != nullptr) check(cudaFreeAsync(entry.memory, stream), "cudaFreeAsync");
      entry = {};
      check(cudaMallocAsync(&entry.memory, bytes, stream), "cudaMallocAsync");
      entry.bytes = bytes;
    }
    return entry.memory;
  }

 private:
  struct Entry {
    void* memory = nullptr;
    std::size_t bytes = 0;
  };
  void release() {
    std::scoped_lock const lock(mutex_);
    for (auto const& [where, entry] : entries_) (void)cudaFree(entry.memory);
    entries_.clear();
    hooked_ = false;
  }
  std::mutex mutex_;
  std::map<std::pair<int, cudaStream_t>, Entry> entries_;
  bool hooked_ = false;
};

/// Blocks of a kernel that the current device has room for at a time.
template <class AShape>
Index resident_blocks(int device) {
  static std::mutex mutex;
  static std::map<int, Index> known;
  std::scoped_lock const lock(mutex);
  auto const found = known.find(device);
  if (found != known.end()) return found->second;
  int multiprocessors = 0;
  int blocks = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  check(cudaFuncSetAttribute(attract_by_steps<AShape>, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared),
        "cudaFuncSetAttribute");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, attract_by_steps<AShape>, AShape::threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return known[device] = static_cast<Index>(multiprocessors) * blocks;
}

template <class AShape>
Split split_of(Attraction<typename AShape::Real> const& attraction, int device) {
  Split split{(attraction.target_count + AShape::tile - 1) / AShape::tile,
              (attraction.source_count + AShape::chunk - 1) / AShape::chunk, 1};
  split.blocks = std::min(resident_blocks<AShape>(device), split.steps());
  return split;
}

template <class AShape>
void enqueue(Execution const& execution, Attraction<typename AShape::Real> const& attraction) {
  using Real = typename AShape::Real;
  cudaStream_t const stream = execution.cuda_stream();
  int const device = execution.cuda_device();
  Split const split = split_of<AShape>(attraction, device);
  auto const bytes = static_cast<std::size_t>(split.pieces() * 3 * AShape::tile) * sizeof(Real);
  Problem<Real> const problem{attraction, split, safe_mass(attraction.softening),
                              static_cast<Real*>(Scratch::instance().get(device, stream, bytes))};
  attract_by_steps<AShape><<<static_cast<unsigned>(split.blocks), AShape::threads, 0, stream>>>(problem);
  check(cudaGetLastError(), "an attraction");
  if (split.blocks == 1) return;
  auto const blocks = static_cast<unsigned>((attraction.target_count + AShape::threads - 1) / AShape::threads);
  add_pieces<AShape><<<blocks, AShape::threads, 0, stream>>>(problem);
  check(cudaGetLastError(), "the pieces of an attraction");
}

/// The blockings of a precision. Registers bound the blocks that a multiprocessor has room for.
template <class Real>
struct Shapes {
  using One = Shape<double, 1, 6>;
  using Many = Shape<double, 4, 3>;
};
template <>
struct Shapes<float> {
  using One = Shape<float, 1, 8>;
  using Many = Shape<float, 8, 4>;
};

}  // namespace

template <class Real>
std::vector<int> cuda::blockings() {
  return {Shapes<Real>::One::targets, Shapes<Real>::Many::targets};
}

template <class Real>
void cuda::attract(Execution const& execution, Attraction<Real> const& attraction, int targets_of_thread) {
  if (attraction.target_count == 0) return;
  if (attraction.source_count == 0) return portable::attract(execution, attraction);
  CurrentDevice const current(execution.cuda_device());
  if (targets_of_thread == Shapes<Real>::One::targets) {
    enqueue<typename Shapes<Real>::One>(execution, attraction);
  } else if (targets_of_thread == Shapes<Real>::Many::targets) {
    enqueue<typename Shapes<Real>::Many>(execution, attraction);
  } else {
    throw DefectError("attractions with " + std::to_string(targets_of_thread) + " targets a thread");
  }
}

template <class Real>
void cuda::attract(Execution const& execution, Attraction<Real> const& attraction) {
  CurrentDevice const current(execution.cuda_device());
  // Where work is too little for all multiprocessors, more and smaller tiles of targets have more of them at work.
  using Usual = typename Shapes<Real>::Many;
  Index const steps = split_of<Usual>(attraction, execution.cuda_device()).steps();
  bool const is_much = steps >= resident_blocks<Usual>(execution.cuda_device());
  attract(execution, attraction, is_much ? Usual::targets : Shapes<Real>::One::targets);
}

template std::vector<int> cuda::blockings<float>();
template std::vector<int> cuda::blockings<double>();
template void cuda::attract(Execution const&, Attraction<float> const&);
template void cuda::attract(Execution const&, Attraction<double> const&);
template void cuda::attract(Execution const&, Attraction<float> const&, int);
template void cuda::attract(Execution const&, Attraction<double> const&, int);

}  // namespace halocline::nbody
