#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <optional>
#include <utility>

#include "framework/runtime/device_execution.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/kernel/cuda/device.hpp"
#endif

namespace halocline::kernel {

/// A point in the work of an execution instance that the host can wait for while later work runs.
template <class Execution>
class Mark {
 public:
  void set(Execution const& execution) { execution_ = execution; }
  /// Waits for all work enqueued before the mark; returns at once if no mark is set.
  void wait() {
    if (execution_) execution_->fence("halocline: the value of a reduction");
    execution_.reset();
  }

 private:
  std::optional<Execution> execution_;
};

#if defined(KOKKOS_ENABLE_CUDA)
template <>
class Mark<Kokkos::Cuda> {
 public:
  Mark() = default;
  Mark(Mark&& other) noexcept : event_(std::exchange(other.event_, nullptr)), is_set_(other.is_set_) {}
  Mark& operator=(Mark&& other) noexcept {
    std::swap(event_, other.event_);
    std::swap(is_set_, other.is_set_);
    return *this;
  }
  ~Mark() {
    if (event_ != nullptr) (void)cudaEventDestroy(event_);
  }
  void set(Kokkos::Cuda const& execution) {
    if (event_ == nullptr) cuda::check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate");
    cuda::check(cudaEventRecord(event_, execution.cuda_stream()), "cudaEventRecord");
    is_set_ = true;
  }
  void wait() {
    if (is_set_) cuda::check(cudaEventSynchronize(event_), "cudaEventSynchronize");
    is_set_ = false;
  }

 private:
  cudaEvent_t event_ = nullptr;
  bool is_set_ = false;
};
#endif

/// Working memory of a reduction that runs asynchronously: partial sums on the execution instance's device, results in
/// pinned memory that the last kernel writes and the host reads.
template <class Execution>
class DeviceScratch {
 public:
  void reserve(Execution const& execution, std::size_t partial_bytes, std::size_t result_bytes) {
    wait();
    move_to(halocline::device_of(execution));
    if (partial_bytes > partials_.size()) partials_ = make<Partials>(execution, partial_bytes);
    if (result_bytes > results_.size()) results_ = make<Results>(execution, result_bytes);
    unmarked_ = execution;
  }
  [[nodiscard]] void* partials() const { return partials_.data(); }
  [[nodiscard]] void* results() const { return results_.data(); }
  void enqueued(Execution const& execution) {
    done_.set(execution);
    unmarked_.reset();
  }
  void wait() const {
    if (unmarked_) unmarked_->fence("halocline: the value of a reduction");
    unmarked_.reset();
    done_.wait();
  }

 private:
  using Partials = Kokkos::View<std::byte*, typename Execution::memory_space>;
  using Results = Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace>;

  /// Memory and event belong to one device; a change of device discards them.
  void move_to(int device) {
    if (device == device_) return;
    partials_ = {};
    results_ = {};
    done_ = {};
    device_ = device;
  }
  template <class Memory>
  static Memory make(Execution const& execution, std::size_t bytes) {
    return Memory(Kokkos::view_alloc(execution, Kokkos::WithoutInitializing, "reduction"), bytes);
  }

  int device_ = -1;
  Partials partials_;
  Results results_;
  mutable Mark<Execution> done_;
  mutable std::optional<Execution> unmarked_;  ///< instance whose kernels have no mark at their end yet
};

}  // namespace halocline::kernel
