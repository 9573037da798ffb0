#pragma once

#include <memory>

#include "framework/operator/vector.hpp"

namespace halocline {

class AssembledMatrix;
class CgSteps;
class ChebyshevSteps;
class Coarsening;
class JacobiSteps;
class Relaxation;
class SinglePrecisionForm;

/// A linear map between vectors of one space. `apply` is required. What a method can do better with an operator's help
/// is a capability: a small interface that the operator hands out, or not. A matrix-free stencil, a CRS matrix and a
/// user's class are the same to a solver.
class Operator {
 public:
  virtual ~Operator();
  Operator(Operator const&) = delete;
  Operator& operator=(Operator const&) = delete;

  /// A zero vector of the space this operator acts on.
  [[nodiscard]] virtual std::unique_ptr<Vector> create_vector() const = 0;
  /// y = A x
  virtual void apply(Vector const& x, Vector& y) const = 0;
  /// r = b - A x; returns the square of the 2-norm of r. If not overridden: made of `apply`.
  virtual double residual(Vector const& b, Vector const& x, Vector& r) const;
  /// Writes the diagonal of A; false (and d untouched) when the operator does not know it.
  [[nodiscard]] virtual bool diagonal(Vector& d) const;
  /// An upper bound of the infinity norm of A: what rounding allows is measured with it. Estimated if not overridden.
  [[nodiscard]] virtual double norm_bound() const;
  /// Where constants are in the null space of A and of its transpose, by the way it is made: the measure of every
  /// unknown (its control volume), by which a mean of unknowns is one over the domain. Null where they are not, and
  /// where that is not known: entries alone do not tell a singular operator from one that is regular by less than
  /// rounding shows.
  [[nodiscard]] virtual std::unique_ptr<Vector> null_space_measure() const;

  // Capabilities. Null: none; solvers then ask for what generic_steps.hpp makes of the above.

  [[nodiscard]] virtual CgSteps const* cg() const { return nullptr; }
  [[nodiscard]] virtual JacobiSteps const* jacobi() const { return nullptr; }
  [[nodiscard]] virtual ChebyshevSteps const* chebyshev() const { return nullptr; }
  [[nodiscard]] virtual Relaxation const* relaxation() const { return nullptr; }
  [[nodiscard]] virtual AssembledMatrix const* matrix() const { return nullptr; }
  /// The next coarser operator and the way there. Collective.
  [[nodiscard]] virtual std::unique_ptr<Coarsening> coarsen() const;
  /// The same operator on vectors of single precision. Collective.
  [[nodiscard]] virtual std::unique_ptr<SinglePrecisionForm> in_single_precision() const;

 protected:
  Operator();
};

}  // namespace halocline
