#include "framework/field/boundary_section.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"

namespace halocline {

namespace {

constexpr int sides[2] = {-1, 1};

std::vector<Section> sections_of_laws() {
  std::vector<Section> all;
  for (std::string const& name : wall_laws().names()) {
    if (auto const& declare = wall_laws().find(name).declare) all.push_back(declare());
  }
  return all;
}

Section declare_face(std::string const& name, BoundaryKind kind) {
  Section face(name, "Boundary condition on the " + name + " face.");
  face.choice("kind",
              "Kind of condition on the field u; reflecting: ghost values mirror the interior; zero: ghost values are "
              "zero.",
              [] { return wall_laws().names_in_order(); })
      .defaults_to(to_string(kind));
  face.expression("value",
                  "v in u = v (dirichlet), du/dn = v (neumann) or a u + b du/dn = v (robin); n points outwards.")
      .defaults_to(std::string("0"));
  face.real("a", "a in a u + b du/dn = v (robin).").defaults_to(1.0);
  face.real("b", "b in a u + b du/dn = v (robin).").defaults_to(1.0);
  face.sections("kind", sections_of_laws);
  face.check([](Options const& options, Mistakes& mistakes) {
    BoundaryCondition const condition = boundary_condition(options);
    if (condition.kind == BoundaryKind::robin && condition.a == 0 && condition.b == 0) {
      add_mistake(options, "kind", options.choice("kind") + " with a = 0 and b = 0 does not determine u", mistakes);
    }
  });
  return face;
}

/// Adds a mistake for each face whose condition does not fit the mesh.
void validate_faces(Options const& section, int axes, std::array<bool, 3> const& periodic, Mistakes& mistakes) {
  for (int axis = 0; axis < 3; ++axis) {
    for (int const side : sides) {
      std::string const face = face_name(axis, side);
      auto const refuse = [&](std::string const& why) { add_mistake(section, face, why, mistakes); };
      bool const given = section.given(face);
      if (axis >= axes) {
        if (given) refuse("the mesh has " + std::to_string(axes) + " axes and no such face");
        continue;
      }
      bool const mesh_is = periodic[static_cast<std::size_t>(axis)];
      bool const face_is = section.section(face).choice("kind") == to_string(BoundaryKind::periodic);
      if (given && mesh_is && !face_is) refuse("the mesh is periodic along this axis, the face is not");
      if (face_is && !mesh_is) refuse("the face is periodic, the mesh is not along this axis");
    }
  }
}

}  // namespace

Registry<WallLaw>& wall_laws() {
  static Registry<WallLaw> all = [] {
    Registry<WallLaw> kinds("wall law");
    for (std::string const& kind : boundary_kind_names()) {
      auto const condition = [](Options const& face) {
        return BoundaryCondition{boundary_kind(face.choice("kind")), face.expression("value"), face.real("a"),
                                 face.real("b")};
      };
      kinds.add({.name = kind, .declare = {}, .condition = condition});
    }
    return kinds;
  }();
  return all;
}

BoundaryCondition boundary_condition(Options const& face) {
  return wall_laws().find(face.choice("kind")).condition(face);
}

Section declare_boundary_section(BoundaryKind kind) {
  Section boundary("boundary",
                   "Boundary conditions on the faces of the domain: west and east are the lower and upper ends of the "
                   "x axis, south and north of y, bottom and top of z.");
  for (int axis = 0; axis < 3; ++axis) {
    for (int const side : sides) boundary.section(declare_face(face_name(axis, side), kind));
  }
  return boundary;
}

void validate_boundary(Options const& section, Options const& mesh, Mistakes& mistakes) {
  int const axes = static_cast<int>(mesh.entries("cells"));
  std::array<bool, 3> periodic{};
  std::vector<bool> const given = mesh.has("periodic") ? mesh.booleans("periodic") : std::vector<bool>();
  std::copy_n(given.begin(), std::min<std::size_t>(given.size(), 3), periodic.begin());
  validate_faces(section, axes, periodic, mistakes);
}

BoundaryConditions make_boundary_conditions(Options const& section, StructuredMesh const& mesh) {
  Mistakes mistakes;
  validate_faces(section, mesh.dimensions(), mesh.partition().periodic(), mistakes);
  mistakes.report();

  BoundaryConditions conditions;
  for (int axis = 0; axis < mesh.dimensions(); ++axis) {
    for (int const side : sides) {
      std::string const face = face_name(axis, side);
      Options const options = section.section(face);
      BoundaryCondition& condition = conditions.at(axis, side);
      if (mesh.periodic(axis)) {
        condition = {BoundaryKind::periodic, Expression(0.0), 1, 1};
      } else {
        condition = boundary_condition(options);
      }
    }
  }
  return conditions;
}

}  // namespace halocline
