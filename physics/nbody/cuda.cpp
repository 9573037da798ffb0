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

namespace halocline::nbody {
namespace {

using cuda::Split;
using cuda::Target;
using halocline::cuda::check;

/// Compile-time parameters of a kernel.
template <class AnInteraction, int Targets, int Resident>
struct Shape {
  using Interaction = AnInteraction;
  using Real = typename Interaction::Real;
  static constexpr int targets = Targets;    ///< per thread
  static constexpr int threads = 128;        ///< per block: a warp for each scheduler of a multiprocessor
  static constexpr int resident = Resident;  ///< blocks per multiprocessor
  static constexpr int loads = 2;            ///< sources that a thread loads per chunk
  static constexpr int tile = threads * targets;
  static constexpr int chunk = threads * loads;
  static constexpr int unrolled = 64 / targets;  ///< sources per loop iteration, of about 850 instructions
  static constexpr int sums = Interaction::sums;
};

template <class Interaction>
struct Problem {
  using Real = typename Interaction::Real;
  Interaction interaction;
  Split split;
  Real safe_mass;  ///< for attractions
  bool is_softened;
  Real* pieces;
};
template <class AShape>
using ProblemOf = Problem<typename AShape::Interaction>;

/// Sums of a tile's targets: the first sum of all targets, then the second, …
template <class AShape>
__device__ typename AShape::Real* piece_of(ProblemOf<AShape> const& problem, Index block, Index tile) {
  return problem.pieces + problem.split.piece(block, tile) * (AShape::sums * AShape::tile);
}

/// State of a block of threads while it processes chunks of sources for one tile of targets.
template <class AShape>
struct Tile {
  using Real = typename AShape::Real;
  using Interaction = typename AShape::Interaction;
  using Buffer = Source<Real>[AShape::chunk];
  Target<Interaction> targets[AShape::targets];

  /// Beyond the end the last target is repeated.
  __device__ void load_targets(Interaction const& interaction, Index tile) {
#pragma unroll
    for (int n = 0; n < AShape::targets; ++n) {
      Index const target = tile * AShape::tile + n * AShape::threads + threadIdx.x;
      Source<Real> const at = cuda::load(interaction.targets + min(target, interaction.target_count - 1));
      targets[n] = {at.x, at.y, at.z, {}};
    }
  }

  /// \param self index among the sources of this thread's first target
  template <Omitted omitted, int Unrolled>
  __device__ __forceinline__ void accumulate_all(Interaction const& interaction, Buffer const& sources,
                                                 Real softening_squared, int self) {
#pragma unroll Unrolled
    for (int k = 0; k < AShape::chunk; ++k) {
      Source<Real> const from = cuda::load(sources + k);
#pragma unroll
      for (int n = 0; n < AShape::targets; ++n)
        targets[n].template accumulate<omitted>(interaction, from, softening_squared, k == self + n * AShape::threads);
    }
  }

  /// \param coincides whether sources at the position of a target must be omitted
  __device__ __forceinline__ void accumulate_chunk(Interaction const& interaction, Buffer const& sources,
                                                   Real softening_squared, Index chunk, Index tile, bool coincides) {
    constexpr int rare = Interaction::fades ? 2 : AShape::unrolled;
    if (coincides) return accumulate_all<Omitted::coincident, rare>(interaction, sources, softening_squared, 0);
    if constexpr (!Interaction::fades) {
      Index const self = interaction.self + tile * AShape::tile - chunk * AShape::chunk;
      if (self > -AShape::tile && self < AShape::chunk) {
        int const mine = static_cast<int>(self) + static_cast<int>(threadIdx.x);
        return accumulate_all<Omitted::self, 2>(interaction, sources, softening_squared, mine);
      }
    }
    accumulate_all<Omitted::nothing, AShape::unrolled>(interaction, sources, softening_squared, 0);
  }

  __device__ void finish(ProblemOf<AShape> const& problem, Index tile, bool is_whole) const {
    Real* const piece = is_whole ? nullptr : piece_of<AShape>(problem, blockIdx.x, tile);
#pragma unroll
    for (int n = 0; n < AShape::targets; ++n) {
      int const place = n * AShape::threads + static_cast<int>(threadIdx.x);
      Index const target = tile * AShape::tile + place;
      if (!is_whole) {
#pragma unroll
        for (int m = 0; m < AShape::sums; ++m) piece[place + m * AShape::tile] = targets[n].sums[m];
      } else if (target < problem.interaction.target_count) {
        problem.interaction.put(target, targets[n].sums);
      }
    }
  }
};

/// The sources of a chunk that one thread loads. Beyond the end they have no mass.
template <class AShape>
struct Brought {
  using Real = typename AShape::Real;
  Source<Real> sources[AShape::loads];

  __device__ __forceinline__ void load(Pairs<Real> const& pairs, Index chunk) {
#pragma unroll
    for (int n = 0; n < AShape::loads; ++n) {
      Index const source = chunk * AShape::chunk + n * AShape::threads + threadIdx.x;
      sources[n] = source < pairs.source_count ? cuda::load(pairs.sources + source) : Source<Real>{};
    }
  }
  /// Returns whether any of them must be omitted at the position of a target.
  __device__ __forceinline__ bool store(typename Tile<AShape>::Buffer& buffer, ProblemOf<AShape> const& problem) const {
    bool coincides = !AShape::Interaction::fades && !problem.is_softened;
#pragma unroll
    for (int n = 0; n < AShape::loads; ++n) {
      cuda::store(buffer + n * AShape::threads + threadIdx.x, sources[n]);
      if constexpr (AShape::Interaction::fades) coincides = coincides || !(fabs(sources[n].mass) < problem.safe_mass);
    }
    return coincides;
  }
};

/// Every block processes its steps of the split. A chunk is loaded to registers while the previous one is summed.
template <class AShape>
__global__ void __launch_bounds__(AShape::threads, AShape::resident)
    sum_by_steps(__grid_constant__ ProblemOf<AShape> const problem) {
  using Real = typename AShape::Real;
  __shared__ Source<Real> buffers[2][AShape::chunk];
  auto const& interaction = problem.interaction;
  Split const& split = problem.split;
  Real const softening_squared = interaction.softening * interaction.softening;
  Index step = split.begin(blockIdx.x);
  Index const end = split.begin(static_cast<Index>(blockIdx.x) + 1);
  int buffer = 0;
  Brought<AShape> brought;
  Index tile = step / split.chunks;
  Index chunk = step % split.chunks;
  brought.load(interaction, chunk);
  while (step < end) {
    Tile<AShape> targets;
    targets.load_targets(interaction, tile);
    bool const from_first = chunk == 0;
    Index const stop = min(split.chunks, chunk + (end - step));
    step += stop - chunk;
    while (chunk < stop) {
      bool const mine_coincide = brought.store(buffers[buffer], problem);
      bool const coincides = __syncthreads_or(mine_coincide) != 0;
      ++chunk;
      if (chunk < stop) {
        brought.load(interaction, chunk);
      } else if (step < end) {
        brought.load(interaction, 0);
      }
      targets.accumulate_chunk(interaction, buffers[buffer], softening_squared, chunk - 1, tile, coincides);
      buffer ^= 1;
    }
    targets.finish(problem, tile, from_first && chunk == split.chunks);
    chunk = 0;
    ++tile;
  }
}

/// Adds up the partial sums of tiles that several blocks share, from the first block to the last.
template <class AShape>
__global__ void __launch_bounds__(AShape::threads) add_pieces(__grid_constant__ ProblemOf<AShape> const problem) {
  using Real = typename AShape::Real;
  Index const target = static_cast<Index>(blockIdx.x) * AShape::threads + threadIdx.x;
  if (target >= problem.interaction.target_count) return;
  Index const tile = target / AShape::tile;
  Index const place = target % AShape::tile;
  Index const first = problem.split.first_block(tile);
  Index const last = problem.split.last_block(tile);
  if (first == last) return;
  Real sums[AShape::sums] = {};
  for (Index block = first; block <= last; ++block) {
    Real const* const piece = piece_of<AShape>(problem, block, tile);
#pragma unroll
    for (int m = 0; m < AShape::sums; ++m) sums[m] += piece[place + m * AShape::tile];
  }
  problem.interaction.put(target, sums);
}

/// Memory for the partial sums of a stream, kept until Kokkos is finalised.
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

/// Resident blocks of a kernel on the whole current device.
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
  check(cudaFuncSetAttribute(sum_by_steps<AShape>, cudaFuncAttributePreferredSharedMemoryCarveout,
                             cudaSharedmemCarveoutMaxShared),
        "cudaFuncSetAttribute");
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum_by_steps<AShape>, AShape::threads, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return known[device] = static_cast<Index>(multiprocessors) * blocks;
}

template <class AShape>
Split split_of(typename AShape::Interaction const& interaction, int device) {
  Split split{(interaction.target_count + AShape::tile - 1) / AShape::tile,
              (interaction.source_count + AShape::chunk - 1) / AShape::chunk, 1};
  split.blocks = std::min(resident_blocks<AShape>(device), split.steps());
  return split;
}

template <class AShape>
void enqueue(Execution const& execution, typename AShape::Interaction const& interaction) {
  using Real = typename AShape::Real;
  cudaStream_t const stream = execution.cuda_stream();
  int const device = execution.cuda_device();
  Split const split = split_of<AShape>(interaction, device);
  auto const bytes = static_cast<std::size_t>(split.pieces() * AShape::sums * AShape::tile) * sizeof(Real);
  ProblemOf<AShape> const problem{interaction, split, safe_mass(interaction.softening),
                                  is_softened(interaction.softening),
                                  static_cast<Real*>(Scratch::instance().get(device, stream, bytes))};
  sum_by_steps<AShape><<<static_cast<unsigned>(split.blocks), AShape::threads, 0, stream>>>(problem);
  check(cudaGetLastError(), "sums over pairs of bodies");
  if (split.blocks == 1) return;
  auto const blocks = static_cast<unsigned>((interaction.target_count + AShape::threads - 1) / AShape::threads);
  add_pieces<AShape><<<blocks, AShape::threads, 0, stream>>>(problem);
  check(cudaGetLastError(), "the pieces of sums over pairs of bodies");
}

/// The blockings of an interaction. Registers limit the number of resident blocks.
template <class Interaction, class Real = typename Interaction::Real>
struct Shapes {
  using One = Shape<Interaction, 1, 6>;
  using Many = Shape<Interaction, 4, 3>;
};
template <class Interaction>
struct Shapes<Interaction, float> {
  using One = Shape<Interaction, 1, 8>;
  using Many = Shape<Interaction, 8, 4>;
};

}  // namespace

template <class Real>
std::vector<int> cuda::blockings() {
  using Both = Shapes<Attraction<Real>>;
  return {Both::One::targets, Both::Many::targets};
}

template <class Interaction>
void cuda::sum_pairs(Execution const& execution, Interaction const& interaction, int targets_of_thread) {
  if (interaction.target_count == 0) return;
  if (interaction.source_count == 0) return portable::sum_pairs(execution, interaction);
  CurrentDevice const current(execution.cuda_device());
  using Both = Shapes<Interaction>;
  if (targets_of_thread == Both::One::targets) {
    enqueue<typename Both::One>(execution, interaction);
  } else if (targets_of_thread == Both::Many::targets) {
    enqueue<typename Both::Many>(execution, interaction);
  } else {
    throw DefectError("sums over pairs with " + std::to_string(targets_of_thread) + " targets a thread");
  }
}

template <class Interaction>
void cuda::sum_pairs(Execution const& execution, Interaction const& interaction) {
  CurrentDevice const current(execution.cuda_device());
  // With too little work for all multiprocessors, smaller tiles of targets make more blocks.
  using Usual = typename Shapes<Interaction>::Many;
  Index const steps = split_of<Usual>(interaction, execution.cuda_device()).steps();
  bool const is_much = steps >= resident_blocks<Usual>(execution.cuda_device());
  sum_pairs(execution, interaction, is_much ? Usual::targets : Shapes<Interaction>::One::targets);
}

template std::vector<int> cuda::blockings<float>();
template std::vector<int> cuda::blockings<double>();
template void cuda::sum_pairs(Execution const&, Attraction<float> const&);
template void cuda::sum_pairs(Execution const&, Attraction<double> const&);
template void cuda::sum_pairs(Execution const&, Potential<float> const&);
template void cuda::sum_pairs(Execution const&, Potential<double> const&);
template void cuda::sum_pairs(Execution const&, Attraction<float> const&, int);
template void cuda::sum_pairs(Execution const&, Attraction<double> const&, int);
template void cuda::sum_pairs(Execution const&, Potential<float> const&, int);
template void cuda::sum_pairs(Execution const&, Potential<double> const&, int);

}  // namespace halocline::nbody
