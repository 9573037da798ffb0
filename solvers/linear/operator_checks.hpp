#pragma once

#include <memory>
#include <optional>

#include "framework/operator/operator.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// How far A is from symmetric: the largest |y . A x - x . A y| / (2 ||A|| ||x|| ||y||) of a few random pairs, which
/// are the same at any partition (Dongarra, Heroux and Luszczek, 2016, International Journal of High Performance
/// Computing Applications 30). A single pair of unequal entries shows too. NaN where a product is not a finite number.
///
/// \param operator_norm Operator::norm_bound, finite
[[nodiscard]] double symmetry_defect(Operator const& a, double operator_norm);
/// Whether rounding explains the defect: each product is wrong by what it allows A x.
[[nodiscard]] bool is_symmetric(double defect, Precision precision);

/// What a preconditioner makes of a few random vectors.
struct PreconditionerProducts {
  /// Largest |y . M^-1 x - x . M^-1 y| sqrt(n) / (||x|| ||M^-1 y|| + ||y|| ||M^-1 x||), n the number of unknowns: next
  /// to one where nothing is symmetric.
  double symmetry_defect = 0;
  double smallest_product = 1;  ///< smallest x . M^-1 x / (||x|| ||M^-1 x||)
};
/// The three vectors are what it works with: they must live as Preconditioner::apply asks. NaN where a product is not a
/// finite number.
[[nodiscard]] PreconditionerProducts preconditioner_products(Preconditioner& m, Vector& x, Vector& y, Vector& image);
/// Whether rounding explains the defect, also of a cycle whose hundreds of steps are rounded to single precision.
[[nodiscard]] bool is_symmetric(PreconditionerProducts const& products);

/// The constants, where any of them may be added to a solution (Operator::null_space_measure).
class NullConstants {
 public:
  /// Nothing where they are not in the null space. Collective.
  [[nodiscard]] static std::optional<NullConstants> of(Operator const& a);

  /// Over the domain, of a solution.
  [[nodiscard]] double mean_of_solution(Vector const& x) const { return measure_->dot(x) / total_; }
  void add_to_solution(double constant, Vector& x) const { x.add(constant, *ones_); }
  /// Of the source that a right-hand side is the integral of over the measure of each unknown.
  [[nodiscard]] double mean_of_source(Vector const& b) const { return ones_->dot(b) / total_; }
  void add_to_source(double constant, Vector& b) const { b.add(constant, *measure_); }
  /// 2-norm of the part of b in the null space: of b - A x it is that for all x.
  [[nodiscard]] double null_part(Vector const& b) const;

 private:
  std::unique_ptr<Vector> ones_, measure_;
  double total_ = 0;  ///< the measure of all unknowns
};
/// What a solve of such an operator is remarked on with, and what one without a solution.
inline constexpr char const* constants_in_null_space =
    "the operator is singular: any constant could be added to the solution";
inline constexpr char const* constants_without_solution =
    "constants are in the null space of the operator, and the right-hand side has a mean; take it off "
    "(solver.null_space: "
    "project), or fix the unknown somewhere";
/// Whether A z is zero but for rounding, for a z that is not. `product` is spare memory.
///
/// \param operator_norm Operator::norm_bound
[[nodiscard]] bool in_null_space(Operator const& a, double operator_norm, Vector const& z, Vector& product);

}  // namespace halocline
