#include "framework/operator/swept_vector.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <typeinfo>

#include "framework/kernel/sweep.hpp"
#include "framework/operator/vector_functors.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

template <class Real>
struct SweptVector<Real>::Work {
  Reduction<Execution> sums;
  Reduction<Execution, Maximum> maximum;
};

namespace {

template <class Piece>
auto geometry_of(Piece const& piece) {
  Geometry<double> geometry;
  std::copy(piece.first.begin(), piece.first.end(), geometry.first);
  return geometry;
}

}  // namespace

template <class Real>
SweptVector<Real>::SweptVector(std::shared_ptr<Communicator const> communicator, std::size_t pieces, Index size)
    : communicator_(std::move(communicator)), pieces_(pieces), size_(size), work_(std::make_unique<Work>()) {}

template <class Real>
SweptVector<Real>::~SweptVector() = default;

template <class Real>
void SweptVector<Real>::count_unknowns() {
  Index mine = 0;
  for (std::size_t n = 0; n < pieces_; ++n) mine += piece(n).range.size();
  size_ = communicator_->sum(mine);
}

template <class Real>
Precision SweptVector<Real>::precision() const {
  return std::is_same_v<Real, float> ? Precision::single : Precision::double_;
}

template <class Real>
SweptVector<Real> const& SweptVector<Real>::same_space(Vector const& x) const {
  if (typeid(x) != typeid(*this)) throw DefectError("vectors of different kinds or precisions cannot be combined");
  auto const& other = static_cast<SweptVector const&>(x);
  bool same = other.pieces_ == pieces_;
  for (std::size_t n = 0; same && n < pieces_; ++n) same = piece(n).range == other.piece(n).range;
  if (!same) throw DefectError("vectors with different unknowns cannot be combined");
  return other;
}

/// this = functor(more…), in one pass.
template <class Real>
template <class Functor, class... More>
void SweptVector<Real>::update(Functor const& functor, More const&... more) {
  for (std::size_t n = 0; n < pieces_; ++n) {
    Piece const mine = piece(n);
    sweep(mine.execution, mine.range, geometry_of(mine), mine.view, functor,
          BlockView<Real const>(more.piece(n).view)...);
  }
}

/// The same with one sum, over all ranks.
template <class Real>
template <class Functor, class... More>
double SweptVector<Real>::update_and_sum(Functor const& functor, More const&... more) {
  double sum = 0;
  for (std::size_t n = 0; n < pieces_; ++n) {
    Piece const mine = piece(n);
    sweep_reduce(mine.execution, mine.range, geometry_of(mine), work_->sums, mine.view, functor,
                 BlockView<Real const>(more.piece(n).view)...);
    sum += work_->sums.value();
  }
  return communicator_->sum(sum);
}

/// sums[n] = this . more[n], on this rank only.
template <class Real>
template <class... More>
void SweptVector<Real>::sum_products(double* sums, More const&... more) const {
  std::fill_n(sums, sizeof...(More), 0.0);
  for (std::size_t n = 0; n < pieces_; ++n) {
    Piece const mine = piece(n);
    sweep_reduce(mine.execution, mine.range, geometry_of(mine), work_->sums, no_outputs, vector_functor::Dots<Real>{},
                 BlockView<Real const>(mine.view), BlockView<Real const>(more.piece(n).view)...);
    for (std::size_t m = 0; m < sizeof...(More); ++m) sums[m] += work_->sums.value(static_cast<int>(m));
  }
}

template <class Real>
void SweptVector<Real>::fill(double value) {
  update(vector_functor::Fill<Real>{static_cast<Real>(value)});
}

template <class Real>
void SweptVector<Real>::randomize(std::uint64_t seed) {
  for (std::size_t n = 0; n < pieces_; ++n) {
    Piece const mine = piece(n);
    sweep(mine.execution, mine.range, geometry_of(mine), mine.view,
          vector_functor::Random<Real>{seed, mine.extents[0], mine.extents[1]});
  }
}

template <class Real>
void SweptVector<Real>::copy(Vector const& x) {
  update(vector_functor::Copy{}, same_space(x));
}

template <class Real>
void SweptVector<Real>::scale(double a) {
  update(vector_functor::Scale<Real>{static_cast<Real>(a)}, *this);
}

template <class Real>
void SweptVector<Real>::add(double a, Vector const& x) {
  update(vector_functor::Add<Real>{static_cast<Real>(a)}, *this, same_space(x));
}

template <class Real>
void SweptVector<Real>::combine(double a, Vector const& x, double b) {
  update(vector_functor::Combine<Real>{static_cast<Real>(a), static_cast<Real>(b)}, *this, same_space(x));
}

template <class Real>
double SweptVector<Real>::add_and_square(double a, Vector const& x) {
  return update_and_sum(vector_functor::AddAndSquare<Real>{static_cast<Real>(a)}, *this, same_space(x));
}

template <class Real>
void SweptVector<Real>::multiply(Vector const& x, Vector const& y) {
  update(vector_functor::Multiply{}, same_space(x), same_space(y));
}

template <class Real>
double SweptVector<Real>::multiply_and_dot(Vector const& x, Vector const& y) {
  return update_and_sum(vector_functor::MultiplyAndDot<Real>{}, same_space(x), same_space(y));
}

template <class Real>
void SweptVector<Real>::invert() {
  if (update_and_sum(vector_functor::Invert<Real>{}, *this) > 0) throw SolveError("a diagonal has an entry of zero");
}

template <class Real>
double SweptVector<Real>::dot(Vector const& x) const {
  double sum = 0;
  sum_products(&sum, same_space(x));
  return communicator_->sum(sum);
}

template <class Real>
double SweptVector<Real>::square() const {
  return dot(*this);
}

template <class Real>
void SweptVector<Real>::dots(std::span<Vector const* const> x, std::span<double> dots) const {
  if (x.size() != dots.size()) throw DefectError("as many products as vectors");
  std::size_t n = 0;
  for (; n + 4 <= x.size(); n += 4) {
    sum_products(&dots[n], same_space(*x[n]), same_space(*x[n + 1]), same_space(*x[n + 2]), same_space(*x[n + 3]));
  }
  for (; n + 2 <= x.size(); n += 2) sum_products(&dots[n], same_space(*x[n]), same_space(*x[n + 1]));
  if (n < x.size()) sum_products(&dots[n], same_space(*x[n]));
  communicator_->sum(dots);
}

template <class Real>
double SweptVector<Real>::maximum() const {
  // Largest magnitudes of ranks are compared beside a mark for NaN, which a comparison would lose.
  double found[2] = {0, 0};
  for (std::size_t n = 0; n < pieces_; ++n) {
    Piece const mine = piece(n);
    sweep_reduce(mine.execution, mine.range, geometry_of(mine), work_->maximum, no_outputs,
                 vector_functor::Magnitude<Real>{}, BlockView<Real const>(mine.view));
    double const largest = work_->maximum.value();
    (std::isnan(largest) ? found[1] : found[0]) = std::isnan(largest) ? 1 : std::max(found[0], largest);
  }
  communicator_->max(found);
  return found[1] > 0 ? std::numeric_limits<double>::quiet_NaN() : found[0];
}

template class SweptVector<float>;
template class SweptVector<double>;

}  // namespace halocline
