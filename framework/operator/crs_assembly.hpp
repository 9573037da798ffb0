#pragma once

#include <Kokkos_Core.hpp>
#include <vector>

#include "framework/mesh/index_range.hpp"
#include "framework/operator/operator.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/host_device.hpp"

namespace halocline {

/// Gives the points of an axis colours such that points of one colour are at least 2 radius + 1 apart, across the seam
/// of a periodic axis too: an operator of that radius applied to all points of one colour at once gives columns of its
/// matrix that do not touch (Curtis, Powell and Reid 1974).
struct AxisColouring {
  Index long_points = 0;  ///< points of the first periods, which have one colour more so that the seam fits
  Index period = 1;
  Index colours = 1;
  [[nodiscard]] HALOCLINE_HOST_DEVICE Index colour(Index i) const {
    return i < long_points ? i % (period + 1) : (i - long_points) % period;
  }
};
[[nodiscard]] AxisColouring colour_axis(Index points, int radius, bool periodic);

/// One block's rows of a matrix in the backend's memory, numbered by place in the block's allocation. Half of the bytes
/// of an entry of a product would be its column if that had 64 bits, so it has 32.
template <class Real>
struct CrsRows {
  Kokkos::View<int*, Memory> offsets;  ///< where each row begins; one more than there are rows
  Kokkos::View<int*, Memory> columns;  ///< ascending within a row
  Kokkos::View<Real*, Memory> values;
};

/// The rows of all of this rank's blocks, by Block::local, found by applying `a` to coloured unit vectors: twice to
/// each, once to count the entries and once to store them. Collective. See CrsOperator. Throws DefectError if the
/// operator does not act on fields of a structured mesh, and SolveError, on all ranks alike, if a block has more
/// entries than 32 bits count.
///
/// \param radius the farthest that a row reaches along an axis
template <class Real>
[[nodiscard]] std::vector<CrsRows<Real>> assemble_rows(Operator const& a, int radius);

}  // namespace halocline
