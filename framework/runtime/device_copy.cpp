#include "framework/runtime/device_copy.hpp"

#include <cstring>

#include "framework/runtime/device_execution.hpp"

namespace halocline {

char const* to_string(CopyPath path) { return path == CopyPath::direct ? "direct" : "staged"; }

#if !defined(KOKKOS_ENABLE_CUDA)

namespace {

/// A copy within the memory of a host, or of the process' only device.
class CopyWithin final : public CopyWork {
 public:
  CopyWithin(Execution const& from, Execution const& to) : from_(from), to_(to) {}

  void start(std::byte* destination, std::byte const* source, std::size_t bytes) override {
    from_.fence("halocline: what is to be copied");
    if constexpr (memory_on_host) {
      to_.fence("halocline: what is to be copied to");
      std::memcpy(destination, source, bytes);
    } else {
      using Destination = Kokkos::View<std::byte*, Memory, Kokkos::MemoryUnmanaged>;
      using Source = Kokkos::View<std::byte const*, Memory, Kokkos::MemoryUnmanaged>;
      Kokkos::deep_copy(to_, Destination(destination, bytes), Source(source, bytes));
    }
  }
  void finish() override {
    if constexpr (!memory_on_host) to_.fence("halocline: what was copied");
  }

 private:
  Execution from_;
  Execution to_;
};

}  // namespace

std::unique_ptr<CopyWork> make_copy_work(Execution const& from, Execution const& to, CopyPath) {
  return std::make_unique<CopyWithin>(from, to);
}

CopyPath faster_copy_path(int, int) { return CopyPath::direct; }

#endif

DeviceCopy::DeviceCopy(Execution const& from, Execution const& to, CopyPath path)
    : path_(path), work_(make_copy_work(from, to, path)) {}
DeviceCopy::DeviceCopy(Execution const& from, Execution const& to)
    : DeviceCopy(from, to, faster_copy_path(device_of(from), device_of(to))) {}

void DeviceCopy::start(void* destination, void const* source, Index bytes) {
  if (bytes > 0)
    work_->start(static_cast<std::byte*>(destination), static_cast<std::byte const*>(source),
                 static_cast<std::size_t>(bytes));
}

}  // namespace halocline
