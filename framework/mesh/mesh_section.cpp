#include "framework/mesh/mesh_section.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
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
  std::size_t const length = section.entries(name);
  if (length == axes) return;
  add_mistake(section, name, "it has " + entries_text(length) + ", mesh.cells has " + std::to_string(axes), mistakes);
}

/// The size of a field in bytes must fit in 64 bits.
void check_size(Options const& section, Mistakes& mistakes) {
  // No centring has more entries than nodes.
  std::vector<std::int64_t> nodes;
  for (std::int64_t const n : section.integers("cells")) nodes.push_back(n < INT64_MAX ? n + 1 : n);
  nodes.push_back(static_cast<std::int64_t>(sizeof(double)));
  if (!product(nodes)) add_mistake(section, "cells", "their product does not fit in 64 bits", mistakes);
}

/// The deck's description of one axis.
struct AxisDescription {
  Index cells;
  double lower;
  double upper;
  double growth;  ///< ratio of each cell's width to the previous one

  /// Widths form a geometric progression.
  [[nodiscard]] double edge(Index i) const {
    auto const sum = [this](Index n) { return std::expm1(static_cast<double>(n) * std::log(growth)); };
    return i == cells ? upper : lower + (upper - lower) * sum(i) / sum(cells);
  }
};

Axis make_axis(AxisDescription const& description) {
  if (description.growth == 1) return Axis::uniform(description.cells, description.lower, description.upper);
  std::vector<double> edges;
  for (Index i = 0; i <= description.cells; ++i) edges.push_back(description.edge(i));
  return Axis::stretched(std::move(edges));
}

/// The option that sets the end of the domain, for messages.
std::string end_option(Options const& section) {
  return section.given("upper") ? "upper" : section.given("lower") ? "lower" : "cells";
}

/// Independent of `cells`, so that a mistake there hides no mistake here.
void check_ends(Options const& section, Mistakes& mistakes) {
  std::size_t const axes = section.entries("cells");
  std::vector<double> const lower = reals_or(section, "lower", axes, 0);
  std::vector<double> const upper = reals_or(section, "upper", axes, 1);
  for (std::size_t axis = 0; axis < std::min({axes, lower.size(), upper.size()}); ++axis) {
    if (lower[axis] < upper[axis]) continue;
    add_mistake(section, end_option(section),
                "the domain ends at " + shortest_text(upper[axis]) + " on axis " + std::string(1, "xyz"[axis]) +
                    ", not after its start at " + shortest_text(lower[axis]),
                mistakes);
  }
}

/// The length must be finite, and the thinnest cell must have a positive width.
void check_axis(Options const& section, std::size_t axis, AxisDescription const& given, Mistakes& mistakes) {
  std::string const name(1, "xyz"[axis]);
  std::string const end = end_option(section);
  if (given.lower >= given.upper) return;  // reported separately
  try {
    static_cast<void>(Axis::uniform(given.cells, given.lower, given.upper));
  } catch (InputError const& error) {
    add_mistake(section, end, error.what(), mistakes);
    return;
  }
  bool const distinct = given.edge(1) > given.lower && given.edge(given.cells - 1) < given.upper;
  if (given.growth == 1 || distinct) return;
  add_mistake(
      section, "growth",
      "the thinnest of " + std::to_string(given.cells) + " cells on axis " + name + " is too thin for double precision",
      mistakes);
}

/// The deck's description of an axis; nothing if one of its vectors is too short.
std::optional<AxisDescription> described_axis(Options const& section, std::size_t axis) {
  std::vector<std::int64_t> const cells = section.integers("cells");
  std::vector<double> const lower = reals_or(section, "lower", cells.size(), 0);
  std::vector<double> const upper = reals_or(section, "upper", cells.size(), 1);
  std::vector<double> const growth = reals_or(section, "growth", cells.size(), 1);
  if (axis >= std::min({cells.size(), lower.size(), upper.size(), growth.size()})) return std::nullopt;
  return AxisDescription{cells[axis], lower[axis], upper[axis], growth[axis]};
}

StructuredMeshDescription described(Options const& section) {
  StructuredMeshDescription description;
  for (std::size_t axis = 0; axis < section.integers("cells").size(); ++axis) {
    description.axes.push_back(axis_of(section, static_cast<int>(axis)));
    if (section.has("periodic")) description.periodic[axis] = section.booleans("periodic")[axis];
    if (section.has("processes"))
      description.process_grid[axis] = static_cast<int>(section.integers("processes")[axis]);
  }
  description.blocks_per_rank = static_cast<int>(section.integer("blocks_per_rank"));
  return description;
}

/// One block a rank.
Partition partition_by_ranks(Options const& section, int ranks) {
  Extents cells{1, 1, 1};
  Periodicity periodic{};
  ProcessGrid wanted{};
  std::vector<std::int64_t> const given = section.integers("cells");
  for (std::size_t axis = 0; axis < given.size(); ++axis) {
    cells[axis] = given[axis];
    if (section.has("periodic")) periodic[axis] = section.booleans("periodic")[axis];
    if (section.has("processes")) wanted[axis] = static_cast<int>(section.integers("processes")[axis]);
  }
  auto const dimensions = static_cast<int>(given.size());
  return Partition(cells, choose_process_grid(cells, ranks, periodic, wanted, dimensions), periodic);
}

}  // namespace

Section declare_mesh_section() {
  Section mesh("mesh", "The domain, its cells and their distribution over ranks; not used by a physics of bodies.");
  mesh.integers("cells", "Cells along each axis; one, two or three numbers.", 1, 3).at_least(1);
  mesh.reals("lower", "Lower end of the domain on each axis; 0 if not given.", 1, 3).optional();
  mesh.reals("upper", "Upper end of the domain on each axis; 1 if not given.", 1, 3).optional();
  mesh.reals("growth", "Width of each cell relative to the previous one, on each axis; 1 (equal cells) if not given.",
             1, 3)
      .optional()
      .at_least(0.5)
      .at_most(2);
  mesh.booleans("periodic", "Whether the domain is periodic, on each axis; false if not given.", 1, 3).optional();
  mesh.integers("processes", "Number of ranks along each axis; 0, or nothing given: chosen automatically.", 1, 3)
      .optional()
      .at_least(0)
      .at_most(1 << 30);
  mesh.integer("blocks_per_rank",
               "Number of blocks, of unequal size, that the cells of each rank are divided into; more than 1 serves to "
               "test code on several blocks, not to increase speed.")
      .defaults_to(1)
      .at_least(1)
      .at_most(16);
  for (std::string const name : {"lower", "upper", "growth", "periodic", "processes"}) {
    mesh.check([name](Options const& section, Mistakes& mistakes) {
      check_length(section, name, section.entries("cells"), mistakes);
    });
  }
  mesh.check(check_size);
  mesh.check(check_ends);
  mesh.check([](Options const& section, Mistakes& mistakes) {
    for (std::size_t axis = 0; axis < section.integers("cells").size(); ++axis) {
      if (auto const given = described_axis(section, axis)) check_axis(section, axis, *given, mistakes);
    }
  });
  return mesh;
}

Partition partition_of(Options const& section, int ranks) {
  return partition_by_ranks(section, ranks).divided(static_cast<int>(section.integer("blocks_per_rank")));
}

std::string option_of_partition(Options const& section, int ranks) {
  if (!section.given("processes")) return "cells";
  std::vector<std::int64_t> const wanted = section.integers("processes");
  if (std::all_of(wanted.begin(), wanted.end(), [](std::int64_t const n) { return n == 0; })) return "cells";
  try {
    static_cast<void>(partition_by_ranks(section, ranks));
  } catch (InputError const&) {
    return "processes";
  }
  return "cells";
}

Axis axis_of(Options const& section, int axis) {
  return make_axis(described_axis(section, static_cast<std::size_t>(axis)).value());
}

std::shared_ptr<StructuredMesh const> make_structured_mesh(Options const& section,
                                                           std::shared_ptr<Communicator> communicator) {
  try {
    return StructuredMesh::make(described(section), std::move(communicator));
  } catch (InputError const& error) {
    throw InputError("mesh (" + section.location().text() + "): " + error.what());
  }
}

std::shared_ptr<StructuredMesh const> make_served_mesh(Options const& section, std::vector<int> const& hosts,
                                                       std::vector<int> const& owners,
                                                       std::shared_ptr<Communicator> communicator) {
  return StructuredMesh::make_for(described(section), hosts, owners, std::move(communicator));
}

}  // namespace halocline
