#pragma once

#include "framework/operator/vector.hpp"

// Iterations that need the diagonal D of an operator, as capabilities of it. For several unknowns at a point D has the
// block of each point.

namespace halocline {

/// The blocks of the points with several unknowns.
class PointBlocks {
 public:
  virtual ~PointBlocks() = default;
  /// z = D^-1 r; returns z . r. Infinite or not a number where a block is singular.
  virtual double solve(Vector const& r, Vector& z) const = 0;
};

/// Squares that a Jacobi step computes.
struct JacobiSquares {
  double change;    ///< square of the 2-norm of x_new - x
  double residual;  ///< square of the 2-norm of b - A x (of the old x)
};

/// x_new = x + weight D^-1 (b - A x); x and x_new are different vectors.
class JacobiSteps {
 public:
  virtual ~JacobiSteps() = default;
  /// Enqueues a step. A step with one buffer index (0 or 1) may be started before the squares of the step with the
  /// other are read. Throws SolveError when the diagonal is not known or has a zero entry.
  virtual void start_step(int buffer, double weight, Vector const& b, Vector const& x, Vector& x_new) const = 0;
  /// Waits for a step.
  [[nodiscard]] virtual JacobiSquares squares(int buffer) const = 0;
  /// Whether steps run asynchronously, so that starting the next one ahead pays off.
  [[nodiscard]] virtual bool run_ahead() const { return false; }

  JacobiSquares step(double weight, Vector const& b, Vector const& x, Vector& x_new) const {
    start_step(0, weight, b, x, x_new);
    return squares(0);
  }
};

/// Coefficients of one step of the Chebyshev recurrence.
struct ChebyshevCoefficients {
  double direction;  ///< weight of the previous direction
  double residual;   ///< weight of the (diagonally scaled) residual
};

class ChebyshevSteps {
 public:
  virtual ~ChebyshevSteps() = default;
  /// d = coefficients.direction d + coefficients.residual D^-1 (b - A x); x_new = x + d. If coefficients.direction is
  /// zero, d is not read. x and x_new are different vectors. Throws SolveError like JacobiSteps.
  virtual void step(ChebyshevCoefficients coefficients, Vector const& b, Vector const& x, Vector& d,
                    Vector& x_new) const = 0;
};

/// Multicolour Gauss-Seidel.
class Relaxation {
 public:
  virtual ~Relaxation() = default;
  /// Number of colours; no two unknowns of one colour are coupled. 2 is red-black order.
  [[nodiscard]] virtual int colours() const = 0;
  /// Whether a relaxation takes about the time of a product with A, not of one for each colour.
  [[nodiscard]] virtual bool is_cheap() const { return true; }
  /// One relaxation of all unknowns in place, in ascending order of colours (red first) if `forward`, otherwise in
  /// descending order: the two are adjoint to each other.
  virtual void relax(bool forward, Vector const& b, Vector& x) const = 0;
};

}  // namespace halocline
