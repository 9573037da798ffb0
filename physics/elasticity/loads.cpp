#include "physics/elasticity/loads.hpp"

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "framework/deck/validation.hpp"
#include "framework/field/boundary.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/kernel/sweep_boxes.hpp"
#include "framework/mesh/execution.hpp"
#include "framework/runtime/error.hpp"

namespace halocline::elasticity {
namespace {

std::string const names[] = {"x", "y", "z"};

/// A section with an expression for each component.
Section components(std::string name, std::string sentence, std::string const& of_each, bool have_default) {
  Section section(std::move(name), std::move(sentence));
  for (std::string const& component : names) {
    std::string about = of_each;
    Option& option = section.expression(component, about.append(" along ").append(component).append("."));
    if (have_default) {
      option.defaults_to(std::string("0"));
    } else {
      option.optional();
    }
  }
  return section;
}

/// The components that a wall holds, as bits, with the displacement that its `kind` gives them: zero.
unsigned held_by_kind(Options const& wall, int axis, int dimensions) {
  std::string const kind = wall.choice("kind");
  if (kind == "clamped") return (1U << dimensions) - 1;
  return kind == "symmetric" ? 1U << axis : 0U;
}

unsigned held_by(Options const& wall, int axis, int dimensions) {
  unsigned held = held_by_kind(wall, axis, dimensions);
  Options const displacement = wall.section("displacement");
  for (int c = 0; c < dimensions; ++c) {
    if (displacement.has(names[c])) held |= 1U << c;
  }
  return held;
}

void refuse_missing_axes(Options const& section, int dimensions, Mistakes& mistakes) {
  for (int c = dimensions; c < 3; ++c) {
    if (section.given(names[c])) {
      add_mistake(section, names[c], "the mesh has no axis " + names[c], mistakes);
    }
  }
}

void validate_wall(Options const& wall, int axis, int dimensions, bool exists, Mistakes& mistakes) {
  Options const displacement = wall.section("displacement");
  Options const traction = wall.section("traction");
  refuse_missing_axes(displacement, dimensions, mistakes);
  refuse_missing_axes(traction, dimensions, mistakes);
  unsigned const held = held_by(wall, axis, dimensions);
  for (int c = 0; c < dimensions; ++c) {
    if (traction.given(names[c]) && (held >> c & 1U) != 0) {
      add_mistake(traction, names[c], "the wall holds this component, so that it cannot bear a given traction",
                  mistakes, "leave out one of them");
    }
  }
  bool const says_something = held != 0 || traction.given("x") || traction.given("y") || traction.given("z");
  if (!exists && says_something) {
    mistakes.add(wall.location(), wall.full_name(), "the mesh has no such wall", "leave it out");
  }
}

/// The owned nodes of a block on a wall; empty if the block is not there.
IndexRange nodes_on_wall(Block const& block, IndexRange const& owned, int axis, int side) {
  IndexRange box = owned;
  auto const a = static_cast<std::size_t>(axis);
  if (block.neighbour(axis, side)) return {};
  if (side < 0) {
    box.end[a] = box.begin[a] + 1;
  } else {
    box.begin[a] = box.end[a] - 1;
  }
  return box;
}

/// Calls visit(wall, axis, side) for each wall of a mesh.
template <class Visit>
void for_walls(Options const& elasticity, StructuredMesh const& mesh, Visit const& visit) {
  Options const boundary = elasticity.section("boundary");
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    if (mesh.periodic(axis)) continue;
    for (int const side : {-1, 1}) visit(boundary.section(face_name(axis, side)), axis, side);
  }
}

/// Adds the integral of each node's basis function with the (bi-, tri-)linear function that has these values at nodes:
/// over the cells around the node, or over their faces on a wall.
template <class Real>
struct AddIntegrals {
  BlockView<Real> to;
  BlockView<Real const> value;
  Real const* width[3];  ///< of the cells, by the local index of the upper node
  Index begin[3];        ///< local indices of the first node with a cell below, and of the last with one above
  Index end[3];
  int across;  ///< the axis along which nothing is integrated, or negative

  KOKKOS_FUNCTION void operator()(Index i, Index j, Index k) const {
    Index const at[3] = {i, j, k};
    Real sum = 0;
    for (int z = -1; z <= 1; ++z) {
      for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
          Real const weight = weight_along(0, at, x) * weight_along(1, at, y) * weight_along(2, at, z);
          // Beyond walls there are no values.
          if (weight > 0) sum += weight * value(i + x, j + y, k + z);
        }
      }
    }
    to(i, j, k) += sum;
  }

 private:
  KOKKOS_FUNCTION Real weight_along(int axis, Index const (&at)[3], int step) const {
    if (axis == across || width[axis] == nullptr) return step == 0 ? Real{1} : Real{0};
    Real const below = at[axis] >= begin[axis] ? width[axis][at[axis]] : Real{0};
    Real const above = at[axis] < end[axis] ? width[axis][at[axis] + 1] : Real{0};
    if (step == 0) return (below + above) / Real{3};
    return (step < 0 ? below : above) / Real{6};
  }
};

/// What AddIntegrals knows of a block, and the memory that it points to.
template <class Real>
class Integrals {
 public:
  Integrals(StructuredMesh const& mesh, Block const& block) {
    for (int axis = 0; axis < mesh.dimensions(); ++axis) {
      auto const a = static_cast<std::size_t>(axis);
      IndexRange const owned = mesh.owned(block, Centring::node);
      std::vector<double> widths;
      for (Index n = 0; n <= owned.end[a]; ++n) widths.push_back(mesh.cell_width(axis, block.cells.begin[a] + n - 1));
      widths_[a] = on_device<Real>(widths);
      begin_[a] = block.neighbour(axis, -1) ? 0 : 1;
      end_[a] = block.neighbour(axis, 1) ? owned.end[a] : owned.end[a] - 1;
    }
  }
  void add(Block const& block, IndexRange const& box, Field<Real> const& values, int across, BlockView<Real> to) const {
    AddIntegrals<Real> const integrals{to,
                                       values.view(block),
                                       {widths_[0].data(), widths_[1].data(), widths_[2].data()},
                                       {begin_[0], begin_[1], begin_[2]},
                                       {end_[0], end_[1], end_[2]},
                                       across};
    for_box(execution(block), box, integrals);
  }

 private:
  Kokkos::View<Real*, Memory> widths_[3];
  Index begin_[3] = {};
  Index end_[3] = {};
};

bool is_zero(Expression const& value) { return value.is_constant() && value(0, 0, 0, 0) == 0; }

/// An expression at the owned nodes.
template <class Real>
std::shared_ptr<Field<Real>> at_nodes(Options const& section, std::string const& component,
                                      std::shared_ptr<Mesh const> const& mesh) {
  auto values = std::make_shared<Field<Real>>(
      mesh, FieldDescription{.name = section.full_name(component), .centring = Centring::node, .ghosts = 1});
  values->fill_owned(section.expression(component), 0, 0, "`" + section.full_name(component) + "`");
  return values;
}

}  // namespace

void declare_loads(Section& section) {
  section.section(components("force", "Force per volume.", "Component", true));
  section.section(components("exact", "Exact displacement, if known; error norms are then reported as quantities.",
                             "Displacement", false));
  Section boundary("boundary", "Walls. What is not given is free: no force acts there.");
  for (int axis = 0; axis < 3; ++axis) {
    for (int const side : {-1, 1}) {
      Section wall(face_name(axis, side), "The " + face_name(axis, side) + " wall.");
      wall.choice("kind", "Components that the wall holds in place: none, all, or the one across it.",
                  std::vector<std::string>{"free", "clamped", "symmetric"})
          .defaults_to(std::string("free"));
      wall.section(components("displacement", "Displacements that the wall prescribes.", "Displacement", false));
      wall.section(components("traction", "Force per area on the wall.", "Component", true));
      boundary.section(std::move(wall));
    }
  }
  section.section(std::move(boundary));
}

void validate_loads(Options const& elasticity, Options const& mesh, Mistakes& mistakes) {
  auto const dimensions = static_cast<int>(mesh.entries("cells"));
  std::vector<bool> const periodic =
      mesh.has("periodic") ? mesh.booleans("periodic") : std::vector<bool>(static_cast<std::size_t>(dimensions));
  refuse_missing_axes(elasticity.section("force"), dimensions, mistakes);
  refuse_missing_axes(elasticity.section("exact"), dimensions, mistakes);
  Options const boundary = elasticity.section("boundary");
  HeldComponents held{};
  std::array<bool, 3> is_periodic{};
  unsigned held_anywhere = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    is_periodic[axis] = axis < periodic.size() && periodic[axis];
    bool const exists = axis < periodic.size() && !is_periodic[axis];
    for (std::size_t side = 0; side < 2; ++side) {
      Options const wall = boundary.section(face_name(static_cast<int>(axis), side == 0 ? -1 : 1));
      validate_wall(wall, static_cast<int>(axis), dimensions, exists, mistakes);
      if (exists) held[axis][side] = held_by(wall, static_cast<int>(axis), dimensions);
      held_anywhere |= held[axis][side];
    }
  }
  bool held_along_each = true;
  for (int c = 0; c < dimensions; ++c) {
    if ((held_anywhere >> c & 1U) != 0) continue;
    held_along_each = false;
    mistakes.add(boundary.location(), boundary.full_name(),
                 "no wall holds the body along " + names[c] + ", so that its displacement is not determined",
                 "hold that component of a wall, by `kind` or `displacement`");
  }
  if (held_along_each && free_rigid_motions(dimensions, is_periodic, held) > 0) {
    mistakes.add(boundary.location(), boundary.full_name(),
                 "the walls let the body turn, so that its displacement is not determined",
                 "hold the component across a wall, by `kind` or `displacement`");
  }
}

HeldComponents held_components(Options const& elasticity, StructuredMesh const& mesh) {
  HeldComponents held{};
  for_walls(elasticity, mesh, [&](Options const& wall, int axis, int side) {
    held[static_cast<std::size_t>(axis)][side < 0 ? 0 : 1] = held_by(wall, axis, mesh.dimensions());
  });
  return held;
}

std::vector<WallComponent> held_walls(StructuredMesh const& mesh, HeldComponents const& held) {
  std::vector<WallComponent> all;
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    for (int const side : {-1, 1}) {
      for (int c = 0; c < mesh.dimensions(); ++c) {
        if ((held[static_cast<std::size_t>(axis)][side < 0 ? 0 : 1] >> c & 1U) == 0) continue;
        WallComponent wall{face_name(axis, side) + "_" + names[c],
                           std::vector<std::vector<IndexRange>>(static_cast<std::size_t>(mesh.dimensions()),
                                                                std::vector<IndexRange>(mesh.blocks().size()))};
        for (Block const& block : mesh.blocks()) {
          IndexRange box = nodes_on_wall(block, mesh.owned(block, Centring::node), axis, side);
          for (int earlier = 0; earlier < axis && !box.empty(); ++earlier) {
            auto const e = static_cast<std::size_t>(earlier);
            if ((held[e][0] >> c & 1U) != 0 && !block.neighbour(earlier, -1)) ++box.begin[e];
            if ((held[e][1] >> c & 1U) != 0 && !block.neighbour(earlier, 1)) --box.end[e];
          }
          wall.nodes[static_cast<std::size_t>(c)][block.local] = box;
        }
        all.push_back(std::move(wall));
      }
    }
  }
  return all;
}

template <class Real>
void fill_prescribed(Options const& elasticity, Field<Real>& u) {
  StructuredMesh const& mesh = structured(u.mesh());
  u.fill(0);
  for_walls(elasticity, mesh, [&](Options const& wall, int axis, int side) {
    Options const displacement = wall.section("displacement");
    for (int c = 0; c < mesh.dimensions(); ++c) {
      if (!displacement.has(names[c]) || is_zero(displacement.expression(names[c]))) continue;
      auto const values = at_nodes<Real>(displacement, names[c], u.shared_mesh());
      for (Block const& block : mesh.blocks()) {
        IndexRange const box = nodes_on_wall(block, u.owned(block), axis, side);
        set_values(execution(block), box, u.view(block, c),
                   ConvertedValues<Real, Real>{std::as_const(*values).view(block)});
      }
    }
  });
}

bool has_exact(Options const& elasticity) {
  Options const exact = elasticity.section("exact");
  return exact.has("x") || exact.has("y") || exact.has("z");
}

template <class Real>
void fill_exact(Options const& elasticity, Field<Real>& u) {
  Options const exact = elasticity.section("exact");
  u.fill(0);
  for (int c = 0; c < u.components(); ++c) {
    if (exact.has(names[c])) {
      u.fill_owned(exact.expression(names[c]), 0, c, "`" + exact.full_name(names[c]) + "`");
    }
  }
}

template <class Real>
void fill_loads(Options const& elasticity, Field<Real>& loads) {
  auto const mesh = std::dynamic_pointer_cast<StructuredMesh const>(loads.shared_mesh());
  loads.fill(0);
  std::vector<Integrals<Real>> integrals;
  for (Block const& block : mesh->blocks()) integrals.emplace_back(*mesh, block);
  auto const add = [&](Options const& section, int c, int across, auto const& box_of) {
    if (is_zero(section.expression(names[c]))) return;
    auto const values = at_nodes<Real>(section, names[c], loads.shared_mesh());
    Exchange({values.get()}, {.corners = true}).exchange({values.get()});
    for (Block const& block : mesh->blocks()) {
      IndexRange const box = box_of(block);
      integrals[block.local].add(block, box, *values, across, loads.view(block, c));
      loads.mark_written(block, box, "loads", c);
      execution(block).fence();
    }
  };
  for (int c = 0; c < mesh->dimensions(); ++c) {
    add(elasticity.section("force"), c, -1, [&](Block const& block) { return loads.owned(block); });
  }
  for_walls(elasticity, *mesh, [&](Options const& wall, int axis, int side) {
    for (int c = 0; c < mesh->dimensions(); ++c) {
      add(wall.section("traction"), c, axis,
          [&](Block const& block) { return nodes_on_wall(block, loads.owned(block), axis, side); });
    }
  });
}

template void fill_prescribed(Options const&, Field<float>&);
template void fill_prescribed(Options const&, Field<double>&);
template void fill_exact(Options const&, Field<float>&);
template void fill_exact(Options const&, Field<double>&);
template void fill_loads(Options const&, Field<float>&);
template void fill_loads(Options const&, Field<double>&);

}  // namespace halocline::elasticity
