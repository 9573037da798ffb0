#include <algorithm>

#include "solvers/linear/chebyshev.hpp"
#include "solvers/linear/eigenvalues.hpp"
#include "solvers/multigrid/smoother.hpp"

namespace halocline {
namespace {

/// The largest eigenvalue of D^-1 A, or slightly more.
double spectrum_end(Operator const& a) {
  constexpr Index steps = 10;
  constexpr double safety = 1.1;  // Ritz values lie inside the spectrum
  return safety * estimate_eigenvalues(a, std::min(steps, a.create_vector()->size())).largest;
}

/// Chebyshev polynomial on the upper part of the spectrum of D^-1 A (Adams, Brezina, Hu, Tuminaro: Parallel multigrid
/// smoothing: polynomial versus Gauss-Seidel, J. Comput. Phys. 188, 2003).
class ChebyshevSmoother final : public Smoother {
 public:
  ChebyshevSmoother(Operator const& a, int degree) : stepper_(a), degree_(degree) {
    constexpr double damped_part = 8;  // divisor of the spectrum's end: coarser grids damp the rest
    double const largest = spectrum_end(a);
    interval_ = {largest / damped_part, largest};
  }

  void smooth(bool /*forward*/, bool from_zero, Vector const& b, Vector& x) override {
    ChebyshevRecurrence recurrence(interval_);
    stepper_.run(degree_, from_zero, b, x, [&] { return recurrence.next(); });
  }

 private:
  ChebyshevStepper stepper_;
  int degree_;
  EigenvalueBounds interval_;
};

/// x = x + w D^-1 (b - A x) (Trottenberg, Oosterlee and Schüller, Multigrid, section 2.1), with the w that damps the
/// upper three quarters of the spectrum of D^-1 A evenly, by a factor of at most 0.6 per step.
class JacobiSmoother final : public Smoother {
 public:
  JacobiSmoother(Operator const& a, int steps) : stepper_(a), steps_(steps), weight_(2 / (1.25 * spectrum_end(a))) {}

  void smooth(bool /*forward*/, bool from_zero, Vector const& b, Vector& x) override {
    stepper_.run(steps_, from_zero, b, x, [&] { return ChebyshevCoefficients{.direction = 0, .residual = weight_}; });
  }

 private:
  ChebyshevStepper stepper_;
  int steps_;
  double weight_;
};

template <class Made>
std::unique_ptr<Smoother> make(Operator const& a, int steps) {
  return std::make_unique<Made>(a, steps);
}

bool const stepping_registered =
    (smoothers().add({.name = "chebyshev",
                      .sentence = "a Chebyshev polynomial of the operator, for operators without a colouring or with "
                                  "accurately known eigenvalues on all levels",
                      .create = make<ChebyshevSmoother>}),
     smoothers().add(
         {.name = "jacobi", .sentence = "damped Jacobi steps, for comparison", .create = make<JacobiSmoother>}),
     true);

}  // namespace
}  // namespace halocline
