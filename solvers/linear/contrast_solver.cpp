#include "solvers/linear/contrast_solver.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

#include "solvers/linear/convergence.hpp"

namespace halocline {
namespace {

/// The largest relative error that goes without a caution.
constexpr double largest_error = 0.01;

/// The largest absolute entry of A's diagonal over the smallest one; 1 if A does not know its diagonal or an entry is
/// zero. Collective.
double diagonal_contrast(Operator const& a) {
  auto const diagonal = a.create_vector();
  if (!a.diagonal(*diagonal)) return 1;
  double const largest = diagonal->maximum();
  try {
    diagonal->invert();
  } catch (SolveError const&) {
    return 1;
  }
  return largest * diagonal->maximum();
}

std::string two_digits(double value) {
  std::ostringstream text;
  text << std::setprecision(2) << value;
  return text.str();
}

}  // namespace

void ContrastSolver::prepare(Operator const& a) {
  contrast_ = diagonal_contrast(a);
  inner().prepare(a);
}

SolveReport ContrastSolver::solve(Operator const& a, Vector const& b, Vector& x) {
  inner().set_observer(observer());
  SolveReport report = inner().solve(a, b, x);
  if (reached(report.outcome)) report.caution = caution(report, x.precision());
  return report;
}

std::string ContrastSolver::caution(SolveReport const& report, Precision precision) const {
  bool const is_rounding = report.outcome == Outcome::converged_to_rounding;
  double const tolerance = std::max(criteria().relative, is_rounding ? epsilon(precision) : 0);
  if (!(inner().error_factor(contrast_) * tolerance > largest_error)) return "";
  std::string const allowed = is_rounding ? "what rounding allows" : "its relative tolerance";
  return "meeting the criterion says little about the error: entries of the operator's diagonal differ by a factor "
         "of " +
         two_digits(contrast_) + ", and " + allowed + ", " + two_digits(tolerance) +
         ", hides errors of rows with small entries; use a smaller tolerance, `norm: natural` of cg with a good "
         "preconditioner, or `verify: true`, which estimates the error";
}

}  // namespace halocline
