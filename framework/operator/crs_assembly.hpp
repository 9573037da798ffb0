#pragma once

#include <vector>

#include "framework/mesh/index_range.hpp"
#include "framework/operator/operator.hpp"
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

/// One block's rows of a matrix in host memory, numbered by place in the block's allocation.
template <class Real>
struct CrsRows {
  std::vector<Index> offsets;  ///< where each row begins; one more than there are rows
  std::vector<Index> columns;
  std::vector<Real> values;
};

/// The rows of all of this rank's blocks, by Block::local, found by applying `a` to coloured unit vectors. Collective.
/// See CrsOperator. Throws DefectError if the operator does not act on fields of a structured mesh.
///
/// \param radius the farthest that a row reaches along an axis
template <class Real>
[[nodiscard]] std::vector<CrsRows<Real>> assemble_rows(Operator const& a, int radius);

}  // namespace halocline
