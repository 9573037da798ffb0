#pragma once

#include <optional>

#include "framework/kernel/backends.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include <Kokkos_Core.hpp>

#include "framework/field/ghost_events.hpp"
#include "framework/kernel/cuda/graph.hpp"
#include "framework/runtime/trace.hpp"
#endif

namespace halocline::kernel {

/// Work that is enqueued on a stream repeatedly with the same arguments. Where the device has graphs, the first call
/// runs it directly, the second captures it, and that graph is launched from then on: one driver call for all kernels.
/// Elsewhere every call runs it directly.
template <class Execution, class Arguments>
class RepeatedWork {
 public:
  /// `arguments`: everything that the work depends on; when they change, the graph is discarded. The work enqueues
  /// kernels on `execution`, or on streams that fork from it and join it, and does nothing else: its host code is not
  /// repeated, except for updates of fields' ghost records, which must belong to `arguments` (a FieldView knows its
  /// record). Returns whether `work` was called.
  template <class Work>
  bool run(Execution const&, Arguments const&, Work const& work) {
    work();
    return true;
  }
};

#if defined(KOKKOS_ENABLE_CUDA)
template <class Arguments>
class RepeatedWork<Kokkos::Cuda, Arguments> {
 public:
  template <class Work>
  bool run(Kokkos::Cuda const& execution, Arguments const& arguments, Work const& work) {
    if (trace::is_on() || Kokkos::Profiling::profileLibraryLoaded()) {  // these observe each kernel
      work();
      return true;
    }
    if (arguments_ != arguments) {
      // The first run of work allocates memory and chooses tunings.
      graph_.reset();
      arguments_.reset();
      work();
      arguments_ = arguments;
      return true;
    }
    bool const is_new = !graph_;
    if (is_new) ghosts_.record([&] { graph_.emplace(execution.cuda_stream(), work); });
    graph_->launch(execution.cuda_stream());
    if (!is_new) ghosts_.replay();
    return is_new;
  }

 private:
  std::optional<Arguments> arguments_;  ///< of the last run
  std::optional<cuda::Graph> graph_;
  GhostJournal ghosts_;
};
#endif

}  // namespace halocline::kernel
