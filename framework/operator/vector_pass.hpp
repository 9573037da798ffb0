#pragma once

#include <algorithm>
#include <array>
#include <tuple>

#include "framework/kernel/sweep.hpp"
#include "framework/operator/swept_vector.hpp"
#include "framework/runtime/communicator.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/nan_aware.hpp"

// One pass over memory by a point functor on vectors of one space, for what methods need beyond the operations of
// Vector.

namespace halocline {

/// The reductions of the passes that begin with this vector.
template <class Real>
struct SweptVector<Real>::Reductions {
  Reduction<Execution> sums;
  Reduction<Execution, Maximum> maximum;
};

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
  bool same = other.pieces() == pieces_;
  for (std::size_t n = 0; same && n < pieces_; ++n) same = piece(n).range == other.piece(n).range;
  return same;
}

/// Calls action(x) with x as the SweptVector of its precision; throws DefectError for vectors of other kinds.
template <class Action>
void visit_precision(Vector& x, Action const& action) {
  if (auto* const single = dynamic_cast<SweptVector<float>*>(&x)) return action(*single);
  if (auto* const full = dynamic_cast<SweptVector<double>*>(&x)) return action(*full);
  throw DefectError("a pass needs vectors whose memory sweeps can run over");
}

namespace kernel {

template <class Piece>
auto geometry_of(Piece const& piece) {
  Geometry<double> geometry;
  std::copy(piece.first.begin(), piece.first.end(), geometry.first);
  return geometry;
}

template <class Real>
FieldView<Real const> input_of(SweptVector<Real> const& x, std::size_t piece) {
  return x.piece(piece).view;
}

template <class... Outputs>
auto outputs_of(std::tuple<Outputs&...> const& written, std::size_t piece) {
  return std::apply([piece](auto const&... u) { return outputs(u.piece(piece).view...); }, written);
}

}  // namespace kernel

/// written = functor(point, inputs…) at each unknown: `vector_pass(std::tie(x, p), functor, x, p, z)`. The point's
/// indices are global. All vectors are SweptVectors with the same unknowns, those that are written of one precision; a
/// vector may be both. Collective where an exchange of a written vector is under way.
template <class... Written, class Functor, class... Inputs>
void vector_pass(std::tuple<Written&...> const& written, Functor const& functor, Inputs const&... inputs) {
  std::apply([](auto&... u) { (u.before_write(), ...); }, written);
  auto& first = std::get<0>(written);
  for (std::size_t n = 0; n < first.pieces(); ++n) {
    auto const piece = first.piece(n);
    sweep(piece.execution, piece.range, kernel::geometry_of(piece), kernel::outputs_of(written, n), functor,
          kernel::input_of(inputs, n)...);
  }
}

/// The same for a functor that also returns sums; returns them over all ranks. Collective.
template <std::size_t Sums, class... Written, class Functor, class... Inputs>
[[nodiscard]] std::array<double, Sums> vector_pass_sums(std::tuple<Written&...> const& written, Functor const& functor,
                                                        Inputs const&... inputs) {
  std::apply([](auto&... u) { (u.before_write(), ...); }, written);
  auto& first = std::get<0>(written);
  auto& sums = first.reductions().sums;
  std::array<double, Sums> total{};
  for (std::size_t n = 0; n < first.pieces(); ++n) {
    auto const piece = first.piece(n);
    sweep_reduce(piece.execution, piece.range, kernel::geometry_of(piece), sums, kernel::outputs_of(written, n),
                 functor, kernel::input_of(inputs, n)...);
    for (std::size_t m = 0; m < Sums; ++m) total[m] += sums.value(static_cast<int>(m));
  }
  first.communicator()->sum(total);
  return total;
}
template <class... Written, class Functor, class... Inputs>
[[nodiscard]] double vector_pass_sum(std::tuple<Written&...> const& written, Functor const& functor,
                                     Inputs const&... inputs) {
  return vector_pass_sums<1>(written, functor, inputs...)[0];
}

/// The sums of functor(point, first, inputs…) over this rank's unknowns; nothing is written.
template <int Sums, class Real, class Functor, class... Inputs>
[[nodiscard]] std::array<double, Sums> local_sums(SweptVector<Real> const& first, Functor const& functor,
                                                  Inputs const&... inputs) {
  auto& sums = first.reductions().sums;
  std::array<double, Sums> total{};
  for (std::size_t n = 0; n < first.pieces(); ++n) {
    auto const piece = first.piece(n);
    sweep_reduce(piece.execution, piece.range, kernel::geometry_of(piece), sums, no_outputs, functor,
                 kernel::input_of(first, n), kernel::input_of(inputs, n)...);
    for (std::size_t m = 0; m < Sums; ++m) total[m] += sums.value(static_cast<int>(m));
  }
  return total;
}

/// The largest of functor(point, first, inputs…) over the unknowns of all ranks, at least zero; NaN if any is.
/// Collective.
template <class Real, class Functor, class... Inputs>
[[nodiscard]] double largest(SweptVector<Real> const& first, Functor const& functor, Inputs const&... inputs) {
  auto& maximum = first.reductions().maximum;
  double found = 0;
  for (std::size_t n = 0; n < first.pieces(); ++n) {
    auto const piece = first.piece(n);
    sweep_reduce(piece.execution, piece.range, kernel::geometry_of(piece), maximum, no_outputs, functor,
                 kernel::input_of(first, n), kernel::input_of(inputs, n)...);
    found = larger(found, maximum.value());
  }
  return first.communicator()->max(found);
}

}  // namespace halocline
