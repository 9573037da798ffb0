#include "physics/equations/law_sections.hpp"

#include <algorithm>
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
  std::string const of_inflow = " Of what flows in, at the cells beyond the face (inflow).";
  for (Primitive const& each : primitives) {
    if (!each.flows) continue;
    face.expression(each.name, each.sentence + of_inflow).optional();
    if (!each.other_name.empty()) face.expression(each.other_name, each.other_sentence + of_inflow).optional();
  }
  face.expression("where", "The part of the face where it is not zero has the inflow; the rest reflects (inflow).")
      .defaults_to(std::string("1"));
  return face;
}

std::string face_at(int face) { return face_name(face / 2, face % 2 == 0 ? -1 : 1); }

/// Adds a mistake where a section gives a primitive and what stands in its place.
void judge_others(Options const& section, std::vector<Primitive> const& primitives, Mistakes& mistakes) {
  for (Primitive const& each : primitives) {
    if (each.other_name.empty() || !section.given(each.name) || !section.given(each.other_name)) continue;
    add_mistake(section, each.other_name, "given together with `" + each.name + "`", mistakes, "give one of them");
  }
}

void judge_face(Options const& face, std::vector<Primitive> const& primitives, std::size_t fields, Mistakes& mistakes) {
  bool const is_inflow = face.choice("kind") == "inflow";
  for (std::size_t n = 0; n < primitives.size(); ++n) {
    if (!primitives[n].flows) continue;
    std::string const& name = given_name(face, primitives[n]);
    if (is_inflow && n < fields && !face.has(name)) {
      std::string const other = primitives[n].other_name.empty() ? "" : ", or `" + primitives[n].other_name + "`";
      mistakes.add(face.location(), face.full_name(name), "missing", "inflow needs it" + other);
    } else if (face.given(name) && n >= fields) {
      add_mistake(face, name, "the mesh has no such axis", mistakes);
    } else if (face.given(name) && !is_inflow) {
      add_mistake(face, name, "is of use to `kind: inflow` alone", mistakes);
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

void declare_law(Section& own, std::vector<Primitive> const& primitives, LawTraits const& traits) {
  // Weights of weno5 differ from field to field, which no balance outlives.
  if (traits.is_balanced) {
    own.choice("reconstruction",
               "Values at the faces: those of the cells (donor_cell) or of lines with limited slopes (plm).",
               std::vector<std::string>{"donor_cell", "plm"})
        .defaults_to("plm");
  } else {
    own.choice("reconstruction",
               "Values at the faces: those of the cells (donor_cell), of lines with limited slopes (plm), or weighted "
               "essentially non-oscillatory ones of fifth order (weno5).",
               std::vector<std::string>{"donor_cell", "plm", "weno5"})
        .defaults_to("plm");
  }
  own.choice("limiter", "Of the slopes (plm).", std::vector<std::string>{"minmod", "mc", "van_leer", "superbee"})
      .defaults_to("van_leer");
  std::vector<std::string> solvers{"rusanov", "hll"};
  if (traits.has_contact) solvers.emplace_back("hllc");
  own.choice("riemann", "Flux through a face from the values on both sides.", solvers).defaults_to(solvers.back());
  Section& initial = own.section("initial", "The state at the start.");
  for (Primitive const& each : primitives) {
    initial.field(each.name, each.sentence).defaults_to(each.initial);
    if (!each.other_name.empty()) initial.field(each.other_name, each.other_sentence).optional();
  }
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
    if (!boundary.given(face_at(face))) continue;
    judge_face(boundary.section(face_at(face)), primitives, fields, mistakes);
    judge_others(boundary.section(face_at(face)), primitives, mistakes);
  }
  Options const initial = own.section("initial");
  judge_others(initial, primitives, mistakes);
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
    scheme.theta = limiter == "minmod" ? 1 : 2;
    scheme.is_superbee = limiter == "superbee";
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
    wall.gives_others = gives_others(face, primitives);
    for (std::size_t field = 0; field < fields; ++field) {
      Primitive const& primitive = primitives[field];
      wall.values.push_back(primitive.flows ? face.expression(given_name(face, primitive)) : Expression(0.0));
    }
  }
  return walls;
}

}  // namespace halocline
