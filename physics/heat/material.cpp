#include "physics/heat/material.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "framework/field/finite_value.hpp"
#include "framework/halo/exchange.hpp"
#include "framework/io/field_values.hpp"
#include "physics/equations/owned_cells.hpp"

namespace halocline::heat {
namespace {

/// Sets the owned cells of a field to `value(region)`; later regions overwrite earlier ones.
template <class Real, class Value>
void paint(std::vector<Region> const& regions, StructuredMesh const& mesh, Field<Real>& field, Value const& value) {
  for (Block const& block : mesh.blocks()) {
    IndexRange const owned = field.owned(block);
    std::vector<Real> cells(static_cast<std::size_t>(owned.size()));
    for (Region const& region : regions) {
      auto const painted = static_cast<Real>(value(region));
      for_cells(region, mesh, block, [&](Index i, Index j, Index k) {
        cells[static_cast<std::size_t>(i + owned.extent(0) * (j + owned.extent(1) * k))] = painted;
      });
    }
    field.set_owned(block, 0, std::as_bytes(std::span(cells)));
  }
}

}  // namespace

template <class Real>
Material<Real> make_material(Options const& heat, std::shared_ptr<StructuredMesh const> const& mesh) {
  Material<Real> all{Field<Real>(mesh, {.name = "density"}), Field<Real>(mesh, {.name = "conductivity"})};
  std::vector<Region> const regions = read_regions(heat.list("regions"));
  if (regions.empty())
    all.density.fill(Real{1});
  else
    paint(regions, *mesh, all.density, [](Region const& region) { return region.density; });

  if (heat.has("conductivity")) {
    FieldSource const k = heat.field("conductivity");
    fill(k, heat.full_name("conductivity"), 0, all.conductivity);
    for_owned_cells(*mesh, all.conductivity, [&](double value, auto const& position) {
      if (value > 0) return;
      throw_not_positive(heat.full_name("conductivity"), k.described(), {position(0), position(1), position(2)});
    });
  } else if (regions.empty()) {
    all.conductivity.fill(Real{1});
  } else {
    // TeaLeaf's coefficient c of a cell is the reciprocal of its conductivity: the face between a and b gets
    // (a + b) / (2 a b), the mean of 1 / a and 1 / b.
    bool const inverse = heat.choice("coefficient") == "inverse_density";
    paint(regions, *mesh, all.conductivity,
          [inverse](Region const& region) { return inverse ? region.density : 1 / region.density; });
    all.mean = FaceMean::arithmetic;
  }
  Exchange({&all.conductivity}).exchange({&all.conductivity});
  return all;
}

template <class Real>
void fill_state(Options const& heat, StructuredMesh const& mesh, Field<Real>& state) {
  paint(read_regions(heat.list("regions")), mesh, state,
        [](Region const& region) { return region.density * region.energy; });
}

template Material<float> make_material(Options const&, std::shared_ptr<StructuredMesh const> const&);
template Material<double> make_material(Options const&, std::shared_ptr<StructuredMesh const> const&);
template void fill_state(Options const&, StructuredMesh const&, Field<float>&);
template void fill_state(Options const&, StructuredMesh const&, Field<double>&);

}  // namespace halocline::heat
