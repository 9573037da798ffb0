#include "framework/field/boundary_section.hpp"

#include "framework/deck/judgement.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

constexpr int sides[2] = {-1, 1};

Section declare_face(std::string const& name, BoundaryKind kind) {
  Section face(name, "What holds on the " + name + " face.");
  face.choice("kind", "Condition on the field u there.", boundary_kind_names()).defaults_to(to_string(kind));
  face.expression("value",
                  "v in u = v (dirichlet), du/dn = v (neumann) or a u + b du/dn = v (robin); n points outwards.")
      .defaults_to(std::string("0"));
  face.real("a", "a in a u + b du/dn = v (robin).").defaults_to(1.0);
  face.real("b", "b in a u + b du/dn = v (robin).").defaults_to(1.0);
  face.check([](Options const& options, Mistakes& mistakes) {
    bool const robin = options.choice("kind") == "robin";
    if (robin && options.real("a") == 0 && options.real("b") == 0) {
      add_mistake(options, "kind", "robin with a = 0 and b = 0 says nothing about u", mistakes);
    }
  });
  return face;
}

[[noreturn]] void refuse(Options const& section, std::string const& face, std::string const& why) {
  throw InputError("`" + section.full_name(face) + "`: " + why + " (" + section.location(face).text() + ")");
}

}  // namespace

Section declare_boundary_section(BoundaryKind kind) {
  Section boundary("boundary",
                   "Conditions on the faces of the domain: west and east end the x axis, south and north y, "
                   "bottom and top z.");
  for (int axis = 0; axis < 3; ++axis) {
    for (int const side : sides) boundary.section(declare_face(face_name(axis, side), kind));
  }
  return boundary;
}

BoundaryConditions make_boundary_conditions(Options const& section, StructuredMesh const& mesh) {
  BoundaryConditions conditions;
  for (int axis = 0; axis < 3; ++axis) {
    for (int const side : sides) {
      std::string const face = face_name(axis, side);
      bool const given = section.given(face);
      if (axis >= mesh.dimensions()) {
        if (given)
          refuse(section, face, "the mesh has " + std::to_string(mesh.dimensions()) + " axes and no such face");
        continue;
      }
      Options const options = section.section(face);
      BoundaryCondition& condition = conditions.at(axis, side);
      condition = {boundary_kind(options.choice("kind")), options.expression("value"), options.real("a"),
                   options.real("b")};
      bool const periodic = mesh.periodic(axis);
      if (periodic && !given) condition = {BoundaryKind::periodic, Expression(0.0), 1, 1};
      if (periodic == (condition.kind == BoundaryKind::periodic)) continue;
      refuse(section, face,
             periodic ? "the mesh is periodic along this axis, the face is not"
                      : "the face is periodic, the mesh is not along this axis");
    }
  }
  return conditions;
}

}  // namespace halocline
