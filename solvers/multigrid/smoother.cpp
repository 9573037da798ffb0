#include "solvers/multigrid/smoother.hpp"

#include <algorithm>

#include "framework/operator/generic_steps.hpp"
#include "solvers/linear/chebyshev.hpp"

namespace halocline {
namespace {

class GaussSeidel final : public Smoother {
 public:
  GaussSeidel(Relaxation const& relaxation, int sweeps) : relaxation_(relaxation), sweeps_(sweeps) {}

  void smooth(bool forward, bool from_zero, Vector const& b, Vector& x) override {
    if (from_zero) x.fill(0);
    for (int sweep = 0; sweep < sweeps_; ++sweep) relaxation_.relax(forward, b, x);
  }

 private:
  Relaxation const& relaxation_;
  int sweeps_;
};

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
  void take_steps(bool from_zero, Vector const& b, Vector& x, Next const& next) {
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
    take_steps(from_zero, b, x, [&] { return recurrence.next(); });
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
    take_steps(from_zero, b, x, [&] { return ChebyshevCoefficients{.direction = 0, .residual = weight_}; });
  }

 private:
  double weight_;
};

}  // namespace

char const* to_string(SmootherKind kind) {
  switch (kind) {
    case SmootherKind::red_black:
      return "red_black";
    case SmootherKind::multicolour:
      return "multicolour";
    case SmootherKind::chebyshev:
      return "chebyshev";
    case SmootherKind::jacobi:
      return "jacobi";
  }
  return "unknown smoother";
}

SmootherKind usable_smoother(Operator const& a, SmootherKind kind) {
  int const colours = colours_of(a);
  bool const lacks_colours =
      (kind == SmootherKind::red_black && colours != 2) || (kind == SmootherKind::multicolour && colours == 0);
  return lacks_colours ? SmootherKind::chebyshev : kind;
}

std::unique_ptr<Smoother> make_smoother(Operator const& a, SmootherSettings const& settings) {
  switch (usable_smoother(a, settings.kind)) {
    case SmootherKind::chebyshev:
      return std::make_unique<ChebyshevSmoother>(a, settings.sweeps);
    case SmootherKind::jacobi:
      return std::make_unique<JacobiSmoother>(a, settings.sweeps);
    default:
      return std::make_unique<GaussSeidel>(*a.relaxation(), settings.sweeps);
  }
}

}  // namespace halocline
