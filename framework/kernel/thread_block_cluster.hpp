#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "framework/kernel/backends.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/kernel/cuda/cluster.hpp"
#endif

// Work of many short stages in one launch: a cluster of threads that meet at barriers in between, which take less than
// a tenth of a launch. For stages that would be over sooner than a launch takes.

namespace halocline::kernel {

/// The threads of one block, as Kokkos has them.
template <class Member>
class ClusterOfOneBlock {
 public:
  KOKKOS_FORCEINLINE_FUNCTION explicit ClusterOfOneBlock(Member const& member) : member_(member) {}
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int rank() const { return member_.team_rank(); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION int size() const { return member_.team_size(); }
  /// What any thread of the cluster wrote before, all may read behind it.
  KOKKOS_FORCEINLINE_FUNCTION void barrier() const { member_.team_barrier(); }
  /// The memory that a block has for itself, on the chip: so many bytes of what the launch asked for. Once.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION void* scratch(std::size_t bytes) const {
    return member_.team_scratch(0).get_shmem(bytes);
  }
  /// work(cluster) by a block of the cluster, while the others wait: its barriers are shorter.
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

/// Whether clusters can be of several blocks.
#if defined(KOKKOS_ENABLE_CUDA)
inline constexpr bool clusters_have_many_blocks = true;
#else
inline constexpr bool clusters_have_many_blocks = false;
#endif

/// Bytes on the chip that a block of a cluster may ask for.
[[nodiscard]] inline std::size_t most_cluster_scratch() {
#if defined(KOKKOS_ENABLE_CUDA)
  return static_cast<std::size_t>(cuda::current_device().shared_bytes);
#else
  return std::size_t{32} << 10U;
#endif
}

/// Enqueues `functor(cluster)` for one cluster of the device: several blocks of threads where the device has clusters
/// of them, otherwise one. The functor goes with the launch: less than 4 KiB. `is_wide`: whether there is work for more
/// than one block. `scratch`: bytes that a block will ask for.
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
