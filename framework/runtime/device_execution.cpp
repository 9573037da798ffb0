#include "framework/runtime/device_execution.hpp"

#include <string>
#include <utility>

#include "framework/runtime/device.hpp"
#include "framework/runtime/devices.hpp"
#include "framework/runtime/error.hpp"

#if defined(KOKKOS_ENABLE_CUDA)
#include "framework/runtime/cuda_stream.hpp"
#endif

namespace halocline {
namespace {

#if defined(KOKKOS_ENABLE_CUDA)

std::shared_ptr<void> stream_on(int device) {
  CurrentDevice const current(device);
  return std::make_shared<cuda::OwnStream>();
}

/// Creates an instance on the device of its stream. Kokkos makes that device current.
Execution instance_on(std::shared_ptr<void> const& stream, int device) {
  CurrentDevice const current(device);
  return Execution(static_cast<cuda::OwnStream*>(stream.get())->get());
}

#else

std::shared_ptr<void> stream_on(int) { return nullptr; }

Execution instance_on(std::shared_ptr<void> const&, int device) {
  if (device != device_of(Execution())) {
    throw InputError("device " + std::to_string(device) + " requested, but Kokkos' backend " + Execution::name() +
                     " works on device " + std::to_string(device_of(Execution())) + " only");
  }
  return {};
}

#endif

}  // namespace

DeviceExecution::DeviceExecution(int on_device)
    : stream_(stream_on(on_device)), instance(instance_on(stream_, on_device)), device(on_device) {}

}  // namespace halocline
