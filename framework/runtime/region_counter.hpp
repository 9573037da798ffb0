#pragma once

namespace Teuchos {
class Time;
}

/// Counters of regions. Keeps headers of Teuchos away from device compilers.
namespace halocline::region_counter {

/// The counter of that name, which lives until the program ends.
[[nodiscard]] Teuchos::Time& of(char const* name);
/// Starts the counter. Returns false if it is already running.
[[nodiscard]] bool start(Teuchos::Time& time);
/// Counts a call; stops the counter if this call `started` it.
void stop(Teuchos::Time& time, bool started);

}  // namespace halocline::region_counter
