#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "framework/kernel/accumulator.hpp"
#include "framework/kernel/backends.hpp"
#include "framework/mesh/index_range.hpp"

#if defined(HALOCLINE_KERNEL_DEVICE)
#include "framework/kernel/device_scratch.hpp"
#endif

namespace halocline {

namespace kernel {

/// Working memory of a reduction whose kernels are done when the call returns.
class HostScratch {
 public:
  template <class Execution>
  void reserve(Execution const&, std::size_t partial_bytes, std::size_t result_bytes) {
    grow(partials_, partial_bytes_, partial_bytes);
    grow(results_, result_bytes_, result_bytes);
  }
  [[nodiscard]] void* partials() const { return partials_.get(); }
  [[nodiscard]] void* results() const { return results_.get(); }
  template <class Execution>
  void enqueued(Execution const&) {}
  void wait() const {}

 private:
  static void grow(std::unique_ptr<std::byte[]>& memory, std::size_t& size, std::size_t wanted) {
    if (wanted <= size) return;
    memory.reset(new std::byte[wanted]);
    size = wanted;
  }

  std::unique_ptr<std::byte[]> partials_;
  std::unique_ptr<std::byte[]> results_;
  std::size_t partial_bytes_ = 0;
  std::size_t result_bytes_ = 0;
};

}  // namespace kernel

/// Results of `sweep_reduce`, with their working memory: one that lives as long as its operator allocates once. A
/// second sweep into the same Reduction replaces the sums of the first.
template <class Execution, class Accumulator = PlainSum>
class Reduction {
 public:
  /// The n-th sum of the functor's Result over the range. Waits for the sweep; on a host backend it is already done.
  /// Call only after a sweep_reduce.
  [[nodiscard]] double value(int n = 0) const { return accumulator(n).value(); }

  /// The same sum as an accumulator, to be merged with those of other blocks or ranks.
  [[nodiscard]] Accumulator accumulator(int n = 0) const {
    scratch_.wait();
    return results()[n];
  }

  /// For the backends: reserves `partials` accumulators in the kernel's memory and `count` results that the host reads.
  void reserve(Execution const& execution, Index partials, Index count) {
    scratch_.reserve(execution, static_cast<std::size_t>(partials) * sizeof(Accumulator),
                     static_cast<std::size_t>(count) * sizeof(Accumulator));
  }
  /// For the backends, and for code that replays a captured sweep: all kernels of the sweep are enqueued.
  void enqueued(Execution const& execution) { scratch_.enqueued(execution); }
  [[nodiscard]] Accumulator* partials() const { return static_cast<Accumulator*>(scratch_.partials()); }
  [[nodiscard]] Accumulator* results() const { return static_cast<Accumulator*>(scratch_.results()); }

 private:
  static_assert(std::is_trivially_copyable_v<Accumulator>);
  using Scratch =
#if defined(HALOCLINE_KERNEL_DEVICE)
      std::conditional_t<kernel::is_host<Execution>, kernel::HostScratch, kernel::DeviceScratch<Execution>>;
#else
      kernel::HostScratch;
#endif
  Scratch scratch_;
};

}  // namespace halocline
