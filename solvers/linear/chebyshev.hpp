#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "framework/operator/generic_steps.hpp"
#include "solvers/linear/conjugate_gradients.hpp"
#include "solvers/linear/eigenvalues.hpp"

namespace halocline {

/// The coefficients of Chebyshev's iteration on an interval of eigenvalues of D^-1 A, step by step (Saad, Iterative
/// Methods for Sparse Linear Systems, algorithm 12.1).
class ChebyshevRecurrence {
 public:
  /// Needs 0 < smallest < largest.
  explicit ChebyshevRecurrence(EigenvalueBounds const& interval);
  /// Coefficients of the next step; the first one has direction zero.
  [[nodiscard]] ChebyshevCoefficients next();
  /// Upper bound of the error's reduction by the steps so far, if the interval contains the spectrum.
  [[nodiscard]] double reduction() const;

 private:
  double centre_;
  double half_width_;
  double rho_ = 0;
  Index steps_ = 0;
};

/// Steps x = x + d for A x = b, which alternate between two vectors.
class ChebyshevStepper {
 public:
  explicit ChebyshevStepper(Operator const& a)
      : steps_(chebyshev_steps(a)), next_(a.create_vector()), direction_(a.create_vector()) {}
  /// Runs `count` steps from x, or from zero without reading x. `coefficients()` gives those of the next d.
  template <class Coefficients>
  void run(Index count, bool from_zero, Vector const& b, Vector& x, Coefficients const& coefficients) const {
    if (from_zero) x.fill(0);
    Vector* from = &x;
    Vector* to = next_.get();
    for (Index n = 0; n < count; ++n) {
      steps_->step(coefficients(), b, *from, *direction_, *to);
      std::swap(from, to);
    }
    if (from != &x) x.copy(*from);
  }

 private:
  std::shared_ptr<ChebyshevSteps const> steps_;
  std::unique_ptr<Vector> next_, direction_;
};

/// Chebyshev's iteration, scaled by the diagonal, for symmetric positive definite operators. It needs no sums over the
/// ranks except for a true-residual check every ten steps.
///
/// The interval comes from steps of conjugate gradients, which also improve the solution. If the residual grows, or
/// falls far slower than the interval promises, an eigenvalue lies outside: further steps of conjugate gradients from
/// the current x find it, and the interval is widened. So a bound that is too small costs time, but never correctness.
/// The bound holds for the error in the norms in which D^-1 A is symmetric; the 2-norm of the residual need not fall,
/// and a solve that gains nothing ends by the limit of iterations.
class Chebyshev final : public KrylovSolver {
 public:
  struct Settings {
    Criteria criteria;
    Index presteps = 20;          ///< steps of conjugate gradients before the iteration
    EigenvalueBounds interval{};  ///< known eigenvalue bounds of D^-1 A; zeros: none
  };
  explicit Chebyshev(Settings const& settings);

  /// The current interval: the given one, or the one that the last solve found.
  [[nodiscard]] EigenvalueBounds const& interval() const { return interval_; }
  void serialize(StateArchive& state, std::string const& group) override;

 protected:
  void make_vectors(Operator const& a) override;
  [[nodiscard]] Vector& residual() const override { return *next_; }
  [[nodiscard]] Vector* spare() const override { return direction_.get(); }
  [[nodiscard]] std::optional<Outcome> iterate(ResidualSolve& solve, Operator const& a, Vector& x) override;

 private:
  /// Conjugate gradients from the current x: improves x and finds the interval.
  [[nodiscard]] std::optional<Outcome> find_interval(ResidualSolve& solve, Operator const& a, Vector& x);
  /// Steps with the current interval until it proves too narrow.
  [[nodiscard]] std::optional<Outcome> sweep(ResidualSolve& solve, Operator const& a, Vector& x);

  Settings settings_;
  ConjugateGradients presteps_;
  EigenvalueBounds interval_{};
  bool is_narrow_ = false;  ///< an eigenvalue lies outside of the interval
  std::unique_ptr<Vector> next_, direction_;
};

/// A polynomial of D^-1 A times D^-1: a fixed number of Chebyshev steps from zero. Symmetric positive definite if the
/// spectrum lies below the largest eigenvalue found, enlarged by a tenth.
class ChebyshevPreconditioner final : public Preconditioner {
 public:
  /// \param ratio largest over smallest eigenvalue of the interval that the polynomial damps
  explicit ChebyshevPreconditioner(Index degree = 4, double ratio = 30) : degree_(degree), ratio_(ratio) {}

  void prepare(Operator const& a) override;
  void apply(Vector const& r, Vector& z) override;

 private:
  Index degree_;
  double ratio_;
  std::optional<ChebyshevStepper> stepper_;
  EigenvalueBounds interval_{};
};

}  // namespace halocline
