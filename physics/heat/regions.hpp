#pragma once

#include <functional>
#include <string>
#include <vector>

#include "framework/deck/options.hpp"
#include "framework/deck/section.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline::heat {

/// A part of the domain with a state of its own. The cells in it follow from TeaLeaf's rules, with h the width of the
/// cell along each axis: `lower` and `centre` are first increased and `upper` is decreased by h / 100, so that a region
/// that ends on a cell border contains the cells inside it however the border is rounded. Then
///
///   everywhere  takes all cells
///   rectangle   takes a cell if its upper edges are >= `lower` and its lower edges < `upper`
///   circle      takes a cell if its centre is not farther than `radius` from `centre` (in 3D a ball)
///   point       takes the cell whose lower corner is at the original `centre`, within h / 100
struct Region {
  enum class Shape { everywhere, rectangle, circle, point };
  Shape shape = Shape::everywhere;
  std::vector<double> lower;   ///< per axis; rectangle
  std::vector<double> upper;   ///< per axis; rectangle
  std::vector<double> centre;  ///< per axis; circle, point
  double radius = 0;           ///< circle
  double density = 0;
  double energy = 0;  ///< per mass
};

/// Declares the list `regions`: the first is the background, later ones overwrite.
[[nodiscard]] Section region_section();
/// Adds mistakes for regions of a validated list that do not fit each other or a mesh with `dimensions` axes.
void validate_regions(std::vector<Options> const& regions, std::size_t dimensions, Mistakes& mistakes);
/// The regions of a validated list.
[[nodiscard]] std::vector<Region> read_regions(std::vector<Options> const& regions);

/// Calls `visit` with the local index of every owned cell of `block` that belongs to `region`.
void for_cells(Region const& region, StructuredMesh const& mesh, Block const& block,
               std::function<void(Index i, Index j, Index k)> const& visit);

}  // namespace halocline::heat
