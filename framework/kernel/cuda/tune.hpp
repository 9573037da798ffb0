#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "framework/kernel/cuda/plan.hpp"
#include "framework/kernel/tune/tuning.hpp"

// The choice of a streaming sweep's tuning: from a table, by a search, or by the rules of default_tuning.

namespace halocline::kernel::cuda {

/// How a sweep is to run, and who says so.
struct Choice {
  std::optional<StreamTuning> tuning;  ///< none: by the direct form
  std::string source;                  ///< "rule", "table", "cache", "search"
};

[[nodiscard]] SweepKey key_of(IndexRange const& range, StreamKernel const& kernel);

/// What is known to be best for this sweep on the current device.
[[nodiscard]] Choice choose(IndexRange const& range, StreamKernel const& kernel);

/// Tunings worth a measurement: of every tile the one with the highest score, then others by their scores.
[[nodiscard]] std::vector<StreamTuning> candidates(IndexRange const& range, StreamKernel const& kernel);

/// Seconds of a sweep by a tuning, null: by the direct form; the least of so many samples. Infinity: it cannot run.
using SecondsOf = std::function<double(StreamTuning const*, int samples)>;

/// By the device's clock. `run(tuning)` enqueues the sweep, leaving the fields of the caller as they are; false: it
/// cannot.
[[nodiscard]] SecondsOf by_clock(cudaStream_t stream, std::function<bool(StreamTuning const*)> run);

/// Measures the candidates and the direct form, and keeps the best of them where it is faster than what would be used
/// without, by the tables and by the rule; otherwise the faster of those.
void search(IndexRange const& range, StreamKernel const& kernel, SecondsOf const& seconds_of);

/// Whether a search is asked for that has not been made, and could be made now: not while a graph is captured.
[[nodiscard]] bool wants_search(cudaStream_t stream, IndexRange const& range, StreamKernel const& kernel);

/// Device memory that stands in for an output while tunings are measured.
class StandIn {
 public:
  /// Room for `bytes` at the same place of a cache line as `like`. No room: `memory()` is null.
  StandIn(cudaStream_t stream, void const* like, std::size_t bytes);
  ~StandIn();
  StandIn(StandIn&& other) noexcept;
  StandIn(StandIn const&) = delete;
  StandIn& operator=(StandIn const&) = delete;
  [[nodiscard]] std::byte* memory() const { return memory_; }

 private:
  cudaStream_t stream_;
  void* allocation_ = nullptr;
  std::byte* memory_ = nullptr;
};

}  // namespace halocline::kernel::cuda
