#pragma once

#include "framework/operator/vector.hpp"

// Iterations that need the diagonal of an operator, as capabilities of it.

namespace halocline {

/// What a Jacobi step measured on its way.
struct JacobiSquares {
  double change;    ///< square of the 2-norm of x_new - x
  double residual;  ///< square of the 2-norm of b - A x (of the old x)
};

/// x_new = x + weight D^-1 (b - A x), D the diagonal; x and x_new are different vectors.
class JacobiSteps {
 public:
  virtual ~JacobiSteps() = default;
  /// Enqueues a step. One with one buffer index (0 or 1) may be started while the squares of the one with the other are
  /// still to be asked for. Throws SolveError when the diagonal is not known or an entry of it is zero.
  virtual void start_step(int buffer, double weight, Vector const& b, Vector const& x, Vector& x_new) const = 0;
  /// Waits for a step.
  [[nodiscard]] virtual JacobiSquares squares(int buffer) const = 0;
  /// Whether a step that was started runs while the caller goes on: then it pays to start the next one ahead.
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
  /// d = coefficients.direction d + coefficients.residual D^-1 (b - A x); x_new = x + d. With coefficients.direction
  /// zero, d is not read. x and x_new are different vectors. Throws SolveError as JacobiSteps do.
  virtual void step(ChebyshevCoefficients coefficients, Vector const& b, Vector const& x, Vector& d,
                    Vector& x_new) const = 0;
};

/// Gauss-Seidel in colours.
class Relaxation {
 public:
  virtual ~Relaxation() = default;
  /// Number of colours, such that no two unknowns of one colour are coupled; 2 is red-black order.
  [[nodiscard]] virtual int colours() const = 0;
  /// One relaxation of all unknowns in place, the first colour (red) first when `forward`, last otherwise: each is the
  /// adjoint of the other.
  virtual void relax(bool forward, Vector const& b, Vector& x) const = 0;
};

}  // namespace halocline
