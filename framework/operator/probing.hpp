#pragma once

#include <array>
#include <cstddef>

#include "framework/operator/field_vector.hpp"
#include "framework/operator/operator.hpp"

namespace halocline {

class StructuredMesh;

/// Gives the points of an axis colours such that points of one colour are at least 2 radius + 1 apart, across the seam
/// of a periodic axis too: an operator of that radius applied to all points of one colour at once gives columns of its
/// matrix that do not touch (Curtis, Powell and Reid 1974).
struct AxisColouring {
  Index long_points = 0;  ///< points of the first periods, which have one colour more so that the seam fits
  Index period = 1;
  Index colours = 1;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Index colour(Index i) const {
    return i < long_points ? i % (period + 1) : (i - long_points) % period;
  }
};
[[nodiscard]] AxisColouring colour_axis(Index points, int radius, bool periodic);

/// The matrix of an operator on the unknowns of a field, found by applying it to coloured unit vectors.
template <class Real>
class Probe {
 public:
  /// `radius`: the farthest that a row reaches along an axis. Collective. Throws DefectError if the operator does not
  /// act on fields of a structured mesh.
  Probe(Operator const& a, int radius);

  /// All colours, one triple after the other.
  [[nodiscard]] Index colours() const { return axes_[0].colours * axes_[1].colours * axes_[2].colours; }
  [[nodiscard]] Extents colour(Index n) const;
  [[nodiscard]] std::array<AxisColouring, 3> const& axes() const { return axes_; }
  /// A applied to the vector that is one at all unknowns of the n-th colour. Collective.
  [[nodiscard]] FieldVector<Real> const& apply(Index n);
  [[nodiscard]] StructuredMesh const& mesh() const { return *mesh_; }

 private:
  Operator const& a_;
  std::unique_ptr<Vector> unit_, column_;
  StructuredMesh const* mesh_;
  std::array<AxisColouring, 3> axes_;
};

extern template class Probe<float>;
extern template class Probe<double>;

}  // namespace halocline
