#include "framework/runtime/device_timeline.hpp"

#include <Kokkos_Core.hpp>
#include <utility>

#if defined(KOKKOS_ENABLE_CUDA)

#include "framework/runtime/cuda_check.hpp"

namespace halocline::trace {
namespace {

using cuda::check;

/// Limit on the number of spans, since each holds events of the driver.
constexpr std::size_t most_spans = 32768;

/// A recorded position in a stream. Empty if the device has failed: other calls report that.
class Mark {
 public:
  explicit Mark(cudaStream_t stream) {
    if (cudaEventCreate(&event_) == cudaSuccess && cudaEventRecord(event_, stream) == cudaSuccess) return;
    event_ = nullptr;
  }
  ~Mark() {
    if (event_ != nullptr) (void)cudaEventDestroy(event_);
  }
  Mark(Mark&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Mark& operator=(Mark&&) = delete;
  [[nodiscard]] cudaEvent_t event() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

struct OpenSpan {
  char const* name;
  cudaStream_t stream;
  bool beside;
  std::vector<Mark> begin;  ///< empty: not recorded
};
struct WholeSpan {
  char const* name;
  bool beside;
  Mark begin;
  Mark end;
};

struct Timeline {
  std::vector<Mark> base;  ///< has one element while recording
  Clock::time_point base_time;
  std::vector<OpenSpan> open;
  std::vector<WholeSpan> spans;
  Index lost = 0;
};
Timeline& timeline() {
  static Timeline one;
  return one;
}

cudaStream_t sweeps() { return Kokkos::Cuda().cuda_stream(); }

/// Events in a captured stream have no time.
bool is_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) != cudaSuccess || status != cudaStreamCaptureStatusNone;
}

}  // namespace

void start_device_timeline() {
  Timeline& mine = timeline();
  mine.spans.clear();
  mine.lost = 0;
  mine.base.clear();
  check(cudaStreamSynchronize(sweeps()), "cudaStreamSynchronize");
  mine.base.emplace_back(sweeps());
  check(cudaEventSynchronize(mine.base.front().event()), "cudaEventSynchronize");
  mine.base_time = Clock::now();
}

DeviceTimeline take_device_timeline() {
  Timeline& mine = timeline();
  DeviceTimeline taken;
  if (mine.base.empty()) return taken;
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  auto const time_of = [&](Mark const& mark) {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, mine.base.front().event(), mark.event()), "cudaEventElapsedTime");
    return mine.base_time +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<float, std::milli>(milliseconds));
  };
  for (WholeSpan const& span : mine.spans) {
    if (span.begin.event() == nullptr || span.end.event() == nullptr) continue;
    taken.spans.push_back({span.name, time_of(span.begin), time_of(span.end), span.beside});
  }
  mine.spans.clear();
  mine.base.clear();
  taken.lost = mine.lost;
  return taken;
}

void enter_on_device(char const* name, void* stream) {
  Timeline& mine = timeline();
  OpenSpan& span = mine.open.emplace_back();
  span.name = name;
  span.beside = stream != nullptr;
  if (mine.base.empty()) return;
  if (mine.spans.size() >= most_spans) {
    ++mine.lost;
    return;
  }
  span.stream = span.beside ? static_cast<cudaStream_t>(stream) : sweeps();
  if (!is_captured(span.stream)) span.begin.emplace_back(span.stream);
}

void leave_on_device() {
  Timeline& mine = timeline();
  if (mine.open.empty()) return;
  OpenSpan span = std::move(mine.open.back());
  mine.open.pop_back();
  if (span.begin.empty() || mine.base.empty()) return;
  mine.spans.push_back({span.name, span.beside, std::move(span.begin.front()), Mark(span.stream)});
}

}  // namespace halocline::trace

#else

namespace halocline::trace {

void start_device_timeline() {}
DeviceTimeline take_device_timeline() { return {}; }
void enter_on_device(char const*, void*) {}
void leave_on_device() {}

}  // namespace halocline::trace

#endif
