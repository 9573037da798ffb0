#pragma once

#include <filesystem>
#include <string>

#include "drivers/halocline/output.hpp"

namespace halocline {

/// "step 3, time 0.012: cg ended with iteration limit after 800 iterations, true residual 1.2e-05; raise …"
[[nodiscard]] std::string failed_solve(Step const& step, SolveReport const& report);

/// Prints the results of a run: quantities, solves, time, and the output folder.
void print_result(Output const& output, std::filesystem::path const& folder, double seconds);

}  // namespace halocline
