#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "framework/field/expression_values.hpp"
#include "framework/field/finite_value.hpp"
#include "framework/kernel/sweep_boxes.hpp"
#include "framework/operator/field_vector.hpp"
#include "physics/equations/diffusion.hpp"
#include "physics/equations/face_assembly.hpp"

namespace halocline {
namespace {

template <class Real>
struct WithWall {
  BlockView<double const> weight;
  BlockView<Real const> value;
  BlockView<Real const> b;
  double factor;
  KOKKOS_FUNCTION Real operator()(Index i, Index j, Index k) const {
    return b(i, j, k) + static_cast<Real>(factor * weight(i, j, k) * value(i, j, k));
  }
};

}  // namespace

template <class Real>
BoundarySource<Real>::BoundarySource(DiffusionDescription const& description, DiffusionMaterial<Real> const& material)
    : grid_(control_volume_grid(description.mesh, description.centring, description.conditions)) {
  // The coefficients of the wall's faces, by the formula that the operator uses.
  add_walls(description.conditions, [&](Block const& block, int axis, int side, IndexRange const& box,
                                        Kokkos::View<double*, Memory> const& weights) {
    auto const a = static_cast<std::size_t>(axis);
    Wall const& wall = grid_.volumes[a].walls[side < 0 ? 0 : 1];
    IndexRange faces = box;
    if (side > 0) {
      ++faces.begin[a];
      ++faces.end[a];
    }
    Index const all = grid_.unknowns(block).extent(axis) + 1;
    auto const factors =
        on_device<double>(std::vector<double>(static_cast<std::size_t>(all), description.conductivity * wall.source()));
    BlockWidths<Real> const widths(grid_, block);
    for_box(execution(block), faces,
            face_terms(grid_, block, axis, material, widths, factors, packed_view(weights.data(), faces)));
    execution(block).fence();
  });
}

template <class Real>
BoundarySource<Real>::BoundarySource(ControlVolumeGrid grid, BoundaryConditions const& conditions,
                                     WallWeight const& weight)
    : grid_(std::move(grid)) {
  add_walls(conditions, [&](Block const& block, int axis, int side, IndexRange const& box,
                            Kokkos::View<double*, Memory> const& weights) {
    IndexRange const unknowns = grid_.unknowns(block);
    Extents const first = grid_.first_unknown(block);
    auto const on_host = Kokkos::create_mirror_view(weights);
    std::size_t n = 0;
    for (Index k = box.begin[2]; k < box.end[2]; ++k) {
      for (Index j = box.begin[1]; j < box.end[1]; ++j) {
        for (Index i = box.begin[0]; i < box.end[0]; ++i) {
          Extents const unknown{first[0] + i - unknowns.begin[0], first[1] + j - unknowns.begin[1],
                                first[2] + k - unknowns.begin[2]};
          on_host(n++) = weight(axis, side, unknown);
        }
      }
    }
    Kokkos::deep_copy(weights, on_host);
  });
}

template <class Real>
void BoundarySource<Real>::add_walls(BoundaryConditions const& conditions, FillWeights const& fill) {
  for (int axis = 0; axis < grid_.dimensions(); ++axis) {
    if (grid_.mesh->periodic(axis)) continue;
    for (Block const& block : grid_.mesh->blocks()) {
      for (int side : {-1, 1}) add_wall(conditions.at(axis, side), block, axis, side, fill);
    }
  }
}

template <class Real>
void BoundarySource<Real>::add(double time, double factor, Vector& b, int component) const {
  Field<Real>& field = *as_field_vector<Real>(b).fields().front();
  for (Part& part : parts_) {
    if (part.value.depends_on_time() && part.evaluated_at != time) evaluate(part, time);
    set_values(execution(part.block), part.box, field.view(part.block, component),
               WithWall<Real>{packed_view<double const>(part.weights.data(), part.box),
                              packed_view<Real const>(part.values.data(), part.box),
                              std::as_const(field).view(part.block, component), factor});
  }
}

template <class Real>
void BoundarySource<Real>::add_wall(BoundaryCondition const& condition, Block const& block, int axis, int side,
                                    FillWeights const& fill) {
  auto const a = static_cast<std::size_t>(axis);
  bool const without_value =
      condition.kind == BoundaryKind::reflecting || (condition.value.is_constant() && condition.value(0, 0, 0, 0) == 0);
  IndexRange box = grid_.unknowns(block);
  bool const at_wall =
      !box.empty() && (side < 0 ? grid_.first_unknown(block)[a] == 0
                                : grid_.first_unknown(block)[a] + box.extent(axis) == grid_.volumes[a].size());
  if (without_value || !at_wall) return;

  if (side < 0)
    box.end[a] = box.begin[a] + 1;
  else
    box.begin[a] = box.end[a] - 1;
  auto const size = static_cast<std::size_t>(box.size());
  Part part{block,
            axis,
            side,
            box,
            condition.value,
            std::numeric_limits<double>::quiet_NaN(),
            Kokkos::View<double*, Memory>("wall weights", size),
            Kokkos::View<Real*, Memory>("wall values", size),
            nullptr};
  fill(block, axis, side, box, part.weights);
  if (!part.value.depends_on_time()) evaluate(part, 0);
  parts_.push_back(std::move(part));
}

template <class Real>
void BoundarySource<Real>::evaluate(Part& part, double time) const {
  if (!part.places) {
    IndexRange const unknowns = grid_.unknowns(part.block);
    Extents const first = grid_.first_unknown(part.block);
    Axis const& line = grid_.mesh->axis(part.axis);
    BoxPositions along;
    for (std::size_t a = 0; a < 3; ++a) {
      for (Index i = part.box.begin[a]; i < part.box.end[a]; ++i) {
        if (a == static_cast<std::size_t>(part.axis)) {
          along.along[a].push_back(part.side < 0 ? line.lower() : line.upper());
        } else if (a >= static_cast<std::size_t>(grid_.dimensions())) {
          along.along[a].push_back(0);
        } else {
          along.along[a].push_back(
              grid_.volumes[a].position[static_cast<std::size_t>(first[a] + i - unknowns.begin[a])]);
        }
      }
    }
    part.places = std::make_shared<EntryPositions const>(execution(part.block), std::move(along));
  }
  BoxPositions const& places = part.places->on_host();
  IndexRange const all = places.range();
  if (auto const bad = halocline::evaluate(execution(part.block), part.value, time, *part.places, all, all,
                                           packed_view<Real>(part.values.data(), all)))
    throw_not_finite("boundary." + face_name(part.axis, part.side), part.value, places.at(*bad), time);
  part.evaluated_at = time;
}

template class BoundarySource<float>;
template class BoundarySource<double>;

}  // namespace halocline
