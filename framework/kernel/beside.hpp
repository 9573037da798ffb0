#pragma once

#include <Kokkos_Core.hpp>

#include "framework/kernel/backends.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/kernel/cuda/side_instance.hpp"
#endif

namespace halocline::kernel {

/// Enqueues two pieces of work that do not depend on each other: `work(execution)` and `side(instance)`, for which the
/// first leaves room. Where the device can, they run at a time, after what `execution` has by now and before what comes
/// there later; elsewhere one after the other.
template <class Execution, class Work, class Side>
void run_beside(Execution const& execution, Work const& work, Side const& side) {
#if defined(KOKKOS_ENABLE_CUDA)
  cuda::SideInstance const& beside = cuda::SideInstance::get();
  beside.stream().follow(execution.cuda_stream());
  // First come, first served: the larger one would find no room beside many small blocks.
  work(execution);
  side(beside.execution());
  beside.stream().precede(execution.cuda_stream());
#else
  side(execution);
  work(execution);
#endif
}

}  // namespace halocline::kernel
