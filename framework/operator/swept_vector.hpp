#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "framework/field/field_view.hpp"
#include "framework/kernel/stencil.hpp"
#include "framework/operator/vector.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

class Communicator;

/// A vector whose entries lie in one or more pieces of memory that sweeps can run over: every method of Vector is one
/// pass over them, and `vector_pass` makes others from functors. Derived classes provide the memory.
template <class Real>
class SweptVector : public Vector {
 public:
  /// A box of unknowns on this rank.
  struct Piece {
    FieldView<Real> view;
    IndexRange range;  ///< in the view's own indices
    Extents first;     ///< global index of entry (0, 0, 0)
    Extents extents;   ///< global extents of the index space
    Execution execution;
    std::uint64_t component = 0;  ///< number of this index space among those of the vector
  };

  ~SweptVector() override;
  [[nodiscard]] Index size() const final { return size_; }
  [[nodiscard]] Precision precision() const final;
  void fill(double value) final;
  void randomize(std::uint64_t seed) final;
  [[nodiscard]] void const* memory() const final;
  void copy(Vector const& x) final;
  using Vector::assign;
  void assign(std::span<WeightedVector const> terms) final;
  void scale(double a) final;
  void add(double a, Vector const& x) final;
  void combine(double a, Vector const& x, double b) final;
  void multiply(Vector const& x, Vector const& y) final;
  void convert(Vector const& x, double scale) final;
  void add_converted(double a, Vector const& x) final;
  void invert() final;
  [[nodiscard]] double dot(Vector const& x) const final;
  [[nodiscard]] PendingSum start_products(std::span<Factors const> pairs) const final;
  [[nodiscard]] double square() const final;
  [[nodiscard]] double maximum() const final;
  [[nodiscard]] double scaled_maximum(Vector const& before, Vector const& after, double absolute,
                                      double relative) const final;

  // For passes that functors make (vector_pass.hpp).

  /// Number of pieces on this rank.
  [[nodiscard]] std::size_t pieces() const { return pieces_; }
  [[nodiscard]] virtual Piece piece(std::size_t n) const = 0;
  /// Called before the pieces are written.
  virtual void before_write() {}
  [[nodiscard]] std::shared_ptr<Communicator const> const& communicator() const { return communicator_; }
  /// `x` as a vector of this space; throws DefectError otherwise.
  [[nodiscard]] SweptVector const& same_space(Vector const& x) const;
  [[nodiscard]] SweptVector& same_space(Vector& x) const;
  /// Calls action(x) with x as a vector of the same unknowns in its own precision; throws DefectError if its unknowns
  /// are others.
  template <class Action>
  void in_its_precision(Vector const& x, Action const& action) const;
  struct Reductions;
  [[nodiscard]] Reductions& reductions() const { return *reductions_; }

 protected:
  /// `pieces` boxes on this rank; `size` unknowns on all ranks, if known. Otherwise the derived class calls
  /// `count_unknowns` (collective) after it has set its pieces.
  SweptVector(std::shared_ptr<Communicator const> communicator, std::size_t pieces, Index size = 0);
  void count_unknowns();

 private:
  /// `x` as a vector of the same unknowns in precision `Other`; throws DefectError otherwise.
  template <class Other>
  [[nodiscard]] SweptVector<Other> const& same_unknowns(Vector const& x) const;
  template <class Other>
  [[nodiscard]] bool has_ranges_of(SweptVector<Other> const& other) const;
  std::size_t sum_products(std::span<Factors const> pairs, double* sums) const;
  template <std::size_t... N>
  void assign_sum(std::span<WeightedVector const> terms, std::index_sequence<N...>);

  std::shared_ptr<Communicator const> communicator_;
  std::size_t pieces_;
  Index size_ = 0;
  std::unique_ptr<Reductions> reductions_;
};

extern template class SweptVector<float>;
extern template class SweptVector<double>;

}  // namespace halocline
