#include "framework/operator/array_vector.hpp"

#include <utility>

#include "framework/runtime/communicator.hpp"

namespace halocline {

template <class Real>
ArrayVector<Real>::ArrayVector(std::shared_ptr<Communicator const> communicator, Index rows)
    : SweptVector<Real>(std::move(communicator), 1),
      values_("vector", static_cast<std::size_t>(rows)),
      first_row_(this->communicator()->exscan(rows)) {
  this->count_unknowns();
}

template <class Real>
ArrayVector<Real>::ArrayVector(ArrayVector const& like, Kokkos::View<Real*, Memory> values)
    : SweptVector<Real>(like.communicator(), 1, like.size()), values_(std::move(values)), first_row_(like.first_row_) {}

template <class Real>
std::unique_ptr<Vector> ArrayVector<Real>::create() const {
  return std::unique_ptr<Vector>(new ArrayVector(*this, Kokkos::View<Real*, Memory>("vector", values_.extent(0))));
}

template <class Real>
void ArrayVector<Real>::swap(Vector& x) {
  std::swap(values_, static_cast<ArrayVector&>(this->same_space(x)).values_);
}

template <class Real>
auto ArrayVector<Real>::piece(std::size_t) const -> Piece {
  auto const rows = static_cast<Index>(values_.extent(0));
  return {BlockView<Real>{values_.data(), rows, rows},
          {{0, 0, 0}, {rows, 1, 1}},
          {first_row_, 0, 0},
          {this->size(), 1, 1},
          {}};
}

template class ArrayVector<float>;
template class ArrayVector<double>;

}  // namespace halocline
