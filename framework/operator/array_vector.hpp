#pragma once

#include <Kokkos_Core.hpp>
#include <memory>

#include "framework/operator/swept_vector.hpp"

namespace halocline {

/// A plain array distributed by rows: rank 0 holds the first rows, rank 1 the next ones, and so on.
template <class Real>
class ArrayVector final : public SweptVector<Real> {
 public:
  /// A zero vector with `rows` entries on this rank. Collective.
  ArrayVector(std::shared_ptr<Communicator const> communicator, Index rows);

  [[nodiscard]] std::unique_ptr<Vector> create() const override;
  void swap(Vector& x) override;
  /// This rank's rows.
  [[nodiscard]] Kokkos::View<Real*, Memory> const& values() const { return values_; }
  /// Global number of this rank's first row.
  [[nodiscard]] Index first_row() const { return first_row_; }

 private:
  using typename SweptVector<Real>::Piece;
  ArrayVector(ArrayVector const& like, Kokkos::View<Real*, Memory> values);
  [[nodiscard]] Piece piece(std::size_t n) const override;

  Kokkos::View<Real*, Memory> values_;
  Index first_row_;
};

extern template class ArrayVector<float>;
extern template class ArrayVector<double>;

}  // namespace halocline
