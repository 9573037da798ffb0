#include "framework/operator/swept_vector.hpp"

#include <algorithm>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "framework/operator/vector_functors.hpp"
#include "framework/operator/vector_pass.hpp"

namespace halocline {

template <class Real>
SweptVector<Real>::SweptVector(std::shared_ptr<Communicator const> communicator, std::size_t pieces, Index size)
    : communicator_(std::move(communicator)),
      pieces_(pieces),
      size_(size),
      reductions_(std::make_unique<Reductions>()) {}

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
  if (!has_ranges_of(other)) throw DefectError("vectors with different unknowns cannot be combined");
  return other;
}

template <class Real>
SweptVector<Real>& SweptVector<Real>::same_space(Vector& x) const {
  return const_cast<SweptVector&>(same_space(static_cast<Vector const&>(x)));
}

/// Products on this rank, of as many of the first pairs as fit into one pass; returns their number.
template <class Real>
std::size_t SweptVector<Real>::sum_products(std::span<Factors const> pairs, double* sums) const {
  SweptVector const& u = same_space(pairs[0].x);
  std::size_t alike = 1;
  while (alike < 4 && alike < pairs.size() && &pairs[alike].x == &u) ++alike;
  auto const y = [&](std::size_t n) -> SweptVector const& { return same_space(pairs[n].y); };
  auto const keep = [&](auto const& found) {
    std::copy(found.begin(), found.end(), sums);
    return found.size();
  };
  vector_functor::Dots<Real> const dots;
  if (alike == 4) return keep(local_sums<4>(u, dots, y(0), y(1), y(2), y(3)));
  if (alike == 1) return keep(local_sums<1>(u, dots, y(0)));
  bool const square_follows = pairs.size() > 2 && &pairs[2].x == &pairs[0].y && &pairs[2].y == &pairs[0].y;
  if (square_follows) return keep(local_sums<3>(u, vector_functor::DotsAndSquare<Real>{}, y(0), y(1)));
  if (&pairs[0].y == &u) return keep(local_sums<2>(u, vector_functor::SquareAndDot<Real>{}, y(1)));
  return keep(local_sums<2>(u, dots, y(0), y(1)));
}

template <class Real>
void SweptVector<Real>::fill(double value) {
  vector_pass(std::tie(*this), vector_functor::Fill<Real>{static_cast<Real>(value)});
}

template <class Real>
void SweptVector<Real>::randomize(std::uint64_t seed) {
  before_write();
  for (std::size_t n = 0; n < pieces_; ++n) {
    Piece const mine = piece(n);
    sweep(mine.execution, mine.range, kernel::geometry_of(mine), mine.view,
          vector_functor::Random<Real>{seed + (mine.component << 16U), mine.extents[0], mine.extents[1]});
  }
}

template <class Real>
void const* SweptVector<Real>::memory() const {
  return pieces_ == 0 ? nullptr : piece(0).view.origin;
}

template <class Real>
void SweptVector<Real>::copy(Vector const& x) {
  vector_pass(std::tie(*this), vector_functor::Copy{}, same_space(x));
}

template <class Real>
template <std::size_t... N>
void SweptVector<Real>::assign_sum(std::span<WeightedVector const> terms, std::index_sequence<N...>) {
  vector_pass(std::tie(*this), vector_functor::Sum<Real, sizeof...(N)>{{static_cast<Real>(terms[N].weight)...}},
              same_space(*terms[N].x)...);
}

template <class Real>
void SweptVector<Real>::assign(std::span<WeightedVector const> terms) {
  if (terms.empty()) return fill(0);
  // The first pass overwrites this vector, so it has to be in that pass if it is a term, under whatever name.
  std::vector<WeightedVector> left;
  WeightedVector own{0, nullptr};
  for (WeightedVector const& term : terms) {
    if (term.x->memory() == memory()) {
      own = {own.weight + term.weight, this};
    } else {
      left.push_back(term);
    }
  }
  if (own.x != nullptr) left.insert(left.begin(), own);
  while (true) {
    std::size_t const count = std::min<std::size_t>(left.size(), 4);
    switch (count) {
      case 1:
        assign_sum(left, std::make_index_sequence<1>{});
        break;
      case 2:
        assign_sum(left, std::make_index_sequence<2>{});
        break;
      case 3:
        assign_sum(left, std::make_index_sequence<3>{});
        break;
      default:
        assign_sum(left, std::make_index_sequence<4>{});
    }
    if (left.size() == count) return;
    left.erase(left.begin() + 1, left.begin() + static_cast<std::ptrdiff_t>(count));
    left.front() = {1, this};
  }
}

template <class Real>
void SweptVector<Real>::scale(double a) {
  vector_pass(std::tie(*this), vector_functor::Sum<Real, 1>{{static_cast<Real>(a)}}, *this);
}

template <class Real>
void SweptVector<Real>::add(double a, Vector const& x) {
  vector_pass(std::tie(*this), vector_functor::Add<Real>{static_cast<Real>(a)}, *this, same_space(x));
}

template <class Real>
void SweptVector<Real>::combine(double a, Vector const& x, double b) {
  vector_pass(std::tie(*this), vector_functor::Sum<Real, 2>{{static_cast<Real>(a), static_cast<Real>(b)}},
              same_space(x), *this);
}

template <class Real>
void SweptVector<Real>::multiply(Vector const& x, Vector const& y) {
  vector_pass(std::tie(*this), vector_functor::Multiply{}, same_space(x), same_space(y));
}

template <class Real>
void SweptVector<Real>::convert(Vector const& x, double scale) {
  in_its_precision(x,
                   [&](auto const& from) { vector_pass(std::tie(*this), vector_functor::Convert<Real>{scale}, from); });
}

template <class Real>
void SweptVector<Real>::add_converted(double a, Vector const& x) {
  in_its_precision(x, [&](auto const& from) {
    vector_pass(std::tie(*this), vector_functor::Add<Real>{static_cast<Real>(a)}, *this, from);
  });
}

template <class Real>
void SweptVector<Real>::invert() {
  double const zeros = vector_pass_sum(std::tie(*this), vector_functor::Invert<Real>{}, *this);
  if (zeros > 0) throw SolveError("a diagonal has an entry of zero");
}

template <class Real>
double SweptVector<Real>::dot(Vector const& x) const {
  return communicator_->sum(local_sums<1>(*this, vector_functor::Dots<Real>{}, same_space(x))[0]);
}

template <class Real>
double SweptVector<Real>::square() const {
  return dot(*this);
}

template <class Real>
PendingSum SweptVector<Real>::start_products(std::span<Factors const> pairs) const {
  std::vector<double> sums(pairs.size());
  for (std::size_t n = 0; n < pairs.size();) n += sum_products(pairs.subspan(n), &sums[n]);
  return communicator_->start_sum(sums);
}

template <class Real>
double SweptVector<Real>::maximum() const {
  return largest(*this, vector_functor::Magnitude<Real>{});
}

template <class Real>
double SweptVector<Real>::scaled_maximum(Vector const& before, Vector const& after, double absolute,
                                         double relative) const {
  return largest(*this, vector_functor::ScaledError{absolute, relative}, same_space(before), same_space(after));
}

template class SweptVector<float>;
template class SweptVector<double>;

}  // namespace halocline
