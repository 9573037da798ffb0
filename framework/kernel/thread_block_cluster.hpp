#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "framework/kernel/backends.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/kernel/cuda/cluster.hpp"
#endif

// Work of many short stages in one launch: a thread-block cluster with barriers between the stages, each of which costs
// less than a tenth of a launch. For stages shorter than a launch.

namespace halocline::kernel {

/// A cluster of one block: the threads of a Kokkos team.
template <class Member>
class ClusterOfOneBlock {
 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit ClusterOfOneBlock(Member const& member) : member_(member) {}
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int rank() const { return member_.team_rank(); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int size() const { return member_.team_size(); }
  /// Writes of any thread before the barrier are visible to all threads of the cluster after it.
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { member_.team_barrier(); }
  /// A block's private on-chip memory, within the bytes requested at the launch. Call once.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION void* scratch(std::size_t bytes) const {
    return member_.team_scratch(0).get_shmem(bytes);
  }
  /// Runs work(cluster) in one block of the cluster while the others wait: its barriers are shorter.
  template <class Work>
  KOKKOS_FORCEINLINE_FUNCTION void in_one_block(Work const& work) const {
    work(*this);
  }

 private:
  Member const& member_;
};

template <class Functor>
struct RunByBlock {
  Functor functor;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    functor(ClusterOfOneBlock<Member>(member));
  }
};

/// Whether clusters can have several blocks.
#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr bool clusters_have_many_blocks = true;
#else
inline constexpr bool clusters_have_many_blocks = false;
#endif

/// Bytes of on-chip memory that a block of a cluster may request.
[[nodiscard]] inline std::size_t most_cluster_scratch() {
#if defined(KOKKOS_ENABLE_CUDA)
  return static_cast<std::size_t>(cuda::current_device().shared_bytes);
#else
  return std::size_t{32} << 10U;
#endif
}

/// Enqueues `functor(cluster)` for one cluster: several thread blocks where the device supports clusters, otherwise
/// one. The functor is a launch argument: less than 4 KiB. `is_wide`: whether there is work for more than one block.
/// `scratch`: bytes that a block will request.
template <class Execution, class Functor>
void run_on_cluster(Execution const& execution, [[maybe_unused]] bool is_wide, Functor const& functor,
                    std::size_t scratch = 0) {
#if defined(KOKKOS_ENABLE_CUDA)
  cuda::run_cluster(execution.cuda_stream(), is_wide ? cuda::most_blocks_of_cluster : 1, functor, scratch);
#else
  constexpr int threads = 1024;
  using Policy = Kokkos::TeamPolicy<Execution, Kokkos::LaunchBounds<threads, 1>>;
  auto policy = Kokkos::Experimental::require(Policy(execution, 1, threads),
                                              Kokkos::Experimental::WorkItemProperty::HintLightWeight);
  policy.set_scratch_size(0, Kokkos::PerTeam(scratch));
  Kokkos::parallel_for("a cluster", policy, RunByBlock<Functor>{functor});
#endif
}

}  // namespace halocline::kernel
