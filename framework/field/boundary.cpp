#include "framework/field/boundary.hpp"

#include <array>

#include "framework/runtime/error.hpp"

namespace halocline {

namespace {

struct NamedKind {
  BoundaryKind kind;
  char const* name;
};
constexpr std::array<NamedKind, 6> kinds{{{BoundaryKind::periodic, "periodic"},
                                          {BoundaryKind::dirichlet, "dirichlet"},
                                          {BoundaryKind::neumann, "neumann"},
                                          {BoundaryKind::robin, "robin"},
                                          {BoundaryKind::reflecting, "reflecting"},
                                          {BoundaryKind::zero, "zero"}}};

}  // namespace

std::string to_string(BoundaryKind kind) {
  for (NamedKind const& entry : kinds) {
    if (entry.kind == kind) return entry.name;
  }
  return "";
}

std::vector<std::string> boundary_kind_names() {
  std::vector<std::string> names;
  for (NamedKind const& entry : kinds) names.emplace_back(entry.name);
  return names;
}

BoundaryKind boundary_kind(std::string const& name) {
  std::string known;
  for (NamedKind const& entry : kinds) {
    if (name == entry.name) return entry.kind;
    known += (known.empty() ? "" : ", ") + std::string(entry.name);
  }
  throw InputError("`" + name + "`: no such boundary condition (known: " + known + ")");
}

std::string face_name(int axis, int side) {
  static constexpr char const* names[3][2] = {{"west", "east"}, {"south", "north"}, {"bottom", "top"}};
  return names[axis][side > 0 ? 1 : 0];
}

}  // namespace halocline
