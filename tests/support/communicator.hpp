#pragma once

#include "framework/runtime/communicator.hpp"

namespace halocline::test {

/// All ranks of the run, as a communicator that lives for the current test. When a rank fails an assertion or throws,
/// the others' waits on it end too, so a failure on one rank never hangs the run.
[[nodiscard]] Communicator const& communicator();

}  // namespace halocline::test
