#include "physics/heat/regions.hpp"

#include <array>
#include <limits>
#include <map>
#include <set>
#include <string>

#include "framework/deck/validation.hpp"

namespace halocline::heat {
namespace {

/// The options that each shape needs in addition to its state.
std::map<std::string, std::set<std::string>> const needs{
    {"everywhere", {}}, {"rectangle", {"lower", "upper"}}, {"circle", {"centre", "radius"}}, {"point", {"centre"}}};

void validate_shape(Options const& region, Mistakes& mistakes) {
  std::string const shape = region.choice("shape");
  for (std::string const option : {"lower", "upper", "centre", "radius"}) {
    bool const wanted = needs.at(shape).contains(option);
    if (wanted && !region.has(option)) {
      mistakes.add(region.location(), region.full_name(option), "missing", "a region of shape " + shape + " needs it");
    }
    if (!wanted && region.has(option)) add_mistake(region, option, "not used by a region of shape " + shape, mistakes);
  }
  if (shape == "rectangle" && region.has("lower") && region.has("upper")) {
    check_domain(region, "lower", "upper", mistakes);
  }
}

/// Squared distances of a block's cells from a region along one axis; infinite for those outside. A region has the
/// cells whose distances along all axes add up to no more than its squared radius, which is zero without one.
std::vector<double> squares_of_distances(Options const& region, StructuredMesh const& mesh, Block const& block,
                                         std::size_t axis) {
  if (static_cast<int>(axis) >= mesh.dimensions()) return {0};
  std::string const shape = region.choice("shape");
  auto const given = [&](char const* option) { return region.has(option) ? region.reals(option)[axis] : 0; };
  double const lower = given("lower"), upper = given("upper"), centre = given("centre");
  Axis const& line = mesh.axis(static_cast<int>(axis));
  std::vector<double> all;
  for (Index cell = block.cells.begin[axis]; cell < block.cells.end[axis]; ++cell) {
    double const nudge = line.width(cell) / 100;
    double const from_corner = centre - line.edge(cell);
    bool is_inside = true;
    if (shape == "rectangle") is_inside = line.edge(cell + 1) >= lower + nudge && line.edge(cell) < upper - nudge;
    if (shape == "point") is_inside = from_corner >= -nudge && from_corner < nudge;
    double const distance = shape == "circle" ? line.centre(cell) - (centre + nudge) : 0;
    all.push_back(is_inside ? distance * distance : std::numeric_limits<double>::infinity());
  }
  return all;
}

}  // namespace

Section region_section() {
  Section region("regions",
                 "Initial states by region: the first region is the background, later ones overwrite earlier ones.");
  region
      .choice("shape", "Shape of the region, which determines its cells.",
              std::vector<std::string>{"everywhere", "rectangle", "circle", "point"})
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

CellsOfRegions of_regions(std::string const& instead,
                          std::function<double(Options const&, Options const&)> const& value) {
  return [=](Options const& heat, StructuredMesh const& mesh, Block const& block) {
    std::optional<std::vector<double>> cells;
    if (!instead.empty() && heat.has(instead)) return cells;
    for (Options const& region : heat.list("regions")) {
      if (!cells) cells.emplace(static_cast<std::size_t>(mesh.owned(block, Centring::cell).size()));
      double const of_region = value(heat, region);
      double const radius = region.has("radius") ? region.real("radius") : 0;
      std::array<std::vector<double>, 3> squares;
      for (std::size_t axis = 0; axis < 3; ++axis) squares[axis] = squares_of_distances(region, mesh, block, axis);
      auto cell = cells->begin();
      for (double const z : squares[2]) {
        for (double const y : squares[1]) {
          for (double const x : squares[0]) {
            if (x + y + z <= radius * radius) *cell = of_region;
            ++cell;
          }
        }
      }
    }
    return cells;
  };
}

}  // namespace halocline::heat
