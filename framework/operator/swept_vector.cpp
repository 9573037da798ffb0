#include "framework/operator/swept_vector.hpp"

#include <algorithm>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "framework/kernel/sweep.hpp"
#include "framework/operator/vector_functors.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/nan_aware.hpp"

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
  if (!has_ranges_of(other)) throw DefectError("vectors with different unknowns cannot be combined");
  return other;
}

template <class Real>
SweptVector<Real>& SweptVector<Real>::same_space(Vector& x) const {
  return const_cast<SweptVector&>(same_space(static_cast<Vector const&>(x)));
}

template <class Real>
template <class Other>
SweptVector<Other> const& SweptVector<Real>::same_unknowns(Vector const& x) const {
  auto const* const other = dynamic_cast<SweptVector<Other> const*>(&x);
  if (other == nullptr || !has_ranges_of(*other)) {
    throw DefectError("vectors with different unknowns cannot be converted into each other");
  }
  return *other;
}

template <class Real>
template <class Action>
void SweptVector<Real>::in_its_precision(Vector const& x, Action const& action) const {
  if (x.precision() == Precision::single) {
    action(same_unknowns<float>(x));
  } else {
    action(same_unknowns<double>(x));
  }
}

template <class Real>
template <class Other>
bool SweptVector<Real>::has_ranges_of(SweptVector<Other> const& other) const {
  bool same = other.pieces_ == pieces_;
  for (std::size_t n = 0; same && n < pieces_; ++n) same = piece(n).range == other.piece(n).range;
  return same;
}

template <class Real>
[[nodiscard]] FieldView<Real const> as_input(FieldView<Real> const& view) {
  return view;
}

/// this = functor(more…), in one pass.
template <class Real>
template <class Functor, class... More>
void SweptVector<Real>::update(Functor const& functor, More const&... more) {
  before_write();
  for (std::size_t n = 0; n < pieces_; ++n) {
    Piece const mine = piece(n);
    sweep(mine.execution, mine.range, geometry_of(mine), mine.view, functor, as_input(more.piece(n).view)...);
  }
}

/// The same with one sum over all ranks.
template <class Real>
template <class Functor, class... More>
double SweptVector<Real>::update_and_sum(Functor const& functor, More const&... more) {
  before_write();
  double sum = 0;
  for (std::size_t n = 0; n < pieces_; ++n) {
    Piece const mine = piece(n);
    sweep_reduce(mine.execution, mine.range, geometry_of(mine), work_->sums, mine.view, functor,
                 as_input(more.piece(n).view)...);
    sum += work_->sums.value();
  }
  return communicator_->sum(sum);
}

/// The sums of functor(more…) on this rank.
template <class Real>
template <int Sums, class Functor, class... More>
void SweptVector<Real>::sum_up(double* sums, Functor const& functor, More const&... more) const {
  std::fill_n(sums, Sums, 0.0);
  for (std::size_t n = 0; n < pieces_; ++n) {
    Piece const mine = piece(n);
    sweep_reduce(mine.execution, mine.range, geometry_of(mine), work_->sums, no_outputs, functor,
                 as_input(more.piece(n).view)...);
    for (int m = 0; m < Sums; ++m) sums[m] += work_->sums.value(m);
  }
}

/// Products on this rank, of as many of the first pairs as fit into one pass; returns their number.
template <class Real>
std::size_t SweptVector<Real>::sum_products(std::span<Factors const> pairs, double* sums) const {
  SweptVector const& u = same_space(pairs[0].x);
  std::size_t alike = 1;
  while (alike < 4 && alike < pairs.size() && &pairs[alike].x == &u) ++alike;
  auto const y = [&](std::size_t n) -> SweptVector const& { return same_space(pairs[n].y); };
  if (alike == 4) return sum_up<4>(sums, vector_functor::Dots<Real>{}, u, y(0), y(1), y(2), y(3)), 4;
  if (alike == 1) return sum_up<1>(sums, vector_functor::Dots<Real>{}, u, y(0)), 1;
  bool const square_follows = pairs.size() > 2 && &pairs[2].x == &pairs[0].y && &pairs[2].y == &pairs[0].y;
  if (square_follows) return sum_up<3>(sums, vector_functor::DotsAndSquare<Real>{}, u, y(0), y(1)), 3;
  if (&pairs[0].y == &u) return sum_up<2>(sums, vector_functor::SquareAndDot<Real>{}, u, y(1)), 2;
  return sum_up<2>(sums, vector_functor::Dots<Real>{}, u, y(0), y(1)), 2;
}

template <class Real>
void SweptVector<Real>::fill(double value) {
  update(vector_functor::Fill<Real>{static_cast<Real>(value)});
}

template <class Real>
void SweptVector<Real>::randomize(std::uint64_t seed) {
  before_write();
  for (std::size_t n = 0; n < pieces_; ++n) {
    Piece const mine = piece(n);
    sweep(mine.execution, mine.range, geometry_of(mine), mine.view,
          vector_functor::Random<Real>{seed + (mine.component << 16U), mine.extents[0], mine.extents[1]});
  }
}

template <class Real>
void const* SweptVector<Real>::memory() const {
  return pieces_ == 0 ? nullptr : piece(0).view.origin;
}

template <class Real>
void SweptVector<Real>::copy(Vector const& x) {
  update(vector_functor::Copy{}, same_space(x));
}

template <class Real>
template <std::size_t... N>
void SweptVector<Real>::assign_sum(std::span<WeightedVector const> terms, std::index_sequence<N...>) {
  update(vector_functor::Sum<Real, sizeof...(N)>{{static_cast<Real>(terms[N].weight)...}}, same_space(*terms[N].x)...);
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
  update(vector_functor::Sum<Real, 1>{{static_cast<Real>(a)}}, *this);
}

template <class Real>
void SweptVector<Real>::add(double a, Vector const& x) {
  update(vector_functor::Add<Real>{static_cast<Real>(a)}, *this, same_space(x));
}

template <class Real>
void SweptVector<Real>::combine(double a, Vector const& x, double b) {
  update(vector_functor::Sum<Real, 2>{{static_cast<Real>(a), static_cast<Real>(b)}}, same_space(x), *this);
}

template <class Real>
void SweptVector<Real>::advance(double alpha, Vector& p, double beta, Vector const& z) {
  SweptVector& direction = same_space(p);
  SweptVector const& other = same_space(z);
  before_write();
  direction.before_write();
  vector_functor::Advance<Real> const functor{static_cast<Real>(alpha), static_cast<Real>(beta)};
  for (std::size_t n = 0; n < pieces_; ++n) {
    Piece const mine = piece(n);
    FieldView<Real> const turned = direction.piece(n).view;
    sweep(mine.execution, mine.range, geometry_of(mine), outputs(mine.view, turned), functor, as_input(mine.view),
          as_input(turned), as_input(other.piece(n).view));
  }
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
void SweptVector<Real>::convert(Vector const& x, double scale) {
  in_its_precision(x, [&](auto const& from) { update(vector_functor::Convert<Real>{scale}, from); });
}

template <class Real>
double SweptVector<Real>::convert_and_dot(Vector const& x, double scale, Vector const& y) {
  double dot = 0;
  in_its_precision(x, [&](auto const& from) {
    dot = update_and_sum(vector_functor::ConvertAndDot<Real>{scale}, from, same_space(y));
  });
  return dot;
}

template <class Real>
void SweptVector<Real>::add_converted(double a, Vector const& x) {
  in_its_precision(x, [&](auto const& from) { update(vector_functor::Add<Real>{static_cast<Real>(a)}, *this, from); });
}

template <class Real>
void SweptVector<Real>::invert() {
  if (update_and_sum(vector_functor::Invert<Real>{}, *this) > 0) throw SolveError("a diagonal has an entry of zero");
}

template <class Real>
double SweptVector<Real>::dot(Vector const& x) const {
  double sum = 0;
  sum_up<1>(&sum, vector_functor::Dots<Real>{}, *this, same_space(x));
  return communicator_->sum(sum);
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

/// The largest of functor(this, more…) over all ranks.
template <class Real>
template <class Functor, class... More>
double SweptVector<Real>::largest(Functor const& functor, More const&... more) const {
  double found = 0;
  for (std::size_t n = 0; n < pieces_; ++n) {
    Piece const mine = piece(n);
    sweep_reduce(mine.execution, mine.range, geometry_of(mine), work_->maximum, no_outputs, functor,
                 as_input(mine.view), as_input(more.piece(n).view)...);
    found = larger(found, work_->maximum.value());
  }
  return communicator_->max(found);
}

template <class Real>
double SweptVector<Real>::maximum() const {
  return largest(vector_functor::Magnitude<Real>{});
}

template <class Real>
double SweptVector<Real>::scaled_maximum(Vector const& before, Vector const& after, double absolute,
                                         double relative) const {
  return largest(vector_functor::ScaledError{absolute, relative}, same_space(before), same_space(after));
}

template class SweptVector<float>;
template class SweptVector<double>;

}  // namespace halocline
