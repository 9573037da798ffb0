#pragma once

#include <memory>
#include <vector>

#include "framework/mesh/index_range.hpp"

namespace halocline {

/// One axis of a tensor-product mesh: the positions of its cells. Cheap to copy (edges are shared).
///
/// Cell i lies between edge(i) and edge(i + 1). Indices outside 0 … cells() - 1 are ghosts, whose positions the mesh
/// defines (StructuredMesh::coordinate).
class Axis {
 public:
  /// One cell from 0 to 1: the axis that a mesh stores beyond its dimensions.
  Axis() = default;
  /// `cells` equal cells between `lower` and `upper`. Throws InputError for cells < 1, upper <= lower, or a bound that
  /// is not a finite number.
  [[nodiscard]] static Axis uniform(Index cells, double lower, double upper);
  /// Cells between consecutive `edges` (at least two). Throws InputError unless they are finite and strictly
  /// increasing. The axis counts as stretched even if all cells are equal within rounding.
  [[nodiscard]] static Axis stretched(std::vector<double> edges);

  [[nodiscard]] Index cells() const { return cells_; }
  [[nodiscard]] double lower() const { return lower_; }
  [[nodiscard]] double upper() const { return upper_; }
  [[nodiscard]] double length() const { return upper_ - lower_; }
  [[nodiscard]] bool is_uniform() const { return edges_ == nullptr; }
  /// Width of every cell of a uniform axis; the mean width of a stretched one.
  [[nodiscard]] double spacing() const { return spacing_; }

  /// Position of node `i`, 0 <= i <= cells(). The last edge equals upper() exactly.
  [[nodiscard]] double edge(Index i) const;
  /// Midpoint of cell `i`.
  [[nodiscard]] double centre(Index i) const;
  /// Width of cell `i`.
  [[nodiscard]] double width(Index i) const;

  friend bool operator==(Axis const& a, Axis const& b);

 private:
  Index cells_ = 1;
  double lower_ = 0;
  double upper_ = 1;
  double spacing_ = 1;
  std::shared_ptr<std::vector<double> const> edges_;  ///< null on a uniform axis
};

}  // namespace halocline
