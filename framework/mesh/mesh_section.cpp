#include "framework/mesh/mesh_section.hpp"

#include <unistd.h>

#include <cmath>
#include <string>
#include <vector>

#include "framework/deck/judgement.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/runtime/error.hpp"
#include "framework/runtime/shortest_text.hpp"

namespace halocline {

namespace {

/// The given vector, or `otherwise` on each of `axes` axes.
std::vector<double> reals_or(Options const& section, std::string_view name, std::size_t axes, double otherwise) {
  return section.has(name) ? section.reals(name) : std::vector<double>(axes, otherwise);
}

void check_length(Options const& section, std::string_view name, std::size_t axes, Mistakes& mistakes) {
  if (!section.given(name)) return;
  std::size_t const length = name == "periodic"    ? section.booleans(name).size()
                             : name == "processes" ? section.integers(name).size()
                                                   : section.reals(name).size();
  if (length == axes) return;
  add_mistake(section, name, "it has " + std::to_string(length) + " entries, mesh.cells has " + std::to_string(axes),
              mistakes);
}

void check_size(Options const& section, double available_bytes, Mistakes& mistakes) {
  std::vector<std::int64_t> const cells = section.integers("cells");
  // Nodes are the most entries of any centring.
  std::vector<std::int64_t> nodes;
  for (std::int64_t const n : cells) nodes.push_back(n < INT64_MAX ? n + 1 : n);
  nodes.push_back(static_cast<std::int64_t>(sizeof(double)));
  if (!product(nodes)) {
    add_mistake(section, "cells", "their product does not fit in 64 bits", mistakes);
    return;
  }
  double bytes = sizeof(double);
  for (std::int64_t const n : cells) bytes *= static_cast<double>(n);
  check_memory(section.location("cells"), "mesh.cells", bytes, available_bytes, mistakes);
}

/// Widths in geometric progression: each cell is `growth` times as wide as the one before it.
Axis make_axis(Index cells, double lower, double upper, double growth) {
  if (growth == 1) return Axis::uniform(cells, lower, upper);
  std::vector<double> edges{lower};
  double const all = std::expm1(static_cast<double>(cells) * std::log(growth));
  for (Index i = 1; i < cells; ++i) {
    double const part = std::expm1(static_cast<double>(i) * std::log(growth));
    edges.push_back(lower + (upper - lower) * part / all);
  }
  edges.push_back(upper);
  return Axis::stretched(std::move(edges));
}

}  // namespace

double machine_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

Section declare_mesh_section(double available_bytes) {
  Section mesh("mesh", "The domain, its cells and how they are shared out between ranks.");
  mesh.integers("cells", "Cells along each axis; one, two or three numbers.", 1, 3).at_least(1).unit("cells");
  mesh.reals("lower", "Where the domain begins on each axis; 0 if not given.", 1, 3).optional();
  mesh.reals("upper", "Where the domain ends on each axis; 1 if not given.", 1, 3).optional();
  mesh.reals("growth", "Width of each cell relative to the one before it, on each axis; 1 (equal cells) if not given.",
             1, 3)
      .optional()
      .at_least(0.5)
      .at_most(2);
  mesh.booleans("periodic", "Whether the domain closes on itself, on each axis; false if not given.", 1, 3).optional();
  mesh.integers("processes", "Blocks along each axis, one a rank; 0 leaves the choice to the mesh.", 1, 3)
      .optional()
      .at_least(0);
  mesh.check([available_bytes](Options const& section, Mistakes& mistakes) {
    std::size_t const axes = section.integers("cells").size();
    for (char const* name : {"lower", "upper", "growth", "periodic", "processes"}) {
      check_length(section, name, axes, mistakes);
    }
    check_size(section, available_bytes, mistakes);
    std::vector<double> const lower = reals_or(section, "lower", axes, 0);
    std::vector<double> const upper = reals_or(section, "upper", axes, 1);
    for (std::size_t axis = 0; axis < std::min(lower.size(), upper.size()); ++axis) {
      if (lower[axis] < upper[axis]) continue;
      add_mistake(section, section.given("upper") ? "upper" : "lower",
                  "the domain ends at " + shortest_text(upper[axis]) + " on axis " + std::string(1, "xyz"[axis]) +
                      ", before it begins at " + shortest_text(lower[axis]),
                  mistakes);
    }
  });
  return mesh;
}

std::shared_ptr<StructuredMesh const> make_structured_mesh(Options const& section,
                                                           std::shared_ptr<Communicator> communicator) {
  std::vector<std::int64_t> const cells = section.integers("cells");
  std::vector<double> const lower = reals_or(section, "lower", cells.size(), 0);
  std::vector<double> const upper = reals_or(section, "upper", cells.size(), 1);
  std::vector<double> const growth = reals_or(section, "growth", cells.size(), 1);
  StructuredMeshDescription description;
  for (std::size_t axis = 0; axis < cells.size(); ++axis) {
    description.axes.push_back(make_axis(cells[axis], lower[axis], upper[axis], growth[axis]));
    if (section.has("periodic")) description.periodic[axis] = section.booleans("periodic")[axis];
    if (section.has("processes"))
      description.process_grid[axis] = static_cast<int>(section.integers("processes")[axis]);
  }
  try {
    return StructuredMesh::make(description, std::move(communicator));
  } catch (InputError const& error) {
    throw InputError("mesh (" + section.location().text() + "): " + error.what());
  }
}

}  // namespace halocline
