#include "framework/runtime/device_copy.hpp"

#include <cstring>

namespace halocline {

class DeviceCopy::Implementation {
 public:
  Implementation(Execution const& from, Execution const& to) : from_(from), to_(to) {}

  void start(void* destination, void const* source, Index bytes) {
    auto const size = static_cast<std::size_t>(bytes);
    if constexpr (memory_on_host) {
      std::memcpy(destination, source, size);
    } else {
      from_.fence("halocline: what is to be copied");
      using Bytes = Kokkos::View<std::byte*, Memory, Kokkos::MemoryUnmanaged>;
      using Source = Kokkos::View<std::byte const*, Memory, Kokkos::MemoryUnmanaged>;
      Kokkos::deep_copy(to_, Bytes(static_cast<std::byte*>(destination), size),
                        Source(static_cast<std::byte const*>(source), size));
    }
  }
  void finish() {
    if constexpr (!memory_on_host) to_.fence("halocline: what was copied");
  }

 private:
  Execution from_;
  Execution to_;
};

DeviceCopy::DeviceCopy(Execution const& from, Execution const& to)
    : implementation_(std::make_unique<Implementation>(from, to)) {}
DeviceCopy::~DeviceCopy() = default;
DeviceCopy::DeviceCopy(DeviceCopy&&) noexcept = default;
DeviceCopy& DeviceCopy::operator=(DeviceCopy&&) noexcept = default;

void DeviceCopy::start(void* destination, void const* source, Index bytes) {
  implementation_->start(destination, source, bytes);
}
void DeviceCopy::finish() { implementation_->finish(); }

}  // namespace halocline
