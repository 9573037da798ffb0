#include "bench/waiting_copy.hpp"

#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "framework/runtime/cuda_stream.hpp"
#include "framework/runtime/devices.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::benchmarking {
namespace {

using cuda::check;

/// Host memory that all devices reach at full speed.
class PinnedBuffer {
 public:
  PinnedBuffer() {
    check(cudaHostAlloc(&memory_, static_cast<std::size_t>(WaitingCopy::piece), cudaHostAllocPortable),
          "cudaHostAlloc");
  }
  ~PinnedBuffer() { (void)cudaFreeHost(memory_); }
  PinnedBuffer(PinnedBuffer const&) = delete;
  PinnedBuffer& operator=(PinnedBuffer const&) = delete;
  [[nodiscard]] void* get() const { return memory_; }

 private:
  void* memory_ = nullptr;
};

/// One end of a copy by the runtime: a device, its stream, and an event for each buffer.
class RuntimeEnd {
 public:
  explicit RuntimeEnd(int device) : device_(device) {
    CurrentDevice const current(device);
    stream_ = std::make_unique<cuda::OwnStream>();
    for (auto& event : events_) event = std::make_unique<cuda::OwnEvent>();
  }

  /// Makes the device current until another end is entered.
  class Entered {
   public:
    explicit Entered(RuntimeEnd const& end) { check(cudaSetDevice(end.device_), "cudaSetDevice"); }
  };
  void await(RuntimeEnd const& other, std::size_t turn) const {
    check(cudaStreamWaitEvent(stream_->get(), other.events_[turn]->get(), 0), "cudaStreamWaitEvent");
  }
  void record(std::size_t turn) const {
    check(cudaEventRecord(events_[turn]->get(), stream_->get()), "cudaEventRecord");
  }
  void copy_out(void* to, void const* from, std::size_t bytes) const {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_->get()), "cudaMemcpyAsync");
  }
  void copy_in(void* to, void const* from, std::size_t bytes) const {
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_->get()), "cudaMemcpyAsync");
  }
  void synchronise() const { check(cudaDeviceSynchronize(), "cudaDeviceSynchronize"); }

 private:
  int device_;
  std::unique_ptr<cuda::OwnStream> stream_;
  std::array<std::unique_ptr<cuda::OwnEvent>, 2> events_;
};

/// A function of the driver. It is asked for at run time: programs do not link the driver's library, which exists only
/// where there is a device.
template <class Function>
Function* driver_function(Function*, char const* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult result{};
  check(cudaGetDriverEntryPointByVersion(name, &found, CUDART_VERSION, cudaEnableDefault, &result),
        "cudaGetDriverEntryPointByVersion");
  if (result != cudaDriverEntryPointSuccess) throw DefectError(std::string("the driver has no ") + name);
  return reinterpret_cast<Function*>(found);
}
// The header of the driver maps each name to its present version.
#define HALOCLINE_OF_DRIVER(name) driver_function(static_cast<decltype(&name)>(nullptr), #name)
struct Driver {
  decltype(&cuDeviceGet) device_get = HALOCLINE_OF_DRIVER(cuDeviceGet);
  decltype(&cuDevicePrimaryCtxRetain) retain = HALOCLINE_OF_DRIVER(cuDevicePrimaryCtxRetain);
  decltype(&cuDevicePrimaryCtxRelease) release = HALOCLINE_OF_DRIVER(cuDevicePrimaryCtxRelease);
  decltype(&cuCtxPushCurrent) push = HALOCLINE_OF_DRIVER(cuCtxPushCurrent);
  decltype(&cuCtxPopCurrent) pop = HALOCLINE_OF_DRIVER(cuCtxPopCurrent);
  decltype(&cuCtxSynchronize) synchronise = HALOCLINE_OF_DRIVER(cuCtxSynchronize);
  decltype(&cuStreamCreate) stream_create = HALOCLINE_OF_DRIVER(cuStreamCreate);
  decltype(&cuStreamDestroy) stream_destroy = HALOCLINE_OF_DRIVER(cuStreamDestroy);
  decltype(&cuStreamWaitEvent) stream_wait = HALOCLINE_OF_DRIVER(cuStreamWaitEvent);
  decltype(&cuEventCreate) event_create = HALOCLINE_OF_DRIVER(cuEventCreate);
  decltype(&cuEventDestroy) event_destroy = HALOCLINE_OF_DRIVER(cuEventDestroy);
  decltype(&cuEventRecord) event_record = HALOCLINE_OF_DRIVER(cuEventRecord);
  decltype(&cuMemcpyDtoHAsync) copy_out = HALOCLINE_OF_DRIVER(cuMemcpyDtoHAsync);
  decltype(&cuMemcpyHtoDAsync) copy_in = HALOCLINE_OF_DRIVER(cuMemcpyHtoDAsync);
  decltype(&cuGetErrorName) error_name = HALOCLINE_OF_DRIVER(cuGetErrorName);
};
#undef HALOCLINE_OF_DRIVER

Driver const& driver() {
  static Driver const driver;
  return driver;
}

/// As for the runtime.
void check(CUresult result, char const* call) {
  if (result == CUDA_SUCCESS) return;
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw StoppedError(std::string(call) + ": out of memory of a device");
  char const* name = nullptr;
  (void)driver().error_name(result, &name);
  throw DefectError(std::string(call) + ": " + (name != nullptr ? name : "an unknown error"));
}

/// The same by the driver; its context is the one that the runtime uses for the device.
class DriverEnd {
 public:
  explicit DriverEnd(int device) {
    check(driver().device_get(&device_, device), "cuDeviceGet");
    check(driver().retain(&context_, device_), "cuDevicePrimaryCtxRetain");
    Entered const entered(*this);
    check(driver().stream_create(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    for (CUevent& event : events_) check(driver().event_create(&event, CU_EVENT_DISABLE_TIMING), "cuEventCreate");
  }
  ~DriverEnd() {
    (void)driver().push(context_);
    for (CUevent const event : events_) (void)driver().event_destroy(event);
    (void)driver().stream_destroy(stream_);
    CUcontext popped = nullptr;
    (void)driver().pop(&popped);
    (void)driver().release(device_);
  }
  DriverEnd(DriverEnd const&) = delete;
  DriverEnd& operator=(DriverEnd const&) = delete;

  /// The context is on top of the thread's stack while this exists.
  class Entered {
   public:
    explicit Entered(DriverEnd const& end) { check(driver().push(end.context_), "cuCtxPushCurrent"); }
    ~Entered() {
      CUcontext popped = nullptr;
      (void)driver().pop(&popped);
    }
    Entered(Entered const&) = delete;
    Entered& operator=(Entered const&) = delete;
  };
  void await(DriverEnd const& other, std::size_t turn) const {
    check(driver().stream_wait(stream_, other.events_[turn], 0), "cuStreamWaitEvent");
  }
  void record(std::size_t turn) const { check(driver().event_record(events_[turn], stream_), "cuEventRecord"); }
  void copy_out(void* to, void const* from, std::size_t bytes) const {
    check(driver().copy_out(to, reinterpret_cast<CUdeviceptr>(from), bytes, stream_), "cuMemcpyDtoHAsync");
  }
  void copy_in(void* to, void const* from, std::size_t bytes) const {
    check(driver().copy_in(reinterpret_cast<CUdeviceptr>(to), from, bytes, stream_), "cuMemcpyHtoDAsync");
  }
  void synchronise() const { check(driver().synchronise(), "cuCtxSynchronize"); }

 private:
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  std::array<CUevent, 2> events_{};
};

template <class End>
class CopyByInterface final : public WaitingCopy {
 public:
  CopyByInterface(int from, int to) : from_(from), to_(to) {}

  void run(void* destination, void const* source, Index bytes) override {
    CurrentDevice const restored;
    auto* to = static_cast<std::byte*>(destination);
    auto const* from = static_cast<std::byte const*>(source);
    std::size_t turn = 0;
    for (auto left = static_cast<std::size_t>(bytes); left > 0; turn = 1 - turn) {
      std::size_t const part = std::min(left, static_cast<std::size_t>(piece));
      {
        typename End::Entered const entered(from_);
        from_.await(to_, turn);
        from_.copy_out(buffers_[turn].get(), from, part);
        from_.record(turn);
      }
      {
        typename End::Entered const entered(to_);
        to_.await(from_, turn);
        to_.copy_in(to, buffers_[turn].get(), part);
        to_.record(turn);
      }
      from += part;
      to += part;
      left -= part;
    }
    for (End const* const end : {&from_, &to_}) {
      typename End::Entered const entered(*end);
      end->synchronise();
    }
  }

 private:
  std::array<PinnedBuffer, 2> buffers_;
  End from_;
  End to_;
};

}  // namespace

std::unique_ptr<WaitingCopy> make_waiting_copy(CudaInterface interface, int from, int to) {
  if (interface == CudaInterface::runtime) return std::make_unique<CopyByInterface<RuntimeEnd>>(from, to);
  return std::make_unique<CopyByInterface<DriverEnd>>(from, to);
}

}  // namespace halocline::benchmarking
