#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <optional>

namespace halocline::kernel {

/// Working memory of a reduction whose kernels run while the caller goes on: partial sums on the device of the
/// execution instance, results in pinned memory that the last kernel writes and the host reads.
template <class Execution>
class DeviceScratch {
 public:
  void reserve(Execution const& execution, std::size_t partial_bytes, std::size_t result_bytes) {
    wait();
    if (partial_bytes > partials_.size()) partials_ = make<Partials>(execution, partial_bytes);
    if (result_bytes > results_.size()) results_ = make<Results>(execution, result_bytes);
    pending_ = execution;
  }
  [[nodiscard]] void* partials() const { return partials_.data(); }
  [[nodiscard]] void* results() const { return results_.data(); }
  void wait() const {
    if (pending_) pending_->fence("halocline: the value of a reduction");
    pending_.reset();
  }

 private:
  using Partials = Kokkos::View<std::byte*, typename Execution::memory_space>;
  using Results = Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace>;

  template <class Memory>
  static Memory make(Execution const& execution, std::size_t bytes) {
    return Memory(Kokkos::view_alloc(execution, Kokkos::WithoutInitializing, "reduction"), bytes);
  }

  Partials partials_;
  Results results_;
  mutable std::optional<Execution> pending_;
};

}  // namespace halocline::kernel
