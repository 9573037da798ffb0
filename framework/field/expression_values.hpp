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

/// Positions of the entries of a box by place along each axis.
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

/// The same on the host and where kernels read them.
class EntryPositions {
 public:
  /// On a device in the memory of `execution`, whose device must be the current one; waits until they are there.
  EntryPositions(Execution const& execution, BoxPositions positions);

  [[nodiscard]] BoxPositions const& on_host() const { return on_host_; }
  /// Those along an axis.
  [[nodiscard]] double const* for_kernels(int axis) const;
  /// Where kernels note the first bad entry, and nothing is noted but while one runs. The host reads it without a copy.
  [[nodiscard]] Kokkos::View<Index, Kokkos::SharedHostPinnedSpace> const& first_bad() const { return first_bad_; }

 private:
  BoxPositions on_host_;
  Kokkos::View<double*, Memory> in_memory_;  ///< one axis after the other; empty on a host
  Kokkos::View<Index, Kokkos::SharedHostPinnedSpace> first_bad_;
};

/// Every entry of `range`, indices of `positions`, becomes the expression there: by a program in rows on hosts, by one
/// kernel on devices, otherwise (`is_evaluated_in_place`) on the host and by a copy. Returns the first entry of
/// `checked`, x fastest, that is no finite number. Waits for the values; on a host, also for `execution` before, on a
/// device not where nothing is checked.
///
/// \param to where the entries are, with (0, 0, 0) the first of `positions`
template <class Real>
[[nodiscard]] std::optional<Extents> evaluate(Execution const& execution, Expression const& expression, double time,
                                              EntryPositions const& positions, IndexRange const& range,
                                              IndexRange const& checked, BlockView<Real> to);

/// Whether an expression is evaluated where the fields are: always on hosts, on devices if its program is short enough
/// to go with a launch.
[[nodiscard]] bool is_evaluated_in_place(Expression const& expression);

/// `evaluate` by the threads of the host, into its memory. All ways on a host give the same bits.
template <class Real>
[[nodiscard]] std::optional<Extents> evaluate_on_host(Expression const& expression, double time,
                                                      BoxPositions const& positions, IndexRange const& range,
                                                      IndexRange const& checked, BlockView<Real> to);

/// `evaluate` by one kernel: what devices do, and hosts in tests alone. The program has to be short enough.
template <class Real>
[[nodiscard]] std::optional<Extents> evaluate_by_kernel(Execution const& execution, Expression const& expression,
                                                        double time, EntryPositions const& positions,
                                                        IndexRange const& range, IndexRange const& checked,
                                                        BlockView<Real> to);

/// The first of some values, x fastest, that is no finite number, in memory of the host.
template <class Real>
[[nodiscard]] std::optional<Extents> first_not_finite(IndexRange const& range, BlockView<Real> values);

}  // namespace halocline
