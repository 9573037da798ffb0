#pragma once

#include "framework/operator/operator.hpp"

namespace halocline {

/// How far A is from symmetric: the largest |y . A x - x . A y| / (2 ||A|| ||x|| ||y||) of a few random pairs, which
/// are the same at any partition (Dongarra, Heroux and Luszczek, 2016, International Journal of High Performance
/// Computing Applications 30). A single pair of unequal entries shows too. NaN where a product is not a finite number.
///
/// \param operator_norm Operator::norm_bound, finite
[[nodiscard]] double symmetry_defect(Operator const& a, double operator_norm);
/// Whether rounding explains the defect: each product is wrong by what it allows A x.
[[nodiscard]] bool is_symmetric(double defect, Precision precision);

/// Whether A 1 is zero but for what rounding leaves of the sum of a row of a few entries. Stricter than
/// `in_null_space`: a regular operator may be near a singular one.
///
/// \param product spare memory
[[nodiscard]] bool has_constants_in_null_space(Operator const& a, double operator_norm, Vector const& ones,
                                               Vector& product);
/// What a solve of such an operator is remarked on with, and what one without a solution.
inline constexpr char const* constants_in_null_space =
    "the operator is singular: any constant could be added to the solution";
inline constexpr char const* constants_without_solution =
    "constants are in the null space of the operator, and the right-hand side has a mean; take it off "
    "(solver.null_space: "
    "project), or hold the unknown somewhere";
/// The mean of all entries; `ones`: a vector of them.
[[nodiscard]] double mean_of(Vector const& ones, Vector const& x);
/// Whether A z is zero but for rounding, for a z that is not. `product` is spare memory.
///
/// \param operator_norm Operator::norm_bound
[[nodiscard]] bool in_null_space(Operator const& a, double operator_norm, Vector const& z, Vector& product);

}  // namespace halocline
