#include "drivers/halocline/mesh_validation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "framework/deck/validation.hpp"
#include "framework/mesh/mesh_section.hpp"
#include "framework/runtime/error.hpp"

namespace halocline {
namespace {

template <class Value>
bool contains(std::vector<Value> const& values, Value const& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// "1 or 2 axes".
std::string axes(std::vector<int> dimensions) {
  std::sort(dimensions.begin(), dimensions.end());
  std::string text;
  for (int const n : dimensions) text += (text.empty() ? "" : " or ") + std::to_string(n);
  return text + (text == "1" ? " axis" : " axes");
}

bool is_stretched(Options const& mesh) {
  if (!mesh.has("growth")) return false;
  std::vector<double> const growth = mesh.reals("growth");
  return std::any_of(growth.begin(), growth.end(), [](double const one) { return one != 1; });
}

/// The first axis along which a block is thinner than `layers` and has a neighbour.
std::optional<int> thin_axis(Partition const& partition, int layers) {
  for (int axis = 0; axis < 3; ++axis) {
    auto const at = static_cast<std::size_t>(axis);
    bool const has_neighbours = partition.grid()[at] > 1 || partition.periodic()[at];
    if (has_neighbours && partition.thinnest(axis) < layers) return axis;
  }
  return std::nullopt;
}

/// The largest number of ranks, up to `ranks`, whose blocks are thick enough; 0: not even one.
int fitting_ranks(Options const& mesh, int ranks, int layers) {
  Index most = 1;
  for (std::int64_t const cells : mesh.integers("cells")) {
    most = std::min<Index>(ranks, most * std::max<Index>(1, cells / std::max(1, layers)));
  }
  for (int fewer = static_cast<int>(most); fewer > 0; --fewer) {
    try {
      if (!thin_axis(partition_of(mesh, fewer), layers)) return fewer;
    } catch (InputError const&) {
      // This many ranks cannot partition the mesh at all.
    }
  }
  return 0;
}

std::string advice_on_ranks(Options const& mesh, int ranks, int layers) {
  int const fitting = fitting_ranks(mesh, ranks, layers);
  if (fitting > 0) return fmt::format("use at most {} rank{}, or more cells", fitting, fitting == 1 ? "" : "s");
  return mesh.given("processes") ? "choose other `processes`, or more cells" : "use more cells";
}

/// Sections that have no meaning for a physics of points.
void validate_absence_of_mesh(PhysicsEntry const& entry, Options const& deck, Mistakes& mistakes) {
  for (std::string const name : {"mesh", "halo"}) {
    if (!deck.given(name)) continue;
    mistakes.add(deck.location(name), name, "not used by " + entry.name + ", whose points have no mesh",
                 "leave it out");
  }
}

}  // namespace

void validate_mesh(PhysicsEntry const& entry, Options const& deck, Mistakes& mistakes) {
  if (entry.points) return validate_absence_of_mesh(entry, deck, mistakes);
  Options const mesh = deck.section("mesh");
  auto const given = static_cast<int>(mesh.entries("cells"));
  if (!contains(entry.dimensions, given)) {
    add_mistake(
        mesh, "cells",
        fmt::format("a mesh of {}, but {} is written for {}", axes({given}), entry.name, axes(entry.dimensions)),
        mistakes);
  }
  bool const stretched = is_stretched(mesh);
  if (contains(entry.meshes, stretched ? MeshKind::stretched : MeshKind::uniform)) return;
  if (stretched) {
    add_mistake(mesh, "growth", entry.name + " needs cells of equal width along each axis", mistakes, "leave it out");
  } else {
    add_mistake(mesh, "cells", entry.name + " is only for stretched meshes", mistakes, "give `growth`");
  }
}

void validate_blocks(PhysicsEntry const& entry, Options const& deck, int ranks, Mistakes& mistakes) {
  if (entry.points) return;
  Options const mesh = deck.section("mesh");
  if (mistakes.contains(mesh.full_name("cells"))) return;
  int const layers = entry.ghosts ? entry.ghosts(deck) : 1;
  std::optional<Partition> partition;
  try {
    partition = partition_of(mesh, ranks);
  } catch (InputError const& error) {
    return add_mistake(mesh, option_of_partition(mesh, ranks), error.what(), mistakes);
  }
  std::optional<int> const axis = thin_axis(*partition, layers);
  if (!axis) return;
  int const blocks = partition->grid()[static_cast<std::size_t>(*axis)];
  Index const least = partition->thinnest(*axis);
  std::string const thin = fmt::format("{} cell{}", least, least == 1 ? "" : "s");
  std::string const what = blocks > 1 ? fmt::format("axis {} is cut into {} blocks for {} ranks, the thinnest with {}",
                                                    "xyz"[*axis], blocks, ranks, thin)
                                      : fmt::format("axis {} is periodic, with {}", "xyz"[*axis], thin);
  std::string const advice =
      blocks > 1 ? advice_on_ranks(mesh, ranks, layers) : fmt::format("give at least {} cells", layers);
  add_mistake(mesh, "cells", fmt::format("{}, and {} reads {} cells beyond a block", what, entry.name, layers),
              mistakes, advice);
}

}  // namespace halocline
