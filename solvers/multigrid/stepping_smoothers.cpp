#include <algorithm>
#include <utility>

#include "framework/operator/generic_steps.hpp"
#include "solvers/linear/chebyshev.hpp"
#include "solvers/linear/eigenvalues.hpp"
#include "solvers/multigrid/smoother.hpp"

namespace halocline {
namespace {

/// The largest eigenvalue of D^-1 A, or a little more.
double spectrum_end(Operator const& a) {
  constexpr Index steps = 10;
  constexpr double safety = 1.1;  // Ritz values lie inside the spectrum
  return safety * estimate_eigenvalues(a, std::min(steps, a.create_vector()->size())).largest;
}

/// Steps from one vector to another and back, x_new = x + d. `next` says what the next d is made of.
class SteppingSmoother : public Smoother {
 public:
  SteppingSmoother(Operator const& a, int steps)
      : stepper_(chebyshev_steps(a)), steps_(steps), next_(a.create_vector()), direction_(a.create_vector()) {}

 protected:
  template <class Next>
  void run_persistent(bool from_zero, Vector const& b, Vector& x, Next const& next) {
    if (from_zero) x.fill(0);
    Vector* from = &x;
    Vector* to = next_.get();
    for (int step = 0; step < steps_; ++step) {
      stepper_->step(next(), b, *from, *direction_, *to);
      std::swap(from, to);
    }
    if (from != &x) x.copy(*from);
  }

 private:
  std::shared_ptr<ChebyshevSteps const> stepper_;
  int steps_;
  std::unique_ptr<Vector> next_, direction_;
};

/// Adams, Brezina, Hu, Tuminaro: Parallel multigrid smoothing: polynomial versus Gauss-Seidel, J. Comput. Phys. 188
/// (2003): the interval is the upper part of the spectrum of D^-1 A.
class ChebyshevSmoother final : public SteppingSmoother {
 public:
  ChebyshevSmoother(Operator const& a, int degree) : SteppingSmoother(a, degree) {
    constexpr double damped_part = 8;  // of the spectrum: a coarser grid has the rest
    double const largest = spectrum_end(a);
    interval_ = {largest / damped_part, largest};
  }

  void smooth(bool /*forward*/, bool from_zero, Vector const& b, Vector& x) override {
    ChebyshevRecurrence recurrence(interval_);
    run_persistent(from_zero, b, x, [&] { return recurrence.next(); });
  }

 private:
  EigenvalueBounds interval_;
};

/// Trottenberg, Oosterlee and Schüller, Multigrid, section 2.1: x = x + w D^-1 (b - A x), with the w that damps the
/// upper three quarters of the spectrum of D^-1 A alike, each step to 0.6 at most.
class JacobiSmoother final : public SteppingSmoother {
 public:
  JacobiSmoother(Operator const& a, int steps) : SteppingSmoother(a, steps), weight_(2 / (1.25 * spectrum_end(a))) {}

  void smooth(bool /*forward*/, bool from_zero, Vector const& b, Vector& x) override {
    run_persistent(from_zero, b, x, [&] { return ChebyshevCoefficients{.direction = 0, .residual = weight_}; });
  }

 private:
  double weight_;
};

template <class Made>
std::unique_ptr<Smoother> make(Operator const& a, int steps) {
  return std::make_unique<Made>(a, steps);
}

bool const registered =
    (smoothers().add({.name = "chebyshev",
                      .sentence = "a polynomial of the operator, where it has no order for Gauss-Seidel or the "
                                  "eigenvalues of its levels are known well",
                      .create = make<ChebyshevSmoother>}),
     smoothers().add({.name = "jacobi", .sentence = "damped steps, to compare with", .create = make<JacobiSmoother>}),
     true);

}  // namespace
}  // namespace halocline
