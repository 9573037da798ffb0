#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "framework/deck/section.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline::heat {

/// Values of the owned cells of a block, x fastest, if regions give them (ComputedCells of declared equations, whose
/// header needs the compiler of a device).
using CellsOfRegions = std::function<std::optional<std::vector<double>>(Options const& heat, StructuredMesh const& mesh,
                                                                        Block const& block)>;

/// Declares the list `regions`, parts of the domain with a state of their own; later ones overwrite earlier ones. The
/// cells of one follow from TeaLeaf's rules, with h the width of the cell along each axis: `lower` and `centre` are
/// first increased and `upper` is decreased by h / 100, so that a region that ends on a cell border contains the cells
/// inside it however the border is rounded. Then
///
///   everywhere  takes all cells
///   rectangle   takes a cell if its upper edges are >= `lower` and its lower edges < `upper`
///   circle      takes a cell if its centre is not farther than `radius` from `centre` (in 3D a ball)
///   point       takes the cell whose lower corner is at the original `centre`, within h / 100
[[nodiscard]] Section region_section();
/// Adds mistakes for regions of a validated list that do not fit each other or a mesh with `dimensions` axes.
void validate_regions(std::vector<Options> const& regions, std::size_t dimensions, Mistakes& mistakes);
/// For each owned cell of a block value(heat, region) of the last region that contains it, zero outside all. Nothing
/// where a deck has no regions, or gives the option `instead`.
[[nodiscard]] CellsOfRegions of_regions(std::string const& instead,
                                        std::function<double(Options const&, Options const&)> const& value);

}  // namespace halocline::heat
