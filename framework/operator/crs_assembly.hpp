#pragma once

#include <Kokkos_Core.hpp>
#include <vector>

#include "framework/mesh/index_range.hpp"
#include "framework/operator/operator.hpp"
#include "framework/runtime/backend.hpp"
#include "framework/runtime/host_device.hpp"

namespace halocline {

/// Colours the points of an axis so that points of one colour are at least 2 radius + 1 apart, also across a periodic
/// seam. Applying an operator of that radius to all points of one colour at once gives columns of its matrix that do
/// not overlap (Curtis, Powell and Reid 1974).
struct AxisColouring {
  Index long_points = 0;  ///< points of the first periods, which have one more colour so that the seam fits
  Index period = 1;
  Index colours = 1;
  [[nodiscard]] HALOCLINE_HOST_DEVICE Index colour(Index i) const {
    return i < long_points ? i % (period + 1) : (i - long_points) % period;
  }
};
[[nodiscard]] AxisColouring colour_axis(Index points, int radius, bool periodic);

/// One block's rows of a matrix in the backend's memory, numbered by position in the block's allocation. Column indices
/// have 32 bits: with 64 they would be half of the bytes that a product reads.
template <class Real>
struct CrsRows {
  Kokkos::View<int*, Memory> offsets;  ///< where each row begins; one more than there are rows
  Kokkos::View<int*, Memory> columns;  ///< ascending within a row
  Kokkos::View<Real*, Memory> values;
};

/// The rows of all of this rank's blocks, by Block::local, found by applying `a` twice to each coloured unit vector:
/// first to count the entries, then to store them. Collective. See CrsOperator. Throws DefectError if the operator does
/// not act on fields of a structured mesh, and SolveError, on all ranks alike, if the number of entries of a block
/// exceeds 32 bits.
///
/// \param radius the farthest that a row reaches along an axis
template <class Real>
[[nodiscard]] std::vector<CrsRows<Real>> assemble_rows(Operator const& a, int radius);

}  // namespace halocline
