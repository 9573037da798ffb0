#pragma once

#include <array>

#include "framework/operator/vector.hpp"

// Operations on vectors that methods fuse into one pass over memory. All vectors are SweptVectors of one space, or
// DefectError is thrown. Those that return a number are collective.

namespace halocline {

/// x = x + alpha p, then p = z + beta p: the start of a step of conjugate gradients.
void advance(double alpha, double beta, Vector const& z, Vector& x, Vector& p);
/// u = u + a x; returns the square of the new 2-norm.
[[nodiscard]] double add_and_square(Vector& u, double a, Vector const& x);
/// The same, and z = d * u, entry by entry; returns u . u and u . z.
[[nodiscard]] std::array<double, 2> add_scale_and_square(Vector& u, double a, Vector const& x, Vector const& d,
                                                         Vector& z);
/// u = x * y, entry by entry; returns u . y. With x an inverse diagonal and y a residual: diagonal scaling and its dot
/// product.
[[nodiscard]] double multiply_and_dot(Vector& u, Vector const& x, Vector const& y);
/// u = scale x, where x has the same unknowns in any precision; returns u . y.
[[nodiscard]] double convert_and_dot(Vector& u, Vector const& x, double scale, Vector const& y);

}  // namespace halocline
