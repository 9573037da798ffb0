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

/// Work on a stream that is enqueued over and over with the same arguments. Where the device has graphs it runs as it
/// is the first time, is captured the second time, and replayed from then on: one call of the driver for all of its
/// kernels. Elsewhere it always runs as it is.
template <class Execution, class Arguments>
class RepeatedWork {
 public:
  /// `arguments`: all that the work depends on; when they change, what was captured is forgotten. The work enqueues
  /// kernels on `execution`, or on streams that begin and end there, and does nothing else: what it does on the host
  /// is not repeated, but for what it tells of the ghosts of fields, whose records must be those that `arguments` stand
  /// for (a FieldView knows its record). Whether `work` was called.
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
    if (trace::is_on() || Kokkos::Profiling::profileLibraryLoaded()) {  // which see each kernel
      work();
      return true;
    }
    if (arguments_ != arguments) {
      // Memory is made and tunings are chosen when work first runs.
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
  std::optional<Arguments> arguments_;  ///< of the work that ran last
  std::optional<cuda::Graph> graph_;
  GhostJournal ghosts_;
};
#endif

}  // namespace halocline::kernel
