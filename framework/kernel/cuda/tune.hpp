#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "framework/kernel/cuda/plan.hpp"
#include "framework/kernel/tune/tuning.hpp"

// Chooses the tuning of a streaming sweep: from a table, by a search, or by the rules of default_tuning.

namespace halocline::kernel::cuda {

/// How a sweep is to run, and where that choice comes from.
struct Choice {
  std::optional<StreamTuning> tuning;  ///< none: the direct form
  std::string source;                  ///< "rule", "table", "cache", "search"
};

[[nodiscard]] SweepKey key_of(IndexRange const& range, StreamKernel const& kernel);

/// The best known choice for this sweep on the current device.
[[nodiscard]] Choice choose(IndexRange const& range, StreamKernel const& kernel);

/// Tunings worth measuring: the best of every tile by score, then others by score.
[[nodiscard]] std::vector<StreamTuning> candidates(IndexRange const& range, StreamKernel const& kernel);

/// Seconds of a sweep with a tuning, the least of `samples` samples; null stands for the direct form. Infinity if it
/// cannot run.
using SecondsOf = std::function<double(StreamTuning const*, int samples)>;

/// Measures with CUDA events. `run(tuning)` enqueues the sweep without changing the caller's fields, or returns false.
[[nodiscard]] SecondsOf by_clock(cudaStream_t stream, std::function<bool(StreamTuning const*)> run);

/// Measures the candidates and the direct form, and keeps the fastest if it beats the tunings of the tables and of the
/// rule; otherwise keeps the faster of those.
void search(IndexRange const& range, StreamKernel const& kernel, SecondsOf const& seconds_of);

/// Whether a search is requested, not made yet, and possible now (no graph is being captured).
[[nodiscard]] bool wants_search(cudaStream_t stream, IndexRange const& range, StreamKernel const& kernel);

/// Device memory that stands in for an output while tunings are measured.
class StandIn {
 public:
  /// Allocates `bytes` with the same alignment as `like` to a cache line. `memory()` is null if the allocation fails.
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
