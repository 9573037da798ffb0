#pragma once

#include <memory>
#include <optional>

#include "framework/operator/operator.hpp"
#include "solvers/linear/solver.hpp"

namespace halocline {

/// Measure of the asymmetry of A: the largest |y . A x - x . A y| / (2 ||A|| ||x|| ||y||) of a few random pairs, which
/// are the same for any partition (Dongarra, Heroux and Luszczek, 2016, International Journal of High Performance
/// Computing Applications 30). A single pair of unequal entries is detected. NaN if a product is not finite.
///
/// \param operator_norm Operator::norm_bound, finite
[[nodiscard]] double symmetry_defect(Operator const& a, double operator_norm);
/// Whether rounding explains the defect: each product has the rounding error of A x.
[[nodiscard]] bool is_symmetric(double defect, Precision precision);

/// Products of a preconditioner with a few random vectors.
struct PreconditionerProducts {
  /// Largest |y . M^-1 x - x . M^-1 y| sqrt(n) / (||x|| ||M^-1 y|| + ||y|| ||M^-1 x||), n the number of unknowns: about
  /// one for an M without any symmetry.
  double symmetry_defect = 0;
  double smallest_product = 1;  ///< smallest x . M^-1 x / (||x|| ||M^-1 x||)
};
/// The three vectors are working memory: they must live as long as Preconditioner::apply requires. NaN if a product is
/// not finite.
[[nodiscard]] PreconditionerProducts preconditioner_products(Preconditioner& m, Vector& x, Vector& y, Vector& image);
/// Whether rounding explains the defect, even for a cycle whose hundreds of steps are rounded to single precision.
[[nodiscard]] bool is_symmetric(PreconditionerProducts const& products);

/// The null space of constants, if an operator has it (Operator::null_space_measure).
class NullConstants {
 public:
  /// None if constants are not in the null space. Collective.
  [[nodiscard]] static std::optional<NullConstants> of(Operator const& a);

  /// Mean of a solution over the domain.
  [[nodiscard]] double mean_of_solution(Vector const& x) const { return measure_->dot(x) / total_; }
  void add_to_solution(double constant, Vector& x) const { x.add(constant, *ones_); }
  /// Mean of a source over the domain; b holds its integrals over the measure of each unknown.
  [[nodiscard]] double mean_of_source(Vector const& b) const { return ones_->dot(b) / total_; }
  void add_to_source(double constant, Vector& b) const { b.add(constant, *measure_); }
  /// 2-norm of the part of b in the null space. That of b - A x is the same for all x.
  [[nodiscard]] double null_part(Vector const& b) const;

 private:
  std::unique_ptr<Vector> ones_, measure_;
  double total_ = 0;  ///< sum of the measures of all unknowns
};
/// Remark on a solve with such an operator, and on one without a solution.
inline constexpr char const* constants_in_null_space =
    "the operator is singular: the solution is determined only up to a constant";
inline constexpr char const* constants_without_solution =
    "constants are in the null space of the operator, and the right-hand side has a non-zero mean; subtract it "
    "(solver.null_space: project), or fix the unknown somewhere";
/// Whether A z is zero up to rounding, for a non-zero z. `product` is spare memory.
///
/// \param operator_norm Operator::norm_bound
[[nodiscard]] bool in_null_space(Operator const& a, double operator_norm, Vector const& z, Vector& product);

}  // namespace halocline
