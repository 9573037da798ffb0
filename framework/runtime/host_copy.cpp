#include "framework/runtime/host_copy.hpp"

#include <cstddef>

#include "framework/runtime/devices.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/runtime/cuda_stream.hpp"
#endif

namespace halocline {

#if defined(KOKKOS_ENABLE_CUDA)

/// On a stream of its own. Its members belong to the device that is current at construction.
class HostCopy::Work {
 public:
  explicit Work(cudaStream_t instance) : instance_(instance) {}
  ~Work() { (void)cudaStreamSynchronize(stream_.get()); }
  Work(Work const&) = delete;
  Work& operator=(Work const&) = delete;

  void mark() { cuda::check(cudaEventRecord(marked_.get(), instance_), "cudaEventRecord"); }
  void start(void* destination, void const* source, std::size_t bytes) {
    cuda::check(cudaStreamWaitEvent(stream_.get(), marked_.get(), 0), "cudaStreamWaitEvent");
    cuda::check(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, stream_.get()), "cudaMemcpyAsync");
    cuda::check(cudaEventRecord(done_.get(), stream_.get()), "cudaEventRecord");
  }
  void finish() { cuda::check(cudaStreamWaitEvent(instance_, done_.get(), 0), "cudaStreamWaitEvent"); }
  void wait() const { cuda::check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize"); }

 private:
  cudaStream_t instance_;
  cuda::OwnStream stream_;
  cuda::OwnEvent marked_;
  cuda::OwnEvent done_;
};

HostCopy::HostCopy(Execution const& execution) {
  CurrentDevice const current(execution.cuda_device());
  work_ = std::make_unique<Work>(execution.cuda_stream());
}

#else

/// On an instance of its own where the backend has memory of its own. Kokkos has no events: the host waits in place of
/// the device.
class HostCopy::Work {
 public:
  explicit Work(Execution const& instance)
      : instance_(instance),
        copies_(memory_on_host ? instance : Kokkos::Experimental::partition_space(instance, 1).front()) {}

  void mark() const { instance_.fence("halocline: work before a copy between device and host"); }
  void start(void* destination, void const* source, std::size_t bytes) const {
    using To = Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace, Kokkos::MemoryUnmanaged>;
    using From = Kokkos::View<std::byte const*, Kokkos::SharedHostPinnedSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(copies_, To(static_cast<std::byte*>(destination), bytes),
                      From(static_cast<std::byte const*>(source), bytes));
  }
  void finish() const { wait(); }
  void wait() const { copies_.fence("halocline: a copy between device and host"); }

 private:
  Execution instance_;
  Execution copies_;
};

HostCopy::HostCopy(Execution const& execution) : work_(std::make_unique<Work>(execution)) {}

#endif

HostCopy::~HostCopy() = default;
HostCopy::HostCopy(HostCopy&&) noexcept = default;
HostCopy& HostCopy::operator=(HostCopy&&) noexcept = default;

void HostCopy::mark() { work_->mark(); }
void HostCopy::start(void* destination, void const* source, Index bytes) {
  if (bytes > 0) work_->start(destination, source, static_cast<std::size_t>(bytes));
}
void HostCopy::finish() { work_->finish(); }
void HostCopy::wait() const { work_->wait(); }

}  // namespace halocline
