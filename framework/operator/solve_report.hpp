#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "framework/mesh/index_range.hpp"

namespace halocline {

/// How a solve ended. Only the first two mean that the answer is there.
enum class Outcome {
  converged,              ///< the asked-for reduction of the residual was reached
  converged_to_rounding,  ///< the residual is as small as double (or single) precision can make it
  iteration_limit,
  diverged,
  not_a_number,
  overflow,     ///< all entries are finite numbers, but too large to be squared
  breakdown,    ///< the method divided by a quantity that vanished
  indefinite,   ///< a direction of non-positive curvature met a method that needs a definite operator
  stalled,      ///< no progress, and far from what rounding explains
  unsymmetric,  ///< found by a check: the method needs a symmetric operator
  unverified,   ///< found by a check: the error is larger than was asked for, or not known
  inconsistent  ///< the operator is singular, and its image does not hold the right-hand side: there is no solution
};

[[nodiscard]] char const* to_string(Outcome outcome);
[[nodiscard]] constexpr bool reached(Outcome outcome) {
  return outcome == Outcome::converged || outcome == Outcome::converged_to_rounding;
}

/// Told of every measured iteration of a solve on every rank: its number and the residual (or change) that the method
/// watches.
using IterationObserver = std::function<void(Index iteration, double residual)>;

/// What checks of a solve and its operator found, as far as they were made.
struct Verification {
  std::optional<double> error_estimate;  ///< of ||x - A^-1 b|| / ||x||, 2-norms
  std::string doubt = {};                ///< why there is no estimate, or why it cannot be trusted; empty where it can
  std::string complaint = {};            ///< a sentence for who reads the log where the error is not what was asked for
  /// Largest |y . A x - x . A y| of a few random pairs, relative to 2 ||A|| ||x|| ||y||.
  std::optional<double> symmetry_defect;
  std::optional<double> smallest_ritz_value;  ///< of a few Lanczos steps: no eigenvalue of A is all above it
  /// Largest |y . M^-1 x - x . M^-1 y| of a few random pairs, relative to what such products are large as:
  /// (||x|| ||M^-1 y|| + ||y|| ||M^-1 x||) / sqrt(unknowns).
  std::optional<double> preconditioner_symmetry_defect;
};

/// What a solve did. Residuals are 2-norms; a method told to watch the change of the solution instead reports that, as
/// root mean square, in the history and the initial and final residual.
struct SolveReport {
  std::string method;
  Outcome outcome = Outcome::iteration_limit;
  Index iterations = 0;
  double initial_residual = 0;
  double final_residual = 0;  ///< as the recurrence of the method has it
  double true_residual = 0;   ///< ||b - A x||, computed once more at the end
  double seconds = 0;
  std::vector<double> history;  ///< residual after each measured iteration, the initial one first
  std::vector<Index> measured;  ///< iteration that each entry of `history` belongs to
  std::string remark;  ///< advice in a sentence when the outcome is not one of the first two, or what is odd otherwise
  std::optional<Verification> verification;  ///< where the solve was to be verified
  /// What was asked for and could not be had, and what took its place: a sentence each.
  std::vector<std::string> fallbacks;
};

}  // namespace halocline
