#include "physics/heat/regions.hpp"

#include <array>
#include <utility>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"

namespace halocline::heat {
namespace {

std::vector<std::string> const shape_names{"everywhere", "rectangle", "circle", "point"};

/// The options that a shape needs in addition to its state.
std::vector<std::string> needs(std::string const& shape) {
  if (shape == "rectangle") return {"lower", "upper"};
  if (shape == "circle") return {"centre", "radius"};
  if (shape == "point") return {"centre"};
  return {};
}

Region::Shape shape_of(std::string const& name) {
  for (std::size_t n = 0; n < shape_names.size(); ++n) {
    if (shape_names[n] == name) return static_cast<Region::Shape>(n);
  }
  return Region::Shape::everywhere;
}

void validate_shape(Options const& region, Mistakes& mistakes) {
  std::string const shape = region.choice("shape");
  std::vector<std::string> const needed = needs(shape);
  for (std::string const option : {"lower", "upper", "centre", "radius"}) {
    bool const wanted = std::find(needed.begin(), needed.end(), option) != needed.end();
    if (wanted && !region.has(option)) {
      mistakes.add(region.location(), region.full_name(option), "missing", "a region of shape " + shape + " needs it");
    }
    if (!wanted && region.has(option)) add_mistake(region, option, "not used by a region of shape " + shape, mistakes);
  }
  if (shape == "rectangle" && region.has("lower") && region.has("upper")) {
    check_domain(region, "lower", "upper", mistakes);
  }
}

/// The cells of a block inside a rectangle, along one axis: a contiguous range of local indices.
std::pair<Index, Index> taken(StructuredMesh const& mesh, int axis, Index first, Index count, double lower,
                              double upper) {
  Axis const& line = mesh.axis(axis);
  Index begin = 0;
  while (begin < count) {
    Index const cell = first + begin;
    if (line.edge(cell + 1) >= lower + line.width(cell) / 100) break;
    ++begin;
  }
  Index end = begin;
  while (end < count && line.edge(first + end) < upper - line.width(first + end) / 100) ++end;
  return {begin, end};
}

/// The local cells of a block that may lie in a region.
IndexRange reach(Region const& region, StructuredMesh const& mesh, Block const& block) {
  IndexRange cells = mesh.owned(block, Centring::cell);
  if (region.shape != Region::Shape::rectangle) return cells;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(mesh.dimensions()); ++axis) {
    auto const [begin, end] = taken(mesh, static_cast<int>(axis), block.cells.begin[axis], cells.end[axis],
                                    region.lower[axis], region.upper[axis]);
    cells.begin[axis] = begin;
    cells.end[axis] = end;
  }
  return cells;
}

bool belongs(Region const& region, StructuredMesh const& mesh, std::array<Index, 3> const& cell) {
  double square = 0;
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(mesh.dimensions()); ++axis) {
    Axis const& line = mesh.axis(static_cast<int>(axis));
    double const nudge = line.width(cell[axis]) / 100;
    if (region.shape == Region::Shape::point) {
      double const from_corner = region.centre[axis] - line.edge(cell[axis]);
      if (!(from_corner >= -nudge && from_corner < nudge)) return false;
    } else {
      double const distance = line.centre(cell[axis]) - (region.centre[axis] + nudge);
      square += distance * distance;
    }
  }
  return region.shape == Region::Shape::point || square <= region.radius * region.radius;
}

}  // namespace

Section region_section() {
  Section region("regions",
                 "Initial states by region: the first region is the background, later ones overwrite earlier ones.");
  region.choice("shape", "Shape of the region, which determines its cells.", shape_names)
      .defaults_to(std::string("everywhere"));
  region.reals("lower", "Lower corner of a rectangle.", 1, 3).optional();
  region.reals("upper", "Upper corner of a rectangle.", 1, 3).optional();
  region.reals("centre", "Centre of a circle, or lower corner of the single cell of a point.", 1, 3).optional();
  region.real("radius", "Radius of a circle.").above(0).optional();
  region.real("density", "Mass per volume.").above(0);
  region.real("energy", "Energy per mass.");
  region.check(validate_shape);
  return region;
}

void validate_regions(std::vector<Options> const& regions, std::size_t dimensions, Mistakes& mistakes) {
  if (!regions.empty() && regions.front().choice("shape") != "everywhere") {
    add_mistake(regions.front(), "shape", "the first region is the background", mistakes, "make it `everywhere`");
  }
  for (Options const& region : regions) {
    for (std::string const option : {"lower", "upper", "centre"}) {
      if (!region.has(option) || region.reals(option).size() == dimensions) continue;
      add_mistake(region, option, "has " + entries_text(region.reals(option).size()), mistakes,
                  "the mesh has " + std::to_string(dimensions) + (dimensions == 1 ? " axis" : " axes"));
    }
  }
}

std::vector<Region> read_regions(std::vector<Options> const& regions) {
  std::vector<Region> all;
  for (Options const& given : regions) {
    Region region;
    region.shape = shape_of(given.choice("shape"));
    if (given.has("lower")) region.lower = given.reals("lower");
    if (given.has("upper")) region.upper = given.reals("upper");
    if (given.has("centre")) region.centre = given.reals("centre");
    if (given.has("radius")) region.radius = given.real("radius");
    region.density = given.real("density");
    region.energy = given.real("energy");
    all.push_back(std::move(region));
  }
  return all;
}

void for_cells(Region const& region, StructuredMesh const& mesh, Block const& block,
               std::function<void(Index, Index, Index)> const& visit) {
  bool const by_box = region.shape == Region::Shape::everywhere || region.shape == Region::Shape::rectangle;
  IndexRange const cells = reach(region, mesh, block);
  Extents const& first = block.cells.begin;
  for (Index k = cells.begin[2]; k < cells.end[2]; ++k) {
    for (Index j = cells.begin[1]; j < cells.end[1]; ++j) {
      for (Index i = cells.begin[0]; i < cells.end[0]; ++i) {
        if (by_box || belongs(region, mesh, {first[0] + i, first[1] + j, first[2] + k})) visit(i, j, k);
      }
    }
  }
}

}  // namespace halocline::heat
