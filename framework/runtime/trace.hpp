#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "framework/runtime/index.hpp"

namespace halocline {

class Communicator;

/// A timeline of a run for viewers of Chrome's trace format (Perfetto): what each rank did when. Recorded once it is
/// started; until then a record costs next to nothing. Names are literals. For the thread that runs MPI.
namespace trace {

using Clock = std::chrono::steady_clock;

/// Forgets what was recorded and records from now on.
/// \param most spans of a rank that are kept; later ones are counted only
void start(std::size_t most = 1U << 20U);
[[nodiscard]] bool is_on();

/// A stretch of what the rank does by itself. Such stretches lie one in another or one after the other.
void add(char const* name, Clock::time_point begin, Clock::time_point end);
/// A message on its way. Several may be at a time.
void add_message(char const* name, Clock::time_point begin, Clock::time_point end);

/// What kernels of a device do that are enqueued between the two calls, on the stream of sweeps or on another. Such
/// pairs lie one in another or one after the other. Without a device, and while nothing is recorded, they do nothing.
void enter_on_device(char const* name, void* stream = nullptr);
void leave_on_device();

/// Collective. Ends the recording. Rank 0 gets the timelines of all ranks on its own clock, as JSON; others nothing.
/// Clocks of other hosts are compared by messages, to about half of a message's time.
[[nodiscard]] std::string merged(Communicator const& communicator);

}  // namespace trace
}  // namespace halocline
