#include "physics/equations/law_sections.hpp"

#include <algorithm>
#include <utility>

#include "framework/deck/mistakes.hpp"
#include "framework/deck/validation.hpp"
#include "framework/field/boundary_section.hpp"
#include "solvers/time/time_integrator.hpp"

namespace halocline {
namespace {

constexpr std::array<std::pair<char const*, LawWallKind>, 4> kinds{{{"periodic", LawWallKind::periodic},
                                                                    {"reflecting", LawWallKind::reflecting},
                                                                    {"outflow", LawWallKind::outflow},
                                                                    {"inflow", LawWallKind::inflow}}};

std::vector<std::string> kind_names(std::vector<OwnWall> const& walls) {
  std::vector<std::string> names;
  for (auto const& [name, kind] : kinds) names.emplace_back(name);
  for (OwnWall const& wall : walls) names.push_back(wall.name);
  return names;
}

/// Null if `kind` is one that all laws have.
OwnWall const* own_wall(std::vector<OwnWall> const& walls, std::string const& kind) {
  auto const found = std::find_if(walls.begin(), walls.end(), [&](OwnWall const& wall) { return wall.name == kind; });
  return found == walls.end() ? nullptr : &*found;
}

bool wants(OwnWall const& wall, std::string const& primitive) {
  return std::find(wall.wants.begin(), wall.wants.end(), primitive) != wall.wants.end();
}

/// Name of the value that a wall takes for a field: a primitive or its substitute; empty if it takes none.
std::string wanted_name(Options const& face, Primitive const& primitive, OwnWall const* own) {
  if (own == nullptr) {
    return primitive.flows && face.choice("kind") == "inflow" ? given_name(face, primitive) : std::string();
  }
  if (wants(*own, primitive.name)) return primitive.name;
  return !primitive.other_name.empty() && wants(*own, primitive.other_name) ? primitive.other_name : std::string();
}

/// Values that only walls of the law's own take, each with the names of these walls.
std::vector<std::pair<WallValue, std::string>> values_of(std::vector<OwnWall> const& walls) {
  std::vector<std::pair<WallValue, std::string>> all;
  for (OwnWall const& wall : walls) {
    for (WallValue const& value : wall.values) {
      auto const known =
          std::find_if(all.begin(), all.end(), [&](auto const& each) { return each.first.name == value.name; });
      if (known == all.end()) {
        all.emplace_back(value, wall.name);
      } else {
        known->second.append(", ").append(wall.name);
      }
    }
  }
  return all;
}

Section declare_face(std::string const& name, std::vector<Primitive> const& primitives,
                     std::vector<OwnWall> const& walls) {
  Section face(name, "Boundary condition on the " + name + " face.");
  std::string sentence =
      "Kind of condition. reflecting: the normal velocity changes sign; outflow: ghost cells are copies of the last "
      "cell; inflow: ghost cells have the state given in this section.";
  for (OwnWall const& wall : walls) sentence.append(" ").append(wall.name).append(": ").append(wall.sentence);
  face.choice("kind", sentence, kind_names(walls)).defaults_to("outflow");
  for (Primitive const& each : primitives) {
    if (!each.flows) continue;
    auto const kinds_that_want = [&](std::string const& value) {
      std::string all = "inflow";
      for (OwnWall const& wall : walls) {
        if (wants(wall, value)) all.append(", ").append(wall.name);
      }
      return " Value in the ghost cells beyond the face (" + all + ").";
    };
    face.expression(each.name, each.sentence + kinds_that_want(each.name)).optional();
    if (each.other_name.empty()) continue;
    face.expression(each.other_name, each.other_sentence + kinds_that_want(each.other_name)).optional();
  }
  for (auto const& [value, its_walls] : values_of(walls)) {
    face.expression(value.name, value.sentence + " Value in the ghost cells beyond the face (" + its_walls + ").")
        .optional();
  }
  face.expression("where", "The face is of this kind where this value is not zero, and reflects elsewhere (inflow" +
                               std::string(walls.empty() ? "" : " and the kinds that only this physics has") + ").")
      .defaults_to(std::string("1"));
  return face;
}

std::string face_at(int face) { return face_name(face / 2, face % 2 == 0 ? -1 : 1); }

/// Adds a mistake if a section gives both a primitive and its substitute.
void validate_others(Options const& section, std::vector<Primitive> const& primitives, Mistakes& mistakes) {
  for (Primitive const& each : primitives) {
    if (each.other_name.empty() || !section.given(each.name) || !section.given(each.other_name)) continue;
    add_mistake(section, each.other_name, "given together with `" + each.name + "`", mistakes, "give one of them");
  }
}

void validate_face(Options const& face, std::vector<Primitive> const& primitives, std::vector<OwnWall> const& walls,
                   std::size_t fields, Mistakes& mistakes) {
  std::string const kind = face.choice("kind");
  OwnWall const* own = own_wall(walls, kind);
  for (std::size_t n = 0; n < primitives.size(); ++n) {
    Primitive const& primitive = primitives[n];
    if (!primitive.flows) continue;
    std::string const& name = given_name(face, primitive);
    std::string const wanted = wanted_name(face, primitive, own);
    if (!wanted.empty() && n < fields && !face.has(wanted)) {
      std::string advice = kind + " needs it";
      if (own == nullptr && !primitive.other_name.empty())
        advice.append(", or `").append(primitive.other_name).append("`");
      mistakes.add(face.location(), face.full_name(wanted), "missing", advice);
    }
    if (face.given(name) && n >= fields) {
      add_mistake(face, name, "the mesh has no such axis", mistakes);
    } else if (face.given(name) && name != wanted) {
      add_mistake(face, name, "is not used by `kind: " + kind + "`", mistakes);
    }
  }
  for (auto const& value_and_walls : values_of(walls)) {
    auto const& value = value_and_walls.first;
    bool const is_wanted = own != nullptr && std::any_of(own->values.begin(), own->values.end(),
                                                         [&](auto const& each) { return each.name == value.name; });
    if (is_wanted && !face.has(value.name)) {
      mistakes.add(face.location(), face.full_name(value.name), "missing", kind + " needs it");
    } else if (!is_wanted && face.given(value.name)) {
      add_mistake(face, value.name, "is not used by `kind: " + kind + "`", mistakes);
    }
  }
}

}  // namespace

std::string const& given_name(Options const& section, Primitive const& primitive) {
  bool const is_other = !primitive.other_name.empty() && section.given(primitive.other_name);
  return is_other ? primitive.other_name : primitive.name;
}

bool gives_others(Options const& section, std::vector<Primitive> const& primitives) {
  return std::any_of(primitives.begin(), primitives.end(),
                     [&](Primitive const& each) { return given_name(section, each) != each.name; });
}

void declare_law(Section& own, std::vector<Primitive> const& primitives, std::vector<OwnWall> const& walls,
                 LawTraits const& traits) {
  // The weights of weno5 differ from field to field, which destroys any balance.
  if (traits.is_balanced) {
    own.choice("reconstruction",
               "Reconstruction of values at the faces. donor_cell: the values of the cells; plm: piecewise linear, "
               "with limited slopes.",
               std::vector<std::string>{"donor_cell", "plm"})
        .defaults_to("plm");
  } else {
    own.choice("reconstruction",
               "Reconstruction of values at the faces. donor_cell: the values of the cells; plm: piecewise linear, "
               "with limited slopes; weno5: weighted essentially non-oscillatory of fifth order.",
               std::vector<std::string>{"donor_cell", "plm", "weno5"})
        .defaults_to("plm");
  }
  own.choice("limiter", "Limiter of the slopes (plm).",
             std::vector<std::string>{"minmod", "mc", "van_leer", "superbee"})
      .defaults_to("van_leer");
  if (!traits.has_flux) {
    std::vector<std::string> solvers{"rusanov", "hll"};
    if (traits.has_contact) solvers.emplace_back("hllc");
    own.choice("riemann", "Riemann solver, which computes the flux through a face from the values on both sides.",
               solvers)
        .defaults_to(solvers.back());
  }
  if (!traits.is_balanced) {
    own.choice(
           "fallback",
           "What happens if a step leads to a state that is not physical. donor_cell: the step is repeated, and "
           "faces of cells that would leave the physical range take the values of the cells; the quantity "
           "donor_cells counts these cells, once a stage. none: the run ends, and ssp_rk2 needs a third less memory.",
           std::vector<std::string>{"donor_cell", "none"})
        .defaults_to("donor_cell");
  }
  Section& initial = own.section("initial", "Initial state.");
  for (Primitive const& each : primitives) {
    initial.field(each.name, each.sentence).defaults_to(each.initial);
    if (!each.other_name.empty()) initial.field(each.other_name, each.other_sentence).optional();
  }
  Section& boundary =
      own.section("boundary",
                  "Boundary conditions of the whole state on the faces of the domain: west and east are the lower and "
                  "upper ends of the x axis, south and north of y, bottom and top of z.");
  for (int face = 0; face < 6; ++face) boundary.section(declare_face(face_at(face), primitives, walls));
}

void validate_law(Options const& own, std::vector<Primitive> const& primitives, std::vector<OwnWall> const& walls,
                  std::size_t fields, Options const& mesh, Mistakes& mistakes) {
  Options const boundary = own.section("boundary");
  validate_boundary(boundary, mesh, mistakes);
  for (int face = 0; face < 6; ++face) {
    if (!boundary.given(face_at(face))) continue;
    validate_face(boundary.section(face_at(face)), primitives, walls, fields, mistakes);
    validate_others(boundary.section(face_at(face)), primitives, mistakes);
  }
  Options const initial = own.section("initial");
  validate_others(initial, primitives, mistakes);
  for (std::size_t n = fields; n < primitives.size(); ++n) {
    if (initial.given(primitives[n].name)) {
      add_mistake(initial, primitives[n].name, "the mesh has no such axis", mistakes);
    }
  }
}

void validate_law_method(Options const& own, Options const& time, std::string const& integrator, Mistakes& mistakes) {
  std::string const reconstruction = own.choice("reconstruction");
  if (integrator_of(time, integrator) != "explicit_euler" || reconstruction == "donor_cell") return;
  add_mistake(time, "method", "explicit_euler is not stable with `reconstruction: " + reconstruction + "`", mistakes,
              "use ssp_rk2 or ssp_rk3, or `reconstruction: donor_cell`");
}

LawScheme law_scheme(Options const& own) {
  LawScheme scheme;
  std::string const reconstruction = own.choice("reconstruction");
  std::string const limiter = own.choice("limiter");
  if (reconstruction == "weno5") {
    scheme.edges = LawScheme::Edges::weno5;
  } else if (reconstruction == "plm" && limiter == "van_leer") {
    scheme.edges = LawScheme::Edges::van_leer;
  } else if (reconstruction == "plm") {
    scheme.theta = limiter == "minmod" ? 1 : 2;
    scheme.is_superbee = limiter == "superbee";
  }
  if (!own.declares("riemann")) return scheme;
  scheme.has_one_speed = own.choice("riemann") == "rusanov";
  scheme.has_contact = own.choice("riemann") == "hllc";
  return scheme;
}

int law_ghosts(Options const& own) { return law_scheme(own).edges == LawScheme::Edges::weno5 ? 3 : 2; }

LawWalls law_walls(Options const& own, std::vector<Primitive> const& primitives, std::vector<OwnWall> const& own_walls,
                   std::size_t fields, StructuredMesh const& mesh) {
  LawWalls walls;
  for (int n = 0; n < 2 * mesh.dimensions(); ++n) {
    Options const face = own.section("boundary").section(face_at(n));
    LawWall& wall = walls[static_cast<std::size_t>(n)];
    wall.name = face.full_name();
    for (auto const& [name, kind] : kinds) {
      if (face.choice("kind") == name) wall.kind = kind;
    }
    OwnWall const* own_kind = own_wall(own_walls, face.choice("kind"));
    if (own_kind != nullptr) {
      wall.kind = LawWallKind::own;
      wall.own = static_cast<int>(own_kind - own_walls.data());
    }
    if (mesh.periodic(n / 2)) wall.kind = LawWallKind::periodic;
    wall.where = face.expression("where");
    if (wall.kind != LawWallKind::inflow && wall.kind != LawWallKind::own) continue;
    wall.gives_others = gives_others(face, primitives);
    for (std::size_t field = 0; field < fields; ++field) {
      std::string const wanted = wanted_name(face, primitives[field], own_kind);
      wall.values.push_back(wanted.empty() ? Expression(0.0) : face.expression(wanted));
    }
    if (own_kind == nullptr) continue;
    for (WallValue const& value : own_kind->values) wall.values[value.field] = face.expression(value.name);
  }
  return walls;
}

}  // namespace halocline
