#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <optional>
#include <vector>

#include "framework/deck/expression.hpp"
#include "framework/field/block_view.hpp"
#include "framework/mesh/index_range.hpp"
#include "framework/runtime/backend.hpp"

namespace halocline {

/// Positions of the entries of a box, by index along each axis.
struct BoxPositions {
  std::array<std::vector<double>, 3> along;

  [[nodiscard]] std::array<double, 3> at(Extents const& place) const {
    auto const of_axis = [&](std::size_t axis) { return along[axis][static_cast<std::size_t>(place[axis])]; };
    return {of_axis(0), of_axis(1), of_axis(2)};
  }
  /// All entries.
  [[nodiscard]] IndexRange range() const {
    auto const count = [&](std::size_t axis) { return static_cast<Index>(along[axis].size()); };
    return {{0, 0, 0}, {count(0), count(1), count(2)}};
  }
};

/// The same positions on the host and in the memory of kernels.
class EntryPositions {
 public:
  /// On a device, copies them to the memory of `execution`, whose device must be current, and waits for the copy.
  EntryPositions(Execution const& execution, BoxPositions positions);

  [[nodiscard]] BoxPositions const& on_host() const { return on_host_; }
  /// Positions along an axis.
  [[nodiscard]] double const* for_kernels(int axis) const;
  /// Kernels store the first bad entry here; set only while a kernel runs. The host reads it without a copy.
  [[nodiscard]] Kokkos::View<Index, Kokkos::SharedHostPinnedSpace> const& first_bad() const { return first_bad_; }

 private:
  BoxPositions on_host_;
  Kokkos::View<double*, Memory> in_memory_;  ///< one axis after the other; empty on a host
  Kokkos::View<Index, Kokkos::SharedHostPinnedSpace> first_bad_;
};

/// Sets every entry of `range`, in indices of `positions`, to the expression there: on hosts by a program in rows; on
/// devices by one kernel or (not `is_evaluated_in_place`) on the host with a copy. Returns the first entry of
/// `checked`, x fastest, that is NaN or infinite. Waits for the values, except for a kernel if `checked` is empty. On a
/// host it first waits for `execution`.
///
/// \param to the entries; (0, 0, 0) is the first of `positions`
template <class Real>
[[nodiscard]] std::optional<Extents> evaluate(Execution const& execution, Expression const& expression, double time,
                                              EntryPositions const& positions, IndexRange const& range,
                                              IndexRange const& checked, BlockView<Real> to);

/// Whether an expression is evaluated where the field is: always on hosts; on devices if its program is short enough to
/// be a kernel argument.
[[nodiscard]] bool is_evaluated_in_place(Expression const& expression);

/// `evaluate` by host threads, into host memory. All variants on a host give the same bits.
template <class Real>
[[nodiscard]] std::optional<Extents> evaluate_on_host(Expression const& expression, double time,
                                                      BoxPositions const& positions, IndexRange const& range,
                                                      IndexRange const& checked, BlockView<Real> to);

/// `evaluate` by one kernel: used on devices, and on hosts only in tests. The program must be short enough.
template <class Real>
[[nodiscard]] std::optional<Extents> evaluate_by_kernel(Execution const& execution, Expression const& expression,
                                                        double time, EntryPositions const& positions,
                                                        IndexRange const& range, IndexRange const& checked,
                                                        BlockView<Real> to);

/// The first of some values in host memory, x fastest, that is NaN or infinite.
template <class Real>
[[nodiscard]] std::optional<Extents> first_not_finite(IndexRange const& range, BlockView<Real> values);

}  // namespace halocline
