#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "framework/mesh/index_range.hpp"
#include "framework/runtime/pending_sum.hpp"
#include "framework/runtime/precision.hpp"

namespace halocline {

class FieldBase;
class Vector;

/// Two vectors to be multiplied.
struct Factors {
  Vector const& x;
  Vector const& y;
};

/// weight * x
struct WeightedVector {
  double weight;
  Vector const* x;
};

/// An element of the space an operator acts on: the unknowns of fields (all of their blocks on all ranks) or a plain
/// array. This is all that solvers and time integrators see. Every method is collective over the ranks that share the
/// vector. Sums are grouped by global index, so they repeat to the bit at a fixed partition for any number of threads.
/// What a method fuses into one pass beyond these operations is a function (fused_passes.hpp).
///
/// Vectors combine only with vectors of the same space; anything else throws DefectError.
class Vector {
 public:
  virtual ~Vector() = default;
  Vector(Vector const&) = delete;
  Vector& operator=(Vector const&) = delete;

  /// A new vector of the same space, zero everywhere.
  [[nodiscard]] virtual std::unique_ptr<Vector> create() const = 0;
  /// Number of unknowns over all ranks.
  [[nodiscard]] virtual Index size() const = 0;
  [[nodiscard]] virtual Precision precision() const = 0;
  /// The fields whose owned entries include the unknowns; none for a plain array.
  [[nodiscard]] virtual std::vector<FieldBase*> underlying_fields() { return {}; }
  /// Identifies the memory that holds the values; `swap` exchanges it.
  [[nodiscard]] virtual void const* memory() const = 0;

  virtual void fill(double value) = 0;
  /// Entries uniform in [-1, 1), computed from `seed` and the global index alone: the same for any partition. A start
  /// vector for eigenvalue estimates, with a component along every eigenvector.
  virtual void randomize(std::uint64_t seed) = 0;
  /// this = x
  virtual void copy(Vector const& x) = 0;
  /// Exchanges the values of both vectors, if possible without moving them: pointers to the values are then invalid.
  virtual void swap(Vector& x) = 0;
  /// this = sum of terms, of which `this` may be one; zero without terms. A pass over memory adds up to four terms.
  virtual void assign(std::span<WeightedVector const> terms) = 0;
  void assign(std::initializer_list<WeightedVector> terms) { assign(std::span(terms.begin(), terms.size())); }
  virtual void scale(double a) = 0;
  /// this = this + a x
  virtual void add(double a, Vector const& x) = 0;
  /// this = a x + b this
  virtual void combine(double a, Vector const& x, double b) = 0;
  /// this = x * y, entry by entry (a diagonal scaling).
  virtual void multiply(Vector const& x, Vector const& y) = 0;
  /// this = scale x, where x has the same unknowns in any precision.
  virtual void convert(Vector const& x, double scale) = 0;
  /// this = this + a x, where x has the same unknowns in any precision.
  virtual void add_converted(double a, Vector const& x) = 0;
  /// this = 1 / this, entry by entry; an entry of zero on any rank throws SolveError on all.
  virtual void invert() = 0;

  /// Plain sum of products, without mesh weights.
  [[nodiscard]] virtual double dot(Vector const& x) const = 0;
  /// Starts the products x . y of pairs of vectors of this space, in one reduction between ranks that proceeds while
  /// the caller works. One pass over memory computes up to four pairs with the same x; or two, and the square of one of
  /// their y.
  [[nodiscard]] virtual PendingSum start_products(std::span<Factors const> pairs) const = 0;
  /// dots[n] = this . x[n], in one reduction between ranks.
  void dots(std::span<Vector const* const> x, std::span<double> dots) const;
  [[nodiscard]] virtual double square() const { return dot(*this); }
  [[nodiscard]] virtual double maximum() const = 0;  ///< largest absolute entry; NaN if any entry is
  /// The largest of |this| / (absolute + relative max(|before|, |after|)), in double, where `this` is the estimated
  /// error of a step; 0 where the error is. NaN if any entry is.
  [[nodiscard]] virtual double scaled_maximum(Vector const& before, Vector const& after, double absolute,
                                              double relative) const = 0;

 protected:
  Vector() = default;
};

}  // namespace halocline
