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
/// pass over them. Derived classes provide the memory.
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
  void advance(double alpha, Vector& p, double beta, Vector const& z) final;
  [[nodiscard]] double add_and_square(double a, Vector const& x) final;
  void multiply(Vector const& x, Vector const& y) final;
  [[nodiscard]] double multiply_and_dot(Vector const& x, Vector const& y) final;
  void convert(Vector const& x, double scale) final;
  [[nodiscard]] double convert_and_dot(Vector const& x, double scale, Vector const& y) final;
  void add_converted(double a, Vector const& x) final;
  void invert() final;
  [[nodiscard]] double dot(Vector const& x) const final;
  [[nodiscard]] PendingSum start_products(std::span<Factors const> pairs) const final;
  [[nodiscard]] double square() const final;
  [[nodiscard]] double maximum() const final;
  [[nodiscard]] double scaled_maximum(Vector const& before, Vector const& after, double absolute,
                                      double relative) const final;

 protected:
  /// `pieces` boxes on this rank; `size` unknowns on all ranks, if known. Otherwise the derived class calls
  /// `count_unknowns` (collective) after it has set its pieces.
  SweptVector(std::shared_ptr<Communicator const> communicator, std::size_t pieces, Index size = 0);
  void count_unknowns();
  [[nodiscard]] virtual Piece piece(std::size_t n) const = 0;
  /// Called before the pieces are written.
  virtual void before_write() {}
  [[nodiscard]] std::shared_ptr<Communicator const> const& communicator() const { return communicator_; }
  /// `x` as a vector of this space; throws DefectError otherwise.
  [[nodiscard]] SweptVector const& same_space(Vector const& x) const;
  [[nodiscard]] SweptVector& same_space(Vector& x) const;

 private:
  struct Work;
  template <class Other>
  friend class SweptVector;
  /// `x` as a vector of the same unknowns in precision `Other`; throws DefectError otherwise.
  template <class Other>
  [[nodiscard]] SweptVector<Other> const& same_unknowns(Vector const& x) const;
  /// Calls action(x) with x as a vector of the same unknowns in its own precision.
  template <class Action>
  void in_its_precision(Vector const& x, Action const& action) const;
  template <class Other>
  [[nodiscard]] bool has_ranges_of(SweptVector<Other> const& other) const;
  template <class Functor, class... More>
  void update(Functor const& functor, More const&... more);
  template <class Functor, class... More>
  double update_and_sum(Functor const& functor, More const&... more);
  template <int Sums, class Functor, class... More>
  void sum_up(double* sums, Functor const& functor, More const&... more) const;
  std::size_t sum_products(std::span<Factors const> pairs, double* sums) const;
  template <class Functor, class... More>
  double largest(Functor const& functor, More const&... more) const;
  template <std::size_t... N>
  void assign_sum(std::span<WeightedVector const> terms, std::index_sequence<N...>);

  std::shared_ptr<Communicator const> communicator_;
  std::size_t pieces_;
  Index size_ = 0;
  std::unique_ptr<Work> work_;
};

extern template class SweptVector<float>;
extern template class SweptVector<double>;

}  // namespace halocline
