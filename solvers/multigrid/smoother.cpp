#include "solvers/multigrid/smoother.hpp"

#include <algorithm>

#include "framework/runtime/error.hpp"
#include "solvers/linear/chebyshev.hpp"

namespace halocline {
namespace {

class RedBlack final : public Smoother {
 public:
  RedBlack(Operator const& a, int sweeps) : a_(a), sweeps_(sweeps) {}

  void smooth(bool forward, bool from_zero, Vector const& b, Vector& x) override {
    if (from_zero) x.fill(0);
    for (int sweep = 0; sweep < sweeps_; ++sweep) {
      if (!a_.red_black_sweep(forward, b, x)) throw DefectError("an operator lost its red-black order");
    }
  }

 private:
  Operator const& a_;
  int sweeps_;
};

/// Adams, Brezina, Hu, Tuminaro: Parallel multigrid smoothing: polynomial versus Gauss-Seidel, J. Comput. Phys. 188
/// (2003): the interval is the upper part of the spectrum of D^-1 A.
class ChebyshevSmoother final : public Smoother {
 public:
  ChebyshevSmoother(Operator const& a, int degree) : a_(a), degree_(degree) {
    constexpr Index steps = 10;
    constexpr double safety = 1.1;     // Ritz values lie inside the spectrum
    constexpr double damped_part = 8;  // of the spectrum: a coarser grid has the rest
    double const largest = safety * estimate_eigenvalues(a, std::min(steps, a.create_vector()->size())).largest;
    interval_ = {largest / damped_part, largest};
    next_ = a.create_vector();
    direction_ = a.create_vector();
  }

  void smooth(bool /*forward*/, bool from_zero, Vector const& b, Vector& x) override {
    if (from_zero) x.fill(0);
    ChebyshevRecurrence recurrence(interval_);
    Vector* from = &x;
    Vector* to = next_.get();
    for (int step = 0; step < degree_; ++step) {
      a_.chebyshev_step(recurrence.next(), b, *from, *direction_, *to);
      std::swap(from, to);
    }
    if (from != &x) x.copy(*from);
  }

 private:
  Operator const& a_;
  int degree_;
  EigenvalueBounds interval_;
  std::unique_ptr<Vector> next_, direction_;
};

bool has_red_black_order(Operator const& a) {
  auto const b = a.create_vector();
  auto const x = a.create_vector();
  return a.red_black_sweep(true, *b, *x);
}

}  // namespace

std::unique_ptr<Smoother> make_smoother(Operator const& a, SmootherSettings const& settings) {
  if (settings.kind == SmootherKind::red_black && has_red_black_order(a)) {
    return std::make_unique<RedBlack>(a, settings.sweeps);
  }
  return std::make_unique<ChebyshevSmoother>(a, settings.sweeps);
}

}  // namespace halocline
