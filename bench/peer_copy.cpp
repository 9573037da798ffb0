#include "bench/peer_copy.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "bench/measure.hpp"
#include "bench/waiting_copy.hpp"
#include "framework/runtime/cuda_stream.hpp"
#include "framework/runtime/device_copy.hpp"
#include "framework/runtime/device_execution.hpp"
#include "framework/runtime/devices.hpp"

namespace halocline::benchmarking {
namespace {

using cuda::check;
using cuda::OwnEvent;
using cuda::OwnStream;
using Words = Kokkos::View<std::uint32_t*, Memory>;

/// Integers computed from the index and a seed.
struct FillWords {
  std::uint32_t* words;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::size_t n) const {
    words[n] = static_cast<std::uint32_t>((seed + n * 0x9e3779b97f4a7c15U) >> 29U);
  }
};
struct CountOtherWords {
  std::uint32_t const* words;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::size_t n, Index& count) const {
    if (words[n] != static_cast<std::uint32_t>((seed + n * 0x9e3779b97f4a7c15U) >> 29U)) ++count;
  }
};

/// The two ends of a copy: the device of this rank and the next one, or the same one twice.
struct Ends {
  DeviceExecution one{};
  DeviceExecution other;

  Ends() : other(next_device()) {}
  [[nodiscard]] bool are_one() const { return one.device == other.device; }

 private:
  [[nodiscard]] int next_device() const { return (one.device + 1) % static_cast<int>(all_devices().size()); }
};

/// Memory at one end.
Words words_at(DeviceExecution const& end, Index bytes) {
  return Words(Kokkos::view_alloc(end.instance, Kokkos::WithoutInitializing, "words"),
               static_cast<std::size_t>(bytes / 4));
}

/// A copy direction: two ends, and memory at both.
struct Way {
  Way(DeviceExecution const& from_end, DeviceExecution const& to_end, Index size)
      : from(from_end),
        to(to_end),
        source(words_at(from_end, size)),
        destination(words_at(to_end, size)),
        bytes(size) {}

  /// Runs `copy` once; throws DefectError if the received words are not those sent.
  void verify(std::string const& problem, std::function<void()> const& copy) const {
    CurrentDevice const current;
    std::uint64_t const seed = fresh_seed();
    using Policy = Kokkos::RangePolicy<Execution>;
    Kokkos::parallel_for(Policy(from.instance, 0, source.extent(0)), FillWords{source.data(), seed});
    Kokkos::parallel_for(Policy(to.instance, 0, destination.extent(0)), FillWords{destination.data(), seed + 1});
    copy();
    Index wrong = 0;
    Kokkos::parallel_reduce(Policy(to.instance, 0, destination.extent(0)), CountOtherWords{destination.data(), seed},
                            wrong);
    if (wrong > 0) throw DefectError(problem + ": " + std::to_string(wrong) + " words did not arrive");
  }

  DeviceExecution const& from;
  DeviceExecution const& to;
  Words source;
  Words destination;
  Index bytes;
};

/// Work on separate CUDA streams that starts after the first end's previous work and completes before its later work.
class Forked {
 public:
  explicit Forked(Execution const& begin) : begin_(begin), streams_(2), ended_(2) {}
  /// Calls `copy(n, stream)` for each of `count` streams.
  template <class Copy>
  void run(int count, Copy const& copy) {
    check(cudaEventRecord(began_.get(), begin_.cuda_stream()), "cudaEventRecord");
    for (int n = 0; n < count; ++n) {
      auto const at = static_cast<std::size_t>(n);
      check(cudaStreamWaitEvent(streams_[at].get(), began_.get(), 0), "cudaStreamWaitEvent");
      copy(n, streams_[at].get());
      check(cudaEventRecord(ended_[at].get(), streams_[at].get()), "cudaEventRecord");
    }
    for (int n = 0; n < count; ++n)
      check(cudaStreamWaitEvent(begin_.cuda_stream(), ended_[static_cast<std::size_t>(n)].get(), 0),
            "cudaStreamWaitEvent");
  }

 private:
  Execution begin_;
  OwnEvent began_;
  std::vector<OwnStream> streams_;
  std::vector<OwnEvent> ended_;
};

/// Median seconds of the CUDA library's copies, one per direction.
double library_seconds(std::vector<std::unique_ptr<Way>> const& ways, int repetitions) {
  CurrentDevice const current(device_of(Execution{}));
  Forked forked(Execution{});
  auto const copy = [&](int n, cudaStream_t stream) {
    Way const& way = *ways[static_cast<std::size_t>(n)];
    check(cudaMemcpyPeerAsync(way.destination.data(), way.to.device, way.source.data(), way.from.device,
                              static_cast<std::size_t>(way.bytes), stream),
          "cudaMemcpyPeerAsync");
  };
  auto const all = [&] { forked.run(static_cast<int>(ways.size()), copy); };
  return median(time_each(all, repetitions));
}

/// Pinned host memory.
class Pinned {
 public:
  explicit Pinned(Index bytes) {
    check(cudaHostAlloc(&memory_, static_cast<std::size_t>(bytes), cudaHostAllocPortable), "cudaHostAlloc");
  }
  ~Pinned() { (void)cudaFreeHost(memory_); }
  Pinned(Pinned const&) = delete;
  Pinned& operator=(Pinned const&) = delete;
  [[nodiscard]] void* get() const { return memory_; }

 private:
  void* memory_ = nullptr;
};

/// Median seconds of two concurrent pinned copies of as many bytes: from the device of `way.from`, and to that of
/// `way.to`. This is a lower bound for staged copies.
double pinned_seconds(Way const& way, int repetitions) {
  CurrentDevice const current(device_of(Execution{}));
  Pinned const out(way.bytes);
  Pinned const in(way.bytes);
  auto const size = static_cast<std::size_t>(way.bytes);
  OwnStream const out_stream;
  std::unique_ptr<OwnStream> in_stream;
  std::unique_ptr<OwnEvent> in_ended;
  {
    CurrentDevice const of_destination(way.to.device);
    in_stream = std::make_unique<OwnStream>();
    in_ended = std::make_unique<OwnEvent>();
  }
  OwnEvent const began;
  OwnEvent const out_ended;
  cudaStream_t const stream = Execution{}.cuda_stream();
  auto const both = [&] {
    check(cudaEventRecord(began.get(), stream), "cudaEventRecord");
    check(cudaStreamWaitEvent(out_stream.get(), began.get(), 0), "cudaStreamWaitEvent");
    check(cudaStreamWaitEvent(in_stream->get(), began.get(), 0), "cudaStreamWaitEvent");
    check(cudaMemcpyAsync(out.get(), way.source.data(), size, cudaMemcpyDeviceToHost, out_stream.get()),
          "cudaMemcpyAsync");
    check(cudaMemcpyAsync(way.destination.data(), in.get(), size, cudaMemcpyHostToDevice, in_stream->get()),
          "cudaMemcpyAsync");
    check(cudaEventRecord(out_ended.get(), out_stream.get()), "cudaEventRecord");
    check(cudaEventRecord(in_ended->get(), in_stream->get()), "cudaEventRecord");
    check(cudaStreamWaitEvent(stream, out_ended.get(), 0), "cudaStreamWaitEvent");
    check(cudaStreamWaitEvent(stream, in_ended->get(), 0), "cudaStreamWaitEvent");
  };
  return median(time_each(both, repetitions));
}

/// "16777216 bytes, device 0 to 1", "… to itself", "…, both ways at once"
std::string problem_of(Ends const& ends, Index bytes, bool both_ways) {
  std::string const to = ends.are_one() ? "itself (the only one)" : std::to_string(ends.other.device);
  return std::to_string(bytes) + " bytes, device " + std::to_string(ends.one.device) + " to " + to +
         (both_ways ? ", both ways at once" : "");
}

Row time_path(std::vector<std::unique_ptr<Way>> const& ways, Row row, CopyPath path, int repetitions) {
  CurrentDevice const current(device_of(Execution{}));
  std::vector<DeviceCopy> copies;
  for (auto const& way : ways) copies.emplace_back(way->from.instance, way->to.instance, path);
  auto const all = [&] {
    for (std::size_t n = 0; n < ways.size(); ++n)
      copies[n].start(ways[n]->destination.data(), ways[n]->source.data(), ways[n]->bytes);
    for (DeviceCopy& copy : copies) copy.finish();
  };
  for (auto const& way : ways) way->verify(row.problem + ", " + to_string(path), all);
  row.form = to_string(path);
  row.seconds = time_each(all, repetitions);
  return row;
}

/// Textbooks' copy, which waits in the end; it does not wait for work enqueued before.
Row time_waiting(Way const& way, Row row, CudaInterface interface, int repetitions) {
  CurrentDevice const current(device_of(Execution{}));
  row.form = interface == CudaInterface::runtime ? "reference: staged by the runtime, the current device set in turn"
                                                 : "reference: staged by the driver, contexts pushed and popped";
  auto const copying = make_waiting_copy(interface, way.from.device, way.to.device);
  auto const copy = [&] { copying->run(way.destination.data(), way.source.data(), way.bytes); };
  way.verify(row.problem + ", " + row.form, [&] {
    way.from.instance.fence("halocline: what is to be copied");
    way.to.instance.fence("halocline: what is to be copied to");
    copy();
  });
  row.seconds = time_each(copy, repetitions);
  return row;
}

}  // namespace

std::vector<Row> peer_copy(Options const& options) {
  CurrentDevice const current;
  Ends const ends;
  std::vector<Index> const sizes = options.size > 0
                                       ? std::vector<Index>{(options.size + 3) / 4 * 4}
                                       : std::vector<Index>{4 << 10, 64 << 10, 1 << 20, 16 << 20, 128 << 20};
  std::vector<Row> rows;
  for (bool const both_ways : {false, true}) {
    if (both_ways && ends.are_one()) continue;
    for (Index const bytes : sizes) {
      std::vector<std::unique_ptr<Way>> ways;
      ways.push_back(std::make_unique<Way>(ends.one, ends.other, bytes));
      if (both_ways) ways.push_back(std::make_unique<Way>(ends.other, ends.one, bytes));
      Row row;
      row.problem = problem_of(ends, bytes, both_ways);
      row.bytes = static_cast<double>(bytes);
      row.in_memory = false;
      // The direct path comes first, since it enables peer access, which the library's copy should have, too.
      std::size_t const first = rows.size();
      rows.push_back(time_path(ways, row, CopyPath::direct, options.repetitions));
      rows.push_back(time_path(ways, row, CopyPath::staged, options.repetitions));
      if (!both_ways) {
        for (CudaInterface const interface : {CudaInterface::runtime, CudaInterface::driver})
          rows.push_back(time_waiting(*ways[0], row, interface, options.repetitions));
        double const pinned = pinned_seconds(*ways[0], options.repetitions);
        for (std::size_t n = first + 1; n < rows.size(); ++n) rows[n].peer = {"two pinned copies at once", pinned};
      }
      double const library = library_seconds(ways, options.repetitions);
      for (std::size_t n = first; n < rows.size(); ++n) rows[n].copy_seconds = library;
    }
  }
  return rows;
}

}  // namespace halocline::benchmarking
