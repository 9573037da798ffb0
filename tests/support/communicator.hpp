#pragma once

#include "framework/runtime/communicator.hpp"

namespace halocline::test {

/// All ranks of the run, as a communicator that exists for the current test. If a rank fails an assertion or throws,
/// the others' waits on it end too, so that a failure on one rank never hangs the run.
[[nodiscard]] Communicator const& communicator();

}  // namespace halocline::test
