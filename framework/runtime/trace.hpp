#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "framework/runtime/index.hpp"

namespace halocline {

class Communicator;

/// A timeline of each rank's activity for viewers of Chrome's trace format (Perfetto). While recording is off, a record
/// costs almost nothing. Names are literals. For the thread that runs MPI.
namespace trace {

using Clock = std::chrono::steady_clock;

/// Discards earlier records and starts recording.
/// \param most number of spans kept per rank; later ones are only counted
void start(std::size_t most = 1U << 20U);
[[nodiscard]] bool is_on();

/// A span of the rank's own work. Such spans are nested or sequential.
void add(char const* name, Clock::time_point begin, Clock::time_point end);
/// A message in flight. Several may overlap.
void add_message(char const* name, Clock::time_point begin, Clock::time_point end);

/// Marks the kernels enqueued between the two calls on the sweeps' stream or on `stream`. Such pairs are nested or
/// sequential. Without a device, and while recording is off, they do nothing.
void enter_on_device(char const* name, void* stream = nullptr);
void leave_on_device();

/// Collective. Ends the recording. Rank 0 gets the timelines of all ranks on its own clock, as JSON; others an empty
/// text. Clocks of other hosts are aligned by messages, to about half of a message's latency.
[[nodiscard]] std::string merged(Communicator const& communicator);

}  // namespace trace
}  // namespace halocline
