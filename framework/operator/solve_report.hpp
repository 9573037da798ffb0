#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "framework/mesh/index_range.hpp"

namespace halocline {

/// How a solve ended. Only the first two mean that the solution was found.
enum class Outcome {
  converged,              ///< the requested reduction of the residual was reached
  converged_to_rounding,  ///< the residual is as small as double (or single) precision can make it
  iteration_limit,
  diverged,
  not_a_number,
  overflow,     ///< all entries are finite numbers, but too large to be squared
  breakdown,    ///< the method divided by a quantity that vanished
  indefinite,   ///< a direction of non-positive curvature in a method that needs a definite operator
  stalled,      ///< no progress, far above the level of rounding errors
  unsymmetric,  ///< found by a check: the method needs a symmetric operator
  unverified,   ///< found by a check: the error is larger than requested, or unknown
  inconsistent  ///< the operator is singular and the right-hand side is not in its range: there is no solution
};

[[nodiscard]] char const* to_string(Outcome outcome);
[[nodiscard]] constexpr bool reached(Outcome outcome) {
  return outcome == Outcome::converged || outcome == Outcome::converged_to_rounding;
}

/// Called on every rank for each iteration with a computed residual: its number, and the residual (or change) that the
/// method monitors.
using IterationObserver = std::function<void(Index iteration, double residual)>;

/// Results of checks of a solve and its operator, as far as they were made.
struct Verification {
  std::optional<double> error_estimate;  ///< of ||x - A^-1 b|| / ||x||, 2-norms
  std::string doubt = {};                ///< why there is no reliable estimate; empty if there is one
  std::string complaint = {};            ///< a sentence for the log if the error is not the requested one
  /// Largest |y . A x - x . A y| of a few random pairs, relative to 2 ||A|| ||x|| ||y||.
  std::optional<double> symmetry_defect;
  std::optional<double> smallest_ritz_value;  ///< of a few Lanczos steps: A has an eigenvalue of at most this
  /// Largest |y . M^-1 x - x . M^-1 y| of a few random pairs, relative to the size of such products:
  /// (||x|| ||M^-1 y|| + ||y|| ||M^-1 x||) / sqrt(unknowns).
  std::optional<double> preconditioner_symmetry_defect;
};

/// Results of a solve. Residuals are 2-norms. A method that monitors the change of the solution reports the change's
/// root mean square in the history and as the initial and final residual.
struct SolveReport {
  std::string method;
  Outcome outcome = Outcome::iteration_limit;
  Index iterations = 0;
  double initial_residual = 0;
  double final_residual = 0;  ///< from the recurrence of the method
  double true_residual = 0;   ///< ||b - A x||, recomputed at the end
  double seconds = 0;
  std::vector<double> history;  ///< residual after each iteration with a computed residual, the initial one first
  std::vector<Index> measured;  ///< iteration of each entry of `history`
  std::string remark;  ///< a sentence: advice if the outcome is not one of the first two, otherwise anything unusual
  std::string caution = {};  ///< a sentence for the log if the criteria say little about the error; otherwise empty
  std::optional<Verification> verification;  ///< if verification was requested
  /// A sentence for each requested feature that was not available, with its replacement.
  std::vector<std::string> fallbacks;
};

}  // namespace halocline
