#include "framework/operator/generic_steps.hpp"

#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

class GenericCgSteps final : public CgSteps {
 public:
  explicit GenericCgSteps(Operator const& a) : a_(a) {}
  double apply_dot(Vector const& x, Vector& y) const override {
    a_.apply(x, y);
    return x.dot(y);
  }

 private:
  Operator const& a_;
};

/// D^-1 (b - A x)
class ScaledResidual {
 public:
  explicit ScaledResidual(Operator const& a)
      : a_(a), residual_(a.create_vector()), inverse_diagonal_(a.create_vector()) {}
  /// Returns the square of b - A x.
  double find(Vector const& b, Vector const& x) {
    if (!a_.diagonal(*inverse_diagonal_)) throw SolveError("the operator does not provide its diagonal");
    inverse_diagonal_->invert();
    double const square = a_.residual(b, x, *residual_);
    residual_->multiply(*inverse_diagonal_, *residual_);
    return square;
  }
  [[nodiscard]] Vector const& vector() const { return *residual_; }

 private:
  Operator const& a_;
  std::unique_ptr<Vector> residual_, inverse_diagonal_;
};

class GenericJacobiSteps final : public JacobiSteps {
 public:
  explicit GenericJacobiSteps(Operator const& a) : scaled_(a) {}
  void start_step(int buffer, double weight, Vector const& b, Vector const& x, Vector& x_new) const override {
    double const square = scaled_.find(b, x);
    x_new.copy(x);
    x_new.add(weight, scaled_.vector());
    squares_[buffer] = {.change = weight * weight * scaled_.vector().square(), .residual = square};
  }
  [[nodiscard]] JacobiSquares squares(int buffer) const override { return squares_[buffer]; }

 private:
  mutable ScaledResidual scaled_;
  mutable JacobiSquares squares_[2] = {};
};

class GenericChebyshevSteps final : public ChebyshevSteps {
 public:
  explicit GenericChebyshevSteps(Operator const& a) : scaled_(a) {}
  void step(ChebyshevCoefficients coefficients, Vector const& b, Vector const& x, Vector& d,
            Vector& x_new) const override {
    static_cast<void>(scaled_.find(b, x));
    if (coefficients.direction == 0) d.fill(0);
    d.combine(coefficients.residual, scaled_.vector(), coefficients.direction);
    x_new.copy(x);
    x_new.add(1, d);
  }

 private:
  mutable ScaledResidual scaled_;
};

/// A pointer to steps that the operator owns.
template <class Steps>
std::shared_ptr<Steps const> unowned(Steps const* steps) {
  return {std::shared_ptr<void>(), steps};
}

}  // namespace

std::shared_ptr<CgSteps const> cg_steps(Operator const& a) {
  if (a.cg() != nullptr) return unowned(a.cg());
  return std::make_shared<GenericCgSteps>(a);
}

std::shared_ptr<JacobiSteps const> jacobi_steps(Operator const& a) {
  if (a.jacobi() != nullptr) return unowned(a.jacobi());
  return std::make_shared<GenericJacobiSteps>(a);
}

std::shared_ptr<ChebyshevSteps const> chebyshev_steps(Operator const& a) {
  if (a.chebyshev() != nullptr) return unowned(a.chebyshev());
  return std::make_shared<GenericChebyshevSteps>(a);
}

double apply_dot(Operator const& a, Vector const& x, Vector& y) {
  if (a.cg() != nullptr) return a.cg()->apply_dot(x, y);
  return GenericCgSteps(a).apply_dot(x, y);
}

int colours_of(Operator const& a) { return a.relaxation() != nullptr ? a.relaxation()->colours() : 0; }

}  // namespace halocline
