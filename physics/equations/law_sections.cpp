#include "physics/equations/law_sections.hpp"

#include <utility>

#include "framework/deck/judgement.hpp"
#include "framework/deck/mistakes.hpp"
#include "framework/field/boundary_section.hpp"

namespace halocline {
namespace {

constexpr std::array<std::pair<char const*, LawWallKind>, 4> kinds{{{"periodic", LawWallKind::periodic},
                                                                    {"reflecting", LawWallKind::reflecting},
                                                                    {"outflow", LawWallKind::outflow},
                                                                    {"inflow", LawWallKind::inflow}}};

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (auto const& [name, kind] : kinds) names.emplace_back(name);
  return names;
}

Section declare_face(std::string const& name, std::vector<Primitive> const& primitives) {
  Section face(name, "What holds on the " + name + " face.");
  face.choice("kind",
              "reflecting turns the normal velocity, outflow goes on as the last cell, inflow has the state that is "
              "given beside it.",
              kind_names())
      .defaults_to("outflow");
  for (Primitive const& each : primitives) {
    face.expression(each.name, each.sentence + " Of what flows in, at the cells beyond the face (inflow).").optional();
  }
  face.expression("where", "The part of the face where it is not zero has the inflow; the rest reflects (inflow).")
      .defaults_to(std::string("1"));
  return face;
}

std::string face_at(int face) { return face_name(face / 2, face % 2 == 0 ? -1 : 1); }

void judge_face(Options const& face, std::vector<Primitive> const& primitives, std::size_t fields, Mistakes& mistakes) {
  bool const is_inflow = face.choice("kind") == "inflow";
  for (std::size_t n = 0; n < primitives.size(); ++n) {
    std::string const& name = primitives[n].name;
    if (is_inflow && n < fields && !face.has(name)) {
      mistakes.add(face.location(), face.full_name(name), "missing", "inflow needs it");
    } else if (face.given(name) && n >= fields) {
      add_mistake(face, name, "the mesh has no such axis", mistakes);
    } else if (face.given(name) && !is_inflow) {
      add_mistake(face, name, "is of use to `kind: inflow` alone", mistakes);
    }
  }
}

}  // namespace

void declare_law(Section& own, std::vector<Primitive> const& primitives, bool has_contact) {
  own.choice("reconstruction",
             "Values at the faces: those of the cells (donor_cell), of lines with limited slopes (plm), or weighted "
             "essentially non-oscillatory ones of fifth order (weno5).",
             std::vector<std::string>{"donor_cell", "plm", "weno5"})
      .defaults_to("plm");
  own.choice("limiter", "Of the slopes (plm).", std::vector<std::string>{"minmod", "mc", "van_leer"})
      .defaults_to("van_leer");
  std::vector<std::string> solvers{"rusanov", "hll"};
  if (has_contact) solvers.emplace_back("hllc");
  own.choice("riemann", "Flux through a face from the values on both sides.", solvers).defaults_to(solvers.back());
  Section& initial = own.section("initial", "The state at the start.");
  for (Primitive const& each : primitives) initial.field(each.name, each.sentence).defaults_to(each.initial);
  Section& boundary = own.section("boundary",
                                  "What holds on the faces of the domain, for the whole state: west and east end the x "
                                  "axis, south and north y, bottom and top z.");
  for (int face = 0; face < 6; ++face) boundary.section(declare_face(face_at(face), primitives));
}

void judge_law(Options const& own, std::vector<Primitive> const& primitives, std::size_t fields, Options const& mesh,
               Mistakes& mistakes) {
  Options const boundary = own.section("boundary");
  judge_boundary(boundary, mesh, mistakes);
  for (int face = 0; face < 6; ++face) {
    if (boundary.given(face_at(face))) judge_face(boundary.section(face_at(face)), primitives, fields, mistakes);
  }
  Options const initial = own.section("initial");
  for (std::size_t n = fields; n < primitives.size(); ++n) {
    if (initial.given(primitives[n].name)) {
      add_mistake(initial, primitives[n].name, "the mesh has no such axis", mistakes);
    }
  }
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
    scheme.theta = limiter == "mc" ? 2 : 1;
  }
  scheme.has_one_speed = own.choice("riemann") == "rusanov";
  scheme.has_contact = own.choice("riemann") == "hllc";
  return scheme;
}

int law_ghosts(Options const& own) { return law_scheme(own).edges == LawScheme::Edges::weno5 ? 3 : 2; }

LawWalls law_walls(Options const& own, std::vector<Primitive> const& primitives, std::size_t fields,
                   StructuredMesh const& mesh) {
  LawWalls walls;
  for (int n = 0; n < 2 * mesh.dimensions(); ++n) {
    Options const face = own.section("boundary").section(face_at(n));
    LawWall& wall = walls[static_cast<std::size_t>(n)];
    wall.name = face.full_name();
    for (auto const& [name, kind] : kinds) {
      if (face.choice("kind") == name) wall.kind = kind;
    }
    if (mesh.periodic(n / 2)) wall.kind = LawWallKind::periodic;
    wall.where = face.expression("where");
    if (wall.kind != LawWallKind::inflow) continue;
    for (std::size_t field = 0; field < fields; ++field) {
      wall.values.push_back(face.expression(primitives[field].name));
    }
  }
  return walls;
}

}  // namespace halocline
