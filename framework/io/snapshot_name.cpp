#include "framework/io/snapshot_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "framework/io/output_boxes.hpp"
#include "framework/mesh/point_set.hpp"
#include "framework/mesh/structured_mesh.hpp"

namespace halocline {

namespace {

constexpr std::string_view beginning = "snapshot_";
constexpr std::array<std::string_view, 3> endings{".vti", ".vtr", ".vtkhdf"};

std::string_view ending_for(Mesh const& mesh) {
  if (as_points(mesh) != nullptr) return endings[2];
  return is_uniform(structured(mesh)) ? endings[0] : endings[1];
}

/// The part of a snapshot's name between prefix and extension; empty for any other name.
std::string_view number_in(std::string_view name) {
  if (!name.starts_with(beginning)) return "";
  for (std::string_view const ending : endings) {
    if (!name.ends_with(ending)) continue;
    name.remove_prefix(beginning.size());
    name.remove_suffix(std::min(ending.size(), name.size()));
    return name;
  }
  return "";
}

}  // namespace

std::string snapshot_name(Mesh const& mesh, Index step) {
  return fmt::format("{}{:06}{}", beginning, step, ending_for(mesh));
}

bool is_snapshot_name(std::string const& name) { return step_of_snapshot(name) >= 0; }

Index step_of_snapshot(std::string const& name) {
  std::string_view const number = number_in(name);
  bool const counts = !number.empty() && number.size() <= 18 &&
                      std::ranges::all_of(number, [](unsigned char letter) { return std::isdigit(letter) != 0; });
  return counts ? std::stol(std::string(number)) : -1;
}

}  // namespace halocline
