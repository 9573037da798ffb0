#pragma once

#include <memory>

#include "solvers/linear/solver.hpp"

namespace halocline {

/// The inverse of the operator's diagonal, entry by entry. Collective. Throws UnsuitableOperator when the operator does
/// not know its diagonal or an entry of it is zero.
[[nodiscard]] std::unique_ptr<Vector> inverse_diagonal(Operator const& a);

/// M = D, the diagonal.
class JacobiPreconditioner final : public Preconditioner {
 public:
  void prepare(Operator const& a) override { inverse_diagonal_ = inverse_diagonal(a); }
  void apply(Vector const& r, Vector& z) override { z.multiply(*inverse_diagonal_, r); }
  [[nodiscard]] double apply_dot(Vector const& r, Vector& z) override {
    return z.multiply_and_dot(*inverse_diagonal_, r);
  }

 private:
  std::unique_ptr<Vector> inverse_diagonal_;
};

}  // namespace halocline
