#pragma once

#include <memory>

#include "framework/operator/vector.hpp"

namespace halocline {

class AssembledMatrix;
class CgSteps;
class ChebyshevSteps;
class Coarsening;
class JacobiSteps;
class PointBlocks;
class Relaxation;
class SinglePrecisionForm;

/// A linear map between vectors of one space. Only `apply` is required. Operations that a method can do faster with the
/// operator's help are capabilities: small interfaces that the operator provides or not. To a solver, a matrix-free
/// stencil, a CRS matrix and a user's class are the same.
class Operator {
 public:
  virtual ~Operator();
  Operator(Operator const&) = delete;
  Operator& operator=(Operator const&) = delete;

  /// A zero vector of the space this operator acts on.
  [[nodiscard]] virtual std::unique_ptr<Vector> create_vector() const = 0;
  /// y = A x
  virtual void apply(Vector const& x, Vector& y) const = 0;
  /// r = b - A x; returns the square of the 2-norm of r. If not overridden: made of `subtract_product`.
  virtual double residual(Vector const& b, Vector const& x, Vector& r) const;
  /// r = b - A x without that sum, for which ranks and devices would be waited for. If not overridden: made of `apply`.
  virtual void subtract_product(Vector const& b, Vector const& x, Vector& r) const;
  /// Writes the diagonal of A. Returns false, with d unchanged, if the operator does not know it.
  [[nodiscard]] virtual bool diagonal(Vector& d) const;
  /// An upper bound of the infinity norm of A, the scale for rounding errors. Estimated if not overridden.
  [[nodiscard]] virtual double norm_bound() const;
  /// If the construction guarantees that constants are in the null space of A and of its transpose: the control volume
  /// of each unknown, the weights of the mean over the domain. Null otherwise, and where that is not known: the entries
  /// alone cannot distinguish a singular operator from a regular one whose difference is lost in rounding.
  [[nodiscard]] virtual std::unique_ptr<Vector> null_space_measure() const;

  // Capabilities. Null: none; solvers then use the generic steps of generic_steps.hpp.

  [[nodiscard]] virtual CgSteps const* cg() const { return nullptr; }
  [[nodiscard]] virtual JacobiSteps const* jacobi() const { return nullptr; }
  [[nodiscard]] virtual ChebyshevSteps const* chebyshev() const { return nullptr; }
  [[nodiscard]] virtual Relaxation const* relaxation() const { return nullptr; }
  /// For several unknowns at a point; null: D is the diagonal.
  [[nodiscard]] virtual PointBlocks const* point_blocks() const { return nullptr; }
  [[nodiscard]] virtual AssembledMatrix const* matrix() const { return nullptr; }
  /// The next coarser operator, with the transfers. Collective.
  [[nodiscard]] virtual std::unique_ptr<Coarsening> coarsen() const;
  /// The same operator on vectors of single precision. Collective.
  [[nodiscard]] virtual std::unique_ptr<SinglePrecisionForm> in_single_precision() const;

 protected:
  Operator();
};

}  // namespace halocline
