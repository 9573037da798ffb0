#pragma once

namespace Teuchos {
class Time;
}

/// Counters of regions. Compilers for devices see no header of Teuchos.
namespace halocline::region_counter {

/// The counter of that name, which is there to the program's end.
[[nodiscard]] Teuchos::Time& of(char const* name);
/// Whether it starts now: it does not where it is running already.
[[nodiscard]] bool start(Teuchos::Time& time);
/// Counts a call, which `started` the counter or not.
void stop(Teuchos::Time& time, bool started);

}  // namespace halocline::region_counter
