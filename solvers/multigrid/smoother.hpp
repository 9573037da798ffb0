#pragma once

#include <memory>
#include <string>

#include "framework/operator/operator.hpp"
#include "solvers/linear/eigenvalues.hpp"

namespace halocline {

/// What damps the rough part of the error on a level of multigrid. `forward` and its reverse are adjoint to each other
/// in the scalar product of A, so that a V-cycle that uses one on the way down and the other on the way up is
/// symmetric.
class Smoother {
 public:
  virtual ~Smoother() = default;
  /// Improves x as a solution of A x = b. With `from_zero`, x is taken to be zero and not read.
  virtual void smooth(bool forward, bool from_zero, Vector const& b, Vector& x) = 0;
};

enum class SmootherKind {
  red_black,    ///< Gauss-Seidel in red-black order
  multicolour,  ///< Gauss-Seidel in as many colours as the operator has
  chebyshev,    ///< polynomial in D^-1 A that damps the upper part of its spectrum
  jacobi        ///< damped Jacobi iteration
};

struct SmootherSettings {
  SmootherKind kind = SmootherKind::multicolour;
  int sweeps = 2;  ///< of Gauss-Seidel or Jacobi, or degree of the polynomial; on each way
};

[[nodiscard]] char const* to_string(SmootherKind kind);
/// The one that smooths `a` where `kind` is asked for: Chebyshev where the operator does not have the colours.
[[nodiscard]] SmootherKind usable_smoother(Operator const& a, SmootherKind kind);
/// Collective. Throws UnsuitableOperator when the operator has no diagonal without zeros.
[[nodiscard]] std::unique_ptr<Smoother> make_smoother(Operator const& a, SmootherSettings const& settings);

}  // namespace halocline
