#include "framework/operator/solve_report.hpp"

namespace halocline {

char const* to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::converged:
      return "converged";
    case Outcome::converged_to_rounding:
      return "converged to rounding";
    case Outcome::iteration_limit:
      return "iteration limit";
    case Outcome::diverged:
      return "diverged";
    case Outcome::overflow:
      return "overflow";
    case Outcome::not_a_number:
      return "not a number";
    case Outcome::breakdown:
      return "breakdown";
    case Outcome::indefinite:
      return "indefinite";
    case Outcome::stalled:
      return "stalled";
    case Outcome::unsymmetric:
      return "unsymmetric";
    case Outcome::unverified:
      return "unverified";
    case Outcome::inconsistent:
      return "inconsistent";
  }
  return "unknown outcome";
}

}  // namespace halocline
