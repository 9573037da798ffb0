#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "framework/runtime/cuda_stream.hpp"
#include "framework/runtime/device_copy.hpp"
#include "framework/runtime/devices.hpp"

namespace halocline {
namespace {

using cuda::check;
using cuda::OwnEvent;
using cuda::OwnStream;

/// Creates a CUDA object on the device that it belongs to.
template <class Thing>
class On {
 public:
  explicit On(int device) : On(CurrentDevice(device)) {}
  [[nodiscard]] auto get() const { return thing_.get(); }

 private:
  /// The argument keeps the device current until the members are created.
  explicit On(CurrentDevice const&) {}
  Thing thing_;
};

/// A stream and its device.
struct Lane {
  cudaStream_t stream;
  int device;
};

void wait(cudaStream_t stream, On<OwnEvent> const& event) {
  check(cudaStreamWaitEvent(stream, event.get(), 0), "cudaStreamWaitEvent");
}
void record(On<OwnEvent> const& event, cudaStream_t stream) {
  check(cudaEventRecord(event.get(), stream), "cudaEventRecord");
}

/// Orders a copy after the earlier work of both instances and before their later work.
class Order {
 public:
  Order(Lane from, Lane to) : from_(from), to_(to), from_ready_(from.device), to_ready_(to.device) {}

  /// `stream` continues when all work enqueued on both instances is complete.
  void begin(cudaStream_t stream) const {
    record(from_ready_, from_.stream);
    record(to_ready_, to_.stream);
    wait(stream, from_ready_);
    wait(stream, to_ready_);
  }
  /// Both instances continue after `done`.
  void end(On<OwnEvent> const& done) const {
    wait(from_.stream, done);
    wait(to_.stream, done);
  }
  [[nodiscard]] Lane from() const { return from_; }
  [[nodiscard]] Lane to() const { return to_; }

 private:
  Lane from_;
  Lane to_;
  On<OwnEvent> from_ready_;
  On<OwnEvent> to_ready_;
};

/// The copy engine of the source writes to the destination's memory.
class DirectCopy final : public CopyWork {
 public:
  DirectCopy(Lane from, Lane to) : order_(from, to), stream_(from.device), done_(from.device) {
    // With peer access the driver copies directly between the devices; without, it stages the copy itself.
    static_cast<void>(can_reach(from.device, to.device));
    static_cast<void>(can_reach(to.device, from.device));
  }

  void start(std::byte* destination, std::byte const* source, std::size_t bytes) override {
    CurrentDevice const current(order_.from().device);
    order_.begin(stream_.get());
    check(cudaMemcpyPeerAsync(destination, order_.to().device, source, order_.from().device, bytes, stream_.get()),
          "cudaMemcpyPeerAsync");
    record(done_, stream_.get());
  }
  void finish() override {
    CurrentDevice const current(order_.from().device);
    order_.end(done_);
  }

 private:
  Order order_;
  On<OwnStream> stream_;
  On<OwnEvent> done_;
};

/// Pinned host memory, accessible by all devices.
class PinnedBuffer {
 public:
  PinnedBuffer() { check(cudaHostAlloc(&memory_, size, cudaHostAllocPortable), "cudaHostAlloc"); }
  ~PinnedBuffer() { (void)cudaFreeHost(memory_); }
  PinnedBuffer(PinnedBuffer const&) = delete;
  PinnedBuffer& operator=(PinnedBuffer const&) = delete;
  [[nodiscard]] void* get() const { return memory_; }
  static constexpr std::size_t size = DeviceCopy::staging_bytes;

 private:
  void* memory_ = nullptr;
};

/// Bytes of a piece of a staged copy. With B bytes/s each way and L seconds between the end of one piece and the start
/// of the next, n bytes in pieces of p take (n / p + 1) (p / B + L): minimal at p = sqrt(n L B).
[[nodiscard]] std::size_t piece_of(std::size_t bytes) {
  constexpr double bytes_in_latency = 4e5;  // L B: 8 us at 50 GB/s
  constexpr std::size_t least = std::size_t{64} << 10U;
  auto const best = static_cast<std::size_t>(std::sqrt(static_cast<double>(bytes) * bytes_in_latency));
  constexpr std::size_t page = 4096;
  return std::clamp((best + page - 1) / page * page, least, PinnedBuffer::size);
}

/// Piece n passes through buffer n % 2, while piece n + 1 fills the other buffer (double buffering). Each buffer has an
/// event for full and one for free.
class StagedCopy final : public CopyWork {
 public:
  StagedCopy(Lane from, Lane to)
      : order_(from, to),
        out_(from.device),
        in_(to.device),
        full_{On<OwnEvent>(from.device), On<OwnEvent>(from.device)},
        free_{On<OwnEvent>(to.device), On<OwnEvent>(to.device)},
        done_(to.device) {}
  ~StagedCopy() override {
    (void)cudaStreamSynchronize(out_.get());
    (void)cudaStreamSynchronize(in_.get());
  }

  void start(std::byte* destination, std::byte const* source, std::size_t bytes) override {
    CurrentDevice const current(order_.from().device);
    if (!buffers_) buffers_.emplace();
    order_.begin(out_.get());
    std::size_t const piece = piece_of(bytes);
    for (std::size_t begin = 0; begin < bytes; begin += piece) {
      copy_piece(destination + begin, source + begin, std::min(piece, bytes - begin));
    }
    record(done_, in_.get());
  }
  void finish() override {
    CurrentDevice const current(order_.from().device);
    order_.end(done_);
  }

 private:
  void copy_piece(std::byte* destination, std::byte const* source, std::size_t bytes) {
    void* const buffer = (*buffers_)[next_].get();
    // Wait until the previous piece in this buffer, of this copy or the one before, has left it.
    wait(out_.get(), free_[next_]);
    check(cudaMemcpyAsync(buffer, source, bytes, cudaMemcpyDeviceToHost, out_.get()), "cudaMemcpyAsync");
    record(full_[next_], out_.get());
    wait(in_.get(), full_[next_]);
    check(cudaMemcpyAsync(destination, buffer, bytes, cudaMemcpyHostToDevice, in_.get()), "cudaMemcpyAsync");
    record(free_[next_], in_.get());
    next_ = 1 - next_;
  }

  Order order_;
  std::optional<std::array<PinnedBuffer, 2>> buffers_;  ///< allocated by the first copy
  On<OwnStream> out_;
  On<OwnStream> in_;
  std::array<On<OwnEvent>, 2> full_;
  std::array<On<OwnEvent>, 2> free_;
  On<OwnEvent> done_;
  std::size_t next_ = 0;
};

std::unique_ptr<CopyWork> make_work(Lane from, Lane to, CopyPath path) {
  if (path == CopyPath::direct) return std::make_unique<DirectCopy>(from, to);
  return std::make_unique<StagedCopy>(from, to);
}

/// Memory of a device; null if the allocation fails.
class Room {
 public:
  Room(int device, std::size_t bytes) {
    CurrentDevice const current(device);
    if (cudaMalloc(&memory_, bytes) == cudaSuccess) return;
    memory_ = nullptr;
    (void)cudaGetLastError();
  }
  ~Room() { (void)cudaFree(memory_); }
  Room(Room const&) = delete;
  Room& operator=(Room const&) = delete;
  [[nodiscard]] std::byte* get() const { return static_cast<std::byte*>(memory_); }

 private:
  void* memory_ = nullptr;
};

/// Minimum time in seconds of a few copies.
double seconds_of(CopyPath path, int from, int to, Room const& source, Room const& destination, std::size_t bytes) {
  On<OwnStream> const from_stream(from);
  On<OwnStream> const to_stream(to);
  std::unique_ptr<CopyWork> const work = make_work({from_stream.get(), from}, {to_stream.get(), to}, path);
  double best = 0;
  constexpr int copies = 4;
  for (int n = 0; n < copies; ++n) {
    auto const begin = std::chrono::steady_clock::now();
    work->start(destination.get(), source.get(), bytes);
    work->finish();
    check(cudaStreamSynchronize(to_stream.get()), "cudaStreamSynchronize");
    double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (n == 0 || seconds < best) best = seconds;
  }
  return best;
}

CopyPath measure_paths(int from, int to) {
  if (from == to) return CopyPath::direct;
  if (!can_reach(from, to)) return CopyPath::staged;
  constexpr std::size_t bytes = std::size_t{16} << 20U;
  Room const source(from, bytes);
  Room const destination(to, bytes);
  if (source.get() == nullptr || destination.get() == nullptr) return CopyPath::direct;
  double const direct = seconds_of(CopyPath::direct, from, to, source, destination, bytes);
  double const staged = seconds_of(CopyPath::staged, from, to, source, destination, bytes);
  return staged < direct ? CopyPath::staged : CopyPath::direct;
}

}  // namespace

std::unique_ptr<CopyWork> make_copy_work(Execution const& from, Execution const& to, CopyPath path) {
  // Kokkos makes an instance's device current when its stream is queried.
  CurrentDevice const current;
  return make_work({from.cuda_stream(), from.cuda_device()}, {to.cuda_stream(), to.cuda_device()}, path);
}

CopyPath faster_copy_path(int from, int to) {
  static std::mutex mutex;
  static std::map<std::pair<int, int>, CopyPath> known;
  std::scoped_lock const lock(mutex);
  auto const found = known.find({from, to});
  return found != known.end() ? found->second : known[{from, to}] = measure_paths(from, to);
}

}  // namespace halocline
